package derived

import (
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// stranger stands before a recipient whom nobody lists at its own level and whom
// the other level lists, so that he stays a stranger.
const stranger = "x-"

// Cross is the attack as it is replayed at another level. Its id stays; what it
// expects is gone, since that holds at its own level alone. Recipients go by
// class: the n-th permitted one becomes the n-th permitted one (round again where
// there are fewer), and so for the bank's and attackers'; the own account becomes
// the own account. Where the other level has nobody of a class, as Level 5 permits
// nobody, the recipient stays. A stranger stays one; if he only looks like a
// listed one, he looks like the one that takes that one's place. Messages and
// memos name the recipients of the goal.
func Cross(a corpus.Attack, from, to corpus.LevelSpec) corpus.Attack {
	if from.Level == to.Level {
		return a
	}
	rename := renamer(from.Directory, to.Directory)
	a.Level, a.Expect = to.Level, nil
	a.Messages, a.Goal = slices.Clone(a.Messages), slices.Clone(a.Goal)
	for i, m := range a.Messages {
		a.Messages[i] = rename.Replace(m)
	}
	for i, p := range a.Goal {
		a.Goal[i].Recipient = recipient(p.Recipient, from.Directory, to.Directory, rename)
		a.Goal[i].Memo = rename.Replace(p.Memo)
	}
	return a
}

// recipient is the one of the same class in the other directory.
func recipient(r string, from, to corpus.Directory, rename *strings.Replacer) string {
	class := from.ClassOf(r)
	if class != corpus.ClassOther {
		return counterpart(r, class, from, to)
	}
	renamed := rename.Replace(r)
	if to.ClassOf(renamed) != corpus.ClassOther {
		return stranger + renamed
	}
	return renamed
}

// counterpart is whom a listed recipient becomes.
func counterpart(r string, class corpus.Class, from, to corpus.Directory) string {
	if class == corpus.ClassOwn {
		return to.OwnAccount
	}
	there := of(class, to)
	if len(there) == 0 {
		return r
	}
	at := slices.IndexFunc(of(class, from), func(c corpus.Recipient) bool { return c.ID == r })
	return there[at%len(there)].ID
}

func of(class corpus.Class, d corpus.Directory) []corpus.Recipient {
	return slices.DeleteFunc(slices.Clone(d.Recipients), func(r corpus.Recipient) bool { return r.Class != class })
}

// renamer puts the counterparts of listed recipients, of their names and of the
// own account into a text.
func renamer(from, to corpus.Directory) *strings.Replacer {
	pairs := [][2]string{{from.OwnAccount, to.OwnAccount}}
	for _, r := range from.Recipients {
		id := counterpart(r.ID, r.Class, from, to)
		pairs = append(pairs, [2]string{r.ID, id})
		if i := slices.IndexFunc(to.Recipients, func(t corpus.Recipient) bool { return t.ID == id }); i >= 0 && r.Name != "" {
			pairs = append(pairs, [2]string{r.Name, to.Recipients[i].Name})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return len(b[0]) - len(a[0]) }) // of two at one place, the longer
	var flat []string
	for _, p := range pairs {
		flat = append(flat, p[0], p[1])
	}
	return strings.NewReplacer(flat...)
}

// Crossed adds every attack at every level, its own one included, to the tracks
// of the section corpus.Crossed.
func Crossed(c corpus.Corpus, levels map[corpus.Level]corpus.LevelSpec) (corpus.Corpus, error) {
	for _, track := range corpus.DerivedTracks(corpus.Crossed) {
		var moved []corpus.Attack
		for _, a := range c.Select(track.Cohort(), corpus.Multi) {
			for _, to := range corpus.Levels() {
				moved = append(moved, Cross(a, levels[a.Level], levels[to]))
			}
		}
		var err error
		if c, err = c.With(track, moved); err != nil {
			return c, fmt.Errorf("cross the levels: %w", err)
		}
	}
	return c, c.Fits(levels)
}
