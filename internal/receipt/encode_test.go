package receipt

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// pieces are what hostile texts are made of: every control character, what JSON
// escapes and what it does not, the edges of UTF-8 and of UTF-16.
var pieces = func() []string {
	out := []string{
		"", "a", "Z9", `"`, `\`, "/", "\u007f", "\u0080", "\u00a0", "é", "e\u0301", "€", "\u2028", "\u2029", "\ufeff", "\ufffd", "\ufffe",
		"\ud7ff", "\ue000", "\uffff", "😀", "\U00010000", "\U0010ffff", "<", ">", "&", `\u0041`, `\n`, "null", "ﬃ", "ﬁ", "שלום", "한",
	}
	for c := range rune(0x20) {
		out = append(out, string(c))
	}
	return out
}()

func text(rng *rand.Rand, atLeast int) string {
	var b strings.Builder
	for range atLeast + rng.IntN(6) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func integer(rng *rand.Rand) int64 {
	return []int64{0, 1, 9, 10, 1<<31 - 1, 1 << 31, 1<<53 - 1, rng.Int64N(1 << 53)}[rng.IntN(8)]
}

// random is a receipt of any shape: each optional member is there or not.
func random(rng *rand.Rand) Receipt {
	r := Receipt{
		Version: int(integer(rng)), Sequence: integer(rng), Evaluation: text(rng, 0), Call: int(integer(rng)), Origin: authz.Origin(text(rng, 0)),
		DecisionID: text(rng, 0), PolicyID: text(rng, 0), PassportID: text(rng, 0), AgentID: text(rng, 0), OwnerID: text(rng, 0),
		AssuranceLevel: text(rng, 0), Allow: rng.IntN(2) == 0, IssuedAt: text(rng, 0), CreatedAt: text(rng, 0), ExpiresAt: text(rng, 0),
		ExpiresIn: integer(rng), PassportDigest: text(rng, 0), PolicyDigest: text(rng, 0), RequestDigest: text(rng, 0),
		Prev: text(rng, 0), KeyID: text(rng, 0), Signature: text(rng, 0), Reasons: make([]Reason, rng.IntN(4)),
	}
	for i := range r.Reasons {
		r.Reasons[i] = Reason{authz.DenialReason(text(rng, 0)), text(rng, 0)}
	}
	if rng.IntN(3) > 0 {
		r.Payment = &Payment{bank.AccountID(text(rng, 1)), text(rng, 0), bank.Currency(text(rng, 0))}
	}
	return r
}

// canonical is what the library makes of a value.
func canonical(t *testing.T, v any, without string) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	members := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(raw, &members))
	delete(members, without)
	raw, err = json.Marshal(members)
	require.NoError(t, err)
	c := jsontext.Value(raw)
	require.NoError(t, c.Canonicalize())
	return string(c)
}

// TestEncoderIsCanonical holds the hand-written encoder equal to the library's
// RFC 8785, with and without the signature. 5,000 receipts under VAULT_LONG=1, else
// 1,000.
func TestEncoderIsCanonical(t *testing.T) {
	const seed = 8785
	n := 1000
	if os.Getenv("VAULT_LONG") == "1" {
		n = 5000
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		r := random(rng)
		unsigned, err := r.appendUnsigned([]byte("kept"))
		require.NoError(t, err)
		require.Equal(t, "kept"+canonical(t, r, "signature"), string(unsigned), "receipt %d of seed %d", i, seed)
		line, err := r.appendLine(nil)
		require.NoError(t, err)
		require.Equal(t, canonical(t, r, ""), string(line), "receipt %d of seed %d", i, seed)
	}
}

// TestNumbersOfRFC8785: of appendix B, the integers that a receipt may hold are
// written as published; the others are refused, not rounded.
func TestNumbersOfRFC8785(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value int64
		want  string
	}{
		{"zero", 0, "0"},
		{"one", 1, "1"},
		{"largest", 9007199254740991, "9007199254740991"},
		{"max pos int", 9007199254740992, ""},
		{"max neg int", -9007199254740992, ""},
		{"negative", -1, ""},
		{"64 bits", 1<<63 - 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Receipt{ExpiresIn: tt.value}
			raw, err := r.appendUnsigned(nil)
			if tt.want == "" {
				require.EqualError(t, err, `member "expires_in" is `+strconv.FormatInt(tt.value, 10)+`: want 0 to 2^53-1`)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, string(raw), `"expires_in":`+tt.want+`,`)
			library := jsontext.Value(tt.want)
			require.NoError(t, library.Canonicalize())
			assert.Equal(t, tt.want, string(library), "the library agrees")
		})
	}
}

// TestEncoderRefusesInvalidUTF8: what JSON can't hold is not repaired in silence.
func TestEncoderRefusesInvalidUTF8(t *testing.T) {
	r := Receipt{Reasons: []Reason{{Rule: "\xff"}}}
	_, err := r.appendUnsigned(nil)
	require.EqualError(t, err, `member "rule" is no UTF-8`)
	_, err = r.appendLine(nil)
	require.Error(t, err)
}
