// Package plan lays out the grid: model × level × track × architecture. A cell
// is the leaf subtest; its name is stable and selects it with go test -run.
package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// ModelSlug names a banker in cells and files: lower case, no slash.
type ModelSlug string

// Architecture says what stands between the model's call and the tool.
type Architecture string

// The architectures.
const (
	Alone     Architecture = "alone"     // nothing: the call executes as requested
	OAP       Architecture = "oap"       // the passport engine, the paper's local profile
	Published Architecture = "published" // the passport engine, the published pack's profile
)

// Architectures lists the architectures that the suite knows.
func Architectures() []Architecture { return []Architecture{Alone, OAP, Published} }

// Kind says what sort of banker a figure is about. Kinds never share a row.
type Kind string

// The kinds. Conversations that we wrote ourselves count as simulated.
const (
	Simulated Kind = "simulated"
	Recorded  Kind = "recorded"
	Live      Kind = "live"
)

// Group is the level group of a figure; levels are never pooled beyond it.
type Group string

// The groups.
const (
	GroupOpen       Group = "1"
	GroupRestricted Group = "2-4"
	GroupVault      Group = "5"
	GroupRecorded   Group = "recorded"
)

// Groups lists the groups in the order of reports.
func Groups() []Group { return []Group{GroupOpen, GroupRestricted, GroupVault, GroupRecorded} }

// Cell is one model at one level on one track in one architecture.
type Cell struct {
	Model        ModelSlug    `json:"model"`
	Level        corpus.Level `json:"level"` // of a recorded cell: the tool map's name
	Track        corpus.Track `json:"track"`
	Architecture Architecture `json:"architecture"`
}

// Name is the cell's subtest name: exactly four parts, lower case.
func (c Cell) Name() string {
	return strings.Join([]string{string(c.Model), string(c.Level), string(c.Track), string(c.Architecture)}, "/")
}

// Group returns the level group that the cell counts in.
func (c Cell) Group() Group {
	switch {
	case c.Track == corpus.Recorded:
		return GroupRecorded
	case c.Level == corpus.L1:
		return GroupOpen
	case c.Level == corpus.L5:
		return GroupVault
	}
	return GroupRestricted
}

var part = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// Check refuses a name that go test would rewrite or split.
func (c Cell) Check() error {
	for _, p := range []string{string(c.Model), string(c.Level), string(c.Track), string(c.Architecture)} {
		if !part.MatchString(p) {
			return fmt.Errorf("cell %s: part %q: use lower-case letters, digits, dots and hyphens", c.Name(), p)
		}
	}
	return nil
}

// Cells crosses the four lists, in their order. A track that a level has no
// attack for still gives a cell: planned zero is reported, not left out.
func Cells(models []ModelSlug, levels []corpus.Level, tracks []corpus.Track, archs []Architecture) ([]Cell, error) {
	var cells []Cell
	for _, m := range models {
		for _, l := range levels {
			for _, t := range tracks {
				for _, a := range archs {
					c := Cell{m, l, t, a}
					if err := c.Check(); err != nil {
						return nil, err
					}
					cells = append(cells, c)
				}
			}
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("no cell is selected: name at least one model, level, track and architecture")
	}
	return cells, nil
}

// Slug makes a name part of a file stem.
func Slug(stem string) ModelSlug {
	lower := strings.ToLower(stem)
	return ModelSlug(strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, lower), "-."))
}

// Ambiguous returns two models of which one's slug holds the other's, so that a
// -run pattern for the one would select both; empty where there is none.
func Ambiguous(models []ModelSlug) (short, long ModelSlug) {
	sorted := slices.Clone(models)
	slices.Sort(sorted)
	for _, a := range sorted {
		for _, b := range sorted {
			if a != b && strings.Contains(string(b), string(a)) {
				return a, b
			}
		}
	}
	return "", ""
}
