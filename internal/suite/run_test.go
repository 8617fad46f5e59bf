package suite_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
	"vaultbench/internal/suite"
)

var grid = []plan.Cell{cell(corpus.Multi, plan.Alone), cell(corpus.Multi, plan.OAP), cell(corpus.Benign, plan.OAP), cell(corpus.Single, plan.OAP)}

func start(t *testing.T, s *suite.Suite, results, id string) *suite.Run {
	t.Helper()
	r, err := suite.Start(s, t.TempDir(), results, id, record.Manifest{Sims: []string{"sim-a"}})
	require.NoError(t, err)
	return r
}

// complete runs the grid, at eight at a time, and finishes.
func complete(t *testing.T, s *suite.Suite, r *suite.Run) (report.Summary, []report.Cell) {
	t.Helper()
	s.Concurrency = 8
	var cells []report.Cell
	for _, c := range grid {
		p, err := s.Planned(c)
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		got, err := s.RunCell(t.Context(), p)
		require.NoError(t, err)
		cells = append(cells, got)
	}
	summary, err := r.Finish()
	require.NoError(t, err)
	return summary, cells
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return raw
}

func manifest(t *testing.T, dir string) record.Manifest {
	t.Helper()
	raw := read(t, dir, record.ManifestFile)
	require.NoError(t, strictjson.Validate("manifest.schema.json", raw))
	var m record.Manifest
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestRun(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	s := newSuite()
	r := start(t, s, results, "r1")
	assert.Equal(t, filepath.Join(results, "r1"), r.Dir())
	require.NoError(t, r.Digest(map[string]string{"recordings/a.jsonl": strings.Repeat("0a", 32)}))
	begun := manifest(t, r.Dir())
	assert.Empty(t, begun.SummaryState, "the run goes on")
	assert.Empty(t, begun.FinishedAt)
	assert.Empty(t, begun.Revision, "the root is no checkout")
	assert.Equal(t, []string{"r1"}, names(t, results), "no link before there are figures")

	summary, cells := complete(t, s, r)
	assert.Equal(t, []string{"decisions.jsonl", "evaluations.jsonl", "journal.jsonl", "junit.xml", "manifest.json", "summary.json"}, names(t, r.Dir()))
	require.NoError(t, strictjson.Validate("summary.schema.json", read(t, r.Dir(), "summary.json")))
	written, err := json.MarshalIndent(summary, "", "  ")
	require.NoError(t, err)
	assert.Equal(t, string(written)+"\n", string(read(t, r.Dir(), "summary.json")))
	assert.ElementsMatch(t, cells, summary.Cells, "the file says what the tests said")

	ended := manifest(t, r.Dir())
	assert.Equal(t, "r1", ended.RunID)
	assert.Equal(t, string(summary.Status), ended.SummaryState)
	assert.NotEmpty(t, ended.FinishedAt)
	assert.Equal(t, 24+24+4+24, ended.Evaluations)
	assert.Equal(t, 2, ended.Trials)
	assert.Contains(t, ended.Digests, "recordings/a.jsonl", "noted while the run went on")
	assert.Equal(t, []string{"sim-a"}, ended.Sims)
	var planned []plan.Cell
	for _, c := range ended.Cells {
		planned = append(planned, c.Cell)
	}
	assert.Equal(t, []plan.Cell{grid[2], grid[0], grid[1], grid[3]}, planned, "sorted by name")
}

func TestRunLines(t *testing.T) {
	s := newSuite()
	s.Bankers["sim-a"] = banker(func(req llm.Request) (llm.Reply, error) {
		reply, err := payer(req)
		if reply.ToolCalls != nil {
			reply.ToolCalls = append(reply.ToolCalls, llm.Call{Name: "transfer_funds", Arguments: "\xff"}, llm.Call{ID: "\xff", Name: ""}, llm.Call{Name: "get_balance"})
			reply.Content = "transfer_funds(\xff)"
		}
		return reply, err
	})
	r := start(t, s, t.TempDir(), "r1")
	complete(t, s, r)
	for _, file := range []struct {
		name, schema string
		lines        int
	}{
		{record.EvaluationsFile, "evaluation.schema.json", 24 + 24 + 4 + 24},
		{record.JournalFile, "journal.schema.json", 24 + 24 + 4 + 24 + len(grid)},
	} {
		lines := bytes.Split(bytes.TrimSuffix(read(t, r.Dir(), file.name), []byte("\n")), []byte("\n"))
		assert.Equal(t, file.lines, len(lines), file.name)
		for _, line := range lines {
			require.NoError(t, strictjson.Validate(file.schema, line), string(line))
		}
	}
	whole, thin := len(read(t, r.Dir(), record.EvaluationsFile)), len(read(t, r.Dir(), record.JournalFile))
	assert.Less(t, thin, whole/3, "what evaluations.jsonl holds is not held twice")
}

// TestRunsAreRepeatable: two simulated runs give the same bytes, manifest and
// journal aside.
func TestRunsAreRepeatable(t *testing.T) {
	results := t.TempDir()
	var dirs []string
	for range 2 {
		s := newSuite()
		r := start(t, s, results, "")
		complete(t, s, r)
		dirs = append(dirs, r.Dir())
	}
	assert.NotEqual(t, dirs[0], dirs[1], "a run without an id gets one of its own")
	assert.Regexp(t, `^\d{8}T\d{6}Z-[0-9a-f]{6}$`, filepath.Base(dirs[0]))
	for _, file := range []string{record.EvaluationsFile, receipt.File, "summary.json", report.JUnitFile} {
		assert.Equal(t, string(read(t, dirs[0], file)), string(read(t, dirs[1], file)), file)
	}
	for _, file := range []string{record.EvaluationsFile, receipt.File, "summary.json", report.JUnitFile} {
		assert.NotContains(t, string(read(t, dirs[0], file)), filepath.Base(dirs[0]), "%s holds no run id", file)
	}
}

func TestLatest(t *testing.T) {
	results := t.TempDir()
	for _, id := range []string{"r1", "r2", "r0"} {
		s := newSuite()
		complete(t, s, start(t, s, results, id))
		target, err := os.Readlink(filepath.Join(results, "latest"))
		require.NoError(t, err)
		assert.Equal(t, id, target, "the newest run, by a path that survives a move")
		assert.NotEmpty(t, read(t, results, "latest", "summary.json"))
	}
	assert.Equal(t, []string{"latest", "r0", "r1", "r2"}, names(t, results), "no temporary link stays")
}

// TestLatestIsReplacedAtomically: while runs end, there is always a whole one
// behind the link.
func TestLatestIsReplacedAtomically(t *testing.T) {
	results := t.TempDir()
	root := t.TempDir()
	finish := func() {
		r, err := suite.Start(newSuite(), root, results, "", record.Manifest{})
		assert.NoError(t, err)
		_, err = r.Finish()
		assert.NoError(t, err)
	}
	finish()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				finish()
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for reads := 0; ; reads++ {
		_, err := os.ReadFile(filepath.Join(results, "latest", "summary.json"))
		require.NoError(t, err, "after %d reads", reads)
		select {
		case <-done:
			assert.Positive(t, reads)
			return
		default:
		}
	}
}

func TestStartErrors(t *testing.T) {
	taken := t.TempDir()
	start(t, newSuite(), taken, "r1")
	below := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(below, nil, 0o600))
	for _, tt := range []struct {
		name, results, id, want, reason string
	}{
		{"id taken", taken, "r1", "VAULT_RUN_ID", "two runs never share a folder"},
		{"folder below a file", filepath.Join(below, "results"), "r2", "VAULT_RESULTS", "it can't be made"},
		{"folder is a file", below, "r2", "VAULT_RESULTS", "it can't be made"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := suite.Start(newSuite(), t.TempDir(), tt.results, tt.id, record.Manifest{})
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.ErrorContains(t, err, tt.results, "the folder is named")
		})
	}
}

