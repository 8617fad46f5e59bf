package suite_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
)

// asked counts what a banker was asked, by the last user message.
type asked struct {
	mu     sync.Mutex
	counts map[string]int
	then   func(n int) error // nil: pays as told; n: requests so far
	n      int
}

func (a *asked) chat(req llm.Request) (llm.Reply, error) {
	a.mu.Lock()
	if a.counts == nil {
		a.counts = map[string]int{}
	}
	if last := req.Messages[len(req.Messages)-1]; last.Role == llm.RoleUser {
		a.counts[last.Content]++
	}
	a.n++
	n := a.n
	a.mu.Unlock()
	if a.then != nil {
		if err := a.then(n); err != nil {
			return llm.Reply{}, err
		}
	}
	return payer(req)
}

// layered are cells in which nothing unpermitted executes: there a broken-off
// evaluation is never final.
var layered = grid[1:]

// runGrid runs the cells as far as ctx lets it, and finishes.
func runGrid(t *testing.T, ctx context.Context, s *suite.Suite, r *suite.Run) (report.Summary, error) {
	t.Helper()
	s.Concurrency = 4
	for _, c := range layered {
		p, err := s.Planned(c)
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		_, err = s.RunCell(ctx, p)
		require.NoError(t, err)
	}
	return r.Finish()
}

var sealed = []string{record.EvaluationsFile, receipt.File, "summary.json", report.JUnitFile}

// live is a banker whose conversations are broken off where the run is.
func live(f clientFunc) suite.Banker {
	b := banker(f)
	b.Kind = plan.Live
	return b
}

// TestResume: a run that was stopped anywhere is gone on with, asks nothing that
// was final, and leaves the files of an undisturbed run.
func TestResume(t *testing.T) {
	whole, results := t.TempDir(), t.TempDir()
	s := newSuite()
	total := &asked{}
	s.Bankers["sim-a"] = live(total.chat)
	_, err := runGrid(t, t.Context(), s, start(t, s, whole, "r1"))
	require.NoError(t, err)

	for _, stopAt := range []int{1, 40, total.n - 1} {
		t.Run(fmt.Sprint(stopAt), func(t *testing.T) {
			id := fmt.Sprintf("r%d", stopAt)
			ctx, cancel := context.WithCancelCause(t.Context())
			first := &asked{then: func(n int) error {
				if n == stopAt {
					cancel(&record.Stop{Reason: record.Interrupted, Detail: "interrupt"})
				}
				return nil
			}}
			s := newSuite()
			s.Bankers["sim-a"] = live(first.chat)
			r := start(t, s, results, id)
			summary, err := runGrid(t, ctx, s, r)
			require.NoError(t, err)
			planned, ended := 0, 0
			for _, c := range summary.Cells {
				planned += c.Planned
				for _, n := range c.Ends {
					ended += n
				}
			}
			assert.Equal(t, planned, ended, "what was not run is counted as such")
			was, final := map[string]bool{}, 0
			require.NoError(t, record.Read(filepath.Join(r.Dir(), record.EvaluationsFile), func(e record.Evaluation) error {
				if e.End == record.NotRun {
					assert.Equal(t, record.Interrupted, e.SubReason)
				} else {
					was[e.ID] = true
					final++
				}
				return nil
			}))

			second := &asked{}
			s = newSuite()
			s.Bankers["sim-a"] = live(second.chat)
			r = start(t, s, results, id)
			recorded, kept, torn := r.Resumed()
			assert.Equal(t, []int{planned, final, 0}, []int{recorded, kept, int(torn)})
			_, err = runGrid(t, t.Context(), s, r)
			require.NoError(t, err)
			for _, file := range sealed {
				assert.Equal(t, string(read(t, whole, "r1", file)), string(read(t, results, id, file)), file)
			}
			assert.LessOrEqual(t, first.n+second.n, total.n+3*s.Concurrency, "what was final is not asked again")
			_, err = receipt.Verify(r.Dir(), nil)
			require.NoError(t, err)
			_, err = suite.Start(newSuite(), t.TempDir(), results, id, record.Manifest{Sims: []string{"sim-a"}})
			require.ErrorIs(t, err, record.ErrFinished, "a complete run is not gone on with")
		})
	}
}

