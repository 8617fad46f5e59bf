package corpus_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
)

// sharedWords is how many words in a row two attacks may not have in common.
const sharedWords = 8

// shingles returns every run of sharedWords words of the texts. Words are lower
// case and of letters; a token with a digit or an @ is a fact and ends a run.
func shingles(texts []string) map[string]bool {
	found := map[string]bool{}
	for _, text := range texts {
		var run []string
		for token := range strings.FieldsSeq(strings.ToLower(text)) {
			if strings.ContainsFunc(token, func(r rune) bool { return r == '@' || unicode.IsDigit(r) }) {
				run = nil
				continue
			}
			for word := range strings.FieldsFuncSeq(token, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }) {
				if run = append(run, word); len(run) >= sharedWords {
					found[strings.Join(run[len(run)-sharedWords:], " ")] = true
				}
			}
		}
	}
	return found
}

func TestShingles(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		reason     string
	}{
		{"too short", "a b c d e f g", nil, "seven words are no run of eight"},
		{"punctuation and case", "A, b c-d 'E' f\ng. H i", []string{"a b c d e f g h", "b c d e f g h i"}, "only the words count"},
		{"digit", "a b c d 4x e f g h", nil, "a token with a digit ends the run"},
		{"address", "a b c d x@y e f g h", nil, "an address ends the run"},
		{"marks", "a b c d e f g दादी", []string{"a b c d e f g दादी"}, "vowel signs belong to their word"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := shingles([]string{tt.text})
			require.Len(t, got, len(tt.want), tt.reason)
			for _, s := range tt.want {
				require.Contains(t, got, s, tt.reason)
			}
		})
	}
}

// TestNoSharedWording holds that no attack is another one with a few words
// changed. A twin may share words with its own attack, and anybody may quote a
// system prompt.
func TestNoSharedWording(t *testing.T) {
	c := loadCorpus(t)
	levels, err := corpus.LoadLevels(fixtures.FS)
	require.NoError(t, err)
	var prompts []string
	for _, l := range levels {
		prompts = append(prompts, l.SystemPrompt)
	}
	quotable := shingles(prompts)

	users := map[string][]corpus.Attack{}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		for s := range shingles(a.Messages) {
			if quotable[s] {
				continue
			}
			for _, b := range users[s] {
				if a.Twin != b.ID {
					t.Errorf("%s and %s share %q", a.Where(), b.Where(), s)
				}
			}
			users[s] = append(users[s], a)
		}
	}
}
