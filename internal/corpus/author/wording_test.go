package author_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

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
		{"twice", "a a a a a a a a a", []string{"a a a a a a a a"}, "each run once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, author.Shingles([]string{tt.text})); diff != "" {
				t.Errorf("Shingles(%q): %s (-want +got):\n%s", tt.text, tt.reason, diff)
			}
		})
	}
}

// TestAlike: who may share words with whom.
func TestAlike(t *testing.T) {
	const words = "alpha beta gamma delta epsilon zeta eta theta iota"
	attack := func(id, twin corpus.AttackID) corpus.Attack {
		return corpus.Attack{ID: id, Twin: twin, Messages: []string{words}}
	}
	for _, tt := range []struct {
		name    string
		all     []corpus.Attack
		prompts []string
		shared  int
		near    int
		reason  string
	}{
		{"two attacks", []corpus.Attack{attack("l1-0001", ""), attack("l1-0002", "")}, nil, 1, 1, "one finding a pair"},
		{"own twin", []corpus.Attack{attack("l1-0001", ""), attack("b1-0001", "l1-0001")}, nil, 0, 0, "a twin is meant to be alike"},
		{"own twin first", []corpus.Attack{attack("b1-0001", "l1-0001"), attack("l1-0001", "")}, nil, 0, 0, "whichever stands first"},
		{"foreign twin", []corpus.Attack{attack("l1-0001", ""), attack("b1-0001", "l1-0002")}, nil, 1, 1, "of another attack"},
		{"two twins", []corpus.Attack{attack("b1-0001", "l1-0001"), attack("b1-0002", "l1-0001")}, nil, 1, 1, "a twin of the same is no excuse"},
		{"quotation", []corpus.Attack{attack("l1-0001", ""), attack("l1-0002", "")}, []string{"Say " + words}, 0, 1, "anybody may quote a prompt, and still write something of their own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Len(t, author.SharedWording(tt.all, tt.prompts, nil), tt.shared, tt.reason)
			require.Len(t, author.NearDuplicates(tt.all, nil), tt.near, tt.reason)
		})
	}
}

// TestAlikeMany: each entry of a cluster names the first one and how many others do,
// so that what is said grows with the entries and not with their pairs.
func TestAlikeMany(t *testing.T) {
	const words = "alpha beta gamma delta epsilon zeta eta theta"
	var all []corpus.Attack
	for i := range 5 {
		all = append(all, corpus.Attack{ID: corpus.AttackID(fmt.Sprintf("l1-000%d", i+1)), File: "f", Line: i + 1, Messages: []string{words + fmt.Sprintf(" %d", i)}})
	}
	all[2].Messages = []string{"nothing of this kind stands anywhere near those animals"}
	const near, shared = "is a near-duplicate of %s (similarity 1.00, allowed is less than 0.40)", `shares "` + words + `" with %s`
	for _, tt := range []struct {
		name    string
		refused map[int]bool
		like    string
		want    []string // behind like, by entry
		reason  string
	}{
		{"all stand", nil, "f:1: l1-0001", []string{"f:2", "", "f:4", ", as is 1 other before it", "f:5", ", as are 2 others before it"}, "one finding an entry, of six pairs"},
		{"the first is refused", map[int]bool{0: true}, "f:2: l1-0002", []string{"f:4", "", "f:5", ", as is 1 other before it"}, "what is only like a refused one may be right"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for form, got := range map[string][]author.Finding{
				near:   author.NearDuplicates(all, tt.refused),
				shared: author.SharedWording(all, nil, tt.refused),
			} {
				var have, want []string
				for _, f := range got {
					if !strings.Contains(f.Text, "l1-0001") || tt.refused == nil {
						have = append(have, fmt.Sprintf("%s:%d ", f.File, f.Line)+f.Text)
					}
				}
				for i := 0; i < len(tt.want); i += 2 {
					want = append(want, tt.want[i]+" "+fmt.Sprintf(form, tt.like)+tt.want[i+1])
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
				}
			}
		})
	}
}

func TestSimilarity(t *testing.T) {
	const text = "the quick brown fox jumps over the lazy dog and goes home"
	for _, tt := range []struct {
		name, a, b string
		low, high  float64
		reason     string
	}{
		{"same", text, text, 1, 1, "all grams"},
		{"case and marks", text, "The QUICK, brown fox; jumps over the lazy dog - and goes home!", 1, 1, "letters alone count"},
		{"other facts", text + " 500 a@b.example", text + " 7.25 zz@yy.example", 1, 1, "swapped facts make no new attack"},
		{"one word", text, strings.Replace(text, "lazy", "small", 1), author.NearDuplicate, 0.9, "a copy with a word changed"},
		{"another text", text, "nothing of this kind stands anywhere near those animals", 0, 0.1, "no copy"},
		{"nothing but facts", "pay 500 a@b.example", "pay 700 a@b.example", 0, 0, "too short for grams, and not the same"},
		{"same facts", "pay 500  a@b.example", "Pay 500 a@b.example", 1, 1, "too short for grams, and the same"},
		{"no spaces", "请立即把全部款项转到下面这个账户里面去谢谢您的配合与理解我们", "请立即把全部款项转到下面那个账户里面去谢谢您的配合与理解我们", author.NearDuplicate, 0.9, "a language without spaces"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := []string{tt.a}, []string{tt.b}
			got := author.Similarity(a, b)
			require.GreaterOrEqual(t, got, tt.low, tt.reason)
			require.LessOrEqual(t, got, tt.high, tt.reason)
			require.InDelta(t, got, author.Similarity(b, a), 1e-9, "symmetrical")
		})
	}
}
