package corpus

import (
	"fmt"
	"maps"
	"slices"
)

// Section is what a figure is reported in. Derived tracks have sections of their
// own and are never pooled with the attacks as they were written.
type Section string

// The sections; the empty one holds the attacks and honest tasks as written.
const (
	Native  Section = ""
	Crossed Section = "crossed"  // attacks of every level replayed at every level
	Varied  Section = "variants" // attacks in other clothes, made by operators
)

// derived is what a derived track replays.
type derived struct {
	base    Track // what of each attack: Single or Multi
	section Section
	cohort  Level // Crossed: the level that the attacks were written against
}

// derivedTracks by name. No name holds that of another track, so that a pattern
// for go test -run never selects both.
var derivedTracks = func() map[Track]derived {
	all := map[Track]derived{}
	for base, what := range map[Track]string{Single: "last", Multi: "all"} {
		all[Track(what+"-varied")] = derived{base, Varied, ""}
		for _, l := range Levels() {
			all[Track(what+"-from-"+string(l))] = derived{base, Crossed, l}
		}
	}
	return all
}()

// DerivedTracks lists the derived tracks of a section, sorted.
func DerivedTracks(s Section) []Track {
	var out []Track
	for _, t := range slices.Sorted(maps.Keys(derivedTracks)) {
		if derivedTracks[t].section == s {
			out = append(out, t)
		}
	}
	return out
}

// Base is what of an attack is replayed: the track itself, or the one that a
// derived track is derived from.
func (t Track) Base() Track {
	if d, ok := derivedTracks[t]; ok {
		return d.base
	}
	return t
}

// Section is what figures of the track are reported in.
func (t Track) Section() Section { return derivedTracks[t].section }

// Cohort is the level that the attacks of a crossed track were written against;
// empty for every other track.
func (t Track) Cohort() Level { return derivedTracks[t].cohort }

// With returns the corpus with the attacks that a derived track replays, at the
// levels that they name. It refuses attacks of one level that no simulated
// banker could tell apart.
func (c Corpus) With(t Track, attacks []Attack) (Corpus, error) {
	if t.Section() == Native {
		return c, fmt.Errorf("track %q is not derived", t)
	}
	c.derived = maps.Clone(c.derived)
	if c.derived == nil {
		c.derived = map[Track][]Attack{}
	}
	c.derived[t] = slices.Clone(attacks)
	sortAttacks(c.derived[t])
	if problems := c.sameKeys(t); len(problems) > 0 {
		return c, problems[0]
	}
	return c, nil
}