// TestErrorsAreAskedAgain: what ended in an error is asked once more, with what it
// cost added up; an executed violation is final whatever came after it.
func TestErrorsAreAskedAgain(t *testing.T) {
	results := t.TempDir()
	s := newSuite()
	s.Trials = 1
	multi := grid[0] // alone: what is asked for executes
	failing := func(req llm.Request) (llm.Reply, error) {
		n := len(req.Messages)
		switch last := req.Messages[n-1]; {
		case last.Role == llm.RoleTool, strings.Contains(last.Content, "hello 2"):
			return llm.Reply{}, fmt.Errorf("m: %w", llm.ErrProvider)
		}
		reply, err := payer(req)
		reply.Usage = llm.Usage{InputTokens: 10, OutputTokens: 1}
		return reply, err
	}
	s.Bankers["sim-a"] = banker(failing)
	r := start(t, s, results, "r1")
	runPlanned(t, s, r, multi)
	summary, err := r.Finish()
	require.NoError(t, err)
	assert.Equal(t, map[record.End]int{record.ProviderError: 12}, summary.Cells[0].Ends)
	assert.Equal(t, 11, summary.Cells[0].Denominator, "eleven paid before the error")

	var again atomic.Int64
	s = newSuite()
	s.Trials = 1
	s.Bankers["sim-a"] = banker(func(req llm.Request) (llm.Reply, error) {
		again.Add(1)
		return payer(req)
	})
	r = start(t, s, results, "r1")
	runPlanned(t, s, r, multi)
	_, err = r.Finish()
	require.NoError(t, err)
	assert.Equal(t, int64(3), again.Load(), "one conversation, two messages and a call")
	require.NoError(t, record.Read(filepath.Join(r.Dir(), record.EvaluationsFile), func(e record.Evaluation) error {
		if e.Attack != "l2-0002" {
			assert.Equal(t, record.ProviderError, e.End, e.ID)
			return nil
		}
		assert.Equal(t, record.Completed, e.End)
		assert.Nil(t, e.Earlier, "the attempt before failed before it cost anything")
		return nil
	}))
}

// TestResumeRefuses: a run that is made of other things is not gone on with, and
// the message says of which.
func TestResumeRefuses(t *testing.T) {
	base := func() record.Manifest {
		return record.Manifest{
			Sims: []string{"sim-a"}, Digests: map[string]string{"fixtures/levels.json": strings.Repeat("0a", 32)},
			Options: map[string]string{"VAULT_LEVELS": "l2 (default)", "VAULT_CONCURRENCY": "2 (default)"},
			Models:  []record.ManifestModel{{Slug: "m", Provider: "p", ID: "i"}},
		}
	}
	results, root := t.TempDir(), t.TempDir()
	stopped := func(t *testing.T, id string) {
		r, err := suite.Start(newSuite(), root, results, id, base())
		require.NoError(t, err)
		_, err = r.Finish()
		require.NoError(t, err)
	}
	for _, tt := range []struct {
		name   string
		change func(*suite.Suite, *record.Manifest)
		want   string // "": it goes on
	}{
		{"nothing", func(*suite.Suite, *record.Manifest) {}, ""},
		{"how it is done", func(_ *suite.Suite, m *record.Manifest) { m.Options["VAULT_CONCURRENCY"] = "8 (environment)" }, ""},
		{"how long it waits", func(_ *suite.Suite, m *record.Manifest) { m.Options["VAULT_ATTEMPT_TIMEOUT"] = "30 (environment)" }, ""},
		{"corpus", func(_ *suite.Suite, m *record.Manifest) { m.Digests["fixtures/attacks/level-1.jsonl"] = "ff" }, "digest of fixtures/attacks/level-1.jsonl: was nothing, is ff"},
		{"prompt", func(_ *suite.Suite, m *record.Manifest) { m.Digests["fixtures/levels.json"] = strings.Repeat("0b", 32) }, "digest of fixtures/levels.json: was 0a0a0a0a0a0a…, is 0b0b0b0b0b0b…"},
		{"parameter", func(_ *suite.Suite, m *record.Manifest) { m.Options["VAULT_LEVELS"] = "l1 (.env)" }, "option VAULT_LEVELS: was l2, is l1"},
		{"trials", func(s *suite.Suite, _ *record.Manifest) { s.Trials = 3 }, "trials: was 2, is 3"},
		{"model", func(_ *suite.Suite, m *record.Manifest) { m.Models[0].ID = "j" }, "model m: was i at p, is j at p"},
		{"key", func(s *suite.Suite, _ *record.Manifest) { s.Key = ownKey(t) }, "signing key: was "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := strings.ReplaceAll(tt.name, " ", "-")
			stopped(t, id)
			s, m := newSuite(), base()
			m.Digests, m.Options = maps.Clone(m.Digests), maps.Clone(m.Options)
			tt.change(s, &m)
			r, err := suite.Start(s, root, results, id, m)
			if tt.want == "" {
				require.NoError(t, err)
				_, err = r.Finish()
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "choose another VAULT_RUN_ID")
			stopped(t, id) // the lock is free again, and the run is still as it was
		})
	}
}

