package vault_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
)

const module = "vaultbench/"

// arrows are the direct imports inside the module that each package may have.
// scripts and vault_test, where everything meets, may import anything.
var arrows = map[string][]string{
	"docs":                         {},
	"internal/harness":             {},
	"fixtures":                     {},
	"passports":                    {},
	"golden":                       {},
	"internal/escape":              {},
	"internal/strictjson":          {"fixtures"},
	"internal/price":               {},
	"internal/bank":                {},
	"internal/stats":               {},
	"internal/config":              {},
	"internal/corpus":              {"internal/strictjson"},
	"internal/corpus/author":       {"internal/corpus", "internal/strictjson"},
	"internal/corpus/derived":      {"internal/corpus", "internal/bank"},
	"internal/jcs":                 {},
	"internal/spelling":            {},
	"internal/authz":               {"internal/bank", "internal/jcs"},
	"internal/authz/authztest":     {"internal/authz", "internal/bank"},
	"internal/oap":                 {"internal/authz", "internal/bank", "internal/spelling", "internal/strictjson", "internal/oap/condition"},
	"internal/oap/reference":       {"internal/authz"},
	"internal/oap/oaptest":         {"internal/authz", "internal/bank", "internal/oap/reference"},
	"internal/oap/condition":       {},
	"internal/oap/mutation":        {},
	"internal/llm":                 {"internal/price", "internal/strictjson"},
	"internal/llm/chat":            {"internal/llm"},
	"internal/llm/sim":             {"internal/llm"},
	"internal/llm/recorded":        {"internal/llm", "internal/unpack"},
	"internal/llm/llmtest":         {"internal/llm"},
	"internal/llm/budget":          {"internal/llm", "internal/price"},
	"internal/llm/limit":           {"internal/llm"},
	"internal/llm/cassette":        {"internal/llm", "internal/strictjson"},
	"internal/plan":                {"internal/corpus"},
	"internal/dispatch":            {"internal/authz", "internal/bank", "internal/jcs"},
	"internal/record":              {"internal/plan", "internal/corpus", "internal/authz", "internal/bank", "internal/price", "internal/strictjson"},
	"internal/receipt":             {"internal/authz", "internal/bank", "internal/jcs", "internal/plan", "internal/record", "internal/strictjson"},
	"internal/receipt/receipttest": {"internal/authz", "internal/bank", "internal/receipt", "internal/record"},
	"internal/redecide":            {"internal/authz", "internal/bank", "internal/corpus", "internal/oracle", "internal/plan", "internal/record"},
	"internal/unpack":              {},
	"internal/ingest":              {"fixtures", "internal/corpus", "internal/corpus/author", "internal/llm/recorded", "internal/plan", "internal/record", "internal/strictjson", "internal/unpack"},
	"internal/agent":               {"internal/llm", "internal/dispatch", "internal/corpus", "internal/record"},
	"internal/oracle":              {"internal/corpus", "internal/bank"},
	"internal/report":              {"internal/corpus", "internal/plan", "internal/price", "internal/receipt", "internal/record", "internal/oracle", "internal/stats", "internal/strictjson", "internal/escape"},
	"internal/diff": {
		"internal/authz", "internal/corpus", "internal/escape", "internal/oracle", "internal/plan", "internal/receipt", "internal/record",
		"internal/report", "internal/stats",
	},
	"internal/export/parquetrows": {},
	"internal/export": {
		"internal/authz", "internal/bank", "internal/corpus", "internal/corpus/derived", "internal/escape", "internal/export/parquetrows", "internal/oracle",
		"internal/plan", "internal/publish", "internal/receipt", "internal/record", "internal/report",
	},
	"internal/progress":    {"internal/escape"},
	"internal/judge":       {"internal/escape", "internal/llm", "internal/record", "internal/stats", "internal/strictjson"},
	"internal/paper":       {"internal/authz", "internal/corpus", "internal/ingest", "internal/oracle", "internal/plan", "internal/record", "internal/report", "internal/stats", "internal/escape"},
	"internal/report/page": {"internal/corpus", "internal/plan", "internal/price", "internal/record", "internal/report", "internal/stats", "internal/escape"},
	"internal/publish":     {"internal/receipt", "internal/record", "internal/report", "internal/report/page"},
	"internal/publish/publishtest": {
		"internal/authz", "internal/bank", "internal/corpus", "internal/plan", "internal/publish", "internal/receipt/receipttest", "internal/record",
		"internal/report", "internal/report/page",
	},
	"internal/suite": {
		"internal/agent", "internal/authz", "internal/bank", "internal/corpus", "internal/dispatch", "internal/llm", "internal/llm/budget", "internal/llm/sim",
		"internal/llm/recorded", "internal/oracle", "internal/plan", "internal/receipt", "internal/record", "internal/report",
		"internal/strictjson",
	},
}

