package pipelines_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// blocks are the code blocks of docs/ci.md in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "ci.md"))
	require.NoError(t, err)
	var all []string
	for _, part := range strings.Split(string(raw), "\n```"+language+"\n")[1:] {
		text, _, closed := strings.Cut(part, "\n```")
		require.True(t, closed, "a block of %s has no end", language)
		all = append(all, text+"\n")
	}
	return all
}

// command runs a program and returns what it printed to both.
func command(t *testing.T, dir, stdin string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, &out
	err := cmd.Run()
	return out.String(), err
}

// wellFormed holds a piece of shell to bash's parser and to shellcheck.
func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	for _, tool := range [][]string{{"bash", "-n"}, {"shellcheck", "--shell=bash", "-"}} {
		out, err := command(t, "", text, tool...)
		require.NoError(t, err, "%s: %s: %s", name, tool[0], out)
	}
}
