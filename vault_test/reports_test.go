package vault_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/golden"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/publish"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// sampleRun is a small run of its own: three bankers, two levels, few attacks.
func sampleRun(t *testing.T) publish.Run {
	t.Helper()
	s, err := settings.Suite()
	require.NoError(t, err)
	s.Golden = nil
	whole := s.Corpus
	s.Corpus.Attacks, s.Corpus.Benign = firstOfLevels(whole.Attacks, 3, corpus.L2, corpus.L5), firstOfLevels(whole.Benign, 2, corpus.L2, corpus.L5)
	m := record.Manifest{Digests: map[string]string{}}
	require.NoError(t, suite.Digests(m.Digests, "fixtures/", fixtures.FS, "attacks/level-[25].jsonl", "benign/level-[25].jsonl"))
	r, err := suite.Start(s, t.TempDir(), t.TempDir(), "sample", m)
	require.NoError(t, err)
	cells, err := plan.Cells([]plan.ModelSlug{"sim-compromised", "sim-erratic", "sim-teller"}, []corpus.Level{corpus.L2, corpus.L5}, corpus.Tracks(), []plan.Architecture{plan.Alone, plan.OAP})
	require.NoError(t, err)
	for _, c := range cells {
		p, err := s.Planned(c)
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		_, err = s.RunCell(t.Context(), p)
		require.NoError(t, err)
	}
	_, err = r.Finish()
	require.NoError(t, err)
	return sampled(t, r.Dir(), whole)
}

// sampled prepares the reports of the sample run's folder as one over a whole corpus:
// nothing shows of this checkout, or of what the environment asks for.
func sampled(t *testing.T, folder string, c corpus.Corpus) publish.Run {
	run, err := settings.Publish(folder, nil)
	require.NoError(t, err)
	run.World.Digests, run.Gate = map[string]string{}, report.DefaultGate()
	run.World.Attacks = func(l corpus.Level, track corpus.Track) int { return len(c.Select(l, track)) }
	return run
}

// fixed takes out of a page what differs from run to run.
func fixed(p page.Page) page.Page {
	p.Manifest.StartedAt, p.Manifest.FinishedAt, p.Manifest.GoVersion = "2026-03-06T09:00:00Z", "2026-03-06T09:00:01Z", "go"
	return p
}

// TestReports holds the reports of one small run.
func TestReports(t *testing.T) {
	run := sampleRun(t)
	sub(t, "refused", func(t *testing.T) { reportsRefused(t, run) })
	sub(t, "asked", func(t *testing.T) { reportsAsked(t, run) })
	sub(t, "pinned", func(t *testing.T) { reportsPinned(t, run) })
	sub(t, "served", func(t *testing.T) { reportsServed(t, run) })
	sub(t, "agree", func(t *testing.T) { reportsAgree(t, run) })
}

// reportsPinned compares every report with its golden. Rewritten by -update.
func reportsPinned(t *testing.T, run publish.Run) {
	p, err := run.Read()
	require.NoError(t, err)
	p = fixed(p)
	writers := map[string]func(io.Writer) error{
		publish.SummaryFile: func(w io.Writer) error { return record.EncodeJSON(w, p.Summary) },
		report.JUnitFile:    func(w io.Writer) error { return report.WriteJUnit(w, p.Summary) },
		report.CTRFFile:     func(w io.Writer) error { return report.WriteCTRF(w, p.Summary) },
		report.MarkdownFile: func(w io.Writer) error { return publish.Markdown(w, p) },
		publish.PageFile:    func(w io.Writer) error { return page.Write(w, p) },
	}
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(writers)) {
		var b bytes.Buffer
		require.NoError(t, writers[name](&b), name)
		file := "reports/" + name
		if *update {
			goldens[file] = b.Bytes()
			continue
		}
		want, err := fs.ReadFile(golden.FS, file)
		require.NoError(t, err, "run go test ./vault_test -update")
		if was, is, at := firstDifference(string(want), b.String()); at > 0 {
			line := fmt.Sprintf("golden/%s:%d: %s", file, at, count(changedLines(want, b.Bytes()), "line"))
			if len(differ) == 0 { // the others say the same figures in other words
				line += fmt.Sprintf(", the first is\n- %s\n+ %s", was, is)
			}
			differ = append(differ, line)
		}
	}
	if len(differ) > 0 {
		t.Errorf("reports of a small run that differ, %d: go test ./vault_test -update rewrites them once nothing else fails; read the diff\n%s", len(differ), strings.Join(differ, "\n"))
	}
}

