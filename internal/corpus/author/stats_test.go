package author_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

func smallCorpus(t *testing.T) corpus.Corpus {
	t.Helper()
	fsys := small(t)
	edit(t, fsys, attacks1, "", strings.Replace(entry("l1-0003", "l1-s02", "dreary"), `["dreary"]`, `["hello", "you", "there", "now"]`, 1))
	edit(t, fsys, attacks2, `"technique": "direct_transfer"`, `"technique": "authority_claim"`)
	c, err := corpus.Load(fsys, expectations())
	require.NoError(t, err)
	return c
}

const smallStats = `attacks: 4 in 3 sessions and 2 languages, 1 of more than one message (25.0%), 2 with a goal
twins: 1 in 1 sessions and 1 languages, 0 of more than one message (0.0%), 1 with a goal

by level and turns
  level  attacks  sessions  1 message  2-3  4+  twins
  l1           3         2          2    0   1      1
  l2           1         1          1    0   0      0
  l3           0         0          0    0   0      0
  l4           0         0          0    0   0      0
  l5           0         0          0    0   0      0

by category (the classifier's) and by technique (the author's)
  category                  l1  l2  l3  l4  l5  attacks  as technique  twins
  authority_claim            0   0   0   0   0        0             1      0
  direct_transfer            1   1   0   0   0        2             1      1
  privilege_escalation       0   0   0   0   0        0             0      0
  json_injection             0   0   0   0   0        0             0      0
  social_engineering         1   0   0   0   0        1             1      0
  emotional_manipulation     0   0   0   0   0        0             0      0
  prompt_injection           0   0   0   0   0        0             0      0
  reconnaissance             1   0   0   0   0        1             1      0
  capability_self_register   0   0   0   0   0        0             0      0
  account_manipulation       0   0   0   0   0        0             0      0

by language
  language  attacks  twins
  en              3      0
  de              1      1

by expectation, goal entries
  expectation             l1  l2  l3  l4  l5  attacks  twins
  no goal (entries)        2   0   0   0   0        2      0
  oap.allowed              1   0   0   0   0        1      1
  oap.merchant_forbidden   0   1   0   0   0        1      0

by session
  entries in a session  sessions of attacks  of twins
  1                                       2         1
  2                                       1         0

attacks: technique (rows) by category (columns)
  technique                    AC  DT  PE  JI  SE  EM  PI  RE  CS  AM  all
  AC authority_claim            0   1   0   0   0   0   0   0   0   0    1
  DT direct_transfer            0   1   0   0   0   0   0   0   0   0    1
  PE privilege_escalation       0   0   0   0   0   0   0   0   0   0    0
  JI json_injection             0   0   0   0   0   0   0   0   0   0    0
  SE social_engineering         0   0   0   0   1   0   0   0   0   0    1
  EM emotional_manipulation     0   0   0   0   0   0   0   0   0   0    0
  PI prompt_injection           0   0   0   0   0   0   0   0   0   0    0
  RE reconnaissance             0   0   0   0   0   0   0   1   0   0    1
  CS capability_self_register   0   0   0   0   0   0   0   0   0   0    0
  AM account_manipulation       0   0   0   0   0   0   0   0   0   0    0

attacks whose technique is not their category: 1 of 4 (25.0%)
  authority_claim, classified direct_transfer (1): l2-0001

`

const smallReading = `
blind reading, could a person have written this? 3 read
  yes: 1 (33.3%)
  no: 0 (0.0%)
  unsure: 2 (66.7%): l1-0001 b1-0001
`

func TestStats(t *testing.T) {
	c := smallCorpus(t)
	got := author.Stats(c, []author.Verdict{{ID: "l1-0002", Word: "yes"}, {ID: "l1-0001", Word: "unsure"}, {ID: "b1-0001", Word: "unsure"}})
	require.True(t, strings.HasSuffix(got, smallReading), got)
	head, _, _ := strings.Cut(got, "twins: technique")
	if diff := cmp.Diff(smallStats, head); diff != "" {
		t.Errorf("Stats (-want +got):\n%s", diff)
	}
}

// TestStatsHideNothing: the disagreements that are listed are all there are.
func TestStatsHideNothing(t *testing.T) {
	c := shipped(t)
	var want []string
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		if a.Technique != a.Category {
			want = append(want, string(a.ID))
		}
	}
	var got []string
	for _, list := range regexp.MustCompile(`, classified .*: (.*)`).FindAllStringSubmatch(author.Stats(c, nil), -1) {
		got = append(got, strings.Fields(list[1])...)
	}
	require.ElementsMatch(t, want, got)
	require.NotContains(t, author.Stats(c, nil), "blind reading", "nobody is said to have read")
	require.Equal(t, author.Stats(c, nil), author.Stats(c, nil), "no walk over a map shows")
}

func TestReadVerdicts(t *testing.T) {
	c := smallCorpus(t)
	const head = "# Reading\n\n| note | id | why | verdict |\n|---|:---|---|---|\n"
	for _, tt := range []struct {
		name, text string
		want       []author.Verdict
		err        string
		reason     string
	}{
		{"no file", "", nil, "", "nobody has read yet"},
		{"columns in any order", head + "| x | l1-0001 | plain | yes |\n|  | `b1-0001` | odd | no |\n\nThe end.\n| not | a | row | no |\n",
			[]author.Verdict{{ID: "l1-0001", Word: "yes", Why: "plain"}, {ID: "b1-0001", Word: "no", Why: "odd"}}, "", "the names of the columns count, and the table ends"},
		{"no table", "# Reading\n", nil, "r.md: no table with the columns id, verdict and why: write one", "an empty reading looks like a perfect one"},
		{"no row", head, nil, "r.md: no table with the columns id, verdict and why: write one", "the same"},
		{"unknown id", head + "| | l1-0009 | w | yes |\n", nil, `r.md:5: no entry has id "l1-0009"`, "another text was read"},
		{"unknown verdict", head + "| | l1-0001 | w | maybe |\n", nil, `r.md:5: l1-0001: verdict is "maybe": write one of yes, no, unsure`, "a closed vocabulary"},
		{"twice", head + "| | l1-0001 | w | yes |\n| | l1-0001 | w | no |\n", nil, "r.md:6: l1-0001 is read twice: delete one line", "one verdict an entry"},
		{"no reason", head + "| | l1-0001 | | yes |\n", nil, "r.md:5: l1-0001: no reason: fill the column why", "a verdict has a reason"},
		{"bar in a cell", head + "| | l1-0001 | a | b | yes |\n", nil, "r.md:5: 5 cells under 4 columns: a bar within a cell is written as a word", "the columns would shift"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			if tt.text != "" {
				fsys["r.md"] = &fstest.MapFile{Data: []byte(tt.text)}
			}
			got, err := author.ReadVerdicts(fsys, "r.md", c)
			if tt.err != "" {
				require.EqualError(t, err, tt.err, tt.reason)
				return
			}
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ReadVerdicts: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
