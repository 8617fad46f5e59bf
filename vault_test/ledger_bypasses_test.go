package vault_test

const (
	bankFile     = "internal/bank/ledger.go"
	dispatchFile = "internal/dispatch/dispatch.go"
	second       = "a second name or a holder of the ledger's type"
	handedOn     = "the ledger is handed on"
)

// ledgerBypasses are files to add, or to change where old is given, each of which
// would let money move without a permit.
var ledgerBypasses = []struct {
	name, file, old, add, want, reason string
}{
	{"constructor", "internal/agent/x.go", "", "package agent\nimport bank\nvar l = bank.NewLedger(\"a\", bank.USD, 1)", "names a ledger", "the plain way"},
	{"type", "internal/agent/x.go", "", "package agent\nimport bank\nvar l bank.Ledger", "names a ledger", "the plain way"},
	{"other import name", "internal/agent/x.go", "", "package agent\nimport b \"vaultbench/internal/bank\"\nvar l b.Ledger", "names a ledger", "any name"},
	{"imported twice", "internal/agent/x.go", "", "package agent\nimport (\n\"vaultbench/internal/bank\"\nb \"vaultbench/internal/bank\"\n)\nvar p bank.Payment\nvar l b.Ledger", "names a ledger", "either name"},
	{"dot import", "internal/agent/x.go", "", "package agent\nimport . \"vaultbench/internal/bank\"\nvar l Ledger", "dot import", "no name before it"},
	{"function value", "internal/agent/x.go", "", "package agent\nimport bank\nvar open = bank.NewLedger", "names a ledger", "called later"},
	{"alias elsewhere", "internal/agent/x.go", "", "package agent\nimport bank\ntype Book = bank.Ledger", "names a ledger", "a second name"},
	{"a test of the suite", "vault_test/x_test.go", "", "package vault_test\nimport bank\nvar l = bank.NewLedger(\"a\", bank.USD, 1)", "names a ledger", "the suite judges by ledgers"},
	{"a test elsewhere", "internal/agent/x_test.go", "", "package agent\nimport bank\nvar l bank.Ledger", "names a ledger", "no exception but the named ones"},
	{"other platform", "internal/agent/x_windows.go", "", "package agent\nimport bank\nvar l bank.Ledger", "names a ledger", "built there"},
	{"other tag", "internal/agent/x.go", "", "//go:build never\n\npackage agent\nimport bank\nvar l bank.Ledger", "names a ledger", "built with the tag"},
	{"nested module", "scripts/compare/x.go", "", "package compare\nimport bank\nvar l bank.Ledger", "names a ledger", "it may import what is internal"},
	{"package below bank", "internal/bank/more/x.go", "", "package bank\nimport bank\ntype L = bank.Ledger", "names a ledger", "another package"},
	{"package below dispatch", "internal/dispatch/more/x.go", "", "package dispatch\nimport bank\ntype L = bank.Ledger", "names a ledger", "another package"},
	{"linkname", "internal/agent/x.go", "", "package agent\nimport _ \"embed\"\n//go:linkname open vaultbench/internal/bank.NewLedger\nfunc open(string, string, int64) any", "go:linkname", "names nothing that Go knows"},
	{"unsafe", "internal/agent/x.go", "", "package agent\nimport \"unsafe\"\nvar p unsafe.Pointer", "import of unsafe", "any field can be read"},
	{"cgo", "internal/agent/x.go", "", "package agent\nimport \"C\"", "import of C", "any field can be read"},

	{"alias in bank", "internal/bank/x.go", "", "package bank\ntype Book = Ledger", second, "a second name"},
	{"type in bank", "internal/bank/x.go", "", "package bank\ntype Book Ledger", second, "converts into one"},
	{"embedded in bank", "internal/bank/x.go", "", "package bank\ntype Book struct{ *Ledger }", second, "has its methods"},
	{"embedded by alias", "internal/bank/x_linux.go", "", "package bank\ntype book = *Ledger\ntype Book struct{ book }", second, "has its methods"},
	{"second constructor", "internal/bank/x.go", "", "package bank\nfunc Open() any { return NewLedger(\"a\", USD, 1) }", "use of NewLedger", "hides the type"},
	{"constructor as a value", "internal/bank/x.go", "", "package bank\nvar Open = NewLedger", "use of NewLedger", "a second name"},
	{"literal", "internal/bank/x.go", "", "package bank\nvar Book = &Ledger{}", second, "opened without its constructor"},
	{"new", "internal/bank/x.go", "", "package bank\nfunc Open() any { return new(Ledger) }", second, "opened without its constructor"},
	{"method expression", "internal/bank/x.go", "", "package bank\nvar Post = (*Ledger).Post", second, "a method under another name"},
	{"generic", "internal/bank/x.go", "", "package bank\nfunc open[T any]() *T { return new(T) }\nvar Book = open[Ledger]()", second, "an argument is a name, too"},
	{"parameter", "internal/bank/x.go", "", "package bank\nfunc Pay(l *Ledger) {}", second, "holds one for a while"},
	{"interface of it", "internal/bank/x.go", "", "package bank\ntype Has interface{ Book() *Ledger }", second, "asks for one"},
	{"kept when opened", bankFile, "	return l\n", "	last = l\n	return l\n", "the ledger itself is handed on", "in a variable of any type"},
	{"kept by a method", "internal/bank/x.go", "", "package bank\nvar last any\nfunc (l *Ledger) Keep() { last = l }", "the ledger itself is handed on", "in a variable of any type"},
	{"returned as any", "internal/bank/x.go", "", "package bank\nfunc (l *Ledger) Self() any { return l }", "the ledger itself is handed on", "asserted back to what posts"},
	{"method value kept", "internal/bank/x.go", "", "package bank\nvar post any\nfunc (l *Ledger) Keep() { post = l.Post }", "kept by a function", "posts whenever it is called"},
	{"closure kept", "internal/bank/x.go", "", "package bank\nvar post func()\nfunc (l *Ledger) Keep() { post = func() { l.enter(Entry{}) } }", "kept by a function", "posts whenever it is called"},
	{"sent away", "internal/bank/x.go", "", "package bank\nvar books = make(chan any, 1)\nfunc (l *Ledger) Keep() { books <- l }", "the ledger itself is handed on", "to whoever receives"},
	{"pointer to it", "internal/bank/x.go", "", "package bank\nvar last any\nfunc (l *Ledger) Keep() { last = &l }", "the ledger itself is handed on", "one step away"},

	{"handed out", "internal/dispatch/x.go", "", "package dispatch\nfunc (d *Dispatcher) Book() any { return d.ledger }", handedOn, "asserted back to what posts"},
	{"handed out typed", "internal/dispatch/x.go", "", "package dispatch\nimport bank\nfunc (d *Dispatcher) Book() *bank.Ledger { return nil }", "a ledger's type outside", "nothing may have the type"},
	{"method value", "internal/dispatch/x.go", "", "package dispatch\nfunc (d *Dispatcher) Poster() any { return d.ledger.Post }", handedOn, "posts whenever it is called"},
	{"alias in dispatch", "internal/dispatch/x.go", "", "package dispatch\nimport bank\ntype Book = bank.Ledger", "a ledger's type outside", "exported under another name"},
	{"variable", "internal/dispatch/x.go", "", "package dispatch\nimport bank\nvar Open = bank.NewLedger", "opened outside", "exported under another name"},
	{"second ledger", "internal/dispatch/x_arm64.go", "", "package dispatch\nimport bank\nfunc Open() any { return bank.NewLedger(\"a\", bank.USD, 1) }", "opened outside", "money that nobody judges"},
	{"in another literal", "internal/dispatch/x.go", "", "package dispatch\nimport bank\ntype Open struct{ ledger any }\nvar Book = Open{ledger: bank.NewLedger(\"a\", bank.USD, 1)}", "opened outside", "the same field's name"},
	{"exported field", dispatchFile, "ledger   *bank.Ledger", "Ledger   *bank.Ledger", "a ledger's type outside", "anybody reads it"},
	{"embedded field", dispatchFile, "ledger   *bank.Ledger", "*bank.Ledger", "a ledger's type outside", "its methods become the dispatcher's"},
	{"another type's field", "internal/dispatch/x.go", "", "package dispatch\nimport bank\ntype Book struct{ ledger *bank.Ledger }", "a ledger's type outside", "a second holder"},
	{"posts without a permit", "internal/dispatch/x.go", "", "package dispatch\nimport bank\nfunc (d *Dispatcher) Pay(p bank.Payment) { d.ledger.Post(1, p, d.cfg.Start) }", "Post is called outside of execute", "nobody decided"},
	{"posts later", dispatchFile, "	posted, err := d.ledger.Post(", "	later = func() { d.ledger.Post(r.Position, payment, r.At) }\n	posted, err := d.ledger.Post(", "Post is called outside of execute", "one permit, many payments"},
	{"by a copy", "internal/dispatch/x.go", "", "package dispatch\nfunc (d *Dispatcher) Book() any { c := *d; return c.ledger }", handedOn, "the same ledger"},
	{"unknown method", "internal/dispatch/x.go", "", "package dispatch\nfunc (d *Dispatcher) Book() any { return d.ledger.Self() }", "Self is called outside", "only what is known to keep it in"},
}
