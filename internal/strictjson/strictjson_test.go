package strictjson_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/strictjson"
	"vaultbench/passports"
)

// attack is what the test documents decode into.
type attack struct {
	ID        string   `json:"id"`
	Session   string   `json:"session"`
	Level     string   `json:"level"`
	Lang      string   `json:"lang"`
	Technique string   `json:"technique"`
	Category  string   `json:"category"`
	Messages  []string `json:"messages"`
	Goal      []struct {
		Recipient string          `json:"recipient"`
		Amount    json.RawMessage `json:"amount"`
		Memo      string          `json:"memo"`
		At        int64           `json:"at"`
	} `json:"goal"`
	Expect []string `json:"expect"`
	Reason string   `json:"reason"`
}

const attackSchema = "attack.schema.json"

// document spreads one attack over lines 1 to 12, a member each.
const document = `{
  "id": "l1-0001",
  "session": "l1-s01",
  "level": "l1",
  "lang": "en",
  "technique": "direct_transfer",
  "category": "direct_transfer",
  "messages": ["hello"],
  "goal": [{"recipient": "eve", "amount": 1e400, "memo": "", "at": 5}],
  "expect": ["oap.allowed"],
  "reason": "ok"
}
`

func TestDecode(t *testing.T) {
	for _, tt := range []struct{ name, data, reason string }{
		{"as written", document, "the least that is valid"},
		{"CRLF", strings.ReplaceAll(document, "\n", "\r\n"), "line ends are white space"},
		{"white space behind", document + " \n\t\n", "white space is no data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a attack
			require.NoError(t, strictjson.Decode("f.json", []byte(tt.data), attackSchema, &a), tt.reason)
			require.Equal(t, "l1-0001", a.ID)
			require.Equal(t, "1e400", string(a.Goal[0].Amount), "raw values stay as they were written")
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range decodeErrors {
		t.Run(tt.name, func(t *testing.T) {
			data := tt.changed
			if tt.old != "" {
				require.Equal(t, 1, strings.Count(document, tt.old), "set-up: %q", tt.old)
				data = strings.Replace(document, tt.old, tt.changed, 1)
			}
			var a attack
			err := strictjson.Decode("f.json", []byte(data), attackSchema, &a)
			require.Error(t, err, tt.reason)
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("Decode: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

const mismatch = "does not match schema attack.schema.json: "

// decodeErrors holds changes of document; an empty old takes changed alone.
var decodeErrors = []struct{ name, old, changed, want, reason string }{
	{"unknown member", `"lang": "en"`, `"lang": "en", "mood": 1`, "f.json:5: " + mismatch + "at /mood: unknown member", "nothing is dropped in silence"},
	{"several", `"lang": "en"`, "\"zeal\": 1,\n\"mood\": 1", "f.json:1: " + mismatch + "at /: missing property 'lang'; at /mood: unknown member; at /zeal: unknown member", "all are listed, in order; the line is that of the first place, and a missing member is missing where its object begins"},
	{"deep", `"at": 5`, `"at": -5`, "f.json:9: " + mismatch + "at /goal/0/at: minimum: got -5, want 0", "the place is a JSON pointer"},
	{"wrong case", `"reason"`, `"Reason"`, "f.json:1: " + mismatch + "at /: missing property 'reason'; at /Reason: unknown member", "names have a case"},
	{"duplicate name", `"lang": "en"`, "\"lang\": \"en\",\n\"lang\": \"en\"", `f.json:6: jsontext: duplicate object member name "lang"`, "two readers could take two values"},
	{"duplicate name inside", `"at": 5`, `"at": 5, "at": 6`, `f.json:9: jsontext: duplicate object member name "at" within "/goal/0"`, "at any depth"},
	{"escaped duplicate", `"at": 5`, `"at": 5, "\u0061t": 6`, `f.json:9: jsontext: duplicate object member name "at" within "/goal/0"`, "names are compared unescaped"},
	{"trailing data", "\"ok\"\n}", "\"ok\"\n}\n\n{}", "f.json:14: data after the end of the JSON value", "one file, one value"},
	{"truncated", "\"ok\"\n}", `"ok"`, "f.json:12: jsontext: unexpected EOF after offset 287", "a cut file is no file"},
	{"no JSON", `"l1-0001"`, `l1-0001`, `f.json:2: jsontext: invalid character 'l' at start of value within "/id" after offset 10`, "quotes are not optional"},
	{"comment", `"lang": "en",`, `"lang": "en", // English`, "f.json:5: jsontext: invalid character '/' at start of value after offset 77", "JSON has none"},
	{"invalid UTF-8", `"hello"`, "\"hell\xff\"", `f.json:8: jsontext: invalid UTF-8 within "/messages/0" after offset 164`, "a replacement character would be another message"},
	{"lone surrogate", `"hello"`, `"hell\ud800"`, `f.json:8: jsontext: invalid surrogate pair "\\ud800\"],\n  " in string within "/messages/0" after offset 164`, "it has no UTF-8"},
	{"escape in a name", `"lang": "en"`, `"lang": "en", "\u001b[31m": 1`, "f.json:5: " + mismatch + `at /\x1b[31m: unknown member`, "messages go to terminals"},
	{"integer with a point", `"at": 5`, `"at": 5.0`, "f.json:9: at /goal/0/at: no int64: invalid syntax", "a schema calls it an integer, the type does not"},
	{"schema word", `"level": "l1"`, `"level": "l6"`, "f.json:4: " + mismatch + "at /level: value must be one of 'l1', 'l2', 'l3', 'l4', 'l5'", "words are closed"},
	{"not an object", "", "[\n1]", "f.json:1: " + mismatch + "at /: got array, want object", "the outermost place is /"},
	{"BOM", "", "\ufeff" + document, `f.json:1: jsontext: invalid character '\ufeff' at start of value`, "a file starts with its value"},
	{"empty", "", "", "f.json:1: file is empty: write one JSON value or delete it", "nothing is not null"},
	{"blank", "", "\n\n", "f.json:1: file is empty: write one JSON value or delete it", "white space is nothing"},
}

// TestDecodeIntoAnotherType: a member that the schema allows and the type lacks
// is unknown as well.
func TestDecodeIntoAnotherType(t *testing.T) {
	var a struct {
		ID string `json:"id"`
	}
	err := strictjson.Decode("f.json", []byte(document), attackSchema, &a)
	require.EqualError(t, err, "f.json:3: at /session: unknown member")
}

func TestUnknownSchema(t *testing.T) {
	require.ErrorIs(t, strictjson.Validate("no.schema.json", []byte("{}")), fs.ErrNotExist)
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       []string // number:text
		wantErr    string
		reason     string
	}{
		{"lines", "a\nb\n", []string{"1:a", "2:b"}, "", "a line feed ends a line"},
		{"no line feed at the end", "a\nb", []string{"1:a", "2:b"}, "", "the last one may lack"},
		{"CRLF", "a\r\nb\r\n", []string{"1:a", "2:b"}, "", "files of other systems are read"},
		{"spaces stay", " a ", []string{"1: a "}, "", "raw bytes are kept"},
		{"blank line", "a\n\nb\n", nil, "f.jsonl:2: blank line: delete it", "mostly a line that got lost"},
		{"blank at the end", "a\n\n", nil, "f.jsonl:2: blank line: delete it", "at the end too"},
		{"white space alone", "a\n \t\r\nb", nil, "f.jsonl:2: blank line: delete it", "it looks blank"},
		{"empty file", "", nil, "f.jsonl:1: file is empty: write one JSON object a line or delete it", "zero cases prove nothing"},
		{"line feed alone", "\n", nil, "f.jsonl:1: file is empty: write one JSON object a line or delete it", "zero cases prove nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := strictjson.Lines("f.jsonl", []byte(tt.data))
			if tt.wantErr != "" {
				require.EqualError(t, err, tt.wantErr, tt.reason)
				return
			}
			require.NoError(t, err)
			var got []string
			for _, l := range lines {
				got = append(got, strconv.Itoa(l.Number)+":"+string(l.Raw))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Lines: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestLineNumbers(t *testing.T) {
	good := strings.ReplaceAll(strings.TrimSpace(document), "\n", " ")
	lines, err := strictjson.Lines("f.jsonl", []byte(good+"\r\n{}\n\ufeff"+good+"\n"+good+" {}\n"))
	require.NoError(t, err)
	var got []string
	for _, l := range lines {
		var a attack
		if err := l.Decode(attackSchema, &a); err != nil {
			short, _, _ := strings.Cut(err.Error(), " schema")
			got = append(got, short)
		}
	}
	want := []string{
		"f.jsonl:2: does not match",
		`f.jsonl:3: jsontext: invalid character '\ufeff' at start of value`,
		"f.jsonl:4: data after the end of the JSON value",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors of lines (-want +got):\n%s", diff)
	}
	require.EqualError(t, lines[2].Errorf("%s: no", "x"), "f.jsonl:3: x: no")
}

func TestPassportsAndPacksMatch(t *testing.T) {
	for pattern, schema := range map[string]string{"*.json": "passport.schema.json", "packs/*.json": "pack.schema.json"} {
		files, err := fs.Glob(passports.FS, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			raw, err := fs.ReadFile(passports.FS, file)
			require.NoError(t, err)
			if err := strictjson.Validate(schema, raw); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// FuzzDecode: whatever the bytes, an error says where it happened, and the same
// thing each time.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(document))
	for _, tt := range decodeErrors {
		f.Add([]byte(strings.Replace(document, tt.old, tt.changed, 1)))
	}
	place := regexp.MustCompile(`^f\.json:([0-9]+): .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b attack
		err := strictjson.Decode("f.json", data, attackSchema, &a)
		if err == nil {
			return
		}
		m := place.FindStringSubmatch(err.Error())
		require.NotNil(t, m, err.Error())
		line, _ := strconv.Atoi(m[1])
		require.LessOrEqual(t, line, 1+strings.Count(string(data), "\n"))
		require.EqualError(t, strictjson.Decode("f.json", data, attackSchema, &b), err.Error())
	})
}
