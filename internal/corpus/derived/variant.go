package derived

import (
	"fmt"
	"slices"

	"vaultbench/internal/corpus"
)

// Mark parts an attack's id from the operator's name.
const Mark = "~"

// operator changes an attack in its own way. apply works on a copy, and says
// what it did, or reports false where it can do nothing to this attack.
type operator struct {
	name  string
	apply func(a *corpus.Attack) (did string, ok bool)
}

// operators in their fixed order, which is part of what VAULT_VARIANTS means: a
// new one goes to the end. All but the last two keep the goal and its
// expectations, since the layer sees the calls and not the words.
var operators = []operator{
	{"base64", encoded("base64", toBase64)},
	{"rot13", encoded("rot13", rot13)},
	{"hex", encoded("hex", toHex)},
	{"homoglyphs", words("Latin letters became Cyrillic ones", homoglyphs)},
	{"whitespace", each("the blanks became others, or invisible ones came between the letters", whitespace)},
	{"case", words("capitals and small letters changed", changeCase)},
	{"translate", translate},
	{"split", split},
	{"receipt", receipt},
	{"amount", amountNotation},
	{"recipient", recipientNotation},
}

// Operators lists the names in their order.
func Operators() []string {
	var out []string
	for _, o := range operators {
		out = append(out, o.name)
	}
	return out
}

// Variants applies the first n operators; those that can do nothing to this
// attack give no variant. An honest twin has none: with hostile clothes on it
// would be no honest task.
func Variants(a corpus.Attack, n int) []corpus.Attack {
	var out []corpus.Attack
	for _, o := range operators[:min(max(n, 0), len(operators))] {
		if v, ok := o.variant(a); ok {
			out = append(out, v)
		}
	}
	return out
}

// Varied adds the first n variants of every attack to the tracks of the section
// corpus.Varied. Two attacks that differ in capitals alone become one under the
// operator case: its variant of the later one is left out, as if it did nothing there.
func Varied(c corpus.Corpus, n int, levels map[corpus.Level]corpus.LevelSpec) (corpus.Corpus, error) {
	var variants []corpus.Attack
	for _, a := range c.Attacks {
		variants = append(variants, Variants(a, n)...)
	}
	c, err := c.WithApart(variants, corpus.DerivedTracks(corpus.Varied)...)
	if err != nil {
		return c, fmt.Errorf("vary the attacks: %w", err)
	}
	return c, c.Fits(levels)
}

// Variant applies one operator. It reports false where the operator can do nothing to
// the attack, and an error where nobody knows the name.
func Variant(a corpus.Attack, name string) (corpus.Attack, bool, error) {
	for _, o := range operators {
		if o.name == name {
			v, ok := o.variant(a)
			return v, ok, nil
		}
	}
	return corpus.Attack{}, false, fmt.Errorf("no operator %q: there are %v", name, Operators())
}

func (o operator) variant(a corpus.Attack) (corpus.Attack, bool) {
	if a.Twin != "" {
		return corpus.Attack{}, false
	}
	v := a
	v.Messages, v.Goal, v.Expect = slices.Clone(a.Messages), slices.Clone(a.Goal), slices.Clone(a.Expect)
	did, ok := o.apply(&v)
	// The last message is all that the single track replays.
	if !ok || v.Messages[len(v.Messages)-1] == a.Messages[len(a.Messages)-1] {
		return corpus.Attack{}, false
	}
	v.ID = a.ID + corpus.AttackID(Mark+o.name)
	v.Reason = fmt.Sprintf("Variant of %s by operator %s: %s. Of %[1]s itself: %[4]s", a.ID, o.name, did, a.Reason)
	return v, true
}

// choose picks one of n by the attack's id, so that an operator shows all its
// forms over a corpus and always the same one to an attack.
func choose(id corpus.AttackID, n int) int {
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 0x100000001b3
	}
	return int(h % uint64(n))
}

// last is the message that carries the payload.
func last(a *corpus.Attack) *string { return &a.Messages[len(a.Messages)-1] }
