package author

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"vaultbench/internal/corpus"
)

// sharedWords is how many words in a row two entries may not have in common.
const sharedWords = 8

// Shingles returns every run of sharedWords words of the texts, once each, in
// order. Words are lower case and of letters; a token with a digit or an @ is a
// fact and ends a run.
func Shingles(texts []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, text := range texts {
		var run []string
		for token := range strings.FieldsSeq(strings.ToLower(text)) {
			if strings.ContainsFunc(token, func(r rune) bool { return r == '@' || unicode.IsDigit(r) }) {
				run = nil
				continue
			}
			for word := range strings.FieldsFuncSeq(token, notLetter) {
				if run = append(run, word); len(run) < sharedWords {
					continue
				}
				if s := strings.Join(run[len(run)-sharedWords:], " "); !seen[s] {
					seen[s] = true
					out = append(out, s)
				}
			}
		}
	}
	return out
}

func notLetter(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }

// pair is two entries that are too much alike; the second stands later.
type pair struct{ first, second int }

// SharedWording finds the entries that are another one with a few words changed.
// A twin may share words with its own attack, and anybody may quote a system
// prompt.
func SharedWording(all []corpus.Attack, prompts []string) []Finding {
	quotable := Shingles(prompts)
	slices.Sort(quotable)
	var out []Finding
	users, reported := map[string][]int{}, map[pair]bool{}
	for i, a := range all {
		for _, s := range Shingles(a.Messages) {
			if _, quoted := slices.BinarySearch(quotable, s); quoted {
				continue
			}
			for _, j := range users[s] {
				if reported[pair{j, i}] || paired(a, all[j]) {
					continue
				}
				reported[pair{j, i}] = true
				out = append(out, beside(a, all[j], fmt.Sprintf("shares %q with %s", s, all[j].Where())))
			}
			users[s] = append(users[s], i)
		}
	}
	return out
}

func finding(a corpus.Attack, text string) Finding {
	return Finding{File: a.File, Line: a.Line, ID: a.ID, Text: text}
}

// beside is a finding that holds only as long as the other entry is there.
func beside(a, other corpus.Attack, text string) Finding {
	f := finding(a, text)
	f.other = other
	return f
}