func TestResumeNeedsItsManifest(t *testing.T) {
	results := t.TempDir()
	s := newSuite()
	r := start(t, s, results, "r1")
	require.NoError(t, r.Plan(record.PlannedCell{Cell: grid[0], Kind: plan.Simulated, Evaluations: 24}))
	require.NoError(t, r.Close())
	path := filepath.Join(r.Dir(), record.ManifestFile)
	raw := read(t, path)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(raw), `"schema_version": 1`, `"schema_version": 99`, 1)), 0o600))
	_, err := suite.Start(newSuite(), t.TempDir(), results, "r1", record.Manifest{Sims: []string{"sim-a"}})
	require.ErrorContains(t, err, "schema_version 99", "a newer version may mean other things by the same names")
	require.ErrorContains(t, err, "newer")
	require.NoError(t, os.Remove(path))
	_, err = suite.Start(newSuite(), t.TempDir(), results, "r1", record.Manifest{Sims: []string{"sim-a"}})
	require.ErrorContains(t, err, "nobody knows what the run was made of")
}

// TestResumeWithoutBanker: a run goes on with the bankers that it was begun with, or
// nothing of it is touched; one that was skipped may join.
func TestResumeWithoutBanker(t *testing.T) {
	begin := func(skip string) (*suite.Suite, record.PlannedCell) {
		s := newSuite()
		b := s.Bankers["sim-a"]
		b.Skip = skip
		s.Bankers["sim-a"] = b
		p, err := s.Planned(grid[0])
		require.NoError(t, err)
		return s, p
	}
	const unset = "live: KEY unset"
	for _, tt := range []struct {
		name     string
		was, now string // why it is skipped
		want     string // empty: the run goes on
		reason   string
	}{
		{"the key is gone", "", unset, "was begun, and would be skipped now (live: KEY unset)", "its evaluations would be of a skipped cell"},
		{"the key is there now", unset, "", "", "what was missing can be run"},
		{"never a key", unset, unset, "", "skipped as before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results := t.TempDir()
			s, p := begin(tt.was)
			r := start(t, s, results, "r1")
			require.NoError(t, r.Plan(p))
			_, err := r.Finish()
			require.NoError(t, err)
			before := read(t, filepath.Join(r.Dir(), record.ManifestFile))
			s, p = begin(tt.now)
			again, err := suite.Start(s, t.TempDir(), results, "r1", record.Manifest{Sims: []string{"sim-a"}})
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				require.Equal(t, string(before), string(read(t, filepath.Join(r.Dir(), record.ManifestFile))), "nothing is written")
				return
			}
			require.NoError(t, err, tt.reason)
			require.NoError(t, again.Plan(p))
			require.NoError(t, again.Close())
		})
	}
}

// TestResumedRecordings: recordings are known after the run has begun, and are
// held against the earlier ones then.
func TestResumedRecordings(t *testing.T) {
	results := t.TempDir()
	r := start(t, newSuite(), results, "r1")
	was := map[string]string{"recordings/a.jsonl": strings.Repeat("0a", 32)}
	require.NoError(t, r.Digest(was))
	require.NoError(t, r.Close())
	for _, other := range []map[string]string{{"recordings/a.jsonl": strings.Repeat("0b", 32)}, {"recordings/b.jsonl": strings.Repeat("0a", 32)}} {
		r = start(t, newSuite(), results, "r1")
		require.ErrorContains(t, r.Digest(other), "the recordings are not those")
		require.NoError(t, r.Close())
	}
	r = start(t, newSuite(), results, "r1")
	require.NoError(t, r.Digest(was))
}

func ownKey(t *testing.T) receipt.Key {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seed")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("7e", 32)), 0o600))
	key, err := receipt.LoadKey(file)
	require.NoError(t, err)
	return key
}
