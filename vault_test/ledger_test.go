package vault_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	bankDir     = "internal/bank"
	dispatchDir = "internal/dispatch"
	ledgerType  = "Ledger"
	newLedger   = "NewLedger"
	ledgerField = "ledger" // of dispatch.Dispatcher
)

// ledgerTests are the tests outside of the two packages that open a ledger of
// their own; nothing can import a test.
var ledgerTests = []string{"internal/oracle/oracle_test.go"}

// ledgerUses are the methods that dispatch may call, and the one function that may.
var ledgerUses = map[string]string{"Post": "execute", "Balance": "", "Currency": "", "Transfers": "", "Check": ""}

// ledgerFaults says where files break the rule that money moves through dispatch
// alone. It looks at the text of each file, whatever platform or tag it is for:
//   - nobody but bank and dispatch names a ledger, under whatever import name;
//   - bank gives it no second name, keeps none, and lets no method of it out;
//   - dispatch has one, in an unexported field, calls its methods on the spot, and
//     posts in execute, which spends a permit, alone;
//   - nothing goes round the language.
func ledgerFaults(files map[string]*ast.File) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c := ledgerCheck{name: name, file: files[name], bank: importNames(files[name], module+bankDir)}
		dir, test := path.Dir(name), strings.HasSuffix(name, "_test.go")
		c.language()
		switch {
		case dir == bankDir && !test:
			c.walk(c.inBank)
		case dir == bankDir || slices.Contains(ledgerTests, name):
		case dir == dispatchDir && !test:
			c.walk(c.inDispatch)
		default:
			c.walk(c.outside)
		}
		faults = append(faults, c.faults...)
	}
	return faults
}

type ledgerCheck struct {
	name   string
	file   *ast.File
	bank   []string // the file's names of package bank
	faults []string
}

func (c *ledgerCheck) fault(format string, args ...any) {
	c.faults = append(c.faults, c.name+": "+fmt.Sprintf(format, args...))
}

// language: with these, a file needs to name nothing.
func (c *ledgerCheck) language() {
	for _, forbidden := range []string{"unsafe", "C"} {
		for _, spec := range c.file.Imports {
			if spec.Path.Value == `"`+forbidden+`"` {
				c.fault("import of %s", forbidden)
			}
		}
	}
	for _, group := range c.file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:linkname") {
				c.fault("go:linkname")
			}
		}
	}
	if slices.Contains(c.bank, ".") {
		c.fault("dot import of bank")
	}
}

// walk visits each node with those around it, the nearest last.
func (c *ledgerCheck) walk(visit func(n ast.Node, around []ast.Node)) {
	var around []ast.Node
	ast.Inspect(c.file, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		visit(n, around)
		around = append(around, n)
		return true
	})
}

func (c *ledgerCheck) names(n ast.Node, what ...string) bool {
	s, ok := n.(*ast.SelectorExpr)
	return ok && isIdent(s.X, c.bank) && slices.Contains(what, s.Sel.Name)
}

func (c *ledgerCheck) outside(n ast.Node, _ []ast.Node) {
	if c.names(n, ledgerType, newLedger) {
		c.fault("names a ledger")
	}
}

// up is the n-th node around, 1 being the nearest; nil where there is none.
func up(around []ast.Node, n int) ast.Node {
	if n > len(around) {
		return nil
	}
	return around[len(around)-n]
}

// function is the declaration around, nil outside of one; literal says that a
// function literal stands between.
func function(around []ast.Node) (decl *ast.FuncDecl, literal bool) {
	for _, n := range slices.Backward(around) {
		switch n := n.(type) {
		case *ast.FuncLit:
			literal = true
		case *ast.FuncDecl:
			return n, literal
		}
	}
	return nil, literal
}

func (c *ledgerCheck) inBank(n ast.Node, around []ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return
	}
	decl, literal := function(around)
	switch id.Name {
	case ledgerType:
		if !c.declares(id, around) && !isReceiver(around) && (decl == nil || decl.Recv != nil || decl.Name.Name != newLedger || literal) {
			c.fault("a second name or a holder of the ledger's type")
		}
	case newLedger:
		if decl == nil || decl.Name != id {
			c.fault("use of %s", newLedger)
		}
	}
	if decl == nil || !holdsLedger(decl, id.Name) || isReceiver(around) {
		return
	}
	c.kept(id, decl, literal, around)
}

// declares: type Ledger struct, no alias.
func (c *ledgerCheck) declares(id *ast.Ident, around []ast.Node) bool {
	spec, ok := up(around, 1).(*ast.TypeSpec)
	if !ok || spec.Name != id || spec.Assign != token.NoPos {
		return false
	}
	_, isStruct := spec.Type.(*ast.StructType)
	return isStruct
}

// isReceiver: inside the receiver of a method.
func isReceiver(around []ast.Node) bool {
	for i, n := range around {
		if decl, ok := n.(*ast.FuncDecl); ok {
			return i+1 < len(around) && decl.Recv != nil && around[i+1] == ast.Node(decl.Recv)
		}
	}
	return false
}

// holdsLedger: the receiver of the ledger's methods, and the one that is opened.
func holdsLedger(decl *ast.FuncDecl, name string) bool {
	if decl.Recv == nil {
		return decl.Name.Name == newLedger && name == "l"
	}
	star, ok := decl.Recv.List[0].Type.(*ast.StarExpr)
	return ok && isIdent(star.X, []string{ledgerType}) && len(decl.Recv.List[0].Names) == 1 && decl.Recv.List[0].Names[0].Name == name
}

