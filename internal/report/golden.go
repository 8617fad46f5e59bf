package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// EventsFile is the golden of the simulated cells' counts, in folder golden.
const EventsFile = "events.jsonl"

// GoldenCell is a line of the golden file.
type GoldenCell struct {
	Cell   string `json:"cell"`
	Counts Counts `json:"counts"`
}

// LoadGolden reads the expected counts of simulated cells. A file that is not
// there holds nothing, so that -update can write the first one.
func LoadGolden(fsys fs.FS) (map[string]Counts, error) {
	golden := map[string]Counts{}
	raw, err := fs.ReadFile(fsys, EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return golden, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load golden: %w", err)
	}
	lines, err := strictjson.Lines(EventsFile, raw)
	if err != nil {
		return nil, fmt.Errorf("load golden: %w", err)
	}
	last := ""
	for _, line := range lines {
		var c GoldenCell
		if err := line.Decode("golden-events.schema.json", &c); err != nil {
			return nil, fmt.Errorf("load golden: %w", err)
		}
		if _, twice := golden[c.Cell]; twice {
			return nil, fmt.Errorf("load golden: %w", line.Errorf("cell %s stands twice", c.Cell))
		}
		if c.Cell < last {
			return nil, fmt.Errorf("load golden: %w", line.Errorf("cell %s stands after %s: the lines are sorted by cell, move it", c.Cell, last))
		}
		golden[c.Cell], last = c.Counts, c.Cell
	}
	return golden, nil
}

// EncodeGolden writes the golden file, sorted by cell.
func EncodeGolden(golden map[string]Counts) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, name := range slices.Sorted(maps.Keys(golden)) {
		if err := enc.Encode(GoldenCell{name, golden[name]}); err != nil {
			return nil, fmt.Errorf("encode golden: %w", err)
		}
	}
	return b.Bytes(), nil
}

// holdsGolden reports whether a cell has a golden. Real models' figures are
// results, never goldens.
func (b *Builder) holdsGolden(p record.PlannedCell) bool {
	return b.golden != nil && p.Kind == plan.Simulated && p.Cell.Track != corpus.Recorded &&
		p.Cell.Track.Section() == corpus.Native && p.Cell.Architecture != plan.Published
}

// againstGolden compares each trial of a simulated cell with what one trial is
// known to count: its banker does the same every time. A run that was broken off,
// and a cell that could not begin, have counted too little to compare; they can't
// pass.
func (b *Builder) againstGolden(t *cellTally) []Finding {
	if !b.holdsGolden(t.planned) || t.stopped > 0 || len(t.Ends) == 0 && t.planned.Evaluations > 0 {
		return nil
	}
	name := t.planned.Cell.Name()
	want, ok := b.golden[name]
	if !ok {
		return []Finding{{FoundGolden, fmt.Sprintf("golden/%s has no line for cell %s: run go test ./vault_test -update", EventsFile, name)}}
	}
	if len(t.byTrial) == 0 || len(t.byTrial)*want.Planned != t.planned.Evaluations {
		return goldenDiffers(name, want, t.Counts)
	}
	for i, trial := range t.byTrial {
		trial.Planned = want.Planned
		where := name
		if len(t.byTrial) > 1 {
			where = fmt.Sprintf("%s, trial %d,", name, i+1)
		}
		if found := goldenDiffers(where, want, trial.Counts); found != nil {
			return found
		}
	}
	return nil
}

func goldenDiffers(cell string, want, got Counts) []Finding {
	if cmp.Equal(want, got) {
		return nil
	}
	return []Finding{{FoundGolden, fmt.Sprintf("golden/%s: cell %s counts differ (golden → now): %s", EventsFile, cell, strings.Join(changedCounts(want, got), ", "))}}
}

// changedCounts lists the counts that differ by their names in the golden, on one
// line that a log, a table and a verdict can hold.
func changedCounts(want, got Counts) []string {
	before, after := flatCounts(want), flatCounts(got)
	names := slices.Sorted(maps.Keys(before))
	for name := range after {
		if _, both := before[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		if before[name] != after[name] {
			out = append(out, fmt.Sprintf("%s %s → %s", name, orZero(before[name]), orZero(after[name])))
		}
	}
	return out
}

func orZero(count string) string {
	if count == "" {
		return "0"
	}
	return count
}

// flatCounts are the counts by path. What is not counted has no line, as a zero has
// none in a map of reasons.
func flatCounts(c Counts) map[string]string {
	raw, err := json.Marshal(c)
	if err != nil {
		return map[string]string{"counts": err.Error()}
	}
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return map[string]string{"counts": err.Error()}
	}
	flat := map[string]string{}
	flatten(flat, "", members)
	return flat
}

func flatten(into map[string]string, prefix string, members map[string]any) {
	for name, v := range members {
		switch v := v.(type) {
		case map[string]any:
			flatten(into, prefix+name+".", v)
		case nil, bool, string:
			into[prefix+name] = fmt.Sprint(v)
		default:
			if text := fmt.Sprint(v); text != "0" {
				into[prefix+name] = text
			}
		}
	}
}
