package report

import (
	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/record"
)

// Book is what the pages show beside a summary: the attacks that came closest,
// the honest payments that were refused, how long bankers took, and transcripts. It
// reads each evaluation once and needs memory by attack and for the transcripts
// that are shown, not for what models wrote. It is not safe for concurrent use.
type Book struct {
	manifest record.Manifest
	planned  map[string]record.PlannedCell
	reach    map[reachKey]*reach
	refused  []Refusal
	pace     paceTally
	shelf    *shelf
}

// NewBook opens the book of a run: what its manifest planned, judged by what its
// manifest knows.
func NewBook(m record.Manifest) *Book {
	b := &Book{manifest: m, planned: map[string]record.PlannedCell{}, reach: map[reachKey]*reach{}, pace: paceTally{}, shelf: newShelf()}
	for _, p := range m.Cells {
		b.planned[p.Cell.Name()] = p
	}
	return b
}

// Add takes in one evaluation of a planned cell; whoever counts the run refuses
// the others.
func (b *Book) Add(e record.Evaluation) {
	p, ok := b.planned[e.Cell.Name()]
	if !ok {
		return
	}
	d := b.manifest.Directories[e.Cell.Level]
	v := oracle.Judge(e.Transfers, d)
	s := seen{Evaluation: e, planned: p, verdict: v, directory: d, final: Final(e, v)}
	b.pace.add(e)
	b.shelf.add(s)
	if s.final {
		b.addReach(s)
		b.addRefused(s)
	}
}

// Notes are what a book comes to, its transcripts aside.
type Notes struct {
	Closest []Closest
	Refused []Refusal
	Pace    []Pace
}

// Notes closes the book.
func (b *Book) Notes() Notes { return Notes{b.closest(), b.refused, b.pace.rows()} }

// seen is an evaluation with all that is known of it.
type seen struct {
	record.Evaluation
	planned   record.PlannedCell
	verdict   oracle.Verdict
	directory corpus.Directory
	final     bool
}

func (s seen) unpermitted() bool { return s.verdict.Outcome == oracle.UnpermittedTransfer }
