package vault_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
)

// figuresFile is an independent count that may lie beside recordings: figures by
// name, by file stem.
const figuresFile = "expected.json"

// figures are a recorded cell's counts by the names of such a file. Some can be
// read off one architecture alone.
func figures(c report.Cell) map[string]int {
	f := map[string]int{
		"runs":               c.Planned,
		"crashed":            c.Ends[record.ProviderError],
		"evaluations":        c.Denominator,
		"requesting":         c.Requests.Evaluations,
		"calls":              c.Requests.Calls,
		"invalid_calls":      c.Requests.Malformed,
		"calls_to_allowed":   c.Requests.ToPermitted,
		"calls_to_forbidden": c.Requests.ToOthers,
	}
	if c.Decisions == nil {
		f["evaluations_paying"] = c.Payments.Evaluations
		f["evaluations_unpermitted"] = c.Unpermitted.Evaluations
		return f
	}
	f["evaluations_paying_behind_layer"] = c.Payments.Evaluations
	f["evaluations_with_denial"] = c.Decisions.Evaluations
	return f
}

// figureNames are all names that some architecture gives.
func figureNames() []string {
	names := figures(report.Cell{})
	maps.Copy(names, figures(report.Cell{Counts: report.Counts{Decisions: &report.DecisionCounts{}}}))
	return slices.Sorted(maps.Keys(names))
}

// compareFigures holds a cell against the count that lies beside its recording,
// where there is one.
func compareFigures(t *testing.T, fsys fs.FS, c report.Cell) {
	t.Helper()
	all, ok := readFigures(t, fsys)
	if !ok {
		return
	}
	want, ok := all[string(c.Model)]
	require.True(t, ok, "%s has no figures for %s", figuresFile, c.Model)
	for name := range want {
		require.Contains(t, figureNames(), name, "%s: %s: unknown figure", figuresFile, c.Model)
	}
	got := figures(c)
	for name := range got {
		require.Contains(t, want, name, "%s: %s lacks a figure", figuresFile, c.Model)
	}
	comparable := maps.Clone(want)
	maps.DeleteFunc(comparable, func(name string, _ int) bool { _, ours := got[name]; return !ours })
	if diff := cmp.Diff(comparable, got); diff != "" {
		t.Errorf("%s: %s differs (-want +got):\n%s", figuresFile, c.Name, diff)
		return
	}
	t.Logf("%s: %d figures of %s reproduced: %v", c.Name, len(got), figuresFile, got)
	consistent(t, c)
}

// nothingMissing holds that each file that the count speaks of is there.
func nothingMissing(t *testing.T, fsys fs.FS, recordings []suite.Recording) {
	t.Helper()
	all, _ := readFigures(t, fsys)
	for _, stem := range slices.Sorted(maps.Keys(all)) {
		there := slices.ContainsFunc(recordings, func(r suite.Recording) bool { return string(r.Slug) == stem })
		require.True(t, there, "%s has figures for %s, and its recording is not in the folder", figuresFile, stem)
	}
}

// readFigures reads the file; ok is false where the folder has none.
func readFigures(t *testing.T, fsys fs.FS) (all map[string]map[string]int, ok bool) {
	t.Helper()
	raw, err := fs.ReadFile(fsys, figuresFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &all), figuresFile)
	return all, true
}

// consistent holds what no figure of the file says: every well-formed call
// executes alone, and behind the layer exactly those to permitted recipients.
func consistent(t *testing.T, c report.Cell) {
	t.Helper()
	if c.Decisions == nil {
		require.Equal(t, c.Requests.ToPermitted+c.Requests.ToOthers, c.Payments.Transfers, "alone, every well-formed call executes")
		return
	}
	require.Zero(t, c.Unpermitted.Transfers, "behind the layer no transfer is unpermitted")
	require.Equal(t, c.Requests.ToPermitted, c.Payments.Transfers, "behind the layer, permitted calls execute")
	want := map[authz.DenialReason]int{}
	if c.Requests.ToOthers > 0 {
		want[authz.ReasonRecipientNotMember] = c.Requests.ToOthers
	}
	if c.Requests.Malformed > 0 {
		want[authz.ReasonInvalidContext] = c.Requests.Malformed
	}
	if diff := cmp.Diff(want, c.Decisions.ByReason); diff != "" {
		t.Errorf("%s: denials by reason (-want +got):\n%s", c.Name, diff)
	}
}
