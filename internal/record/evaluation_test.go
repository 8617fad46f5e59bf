package record_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// stored is what comes back of raw arguments that went into the record, through
// JSON as well.
func stored(raw string) (string, error) {
	var c, back record.Call
	c.SetArguments(raw)
	line, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(line, &back); err != nil {
		return "", err
	}
	return back.RawArguments()
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name, raw   string
		text, bytes string // as stored
		reason      string
	}{
		{"object", `{"amount":1}`, `{"amount":1}`, "", "readable where it can be"},
		{"empty", "", "", "", "nothing is nothing"},
		{"NUL", "\x00", "\x00", "", "valid UTF-8"},
		{"replacement character", "\ufffd", "\ufffd", "", "the character itself is valid"},
		{"invalid byte", "\xff", "", "/w==", "JSON text can't hold it"},
		{"half a surrogate pair", "\xed\xa0\x80", "", "7aCA", "no UTF-8 either"},
		{"cut character", "\xe2\x82", "", "4oI=", "cut at the token cap"},
		{"looks like base64", "/w==", "/w==", "", "it is text"},
		{"hostile", "\x1b[31m<>&\u2028]]>", "\x1b[31m<>&\u2028]]>", "", "kept as it is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c record.Call
			c.SetArguments(tt.raw)
			assert.Equal(t, tt.text, c.Arguments, tt.reason)
			assert.Equal(t, tt.bytes, c.ArgumentsBase64, tt.reason)
			got, err := stored(tt.raw)
			require.NoError(t, err)
			assert.Equal(t, tt.raw, got, tt.reason)
		})
	}
}

// TestArgumentsRoundTrip: whatever the bytes, the record gives them back. Half of
// them are no UTF-8.
func TestArgumentsRoundTrip(t *testing.T) {
	same := func(raw string) bool {
		got, err := stored(raw)
		return err == nil && got == raw
	}
	require.NoError(t, quick.Check(same, nil), "text")
	invalid := 0
	require.NoError(t, quick.Check(func(raw []byte) bool {
		if !utf8.Valid(raw) {
			invalid++
		}
		return same(string(raw))
	}, nil), "bytes")
	assert.Positive(t, invalid, "the generator must make invalid UTF-8")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		raw := []byte(`{"recipient":"é💰 `)
		raw[rng.IntN(len(raw))] = byte(rng.IntN(256))
		require.True(t, same(string(raw)), "%q", raw)
	}
}

func TestArgumentsOfAnotherHand(t *testing.T) {
	_, err := record.Call{Position: 3, ArgumentsBase64: "/w="}.RawArguments()
	require.ErrorContains(t, err, "call 3: arguments_base64: ")
}

func TestEvaluationID(t *testing.T) {
	c := plan.Cell{Model: "sim-a", Level: "l2", Track: "multi", Architecture: "oap"}
	assert.Equal(t, "sim-a/l2/multi/oap/l2-0001/3", record.EvaluationID(c, "l2-0001", 3))
}

func TestDenied(t *testing.T) {
	for _, tt := range []struct {
		name     string
		decision *authz.Decision
		want     bool
		reason   string
	}{
		{"nobody decided", nil, false, "the model alone"},
		{"allowed", &authz.Decision{Effect: authz.Allow}, false, "let through"},
		{"denied", &authz.Decision{Effect: authz.Deny}, true, "turned down"},
		{"neither", &authz.Decision{}, true, "only an allowance allows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, record.Call{Decision: tt.decision}.Denied(), tt.reason)
		})
	}
}

func TestCloseBooks(t *testing.T) {
	transfers := []bank.Transfer{{Position: 1}}
	for _, tt := range []struct {
		name   string
		check  error
		want   record.Evaluation
		reason string
	}{
		{"in order", nil, record.Evaluation{End: record.Completed, SubReason: record.Answered, Transfers: transfers}, "what the loop saw stands"},
		{"broken", errors.New("books do not add up"), record.Evaluation{End: record.HarnessError, Detail: "books do not add up", Transfers: transfers}, "whatever the conversation came to"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := record.Evaluation{End: record.Completed, SubReason: record.Answered}
			e.CloseBooks(transfers, tt.check)
			assert.Equal(t, tt.want, e, tt.reason)
		})
	}
}
