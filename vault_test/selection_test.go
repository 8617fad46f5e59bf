package vault_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/pinned"
)

// TestOnlySubStartsSubtests: whoever starts a subtest goes through sub, or a pattern
// that leaves none of them would pass as green.
func TestOnlySubStartsSubtests(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	calls, fset := 0, token.NewFileSet()
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fn := call.Fun.(type) {
			case *ast.Ident:
				calls += one(fn.Name == "sub")
			case *ast.SelectorExpr:
				x, _ := fn.X.(*ast.Ident)
				if x != nil && x.Name == "t" && fn.Sel.Name == "Run" && file != "notes_test.go" {
					t.Errorf("%s: t.Run: use sub(t, name, f)", fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
	assert.GreaterOrEqual(t, calls, 10, "the search must see the subtests")
}

// TestClaimTestsAreNamed: the tests beside the cells that a claim asks for exist,
// and each notes how it ended.
func TestClaimTestsAreNamed(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	noting := map[string][]string{} // by the method that each calls first
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || len(fn.Body.List) == 0 {
				continue
			}
			first, _ := fn.Body.List[0].(*ast.ExprStmt)
			if first == nil {
				continue
			}
			call, _ := first.X.(*ast.CallExpr)
			if call == nil {
				continue
			}
			if s, _ := call.Fun.(*ast.SelectorExpr); s != nil {
				noting[s.Sel.Name] = append(noting[s.Sel.Name], fn.Name.Name)
			}
		}
	}
	assert.ElementsMatch(t, report.SentinelTests(), noting["sentinel"])
	assert.ElementsMatch(t, report.GoldenTests(), noting["pins"])
}

func TestNotedFailures(t *testing.T) {
	for _, tt := range []struct {
		name    string
		golden  []drifted
		blamed  string
		failed  bool
		kind    record.FailureKind
		message string
		reason  string
	}{
		{"nothing", nil, "", false, "", "", "a run that may pass"},
		{"a test", nil, "", true, record.FailedTest, "a test failed, and the cells alone do not say that the run passed: the lines that begin with --- FAIL name it", "the run proves nothing"},
		{"a test with its reason", nil, "no case holds\na reply", true, record.FailedTest, `TestRecordings: no case holds\u000aa reply; lines that begin with --- FAIL name any other test`, "nobody has to search the log"},
		{"a golden and a test with its reason", []drifted{{driftChanged, "x"}}, "no case", true, record.FailedGolden, "a golden decision changed: x", "a violation outranks it"},
		{"a golden", []drifted{{driftChanged, "file:1: x#1: a → b\nmore"}, {driftChanged, "another"}}, "", true, record.FailedGolden, "a golden decision changed: file:1: x#1: a → b", "a violation, in one line"},
		{"another policy", []drifted{{driftHead, "file:1: x is not"}, {driftNew, "y"}}, "", true, record.FailedGolden, "a golden was made with another policy: file:1: x is not", "no decision moved"},
		{"a decision after the head", []drifted{{driftNew, "y"}, {driftHead, "file:1: x is not"}, {driftChanged, "z"}}, "", true, record.FailedGolden, "a golden decision changed: z", "the worst is named"},
		{"an attack was added", []drifted{{driftNew, "file:2: it is new"}}, "", true, record.FailedGolden, "a golden decision is missing: file:2: it is new", "nothing changed"},
		{"a line was moved", []drifted{{driftOrder, "file:2: a stands where b is decided"}}, "", true, record.FailedGolden, "a golden has its lines in another order: file:2: a stands where b is decided", "nothing changed"},
		{"an attack is gone", []drifted{{driftNew, "new"}, {driftGone, "gone"}}, "", true, record.FailedGolden, "a golden decision is left over: gone", "nothing changed"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			var n notes
			n.red("TestGreen", report.Cell{})
			if tt.blamed != "" {
				n.blames("TestRecordings", errors.New(tt.blamed))
				n.red("TestLater/a", report.Cell{Findings: []report.Finding{{Kind: report.FoundInconclusive, Message: "another"}}})
			}
			for _, d := range tt.golden {
				n.changedGolden(d)
			}
			kind, message := n.failure(tt.failed)
			assert.Equal(t, tt.kind, kind, tt.reason)
			assert.Equal(t, tt.message, message, tt.reason)
		})
	}
}

// TestUnopened: why no run was begun is said once, and then where.
func TestUnopened(t *testing.T) {
	var n notes
	why := errors.New("VAULT_GATE: no such file")
	for _, tt := range []struct{ name, want, reason string }{
		{"TestA", "VAULT_GATE: no such file", "the first says it"},
		{"TestB", "no run was begun: see TestA, or the last lines", "the others would repeat it"},
		{"TestC", "no run was begun: see TestA, or the last lines", "however many"},
	} {
		require.EqualError(t, n.unopened(tt.name, why), tt.want, tt.reason)
	}
	assert.Equal(t, why, n.closed, "what the last lines say")
}

// TestGoldenOrder: a golden whose lines were moved by hand says so at once, not in
// the diff of whoever runs -update next.
func TestGoldenOrder(t *testing.T) {
	lines := func(ids ...string) (out []pinned.Decision) {
		for _, id := range ids {
			out = append(out, pinned.Decision{ID: id})
		}
		return out
	}
	for _, tt := range []struct {
		name, want string
		golden     []pinned.Decision
		reason     string
	}{
		{"as decided", "", lines("a#1", "a#2", "b#1"), "the control"},
		{"a call before the other", "golden/decisions-l2.jsonl:2: a#2 stands where a#1 is decided: go test ./vault_test -update moves it", lines("a#2", "a#1", "b#1"), "the first line is the head"},
		{"a probe moved up", "golden/decisions-l2.jsonl:3: b#1 stands where a#2 is decided: go test ./vault_test -update moves it", lines("a#1", "b#1", "a#2"), "the first that is amiss is named"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			var got string
			for _, d := range inOrder(pinned.File(corpus.L2), tt.golden, lines("a#1", "a#2", "b#1")) {
				assert.Equal(t, driftOrder, d.how)
				got += d.line
			}
			assert.Equal(t, tt.want, got, tt.reason)
		})
	}
}