// never are pairs that must not meet, not even through others.
var never = []struct{ from, to, reason string }{
	{"internal/oracle", "internal/authz", "the layer never marks its own exam"},
	{"internal/oracle", "internal/oap", "the layer never marks its own exam"},
	{"internal/oap", "internal/llm", "a layer knows no model"},
	{"internal/llm", "internal/oap", "a banker knows no passport"},
	{"internal/llm/chat", "internal/oap", "a live banker is told no passport"},
	{"internal/llm/sim", "internal/corpus", "a banker knows no goal but by its lookup"},
	{"internal/llm/sim", "internal/authz", "a banker knows no decision"},
	{"internal/llm/recorded", "internal/authz", "a recording knows no decision"},
	{"internal/suite", "internal/oap", "layers and models meet in vault_test and scripts alone"},
	{"internal/bank", "internal/authz", "the ledger knows no layer"},
	{"internal/oap/reference", "internal/oap", "what the engine is held against knows no engine"},
	{"internal/oap/oaptest", "internal/oap", "whoever draws the cases knows no engine"},
	{"internal/judge", "internal/oap", "a judge knows no passport"},
	{"internal/receipt", "internal/oap", "what signs and verifies trusts no layer"},
	{"internal/receipt", "internal/llm", "what signs and verifies knows no model"},
	{"internal/redecide", "internal/llm", "a run is decided again without a model"},
	{"internal/redecide", "internal/oap", "a run is decided again by whatever layer is given"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func goList(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = moduleRoot(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	all := map[string]listed{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all[strings.TrimPrefix(p.ImportPath, module)] = p
	}
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	root, err := config.Root(dir)
	require.NoError(t, err)
	return root
}

func TestImportArrows(t *testing.T) {
	all := goList(t)
	require.Contains(t, all, "internal/bank")
	for name, p := range all {
		if strings.HasPrefix(name, "scripts/") || name == "vault_test" {
			continue
		}
		may, known := arrows[name]
		assert.True(t, known, "package %s has no row in the arrows: say what it may import", name)
		for _, imported := range p.Imports {
			if inside, ok := strings.CutPrefix(imported, module); ok {
				assert.Contains(t, may, inside, "%s imports %s", name, inside)
			}
			if strings.HasPrefix(imported, "github.com/openai/") {
				assert.Equal(t, "internal/llm/chat", name, "openai-go is imported by internal/llm/chat alone: whoever needs no more than the types of llm shall not link it")
			}
		}
	}
	for _, n := range never {
		require.Contains(t, all, n.from)
		assert.NotContains(t, all[n.from].Deps, module+n.to, "%s reaches %s: %s", n.from, n.to, n.reason)
	}
}

// TestOnlyConfigReadsTheEnvironment holds that no other package does.
func TestOnlyConfigReadsTheEnvironment(t *testing.T) {
	readers, config := map[string]bool{}, filepath.Join("internal", "config")
	eachSource(t, func(path string, f *ast.File) {
		names := importNames(f, "os")
		if filepath.Dir(path) != config {
			require.Empty(t, importNames(f, "syscall"), "%s: syscall reads the environment too", path)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && isIdent(s.X, names) && slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, s.Sel.Name) {
				readers[filepath.Dir(path)] = true
			}
			return true
		})
	})
	assert.Equal(t, map[string]bool{config: true}, readers)
}

// eachSource parses every Go file of the module that is no test.
func eachSource(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		visit(rel, f)
		return err
	})
	require.NoError(t, err)
}

// importNames are the names under which a file knows a package: it may import one
// twice.
func importNames(f *ast.File, path string) []string {
	var names []string
	for _, spec := range f.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); imported != path {
			continue
		}
		if spec.Name != nil {
			names = append(names, spec.Name.Name)
			continue
		}
		names = append(names, path[strings.LastIndex(path, "/")+1:])
	}
	return names
}

func isIdent(x ast.Expr, names []string) bool {
	id, ok := x.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}
