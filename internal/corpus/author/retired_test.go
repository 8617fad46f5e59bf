package author_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

// TestRegister: what the reader understands, Add understands too: it raises the
// marks that it read, wherever they stand and however they are spaced, and a
// second addition finds a register as good as the first one did.
func TestRegister(t *testing.T) {
	const rest = "highest b1-0001\nhighest b1-s01\nhighest l2-0001\nhighest l2-s01\n"
	for _, tt := range []struct{ name, before, after, reason string }{
		{"as it is written", "# ids\nhighest l1-0002\nhighest l1-s01\n" + rest, "# ids\nhighest l1-0003\nhighest l1-s02\n" + rest, "raised in place"},
		{"blanks and tabs", "highest  l1-0002\n\thighest\tl1-s01  \n" + rest, "highest l1-0003\nhighest l1-s02\n" + rest, "marks all the same"},
		{"foreign line ends", "# ids\r\nhighest l1-0002\r\nhighest l1-s01\r\n" + strings.ReplaceAll(rest, "\n", "\r\n"), "# ids\r\nhighest l1-0003\r\nhighest l1-s02\r\n" + strings.ReplaceAll(rest, "\n", "\r\n"), "they stay"},
		{"foreign line ends, marks missing", "highest l1-0002\r\n", "highest l1-0003\r\n" + strings.ReplaceAll("highest b1-0001\nhighest b1-s01\nhighest l1-s02\nhighest l2-0001\nhighest l2-s01\n", "\n", "\r\n"), "and new lines have them too"},
		{"no line end", "highest b1-0001\nhighest b1-s01\nhighest l2-0001\nhighest l2-s01\nhighest l1-s01\nhighest l1-0002", "highest b1-0001\nhighest b1-s01\nhighest l2-0001\nhighest l2-s01\nhighest l1-s02\nhighest l1-0003", "the last line is one"},
		{"spaced as its owner likes", "highest l1-0002\nhighest l1-s01\nhighest   b1-0001\nhighest b1-s01\nhighest l2-0001\nhighest l2-s01\n", "highest l1-0003\nhighest l1-s02\nhighest   b1-0001\nhighest b1-s01\nhighest l2-0001\nhighest l2-s01\n", "a line that need not change stays"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, register, "", tt.before)
			got, err := author.Add(fsys, author.File{Name: "draft.jsonl", Data: []byte(draft1)}, expectations())
			require.NoError(t, err)
			require.Empty(t, got.Findings)
			last := got.Files[len(got.Files)-1]
			require.Equal(t, "fixtures/"+register, last.Name)
			if diff := cmp.Diff(tt.after, string(last.Data)); diff != "" {
				t.Errorf("register: %s (-want +got):\n%s", tt.reason, diff)
			}
			for _, f := range got.Files {
				fsys[strings.TrimPrefix(f.Name, "fixtures/")].Data = f.Data
			}
			require.Empty(t, lint(t, fsys), "what was written is sound")
		})
	}
}

// TestSessionsAreNotGivenAgain: the entries of a session may all be gone, and the
// next attacker is another one.
func TestSessionsAreNotGivenAgain(t *testing.T) {
	for _, tt := range []struct {
		name, register, session string
		want                    []string
		next                    int
		reason                  string
	}{
		{"goes on", "highest l1-s07\n", "l1-s01", nil, 7, "its entries are there"},
		{"new", "highest l1-s07\n", "l1-s08", nil, 7, "above every one that ever was"},
		{"gone", "highest l1-s07\n", "l1-s05", []string{"draft.jsonl:1: session l1-s05 holds no entry, and numbers up to l1-s07 are never given again: write the attacker's, l1-s and a number: one that goes on, or the next free one, l1-s08"}, 7, "it was another attacker's"},
		{"the last one gone", "highest l1-s02\n", "l1-s02", []string{"draft.jsonl:1: session l1-s02 holds no entry, and numbers up to l1-s02 are never given again: write the attacker's, l1-s and a number: one that goes on, or the next free one, l1-s03"}, 2, "no living one shows that it was there"},
		{"no register", "", "l1-s02", nil, 1, "the living ones alone count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, register, "", tt.register)
			got, err := author.Add(fsys, author.File{Name: "draft.jsonl", Data: []byte(strings.Replace(draft1, "l1-s02", tt.session, 1))}, expectations())
			require.NoError(t, err)
			var findings []string
			for _, f := range got.Findings {
				findings = append(findings, f.String())
			}
			if diff := cmp.Diff(tt.want, findings); diff != "" {
				t.Errorf("Add: %s (-want +got):\n%s", tt.reason, diff)
			}
			c, err := corpus.Load(fsys, expectations())
			require.NoError(t, err)
			last, err := author.LastSessions(fsys, c)
			require.NoError(t, err)
			require.Equal(t, tt.next, last[corpus.L1], "an import counts on from the same")
		})
	}
	fsys := small(t)
	edit(t, fsys, register, "", "highest l1-s00\n")
	_, err := author.LastSessions(fsys, corpus.Corpus{})
	require.ErrorContains(t, err, "mend the register first: fixtures/attacks/retired.txt:1: ")
}

// TestSessionAboveItsMark: gone later, it could be given again.
func TestSessionAboveItsMark(t *testing.T) {
	fsys := small(t)
	edit(t, fsys, register, "", "# marks\nhighest l1-s01\n")
	edit(t, fsys, attacks1, "", entry("l1-0003", "l1-s03", "dreary"))
	want := []string{"fixtures/attacks/retired.txt:2: l1-s03: is above the highest ever given in its series: raise that line here, or let go tool vault attacks add give ids"}
	if diff := cmp.Diff(want, lint(t, fsys)); diff != "" {
		t.Errorf("Lint (-want +got):\n%s", diff)
	}
}

// TestFromTenThousandOn: an order of text would put l1-10000 before l1-9999.
func TestFromTenThousandOn(t *testing.T) {
	four, five := entry("l1-9999", "l1-s02", "dreary"), entry("l1-10000", "l1-s02", "weary")
	fsys := small(t)
	edit(t, fsys, register, "", "highest l1-9999\n")
	edit(t, fsys, attacks1, "", four)
	got, err := author.Add(fsys, author.File{Name: "draft.jsonl", Data: []byte(without(five, `"id": "l1-10000"`))}, expectations())
	require.NoError(t, err)
	require.Empty(t, got.Findings)
	require.Equal(t, corpus.AttackID("l1-10000"), got.Entries[0].ID)
	for _, f := range got.Files {
		fsys[strings.TrimPrefix(f.Name, "fixtures/")].Data = f.Data
	}
	require.Equal(t, []string{"fixtures/attacks/retired.txt:6: l1-0003 to l1-9998: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them"}, lint(t, fsys), "the gap of the set-up, and no word about the order")
	canonical, err := author.Format(author.File{Name: "f", Data: []byte(five + four)})
	require.NoError(t, err)
	require.Equal(t, four+five, string(canonical))
	c, err := corpus.Load(fsys, expectations())
	require.NoError(t, err)
	require.Equal(t, corpus.AttackID("l1-9999"), c.Attacks[2].ID, "lists, runs and goldens are in the corpus's order")
	require.Equal(t, corpus.AttackID("l1-10000"), c.Attacks[3].ID)
}
