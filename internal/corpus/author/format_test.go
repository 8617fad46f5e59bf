package author_test

import (
	"encoding/json"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/strictjson"
)

// TestFormatKeepsTheMeaning: every shipped line says the same in canonical form,
// and the canonical form is its own.
func TestFormatKeepsTheMeaning(t *testing.T) {
	for _, a := range slices.Concat(shipped(t).Attacks, shipped(t).Benign) {
		line := author.Line(a)
		got, err := corpus.Decode(strictjson.Line{File: a.File, Number: a.Line, Raw: line[:len(line)-1]}, a.Twin != "", expectations())
		require.NoError(t, err)
		if diff := cmp.Diff(a, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.Where(), diff)
		}
		require.Equal(t, string(line), string(author.Line(got)))
	}
}

// TestLineHasEveryMember: a new member of the attack is written too, and in its
// place.
func TestLineHasEveryMember(t *testing.T) {
	full := corpus.Attack{
		ID: "i", Twin: "t", Session: "s", Level: "l", Lang: "g", Date: "d", Technique: "k", Category: "c", Messages: []string{"m"},
		Goal:   []corpus.Payment{{Recipient: "r", Amount: []byte("1"), Currency: "u", Memo: "o", At: 1}},
		Expect: []string{"e"}, Reason: "w",
	}
	text := string(author.Line(full))
	at := 0
	for _, name := range slices.Concat(members(reflect.TypeFor[corpus.Attack](), "reason"), []string{"reason"}) {
		i := strings.Index(text[at:], `"`+name+`": `)
		require.GreaterOrEqual(t, i, 0, "%s is missing, or stands too early, in %s", name, text)
		at += i
	}
}

// members lists the JSON names of a struct, those of payments within goal.
func members(s reflect.Type, without string) []string {
	var out []string
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Field(i).Tag.Get("json"), ",")
		if name == "-" || name == without {
			continue
		}
		out = append(out, name)
		if name == "goal" {
			out = append(out, members(reflect.TypeFor[corpus.Payment](), "")...)
		}
	}
	return out
}

func TestFormat(t *testing.T) {
	compact := strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace
	for _, tt := range []struct{ name, in, want, reason string }{
		{"canonical", first + "\n" + second + "\n", first + "\n" + second + "\n", "nothing to do"},
		{"compact", compact(first) + "\n", first + "\n", "blanks between members"},
		{"order", second + "\n" + first + "\n", first + "\n" + second + "\n", "by id"},
		{"line ends", first + "\r\n" + second, first + "\n" + second + "\n", "one kind, and one at the end"},
		{"order of members", `{"reason": "A question.", ` + strings.Replace(first[1:], `, "reason": "A question."`, "", 1) + "\n", first + "\n", "as the struct has them"},
		{"escaped letters", strings.Replace(second, `"é"`, `"\u00e9"`, 1) + "\n", second + "\n", "letters stand as themselves"},
		{"raw amount", strings.Replace(second, "7.50,", "[ 7.50,{\"a\":1E2} ],", 1) + "\n", strings.Replace(second, "7.50,", "[ 7.50,{\"a\":1E2} ],", 1) + "\n", "byte for byte"},
		{"no offset", strings.Replace(second, `"at": 60`, `"at": 0`, 1) + "\n", strings.Replace(second, `, "at": 60`, ``, 1) + "\n", "zero is the default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := author.Format(author.File{Name: "f", Data: []byte(tt.in)})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Format: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
	for name, in := range map[string]string{"schema": "{}\n", "blank line": first + "\n\n" + second + "\n", "empty": ""} {
		_, err := author.Format(author.File{Name: "f", Data: []byte(in)})
		require.ErrorContains(t, err, "f:", name)
	}
}

// TestControlsAreEscaped: a terminal obeys none of the text, and nothing is lost.
func TestControlsAreEscaped(t *testing.T) {
	const hostile = "a\u001b[31m\u0007\u007f\u009b\u200b\u202e\U000e0041 é\n##[error]x"
	for _, tt := range []struct {
		name   string
		text   string
		raw    []string // that stand as themselves
		reason string
	}{
		{"file", string(author.Line(corpus.Attack{Messages: []string{hostile}})), []string{"\u200b", "\u202e", "é", "##["}, "controls alone are escaped"},
		{"terminal", author.Printable(author.Line(corpus.Attack{Messages: []string{hostile}})), []string{"é"}, "everything that does not print is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NotContains(t, strings.TrimSuffix(tt.text, "\n"), "\n")
			require.False(t, strings.ContainsFunc(strings.TrimSuffix(tt.text, "\n"), unicode.IsControl), tt.reason)
			for _, s := range []string{"\u200b", "\u202e", "\U000e0041", "é", "##["} {
				if slices.Contains(tt.raw, s) {
					require.Contains(t, tt.text, s, tt.reason)
				} else if tt.name == "terminal" {
					require.NotContains(t, tt.text, s, tt.reason)
				}
			}
			var back corpus.Attack
			require.NoError(t, json.Unmarshal([]byte(tt.text), &back))
			require.Equal(t, []string{hostile}, back.Messages)
		})
	}
}

// TestShippedRegister: the register that ships is read.
func TestShippedRegister(t *testing.T) {
	text, err := fs.ReadFile(fixtures.FS, register)
	require.NoError(t, err)
	for _, series := range []string{"l1", "l2", "l3", "l4", "l5", "b1", "b2", "b3", "b4", "b5"} {
		require.Contains(t, string(text), "\nhighest "+series+"-0", "its last id, deleted, could be given again")
		require.Contains(t, string(text), "\nhighest "+series+"-s", "its last session, deleted, could be given again")
	}
	reason, err := author.RetiredReason(fixtures.FS, "l1-0000")
	require.NoError(t, err)
	require.Empty(t, reason)
}