// kept: the variable is for its fields and for calls of its methods; whatever else
// it is used for could keep it or hand it on.
func (c *ledgerCheck) kept(id *ast.Ident, decl *ast.FuncDecl, literal bool, around []ast.Node) {
	switch p := up(around, 1).(type) {
	case *ast.SelectorExpr:
		if p.X != ast.Expr(id) {
			return // a field or package that has its name
		}
		call, called := up(around, 2).(*ast.CallExpr)
		called = called && call.Fun == ast.Expr(p)
		if _, method := ledgerUses[p.Sel.Name]; literal || (method || p.Sel.Name == "enter") && !called {
			c.fault("%s: the ledger is kept by a function", decl.Name.Name)
		}
		return
	case *ast.ReturnStmt:
		if decl.Recv == nil {
			return // NewLedger's own
		}
	case *ast.AssignStmt:
		if decl.Recv == nil && p.Tok == token.DEFINE {
			return // likewise
		}
	}
	c.fault("%s: the ledger itself is handed on", decl.Name.Name)
}

func (c *ledgerCheck) inDispatch(n ast.Node, around []ast.Node) {
	switch {
	case c.names(n, ledgerType):
		if !isLedgerField(around) {
			c.fault("a ledger's type outside of the one unexported field")
		}
	case c.names(n, newLedger):
		if !opensLedger(n, around) {
			c.fault("a ledger is opened outside of the dispatcher's field")
		}
	}
	if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == ledgerField {
		c.used(s, around)
	}
}

// isLedgerField: type Dispatcher struct { ledger *bank.Ledger }.
func isLedgerField(around []ast.Node) bool {
	_, star := up(around, 1).(*ast.StarExpr)
	field, ok := up(around, 2).(*ast.Field)
	spec, isType := up(around, 5).(*ast.TypeSpec)
	return star && ok && isType && spec.Name.Name == "Dispatcher" && len(field.Names) == 1 && field.Names[0].Name == ledgerField
}

// opensLedger: Dispatcher{ledger: bank.NewLedger(…)}.
func opensLedger(n ast.Node, around []ast.Node) bool {
	call, ok := up(around, 1).(*ast.CallExpr)
	pair, isPair := up(around, 2).(*ast.KeyValueExpr)
	lit, isLit := up(around, 3).(*ast.CompositeLit)
	return ok && isPair && isLit && call.Fun == n && isIdent(pair.Key, []string{ledgerField}) && isIdent(lit.Type, []string{"Dispatcher"})
}

// used: d.ledger.Method(…) and nothing else, and Post in execute alone.
func (c *ledgerCheck) used(s *ast.SelectorExpr, around []ast.Node) {
	method, ok := up(around, 1).(*ast.SelectorExpr)
	call, isCall := up(around, 2).(*ast.CallExpr)
	if !ok || !isCall || call.Fun != ast.Expr(method) {
		c.fault("the ledger is handed on")
		return
	}
	only, known := ledgerUses[method.Sel.Name]
	decl, literal := function(around)
	if !known || decl == nil || only != "" && (decl.Name.Name != only || literal) {
		c.fault("%s is called outside of %s", method.Sel.Name, only)
	}
}

// goFiles are the texts of all Go files under the module's root, those of nested
// modules, of tests and of other platforms among them.
func goFiles(t *testing.T) map[string]string {
	t.Helper()
	root, files := moduleRoot(t), map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		raw, err := os.ReadFile(file)
		rel, relErr := filepath.Rel(root, file)
		files[filepath.ToSlash(rel)] = string(raw)
		require.NoError(t, relErr)
		return err
	})
	require.NoError(t, err)
	return files
}

func parseAll(t *testing.T, texts map[string]string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for name, text := range texts {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		files[name] = f
	}
	return files
}

// TestOnlyDispatchHoldsALedger holds it over every Go file there is.
func TestOnlyDispatchHoldsALedger(t *testing.T) {
	texts := goFiles(t)
	assert.Empty(t, ledgerFaults(parseAll(t, texts)))
	require.Contains(t, texts[dispatchDir+"/dispatch.go"], "bank."+newLedger, "the real holder is among them")
	require.Contains(t, texts[bankDir+"/ledger.go"], "type "+ledgerType+" struct", "so is the ledger")
	for _, name := range ledgerTests {
		assert.Contains(t, texts[name], "bank."+newLedger, "%s opens none any more: strike it off", name)
	}
}

// TestLedgerBypasses: each way round the rule that anybody has thought of is found.
func TestLedgerBypasses(t *testing.T) {
	const imports = "import \"vaultbench/internal/bank\"\n"
	real := goFiles(t)
	for _, tt := range ledgerBypasses {
		sub(t, tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			texts := map[string]string{bankDir + "/ledger.go": real[bankDir+"/ledger.go"], dispatchDir + "/dispatch.go": real[dispatchDir+"/dispatch.go"]}
			text := strings.Replace(tt.add, "import bank\n", imports, 1)
			if tt.old != "" {
				require.Equal(t, 1, strings.Count(texts[tt.file], tt.old), "the text to change is there once")
				text = strings.Replace(texts[tt.file], tt.old, tt.add, 1)
			}
			texts[tt.file] = text
			got := ledgerFaults(parseAll(t, texts))
			require.NotEmpty(t, got, tt.reason)
			for _, fault := range got {
				assert.Truef(t, strings.HasPrefix(fault, tt.file+": "), "%s is about another file than %s", fault, tt.file)
				assert.Contains(t, fault, tt.want, tt.reason)
			}
		})
	}
}
