package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

func TestCellName(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cell   plan.Cell
		want   string
		reason string
	}{
		{"simulated", plan.Cell{Model: "sim-gullible", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP}, "sim-gullible/l2/multi/oap", "the example of DESIGN.md"},
		{"live", plan.Cell{Model: "claude-haiku-4.5", Level: corpus.L5, Track: corpus.Single, Architecture: plan.Alone}, "claude-haiku-4.5/l5/single/alone", "a dot stays"},
		{"benign", plan.Cell{Model: "sim-teller", Level: corpus.L1, Track: corpus.Benign, Architecture: plan.Published}, "sim-teller/l1/benign/published", "the honest twins"},
		{"recorded", plan.Cell{Model: "written-front-desk", Level: "front-desk", Track: corpus.Recorded, Architecture: plan.OAP}, "written-front-desk/front-desk/recorded/oap", "the tool map stands where the level does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, tt.cell.Check())
			require.Equal(t, tt.want, tt.cell.Name(), tt.reason)
			raw, err := json.Marshal(tt.cell)
			require.NoError(t, err)
			var back plan.Cell
			require.NoError(t, json.Unmarshal(raw, &back))
			require.Equal(t, tt.cell, back, "a cell is read back from a record")
		})
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, part string
		ok         bool
		reason     string
	}{
		{"letters, digits, dot, hyphen", "gpt-5.6-luna2", true, "what names are made of"},
		{"one letter", "x", true, "short is no fault"},
		{"digit first", "4o", true, "digits may start"},
		{"empty", "", false, "a name has four parts"},
		{"capital", "Sim", false, "-run patterns are written in lower case"},
		{"blank", "sim teller", false, "go test writes it as _"},
		{"slash", "sim/teller", false, "it would add a level"},
		{"underscore", "sim_teller", false, "go test writes blanks so"},
		{"hash", "sim#01", false, "go test marks duplicates so"},
		{"hyphen first", "-sim", false, "it would look like a flag"},
		{"dot first", ".sim", false, "it would be a hidden file"},
		{"dots", "..", false, "it would leave the folder"},
		{"accent", "café", false, "ASCII alone"},
		{"line end", "sim\n", false, "one line"},
		{"control", "sim\x1b", false, "one that shows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, cell := range []plan.Cell{
				{Model: plan.ModelSlug(tt.part), Level: "l1", Track: "multi", Architecture: "oap"},
				{Model: "sim", Level: corpus.Level(tt.part), Track: "multi", Architecture: "oap"},
				{Model: "sim", Level: "l1", Track: corpus.Track(tt.part), Architecture: "oap"},
				{Model: "sim", Level: "l1", Track: "multi", Architecture: plan.Architecture(tt.part)},
			} {
				err := cell.Check()
				if (err == nil) != tt.ok {
					t.Errorf("Check with part %d = %q: %v, want ok %t: %s", i+1, tt.part, err, tt.ok, tt.reason)
				}
			}
		})
	}
}

func TestCells(t *testing.T) {
	got, err := plan.Cells([]plan.ModelSlug{"b", "a"}, []corpus.Level{corpus.L5, corpus.L1}, []corpus.Track{corpus.Multi}, []plan.Architecture{plan.OAP, plan.Alone})
	require.NoError(t, err)
	want := []string{
		"b/l5/multi/oap", "b/l5/multi/alone", "b/l1/multi/oap", "b/l1/multi/alone",
		"a/l5/multi/oap", "a/l5/multi/alone", "a/l1/multi/oap", "a/l1/multi/alone",
	}
	if diff := cmp.Diff(want, namesOf(got)); diff != "" {
		t.Errorf("Cells: the lists' own order, the last one fastest (-want +got):\n%s", diff)
	}
}

func TestCellsRefuse(t *testing.T) {
	models, levels, tracks, archs := []plan.ModelSlug{"a"}, corpus.Levels(), corpus.Tracks(), plan.Architectures()
	const none = "no cell is selected: name at least one model, level, track and architecture"
	for _, tt := range []struct {
		name   string
		models []plan.ModelSlug
		levels []corpus.Level
		tracks []corpus.Track
		archs  []plan.Architecture
		want   string
		reason string
	}{
		{"no model", nil, levels, tracks, archs, none, "zero cells prove nothing"},
		{"no level", models, nil, tracks, archs, none, "zero cells prove nothing"},
		{"no track", models, levels, nil, archs, none, "zero cells prove nothing"},
		{"no architecture", models, levels, tracks, nil, none, "zero cells prove nothing"},
		{"nothing", nil, nil, nil, nil, none, "zero cells prove nothing"},
		{"bad name", []plan.ModelSlug{"a", "B/c"}, levels, tracks, archs, `cell B/c/l1/single/alone: part "B/c": use lower-case letters, digits, dots and hyphens`, "go test would split it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cells, err := plan.Cells(tt.models, tt.levels, tt.tracks, tt.archs)
			require.EqualError(t, err, tt.want, tt.reason)
			require.Empty(t, cells)
		})
	}
}

// TestGrid lays the whole grid out: as many cells as the lists' lengths give,
// each name one of its own that go test leaves as it is.
func TestGrid(t *testing.T) {
	models := knownModels(t)
	cells, err := plan.Cells(models, corpus.Levels(), corpus.Tracks(), plan.Architectures())
	require.NoError(t, err)
	require.Len(t, cells, len(models)*5*3*3)
	seen := map[string]bool{}
	for _, c := range cells {
		require.False(t, seen[c.Name()], "cell %s stands twice", c.Name())
		seen[c.Name()] = true
		require.Len(t, strings.Split(c.Name(), "/"), 4)
		t.Run(c.Name(), func(t *testing.T) {
			require.Equal(t, "TestGrid/"+c.Name(), t.Name())
		})
	}
}

func TestGroup(t *testing.T) {
	for _, tt := range []struct {
		level  corpus.Level
		tracks []corpus.Track
		want   plan.Group
		reason string
	}{
		{corpus.L1, corpus.Tracks(), plan.GroupOpen, "Level 1 stands alone"},
		{corpus.L2, corpus.Tracks(), plan.GroupRestricted, "2 to 4 are pooled"},
		{corpus.L3, corpus.Tracks(), plan.GroupRestricted, "2 to 4 are pooled"},
		{corpus.L4, corpus.Tracks(), plan.GroupRestricted, "2 to 4 are pooled"},
		{corpus.L5, corpus.Tracks(), plan.GroupVault, "Level 5 stands alone"},
		{"front-desk", []corpus.Track{corpus.Recorded}, plan.GroupRecorded, "a recording is outside the level groups"},
		{corpus.L1, []corpus.Track{corpus.Recorded}, plan.GroupRecorded, "also where a tool map has a level's name"},
	} {
		for _, track := range tt.tracks {
			t.Run(string(tt.level)+" "+string(track), func(t *testing.T) {
				got := plan.Cell{Model: "a", Level: tt.level, Track: track, Architecture: plan.OAP}.Group()
				require.Equal(t, tt.want, got, tt.reason)
				require.Contains(t, plan.Groups(), got, "every group has a place in the reports")
			})
		}
	}
	require.Equal(t, []plan.Group{"1", "2-4", "5", "recorded"}, plan.Groups(), "the order of reports")
}

func namesOf(cells []plan.Cell) []string {
	var names []string
	for _, c := range cells {
		names = append(names, c.Name())
	}
	return names
}
