package oap_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExportedNamesAreDocumented: a security engineer reads the package's
// documentation before its code, so each exported name has a comment.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, dir := range []string{".", "condition", "mutation", "../authz"} {
		names := documented(t, dir)
		require.NotEmpty(t, names, dir)
		for name, comment := range names {
			assert.NotEmpty(t, strings.TrimSpace(comment), "%s: %s has no comment", dir, name)
		}
	}
}

// TestRulesSayUnitsErrorsAndSource: what a rule is made of says in which units it
// counts, what goes wrong and where it comes from.
func TestRulesSayUnitsErrorsAndSource(t *testing.T) {
	for _, tt := range []struct{ dir, name, want, reason string }{
		{".", "Rule", "minor units", "amounts in conditions"},
		{".", "Rule", "error", "what a condition that can't be followed comes to"},
		{".", "Rule", "Source:", "whose rules these are"},
		{".", "AssuranceRule", "minor units", "amounts of the table"},
		{".", "AssuranceRule", "Source:", "whose table this is"},
		{".", "Limits", "minor units", "amounts of the caps"},
		{".", "Limits", "error", "what a missing limit comes to"},
		{".", "Limits", "Source:", "whose shapes these are"},
		{"../authz", "ReasonAllowed", "Source:", "whose codes these are"},
		{"condition", "Parse", "*Error", "what a refusal is"},
		{"condition", "Func", "rule is skipped", "what an absent argument comes to"},
	} {
		t.Run(tt.name+" "+tt.want, func(t *testing.T) {
			comment := strings.Join(strings.Fields(documented(t, tt.dir)[tt.name]), " ")
			assert.Contains(t, comment, tt.want, "%s.%s: %s", tt.dir, tt.name, tt.reason)
		})
	}
}

// documented maps each exported name of a package to its comment; members of a
// group count with the group's.
func documented(t *testing.T, dir string) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	p, err := doc.NewFromFiles(fset, parseDir(t, fset, dir), "vaultbench/"+dir)
	require.NoError(t, err)
	out := map[string]string{}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				for _, id := range s.Names {
					if id.IsExported() {
						out[id.Name] = v.Doc + s.Doc.Text() + s.Comment.Text()
					}
				}
			}
		}
	}
	funcs := func(prefix string, fs []*doc.Func) {
		for _, f := range fs {
			out[prefix+f.Name] = f.Doc
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs("", p.Funcs)
	for _, typ := range p.Types {
		out[typ.Name] = typ.Doc + fieldComments(typ)
		values(typ.Consts)
		values(typ.Vars)
		funcs("", typ.Funcs)
		funcs(typ.Name+".", typ.Methods)
	}
	return out
}

// fieldComments are what a struct says beside its fields.
func fieldComments(typ *doc.Type) string {
	var all []string
	ast.Inspect(typ.Decl, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			all = append(all, f.Doc.Text(), f.Comment.Text())
		}
		return true
	})
	return strings.Join(all, " ")
}

func parseDir(t *testing.T, fset *token.FileSet, dir string) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}
