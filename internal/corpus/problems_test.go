package corpus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/strictjson"
)

// TestProblems: the load stops at the first one, a linter shows them all, with
// the entry that each one collides with.
func TestProblems(t *testing.T) {
	attack := func(id corpus.AttackID, level corpus.Level, messages ...string) corpus.Attack {
		return corpus.Attack{ID: id, Level: level, Messages: messages, File: "f", Line: 1}
	}
	twin := func(id, of corpus.AttackID, level corpus.Level, messages ...string) corpus.Attack {
		a := attack(id, level, messages...)
		a.Twin = of
		return a
	}
	c := corpus.Corpus{
		Attacks: []corpus.Attack{attack("l1-0001", "l1", "a"), attack("l1-0002", "l1", "a", "b"), attack("l1-0002", "l1", "c")},
		Benign:  []corpus.Attack{twin("b1-0001", "l1-0009", "l1", "d"), twin("b2-0001", "l1-0001", "l2", "e"), twin("b1-0002", "l1-0001", "l1", "a")},
	}
	var got []string
	for _, p := range c.Problems() {
		got = append(got, strings.Join([]string{p.Error(), string(p.Other.ID)}, " | "))
	}
	want := []string{
		"f:1: l1-0002: duplicate id, first used at f:1 | l1-0002",
		`f:1: b1-0001: twin "l1-0009" is no attack | `,
		"f:1: b2-0001: twin l1-0001 is of level l1 | l1-0001",
		"f:1: b1-0002: last message equals that of l1-0001: change at least one byte | l1-0001",
		"f:1: l1-0002: messages begin like those of f:1: l1-0001 on track multi: change one | l1-0001",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Problems() (-want +got):\n%s", diff)
	}
}

// TestDecodeKeepsTheID: a line that is wrong is still known by its id.
func TestDecodeKeepsTheID(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      corpus.AttackID
		reason    string
	}{
		{"schema", `{"id":"l1-0007"}`, "l1-0007", "the id is read where the rest is not"},
		{"no id", `{}`, "", "there is none"},
		{"vocabulary", `{"id":"l1-0007","session":"l1-s01","level":"l1","lang":"en","technique":"reconnaissance","category":"reconnaissance","messages":["?"],"goal":[{"recipient":"r","amount":1,"memo":""}],"expect":["maybe"],"reason":"r"}`, "l1-0007", "the line itself is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := corpus.Decode(strictjson.Line{File: "f", Number: 3, Raw: []byte(tt.raw)}, false, expectations)
			require.ErrorContains(t, err, "f:3: ")
			if diff := cmp.Diff(corpus.Attack{ID: tt.want}, a); diff != "" {
				t.Errorf("Decode: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
