package suite

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Run is a run's folder: the journal while it goes on, the reports at its end.
type Run struct {
	suite    *Suite
	key      receipt.Key
	results  string
	dir      string
	journal  *record.Journal
	manifest record.Manifest

	directories map[corpus.Level]corpus.Directory

	mu      sync.Mutex
	planned map[string]record.PlannedCell
	failed  []record.Failure // in this process
	earlier []record.Failure // in those before
	was     *record.Manifest // of the process that began the run; nil: this one
}

// Dir is the run's folder.
func (r *Run) Dir() string { return r.dir }

// Plan notes that a cell is about to run.
func (r *Run) Plan(p record.PlannedCell) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := p.Cell.Name()
	was, known := r.planned[name]
	if known && was == p {
		return nil
	}
	if was.Skip != "" {
		was.Skip = p.Skip // a key may be there now
	}
	if known && was != p {
		return fmt.Errorf("cell %s was planned as %+v, and is %+v now: choose another VAULT_RUN_ID", name, was, p)
	}
	r.planned[name] = p
	return r.journal.Plan(p)
}

// Digest notes the recordings that the run is made of, all at once, by name: of a
// run that goes on they must be the same.
func (r *Run) Digest(digests map[string]string) error {
	if r.was != nil {
		was := record.Manifest{Digests: withRecordings(nil, r.was.Digests)}
		lines := record.Differences(was, record.Manifest{Digests: withRecordings(nil, digests)})
		if len(was.Digests) > 0 && len(lines) > 0 {
			return fmt.Errorf("resume %s: the recordings are not those that the run was begun with:\n  %s\nput back what changed, or choose another VAULT_RUN_ID", r.dir, strings.Join(lines, "\n  "))
		}
	}
	r.mu.Lock()
	if r.manifest.Digests == nil {
		r.manifest.Digests = map[string]string{}
	}
	maps.Copy(r.manifest.Digests, digests)
	r.mu.Unlock()
	return r.writeManifest()
}

// Append records an evaluation.
func (r *Run) Append(e record.Evaluation) error {
	d, ok := r.directories[e.Cell.Level]
	if !ok {
		return fmt.Errorf("evaluation %q: no directory for level %q", e.ID, e.Cell.Level)
	}
	return r.journal.Append(e, report.Final(e, r.suite.judge()(e.Transfers, d)))
}

// Prior is what earlier processes recorded of an evaluation.
func (r *Run) Prior(id string) record.Prior { return r.journal.Prior(id) }

// Load reads what Prior told of.
func (r *Run) Load(id string) (record.Evaluation, error) { return r.journal.Load(id) }

// Err is why nothing can be recorded any more.
func (r *Run) Err() error { return r.journal.Err() }

// Charged is what each model's requests took from the budget, in all processes.
func (r *Run) Charged() map[string]record.Usage { return r.journal.Charged() }

// Reserve and Settle make the run the book of its budget.
func (r *Run) Reserve(model string, most llm.Usage) (int64, error) {
	return r.journal.Reserve(charge(model, most))
}

var basisOf = map[budget.How]record.Basis{budget.Failed: record.Failed, budget.Reported: record.Reported, budget.Unreported: record.Unreported}

// Settle notes what a request took that Reserve numbered.
func (r *Run) Settle(request int64, model string, took llm.Usage, how budget.How) error {
	c := charge(model, took)
	c.Request, c.Basis = request, basisOf[how]
	return r.journal.Settle(c)
}

func charge(model string, u llm.Usage) record.Charge {
	return record.Charge{Model: model, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CacheReadTokens}
}

// Close leaves the run as it is, to be gone on with.
func (r *Run) Close() error { return r.journal.Close() }

// Beside notes, by test, whether the known-bad layers and bankers were noticed, and
// whether the golden decisions were held.
func (r *Run) Beside(sentinels, goldens map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.Sentinels, r.manifest.Goldens = maps.Clone(sentinels), maps.Clone(goldens)
}
