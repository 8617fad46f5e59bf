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
	for _, line := range lines {
		var c GoldenCell
		if err := line.Decode("golden-events.schema.json", &c); err != nil {
			return nil, fmt.Errorf("load golden: %w", err)
		}
		if _, twice := golden[c.Cell]; twice {
			return nil, fmt.Errorf("load golden: %w", line.Errorf("cell %s stands twice", c.Cell))
		}
		golden[c.Cell] = c.Counts
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

// againstGolden compares a simulated cell with what it is known to count. Real
// models' figures are results, never goldens.
func (b *Builder) againstGolden(c Cell) []Finding {
	if b.golden == nil || c.Kind != plan.Simulated || c.Track == corpus.Recorded || c.Track.Section() != corpus.Native || c.Architecture == plan.Published {
		return nil
	}
	want, ok := b.golden[c.Name]
	if !ok {
		return []Finding{{FoundGolden, fmt.Sprintf("golden/%s has no line for cell %s: run go test ./vault_test -update", EventsFile, c.Name)}}
	}
	if diff := cmp.Diff(want, c.Counts); diff != "" {
		return []Finding{{FoundGolden, fmt.Sprintf("golden/%s: cell %s counts differ (-want +got):\n%s", EventsFile, c.Name, plainSpaces(diff))}}
	}
	return nil
}

// plainSpaces makes a diff the same in every process: go-cmp picks its spaces by
// chance.
func plainSpaces(diff string) string { return strings.ReplaceAll(diff, "\u00a0", " ") }