func TestFinishErrors(t *testing.T) {
	foreign := record.Evaluation{Cell: cell(corpus.Multi, plan.Alone), Attack: "a", Trial: 1}
	foreign.ID = record.EvaluationID(foreign.Cell, "a", 1)
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, r *suite.Run, results string)
		want   string
		reason string
	}{
		{"evaluation of no planned cell", func(t *testing.T, r *suite.Run, _ string) { require.NoError(t, r.Append(foreign)) },
			`evaluations.jsonl:1: "sim-a/l2/multi/alone/a/1": cell sim-a/l2/multi/alone is not planned in this run`, "a foreign line is not summed"},
		{"recorded twice", func(t *testing.T, r *suite.Run, _ string) {
			require.NoError(t, r.Append(foreign))
			require.NoError(t, r.Append(foreign))
		}, "was recorded twice", "counted twice would be a wrong figure"},
		{"level without a directory", func(_ *testing.T, r *suite.Run, _ string) {
			require.NoError(t, r.Plan(record.PlannedCell{Cell: plan.Cell{Model: "m", Level: "l9", Track: "multi", Architecture: "oap"}}))
		}, `no directory for level "l9"`, "the oracle would know nobody"},
		{"the link is a folder", func(t *testing.T, _ *suite.Run, results string) {
			require.NoError(t, os.MkdirAll(filepath.Join(results, "latest", "x"), 0o755))
		}, "point results/latest at the run: ", "somebody else's folder is not replaced"},
		{"the run's folder is gone", func(t *testing.T, r *suite.Run, _ string) { require.NoError(t, os.RemoveAll(r.Dir())) },
			"evaluations.jsonl: ", "nothing can be written"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results := t.TempDir()
			r := start(t, newSuite(), results, "r1")
			tt.before(t, r, results)
			_, err := r.Finish()
			require.ErrorContains(t, err, tt.want, tt.reason)
			_, err = os.Readlink(filepath.Join(results, "latest"))
			require.Error(t, err, "no link to a run that did not finish")
			for _, name := range names(t, results) {
				assert.NotEqual(t, '.', rune(name[0]), "%s: no temporary link stays", name)
			}
		})
	}
}

