package author_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

// TestLintOwn: of a corpus that stands in for the shipped one everything is checked
// that it shows by itself, and no register of ids.
func TestLintOwn(t *testing.T) {
	for _, tt := range []struct {
		name, file, old, changed string
		want                     []string
		reason                   string
	}{
		{"clean", attacks1, "A question.", "Still a question.", nil, "nothing is wrong"},
		{"gaps and a copied register", attacks2, `"l2-0001"`, `"l2-0444"`, nil, "its ids begin and leave gaps where they like"},
		{"a file of any name", "attacks/theirs.jsonl", "", strings.ReplaceAll(other, "0001", "0007") + "\n", []string{
			"mine/attacks/theirs.jsonl:1: l2-0007: is a near-duplicate of mine/attacks/level-2.jsonl:1: l2-0001 (similarity 1.00, allowed is less than 0.40): write another one",
			"mine/attacks/theirs.jsonl:1: l2-0007: messages begin like those of mine/attacks/level-2.jsonl:1: l2-0001 on track multi: change one",
			"mine/attacks/theirs.jsonl:1: l2-0007: messages begin like those of mine/attacks/level-2.jsonl:1: l2-0001 on track single: change one",
		}, "the name is no finding, the text is"},
		{"twin of nothing", benign1, `"twin": "l1-0002"`, `"twin": "l1-0009"`, []string{`mine/benign/level-1.jsonl:1: b1-0001: twin "l1-0009" is no attack`}, "within it"},
		{"personal data", attacks1, "which limits do you have?", "which limits has jo@mail.com?", []string{
			`mine/attacks/level-1.jsonl:1: l1-0001: category is reconnaissance, the classifier says social_engineering: store that`,
			`mine/attacks/level-1.jsonl:1: l1-0001: holds the e-mail address "jo@mail.com": put it into the reserved domain .example`,
		}, "whoever runs it may publish it"},
		{"empty file", "attacks/none.jsonl", "", "", []string{"mine/attacks/none.jsonl:1: file is empty: write one JSON object a line or delete it"}, "entries may have got lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, register, "", "l2-0444 gone\nhighest l2-0001\n")
			edit(t, fsys, tt.file, tt.old, tt.changed)
			levels, err := corpus.LoadLevels(fsys)
			require.NoError(t, err)
			files, err := author.ReadOwn(fsys, "mine")
			require.NoError(t, err)
			var got []string
			for _, f := range author.LintOwn(levels, files, expectations()) {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("LintOwn: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestReadOwn: honest tasks may be missing, attacks may not.
func TestReadOwn(t *testing.T) {
	fsys := small(t)
	delete(fsys, benign1)
	files, err := author.ReadOwn(fsys, "mine")
	require.NoError(t, err)
	require.Len(t, files, 2)
	delete(fsys, attacks1)
	delete(fsys, attacks2)
	_, err = author.ReadOwn(fsys, "mine")
	require.EqualError(t, err, "no file matches mine/attacks/*.jsonl")
}
