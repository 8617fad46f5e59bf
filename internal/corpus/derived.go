package corpus

import (
	"errors"
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
	c.derived = filed(c.derived, t, attacks)
	if problems := c.sameKeys(t); len(problems) > 0 {
		return c, problems[0]
	}
	return c, nil
}

// WithApart is With for several tracks, of derived attacks of which some may be alike
// though those that they are derived from are not: the later one is left out of each.
func (c Corpus) WithApart(attacks []Attack, tracks ...Track) (Corpus, error) {
	var out []Attack
	for {
		next, alike := c, map[AttackID]bool{}
		for _, t := range tracks {
			with, err := c.With(t, attacks)
			if problem := (Problem{}); err != nil && !errors.As(err, &problem) {
				return c, err
			}
			for _, p := range with.sameKeys(t) {
				if !alike[p.Other.ID] {
					alike[p.Attack.ID] = true
				}
			}
			next.derived = filed(next.derived, t, attacks)
			next.leftOut = filed(next.leftOut, t, out)
		}
		if len(alike) == 0 {
			return next, nil
		}
		kept := []Attack{}
		for _, a := range attacks {
			if alike[a.ID] {
				out = append(out, a)
			} else {
				kept = append(kept, a)
			}
		}
		attacks = kept
	}
}

// LeftOut are the ids of the attacks of a level that WithApart left out of a track.
func (c Corpus) LeftOut(l Level, t Track) []AttackID {
	var out []AttackID
	for _, a := range c.leftOut[t] {
		if a.Level == l {
			out = append(out, a.ID)
		}
	}
	return out
}

// filed is a copy of what the tracks have, in which one has these attacks, sorted.
func filed(all map[Track][]Attack, t Track, attacks []Attack) map[Track][]Attack {
	out := map[Track][]Attack{}
	maps.Copy(out, all)
	out[t] = slices.Clone(attacks)
	sortAttacks(out[t])
	return out
}