// firstDifference is the first line that differs, from 1; 0 where none does. A long
// one is cut: the page is one file.
func firstDifference(want, got string) (was, is string, line int) {
	before, after := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(before), len(after)) {
		was, is = "(end)", "(end)"
		if i < len(before) {
			was = before[i]
		}
		if i < len(after) {
			is = after[i]
		}
		if was != is || (i < len(before)) != (i < len(after)) {
			return escape.Short(was, 300), escape.Short(is, 300), i + 1
		}
	}
	return "", "", 0
}

// reportsAgree: the reports are written again from the record alone, the same
// to the byte, and count the same cells.
func reportsAgree(t *testing.T, run publish.Run) {
	before, err := run.Write()
	require.NoError(t, err)
	first := folderOf(t, run.Folder)
	_, err = run.Write()
	require.NoError(t, err)
	text := cmp.Transformer("text", func(raw []byte) string { return string(raw) }) // byte by byte takes a second
	assert.Empty(t, cmp.Diff(first, folderOf(t, run.Folder), text))
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	require.NoError(t, xml.Unmarshal(first[report.JUnitFile], &junit))
	var ctrf struct {
		Results struct {
			Summary struct{ Tests, Passed, Failed, Other int }
			Tests   []struct{ Name, Status string }
		}
	}
	require.NoError(t, json.Unmarshal(first[report.CTRFFile], &ctrf))
	s := ctrf.Results.Summary
	assert.Equal(t, []int{junit.Tests, junit.Failures, junit.Errors}, []int{s.Tests, s.Failed, s.Other}, "JUnit and CTRF count alike")
	assert.Len(t, ctrf.Results.Tests, len(before.Summary.Cells))
	assert.Equal(t, len(before.Summary.Cells), s.Passed+s.Failed+s.Other)
	shown := string(first[publish.PageFile])
	for _, b := range before.Verdict.Bounds {
		assert.Contains(t, shown, fmt.Sprintf("%d of %d evaluations", b.Unpermitted, b.Evaluations))
		assert.Contains(t, shown, report.Upper(*b.SessionBound)+" per session")
	}
	for _, id := range []string{"answer-unpermitted", "answer-closest", "answer-refused", "answer-not-run", "answer-trust"} {
		assert.Equal(t, 1, strings.Count(shown, `id="`+id+`"`), id)
	}
	assert.Equal(t, before.Shown.Evaluations, len(before.Shown.Transcripts), "a small run is carried whole")
}

// reportsRefused: a record that was changed is refused with its line, and no
// report is left of it that was not there.
func reportsRefused(t *testing.T, run publish.Run) {
	whole := folderOf(t, run.Folder)
	lines := bytes.SplitAfter(whole[record.EvaluationsFile], []byte("\n"))
	lines = lines[:len(lines)-1]
	at := func(order ...int) (out []byte) {
		for _, i := range order {
			out = append(out, lines[i]...)
		}
		return out
	}
	all := make([]int, len(lines))
	for i := range all {
		all[i] = i
	}
	last := len(lines) - 1
	for _, tt := range []struct {
		name   string
		file   []byte
		want   string
		reason string
	}{
		{"cut", whole[record.EvaluationsFile][:len(whole[record.EvaluationsFile])-9], ":", "the last line is half there"},
		{"tail dropped", at(all[:last]...), fmt.Sprintf(":%d: file has %d lines, the manifest says %d", last+1, last, last+1), "whole lines are missing"},
		{"repeated", at(append(slices.Clone(all), last)...), fmt.Sprintf(":%d: ", last+2), "a line too many"},
		{"reordered", at(append([]int{1, 0}, all[2:]...)...), ":2: ", "the same lines elsewhere"},
		{"foreign", append(at(all[:last]...), bytes.ReplaceAll(lines[last], []byte("sim-teller"), []byte("sim-foe"))...), fmt.Sprintf(":%d: ", last+1), "a line of another run"},
		{"empty", nil, ":1: file has 0 lines", "nothing is left"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			writeFile(t, run.Folder, record.EvaluationsFile, tt.file)
			_, err := run.Write()
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.ErrorContains(t, err, record.EvaluationsFile, tt.reason)
			assert.NotContains(t, folderOf(t, run.Folder), publish.PageFile)
		})
	}
	writeFile(t, run.Folder, record.EvaluationsFile, whole[record.EvaluationsFile])
	_, err := run.Read()
	require.NoError(t, err, "the positive control")
}

func folderOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = raw
	}
	return all
}

func writeFile(t *testing.T, dir, name string, raw []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o644))
}
