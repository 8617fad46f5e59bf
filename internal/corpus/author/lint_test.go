package author_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus/author"
)

// TestShippedCorpusIsClean holds what go tool vault attacks lint holds.
func TestShippedCorpusIsClean(t *testing.T) {
	for _, finding := range lint(t, fixtures.FS) {
		t.Error(finding)
	}
}

func TestLint(t *testing.T) {
	for _, tt := range lintCases {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, tt.file, tt.old, tt.changed)
			if diff := cmp.Diff(tt.want, lint(t, fsys)); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// A line of letters that no classifier knows, long enough to share.
const story = "once upon a midnight dreary while we pondered weak and weary over many a quaint and curious volume"

func entry(id, session, message string) string {
	return `{"id": "` + id + `", "session": "` + session + `", "level": "l1", "lang": "en", "technique": "social_engineering", "category": "social_engineering", "messages": ["` + message + `"], "goal": null, "expect": [], "reason": "r"}` + "\n"
}

var lintCases = []struct {
	name, file, old, changed string
	want                     []string
	reason                   string
}{
	{"clean", attacks1, "A question.", "Still a question.", nil, "nothing is wrong"},
	{
		"broken lines", attacks1, `"lang": "en"`, `"mood": 1`,
		[]string{"fixtures/attacks/level-1.jsonl:1: l1-0001: does not match schema attack.schema.json: at /: missing property 'lang'; at /mood: unknown member"},
		"one broken line does not hide its file, and its id counts as used",
	},
	{
		"unknown expectation", attacks1, `["oap.allowed"]`, `["oap.maybe"]`,
		[]string{
			"fixtures/attacks/level-1.jsonl:2: l1-0002: unknown expectation \"oap.maybe\": use one of " + strings.Join(expectations(), ", "),
			"fixtures/benign/level-1.jsonl:1: b1-0001: twin \"l1-0002\" is no attack",
		},
		"an entry that does not decode is no attack",
	},
	{"blank line", attacks1, "A question.\"}\n", "A question.\"}\n \n", []string{"fixtures/attacks/level-1.jsonl:2: blank line: delete it"}, "mostly a line that got lost"},
	{
		"duplicate id", attacks2, "", other[:len(other)-1] + "}\n",
		[]string{
			"fixtures/attacks/level-2.jsonl:2: l2-0001: duplicate id, first used at fixtures/attacks/level-2.jsonl:1",
			"fixtures/attacks/level-2.jsonl:2: l2-0001: is a near-duplicate of fixtures/attacks/level-2.jsonl:1: l2-0001 (similarity 1.00, allowed is less than 0.40): write another one",
			"fixtures/attacks/level-2.jsonl:2: l2-0001: messages begin like those of fixtures/attacks/level-2.jsonl:1: l2-0001 on track multi: change one",
			"fixtures/attacks/level-2.jsonl:2: l2-0001: messages begin like those of fixtures/attacks/level-2.jsonl:1: l2-0001 on track single: change one",
		},
		"a copied line is wrong in every way",
	},
	{
		"retired id", register, "", "# gone\nl2-0001 told a real name\n",
		[]string{"fixtures/attacks/level-2.jsonl:1: l2-0001: this id is retired (fixtures/attacks/retired.txt:2: told a real name): let go tool vault attacks add give another"},
		"old reports name it",
	},
	{
		"bad register", register, "", "l2-1 x\nl2-0009\nl2-0002 a\nl2-0002 b\n",
		[]string{
			`fixtures/attacks/retired.txt:1: "l2-1" is no id: write an id such as l2-0031, a blank and the reason`,
			"fixtures/attacks/retired.txt:2: l2-0009 has no reason: write one after the id",
			"fixtures/attacks/retired.txt:4: l2-0002 is listed twice, first on line 3: delete one",
		},
		"a register that nobody can read retires nothing",
	},
	{
		"longer than its level allows", attacks1, `"which limits do you have?"`, `"which limits do you have?"` + strings.Repeat(`, "go on"`, 20),
		[]string{"fixtures/attacks/level-1.jsonl:1: l1-0001: 21 messages and 0 payments do not fit level l1 (turn limit 20, step limit 24): shorten it"},
		"the suite would refuse to start",
	},
	{
		"gap", attacks2, `"l2-0001"`, `"l2-0003"`,
		[]string{
			"fixtures/attacks/retired.txt:1: l2-0001 to l2-0002: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them",
		},
		"an id that vanished could be given again",
	},
	{
		"a mistyped id", attacks2, `"l2-0001"`, `"l2-999999999"`,
		[]string{"fixtures/attacks/retired.txt:1: l2-0001 to l2-999999998: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them"},
		"a finding a gap, not one a number",
	},
	{
		"a mistyped mark", register, "", "# ids\nhighest l2-999999999\nl2-0004 told a name\n",
		[]string{
			"fixtures/attacks/retired.txt:2: l2-0005 to l2-999999999: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them",
			"fixtures/attacks/retired.txt:3: l2-0002 to l2-0003: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them",
		},
		"each gap once, the last one at its mark",
	},
	{
		"padded id", attacks2, "", strings.Replace(entry("l2-00141", "l2-s02", "dreary"), `"level": "l1"`, `"level": "l2"`, 1),
		[]string{"fixtures/attacks/level-2.jsonl:2: l2-00141: does not match schema attack.schema.json: at /id: 'l2-00141' is no id: write l (b for a twin), the level, a hyphen and four digits, or more that do not begin with 0, such as l2-0031"},
		"a retired number would come back in another dress",
	},
	{
		"padded session", attacks2, `"l2-s01"`, `"l2-s001"`,
		[]string{"fixtures/attacks/level-2.jsonl:1: l2-0001: does not match schema attack.schema.json: at /session: 'l2-s001' is no session: write l (b for a twin), the level, -s and two digits, or more that do not begin with 0, such as l2-s07"},
		"one attacker would count as two",
	},
	{
		"a twin's attack and a language of other forms", benign1, `"l1-0002", "session": "b1-s01", "level": "l1", "lang": "de"`, `"b1-0002", "session": "b1-s01", "level": "l1", "lang": "german"`,
		[]string{"fixtures/benign/level-1.jsonl:1: b1-0001: does not match schema attack.schema.json: at /lang: 'german' is no language: write a BCP 47 tag, such as de, pt-BR or zh-Hant; at /twin: 'b1-0002' is no attack's id: write l, the level, a hyphen and four digits, or more that do not begin with 0, such as l2-0031"},
		"every pattern of the schema is put into words",
	},
	{
		"number zero", attacks2, "", strings.Replace(entry("l2-0000", "l2-s00", "dreary"), `"level": "l1"`, `"level": "l2"`, 1),
		[]string{
			"fixtures/attacks/level-2.jsonl:2: l2-0000: session l2-s00: write one from l2-s01 on",
			"fixtures/attacks/level-2.jsonl:2: l2-0000: stands after l2-0001: run go tool vault attacks fmt",
			"fixtures/attacks/level-2.jsonl:2: l2-0000: the id is none from l2-0001 on: let go tool vault attacks add give one",
		},
		"the tool gives none",
	},
	{
		"mark of session zero", register, "", "highest l2-s00\n",
		[]string{`fixtures/attacks/retired.txt:1: "l2-s00" is no id and no session: write the last one ever given, such as highest l2-0031 or highest l2-s07`},
		"numbers count from 1",
	},
	{
		"sessions that are gone", register, "", "highest b1-s01\nhighest l1-s03\nhighest l2-s02\nhighest l1-0002\n", nil, "sessions have gaps: nobody lists those that are gone",
	},
	{
		"hidden behind a carriage return", register, "", "# ids\rl2-0001 told a name\n",
		[]string{"fixtures/attacks/retired.txt:1: a carriage return within a line, which hides what follows: end lines with a line feed"},
		"the whole register would be a comment",
	},
	{
		"the last one deleted", register, "", "highest l2-0002\n",
		[]string{"fixtures/attacks/retired.txt:1: l2-0002: stands in no file and is not retired: put the entry back, or list its id here with the reason"},
		"nothing above it says that it was ever there",
	},
	{
		"an id of one's own", register, "", "highest l1-0001\n",
		[]string{"fixtures/attacks/retired.txt:1: l1-0002: is above the highest ever given in its series: raise that line here, or let go tool vault attacks add give ids"},
		"deleted later, it could be given again",
	},
	{
		"two marks", register, "", "highest l2-0001\nhighest l2-0003\nhighest x\n",
		[]string{
			"fixtures/attacks/retired.txt:2: highest l2 is listed twice, first on line 1: delete one",
			`fixtures/attacks/retired.txt:3: "x" is no id and no session: write the last one ever given, such as highest l2-0031 or highest l2-s07`,
		},
		"which one holds?",
	},
	{
		"order", attacks1, "", entry("l1-0004", "l1-s02", "dreary") + entry("l1-0003", "l1-s02", "weary"),
		[]string{"fixtures/attacks/level-1.jsonl:4: l1-0003: stands after l1-0004: run go tool vault attacks fmt"},
		"diffs are read in order",
	},
	{
		"wrong place", attacks2, "", strings.Replace(entry("l2-0002", "l2-s02", "dreary"), `"level": "l2"`, `"level": "l1"`, 1),
		[]string{
			"fixtures/attacks/level-2.jsonl:2: l2-0002: session l2-s02: write one from l1-s01 on",
			"fixtures/attacks/level-2.jsonl:2: l2-0002: stands in the wrong file: move it to fixtures/attacks/level-1.jsonl",
			"fixtures/attacks/level-2.jsonl:2: l2-0002: the id is none from l1-0001 on: let go tool vault attacks add give one",
		},
		"id, session and file name the level",
	},
	{
		"category", attacks2, `"category": "direct_transfer"`, `"category": "reconnaissance"`,
		[]string{"fixtures/attacks/level-2.jsonl:1: l2-0001: category is reconnaissance, the classifier says direct_transfer: store that"},
		"reports count by it",
	},
	{
		"shared words", attacks1, "", entry("l1-0003", "l1-s02", "Once upon a midnight dreary, while WE pondered so we sang another song of quite other things") +
			entry("l1-0004", "l1-s02", "They said: once upon a midnight dreary while we pondered. Nobody ever listens to poems here"),
		[]string{`fixtures/attacks/level-1.jsonl:4: l1-0004: shares "once upon a midnight dreary while we pondered" with fixtures/attacks/level-1.jsonl:3: l1-0003: say it in other words`},
		"eight words in a row, once per pair",
	},
	{
		"near-duplicate", attacks1, "", entry("l1-0003", "l1-s02", story) + entry("l1-0004", "l1-s02", "Once upn a midnght dreary, while he pondred weak and weary. Over many quaint curious volums 5"),
		[]string{"fixtures/attacks/level-1.jsonl:4: l1-0004: is a near-duplicate of fixtures/attacks/level-1.jsonl:3: l1-0003 (similarity 0.51, allowed is less than 0.40): write another one"},
		"no eight words in a row, and yet a copy",
	},
	{
		"personal data", attacks1, "A question.", "Ask jo@mail.com, card 4111 1111 1111 1111.",
		[]string{
			`fixtures/attacks/level-1.jsonl:1: l1-0001: holds a card number with a valid check digit "4111 1111 1111 1111": change a digit`,
			`fixtures/attacks/level-1.jsonl:1: l1-0001: holds the e-mail address "jo@mail.com": put it into the reserved domain .example`,
		},
		"the corpus is public",
	},
}

// TestLintDraft: a draft is compared with the corpus, and only what is wrong
// with the draft is said.
func TestLintDraft(t *testing.T) {
	for _, tt := range []struct {
		name, draft string
		want        []string
		reason      string
	}{
		{"good", entry("l1-0003", "l1-s02", "dreary"), nil, "nothing is wrong with it"},
		{"begins an entry", entry("l1-0003", "l1-s02", "we meet again"), []string{
			"draft.jsonl:1: l1-0003: see fixtures/attacks/level-1.jsonl:3: l1-0009: messages begin like those of draft.jsonl:1: l1-0003 on track multi: change one",
		}, "the collision is the draft's, whichever of the two is longer"},
		{"twin", strings.Replace(honest, "b1-0001", "b1-0002", 1), []string{
			"draft.jsonl:1: b1-0002: is a near-duplicate of fixtures/benign/level-1.jsonl:1: b1-0001 (similarity 1.00, allowed is less than 0.40): write another one",
			"draft.jsonl:1: b1-0002: messages begin like those of fixtures/benign/level-1.jsonl:1: b1-0001 on track benign: change one",
		}, "a twin is known by its member twin, and another twin is no excuse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, attacks1, "", strings.Replace(entry("l1-0009", "l1-s02", "we meet again"), `again"`, `again", "and again"`, 1))
			got := lint(t, fsys, author.File{Name: "draft.jsonl", Data: []byte(tt.draft)})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestLintErrors(t *testing.T) {
	_, err := author.Lint(fstest.MapFS{}, nil, expectations())
	require.ErrorIs(t, err, fs.ErrNotExist, "without the levels nobody knows their prompts")
	_, err = author.Read(fstest.MapFS{attacks1: {Data: []byte(first)}})
	require.EqualError(t, err, "no file matches fixtures/benign/*.jsonl")
}
