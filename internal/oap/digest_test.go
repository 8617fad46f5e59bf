package oap_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
)

func passportDigest(t *testing.T, raw []byte) string {
	t.Helper()
	p, err := oap.ParsePassport(level2, raw)
	require.NoError(t, err)
	return p.Digest
}

func packDigest(t *testing.T, raw []byte) string {
	t.Helper()
	p, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	return p.Digest
}

// TestDigestIgnoresForm: the order of keys and white space do not count.
func TestDigestIgnoresForm(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		digest     func(*testing.T, []byte) string
	}{
		{"passport", level2, passportDigest},
		{"pack", packFile, packDigest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := shippedBytes(t, tt.file)
			want := tt.digest(t, raw)
			require.Regexp(t, regexp.MustCompile(`^[0-9a-f]{64}$`), want, "lower-case hex SHA-256")
			for seed := range uint64(50) {
				other := scrambled(t, raw, rand.New(rand.NewPCG(seed, 1)))
				require.NotEqual(t, string(raw), string(other), "set-up: seed %d changes the form", seed)
				if got := tt.digest(t, other); got != want {
					t.Fatalf("seed %d: digest = %s, want %s, of:\n%s", seed, got, want, other)
				}
			}
		})
	}
}

func TestDigestSeesValues(t *testing.T) {
	for _, tt := range []struct {
		name, file, old, changed string
		digest                   func(*testing.T, []byte) string
		reason                   string
	}{
		{"limit", level2, "250000", "250001", passportDigest, "another cap"},
		{"recipient", level2, "rent@oakhall.example", "rent@0akhall.example", passportDigest, "another recipient"},
		{"status", level2, `"active"`, `"draft"`, passportDigest, "another state"},
		{"metadata", level2, "The Teller", "The teller", passportDigest, "what no rule reads counts too"},
		{"field gone", level2, `"expires_at": "2028-01-05T00:00:00Z",`, "", passportDigest, "missing is not the same as any value"},
		{"deny code", packFile, "oap.category_blocked", "oap.merchant_forbidden", packDigest, "another code"},
		{"white space in a condition", packFile, "NOT any(item", "NOT  any(item", packDigest, "white space inside a string is part of its value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := shippedBytes(t, tt.file)
			require.NotEqual(t, tt.digest(t, raw), tt.digest(t, swapOnce(t, raw, tt.old, tt.changed)), tt.reason)
		})
	}
}

// TestLayerCarriesTheDigests: a decision says under which files it was made.
func TestLayerCarriesTheDigests(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	want := [2]string{passportDigest(t, shippedBytes(t, level2)), packDigest(t, shippedBytes(t, packFile))}
	require.Equal(t, want, [2]string{l.PassportDigest(), l.PolicyDigest()})
	d := ask(t, l.Open(), payment())
	require.Equal(t, want, [2]string{d.PassportDigest, d.PolicyDigest})
	require.Equal(t, payment().Digest(), d.RequestDigest, "the decision is bound to the request")
}

// scrambled is the same JSON value with its members in another order and other
// white space.
func scrambled(t *testing.T, raw []byte, rng *rand.Rand) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	var b strings.Builder
	writeScrambled(&b, v, rng)
	return []byte(b.String())
}

func writeScrambled(b *strings.Builder, v any, rng *rand.Rand) {
	blank := func() { b.WriteString(strings.Repeat([]string{" ", "\t", "\n", "\r\n"}[rng.IntN(4)], rng.IntN(3))) }
	blank()
	defer blank()
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		b.WriteString("{")
		for i, name := range names {
			b.WriteString(strings.Repeat(",", min(i, 1)))
			writeScrambled(b, name, rng)
			b.WriteString(":")
			writeScrambled(b, v[name], rng)
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, item := range v {
			b.WriteString(strings.Repeat(",", min(i, 1)))
			writeScrambled(b, item, rng)
		}
		b.WriteString("]")
	default:
		raw, _ := json.Marshal(v) // strings, numbers and booleans always encode
		b.Write(raw)
	}
}
