package corpus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
)

// TestFits: an attack that its level would cut off says nothing about holding.
func TestFits(t *testing.T) {
	levels := map[corpus.Level]corpus.LevelSpec{corpus.L2: {TurnLimit: 2, StepLimit: 3}}
	for _, tt := range []struct {
		name            string
		messages, goals int
		want            string
		reason          string
	}{
		{"at both limits", 2, 2, "", "the last reply needs a step of its own"},
		{"a message too many", 3, 0, "a.jsonl:1: l2-0001: 3 messages and 0 payments do not fit level l2", "the last message would not be sent"},
		{"a payment too many", 1, 3, "1 messages and 3 payments do not fit", "the last payment would not be asked for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := corpus.Attack{ID: "l2-0001", Level: corpus.L2, File: "a.jsonl", Line: 1, Messages: make([]string, tt.messages), Goal: make([]corpus.Payment, tt.goals)}
			err := corpus.Corpus{Attacks: []corpus.Attack{a}}.Fits(levels)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}
