package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/strictjson"
)

var (
	commandInText  = regexp.MustCompile(`go tool vault ([^\n\x60]*)`)
	variableInText = regexp.MustCompile(`\bVAULT_[A-Z][A-Z_]*[A-Z]\b`)
	flagInText     = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*)`)
	commandWord    = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// TestDocumentsNameWhatExists: every command of the companion, each of its flags
// and every variable that a document or a workflow names exists.
func TestDocumentsNameWhatExists(t *testing.T) {
	var c commands
	parser, err := kong.New(&c)
	require.NoError(t, err)
	commandsSeen, variablesSeen := 0, 0
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", ".github/workflows/*.yml", ".ci/run", ".ci/policy", ".ci/nightly", ".env.example"} {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			text := strings.ReplaceAll(string(raw), "\\\n", " ") // a shell's continued line
			for _, m := range commandInText.FindAllStringSubmatch(text, -1) {
				commandsSeen++
				checkCommand(t, parser.Model, file, m[1])
			}
			for _, name := range variableInText.FindAllString(text, -1) {
				variablesSeen++
				assert.Contains(t, config.Variables(), name, file)
			}
		}
	}
	assert.Greater(t, commandsSeen, 15, "the search must see the commands")
	assert.Greater(t, variablesSeen, 25, "the search must see the variables")
}

// checkCommand follows the words of a command line down the tree of commands and
// looks each flag up.
func checkCommand(t assert.TestingT, model *kong.Application, file, line string) {
	node, flags := model.Node, []string{"--help"}
	words := strings.Fields(line)
	for len(words) > 0 && len(node.Children) > 0 {
		if words[0] == "--help" || !commandWord.MatchString(strings.Split(words[0], "|")[0]) {
			break
		}
		var next *kong.Node
		for _, word := range strings.Split(words[0], "|") { // list|show|lint
			at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
			if !assert.GreaterOrEqual(t, at, 0, "%s: go tool vault %s: no command %q", file, line, word) {
				return
			}
			next = node.Children[at]
		}
		node, words = next, words[1:]
	}
	for _, f := range node.Flags {
		flags = append(flags, "--"+f.Name)
	}
	rest, _, _ := strings.Cut(strings.Join(words, " "), "#") // what follows is a comment
	for _, m := range flagInText.FindAllStringSubmatch(rest, -1) {
		assert.Contains(t, flags, m[1], "%s: go tool vault %s", file, line)
	}
}

// TestExamplesParse: the gate of the document is one, and the pipelines are YAML.
func TestExamplesParse(t *testing.T) {
	raw, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(json|yaml)\n(.*?)```").FindAllStringSubmatch(string(raw), -1)
	seen := map[string]int{}
	for _, b := range blocks {
		seen[b[1]]++
		if b[1] == "json" {
			require.NoError(t, strictjson.Validate("gate.schema.json", []byte(b[2])))
			continue
		}
		assert.YAMLEq(t, b[2], b[2])
	}
	assert.Positive(t, seen["json"])
	assert.Positive(t, seen["yaml"])
	nightly, err := os.ReadFile("../../.ci/nightly-gate.json")
	require.NoError(t, err)
	require.NoError(t, strictjson.Validate("gate.schema.json", nightly))
	workflow, err := os.ReadFile("../../.github/workflows/vault.yml")
	require.NoError(t, err)
	assert.YAMLEq(t, string(workflow), string(workflow))
}

// faults counts what a check finds.
type faults int

func (f *faults) Errorf(string, ...any) { *f++ }

// TestCheckCommand: a search that accepts anything proves nothing.
func TestCheckCommand(t *testing.T) {
	var c commands
	parser, err := kong.New(&c)
	require.NoError(t, err)
	for line, ok := range map[string]bool{
		"verify results/latest": true, "verify results/latest --jwks keys.json": true, "attacks list|show": true, "attacks stats   # --counts": true, "--help": true,
		"verfy results/latest": false, "attacks lst": false, "attacks list|shw": false, "verify results/latest --keys x": false,
	} {
		var probe faults
		checkCommand(&probe, parser.Model, "file", line)
		assert.Equal(t, ok, probe == 0, line)
	}
}