func TestServedModels(t *testing.T) {
	s := newSuite()
	served := 0
	b := banker(func(llm.Request) (llm.Reply, error) {
		served++
		return llm.Reply{Content: "fine", ServedModel: map[bool]llm.ModelID{true: "m-b", false: "m-a"}[served%2 == 0]}, nil
	})
	b.Kind = plan.Live
	s.Bankers["sim-a"] = b
	r, err := suite.Start(s, t.TempDir(), t.TempDir(), "r1", record.Manifest{Models: []record.ManifestModel{{Slug: "sim-a", Provider: "p", ID: "m"}, {Slug: "other", Provider: "p"}}})
	require.NoError(t, err)
	runPlanned(t, s, r, grid[0])
	_, err = r.Finish()
	require.NoError(t, err)
	m := manifest(t, r.Dir())
	assert.Equal(t, []string{"m-a", "m-b"}, m.Models[0].Served, "each once, sorted")
	assert.Empty(t, m.Models[1].Served)
}

func runPlanned(t *testing.T, s *suite.Suite, r *suite.Run, c plan.Cell) {
	t.Helper()
	p, err := s.Planned(c)
	require.NoError(t, err)
	require.NoError(t, r.Plan(p))
	_, err = s.RunCell(t.Context(), p)
	require.NoError(t, err)
}

// TestNothingRan: a run that was begun and ran no cell finishes, inconclusive.
func TestNothingRan(t *testing.T) {
	r := start(t, newSuite(), t.TempDir(), "r1")
	summary, err := r.Finish()
	require.NoError(t, err)
	assert.Equal(t, report.Inconclusive, summary.Status)
	assert.Zero(t, manifest(t, r.Dir()).Evaluations)
}
