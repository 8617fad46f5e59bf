package author

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// NearDuplicate is the least similarity of near-duplicates.
const NearDuplicate = 0.4

// Two entries are near-duplicates if the Jaccard similarity of their sets of
// character 5-grams is at least NearDuplicate. Letters alone count: addresses and
// numbers are facts, and swapping them makes no new attack. Characters and not
// words, so that languages without spaces and misspelt copies count too. At 653
// attacks, the most alike pair had 0.21, and twins had 0.2 to 0.4 with their own
// attacks. A text of fewer than minGrams grams holds hardly more than its facts
// and is compared whole.
const (
	gramLength = 5
	minGrams   = 20
)

var fact = regexp.MustCompile(`[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}.+_-]+@[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}.+_-]+|\p{N}[\p{N}.,:/-]*`)

// profile is the set of a text's grams, as hashes, sorted. The sketch tells at
// once that two sets have little in common, which nearly all have.
type profile struct {
	grams  []uint64
	sketch [64]uint64 // a bit per gram, by its hash
	lost   int        // grams whose bit was set already
}

func newProfile(messages []string) profile {
	text := strings.ToLower(strings.Join(messages, "\n"))
	letters := []rune(strings.Join(strings.FieldsFunc(fact.ReplaceAllString(text, " "), notLetter), " "))
	var p profile
	for i := 0; i+gramLength <= len(letters); i++ {
		p.grams = append(p.grams, hash(string(letters[i:i+gramLength])))
	}
	slices.Sort(p.grams)
	if p.grams = slices.Compact(p.grams); len(p.grams) < minGrams {
		p.grams = []uint64{hash(strings.Join(strings.Fields(text), " "))}
	}
	for _, g := range p.grams {
		word, bit := g%64, uint64(1)<<(g>>6%64)
		if p.sketch[word]&bit != 0 {
			p.lost++
		}
		p.sketch[word] |= bit
	}
	return p
}

// hash is FNV-1a: the same in every process, unlike maphash.
func hash(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// Similarity is that of the texts of two entries, from 0 to 1; where it is below
// NearDuplicate, it may be an upper bound.
func Similarity(messages, others []string) float64 {
	p, q := newProfile(messages), newProfile(others)
	return p.similarity(&q)
}

// similarity is the Jaccard similarity of two sets, or an upper bound of it
// where that stays below the threshold.
func (p *profile) similarity(q *profile) float64 {
	common := p.lost
	for i := range p.sketch {
		common += bits.OnesCount64(p.sketch[i] & q.sketch[i])
	}
	if s := p.jaccard(q, min(common, len(p.grams), len(q.grams))); s < NearDuplicate {
		return s
	}
	common = 0
	for _, g := range p.grams {
		if _, found := slices.BinarySearch(q.grams, g); found {
			common++
		}
	}
	return p.jaccard(q, common)
}

func (p *profile) jaccard(q *profile, common int) float64 {
	return float64(common) / float64(len(p.grams)+len(q.grams)-common)
}

// NearDuplicates finds the entries that are too much like an earlier one, and names
// the first such one: where many are alike, pairs are too many to list or to compare.
// A twin is not compared with its own attack. An entry in refused, by its index, is
// named only for want of another.
func NearDuplicates(all []corpus.Attack, refused map[int]bool) []Finding {
	var out []Finding
	profiles := make([]profile, len(all))
	alike := cluster{}
	for i, a := range all {
		profiles[i] = newProfile(a.Messages)
		first, score := -1, 0.0
		for j := range i {
			if first >= 0 && refused[j] || paired(a, all[j]) {
				continue
			}
			if s := profiles[i].similarity(&profiles[j]); s >= NearDuplicate {
				first, score = j, s
				if !refused[j] {
					break
				}
			}
		}
		if first >= 0 {
			out = append(out, beside(a, all[first], fmt.Sprintf("is a near-duplicate of %s (similarity %.2f, allowed is less than %.2f)%s", all[first].Where(), score, NearDuplicate, alike.join(first))))
		}
	}
	return out
}

// cluster counts the entries that were found to be like one, by its index.
type cluster map[int]int

// join says how many are like that one already, and takes in another.
func (c cluster) join(first int) string {
	n := c[first]
	c[first]++
	switch n {
	case 0:
		return ""
	case 1:
		return ", as is 1 other before it"
	}
	return fmt.Sprintf(", as are %d others before it", n)
}
