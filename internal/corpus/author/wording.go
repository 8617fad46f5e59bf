package author

import (
	"fmt"
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

// SharedWording finds the entries that are another one with a few words changed, and
// names the first such one. A twin may share words with its own attack, and anybody
// may quote a system prompt. An entry in refused, by its index, is named only for want
// of another.
func SharedWording(all []corpus.Attack, prompts []string, refused map[int]bool) []Finding {
	quotable := map[string]bool{}
	for _, s := range Shingles(prompts) {
		quotable[s] = true
	}
	var out []Finding
	users, alike := map[string][]int{}, cluster{}
	for i, a := range all {
		first, words := -1, ""
		for _, s := range Shingles(a.Messages) {
			if quotable[s] {
				continue
			}
			if j := firstUser(a, all, users[s], refused); j >= 0 && (first < 0 || before(j, first, refused)) {
				first, words = j, s
			}
			users[s] = append(users[s], i)
		}
		if first >= 0 {
			out = append(out, beside(a, all[first], fmt.Sprintf("shares %q with %s%s", words, all[first].Where(), alike.join(first))))
		}
	}
	return out
}

// firstUser is the first of the users of a run of words that an entry may not share
// it with; -1: none.
func firstUser(a corpus.Attack, all []corpus.Attack, users []int, refused map[int]bool) int {
	first := -1
	for _, j := range users {
		if paired(a, all[j]) || first >= 0 && refused[j] {
			continue
		}
		if first = j; !refused[j] {
			break
		}
	}
	return first
}

// before reports whether the one is rather to be named than the other.
func before(j, k int, refused map[int]bool) bool {
	if refused[j] != refused[k] {
		return refused[k]
	}
	return j < k
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
