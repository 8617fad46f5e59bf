package receipt

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signedBatch are n messages and their signatures.
func signedBatch(k Key, n int) (messages, signatures [][]byte) {
	for i := range n {
		m := fmt.Appendf(nil, "message %d", i)
		messages, signatures = append(messages, m), append(signatures, k.sign(m))
	}
	return messages, signatures
}

func TestBatchHolds(t *testing.T) {
	for _, n := range []int{0, 1, 2, batchSize - 1, batchSize, batchSize + 1} {
		k := TestKey()
		messages, signatures := signedBatch(k, n)
		assert.True(t, newBatch(k.public).holds(messages, signatures), "%d signatures of the key", n)
	}
}

// addTo adds a number to a signature's scalar.
func addTo(t *testing.T, signature []byte, by *edwards25519.Scalar) {
	t.Helper()
	s, err := edwards25519.NewScalar().SetCanonicalBytes(signature[32:])
	require.NoError(t, err)
	copy(signature[32:], s.Add(s, by).Bytes())
}

// TestBatchRefuses: what ed25519.Verify refuses, no batch lets through.
func TestBatchRefuses(t *testing.T) {
	one, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	require.NoError(t, err)
	order := []byte{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 31: 0x10}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, messages, signatures [][]byte)
		reason string
	}{
		{"message changed", func(_ *testing.T, m, _ [][]byte) { m[3][0] ^= 1 }, "it is not what was signed"},
		{"messages swapped", func(_ *testing.T, m, _ [][]byte) { m[3], m[4] = m[4], m[3] }, "each signature is of one message"},
		{"point changed", func(_ *testing.T, _, s [][]byte) { s[3][0] ^= 1 }, "another point, or none"},
		{"scalar changed", func(_ *testing.T, _, s [][]byte) { s[3][32] ^= 1 }, "another scalar"},
		{"two that cancel", func(t *testing.T, _, s [][]byte) {
			addTo(t, s[3], one)
			addTo(t, s[4], edwards25519.NewScalar().Negate(one))
		}, "their weights differ"},
		{"scalar above the order", func(_ *testing.T, _, s [][]byte) {
			carry := 0
			for i := range order {
				carry += int(s[3][32+i]) + int(order[i])
				s[3][32+i] = byte(carry)
				carry >>= 8
			}
		}, "the same number written in another way"},
		{"point not in lowest terms", func(_ *testing.T, _, s [][]byte) {
			copy(s[3], append([]byte{0xee}, append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...))
		}, "the neutral element written in another way"},
		{"point without an x", func(_ *testing.T, _, s [][]byte) { copy(s[3], append([]byte{1}, append(make([]byte, 30), 0x80)...)) }, "minus zero"},
		{"signature of nothing", func(_ *testing.T, _, s [][]byte) { copy(s[3], append([]byte{1}, make([]byte, 63)...)) }, "zero is the scalar of no key"},
		{"cut", func(_ *testing.T, _, s [][]byte) { s[3] = s[3][:63] }, "a byte is missing"},
		{"empty", func(_ *testing.T, _, s [][]byte) { s[3] = nil }, "no signature"},
		{"of another key", func(_ *testing.T, m, s [][]byte) { s[3] = newKey(bytes.Repeat([]byte{7}, 32)).sign(m[3]) }, "another key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := TestKey()
			messages, signatures := signedBatch(k, 8)
			tt.change(t, messages, signatures)
			require.False(t, len(signatures[3]) == ed25519.SignatureSize && ed25519.Verify(k.public, messages[3], signatures[3]), "the example must be wrong")
			assert.False(t, newBatch(k.public).holds(messages, signatures), tt.reason)
		})
	}
	t.Run("no key", func(t *testing.T) {
		messages, signatures := signedBatch(TestKey(), 8)
		none := append([]byte{2}, make([]byte, 31)...)
		_, err := new(edwards25519.Point).SetBytes(none)
		require.Error(t, err, "the example must be no point")
		assert.False(t, newBatch(none).holds(messages, signatures))
	})
}

// TestBatchRefusesSmallOrder: a signature that is off by a point of order two, which
// only the key's owner can make, is refused each time and not by chance.
func TestBatchRefusesSmallOrder(t *testing.T) {
	two, err := new(edwards25519.Point).SetBytes(append([]byte{0xec}, append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...))
	require.NoError(t, err)
	require.Equal(t, 1, new(edwards25519.Point).Add(two, two).Equal(edwards25519.NewIdentityPoint()), "the example must be of order two")
	seed := bytes.Repeat([]byte{9}, ed25519.SeedSize)
	k := newKey(seed)
	secret := sha512.Sum512(seed)
	s, err := edwards25519.NewScalar().SetBytesWithClamping(secret[:32])
	require.NoError(t, err)
	messages, signatures := signedBatch(k, 8)
	nonce, err := edwards25519.NewScalar().SetUniformBytes(bytes.Repeat([]byte{5}, 64))
	require.NoError(t, err)
	r := new(edwards25519.Point).ScalarBaseMult(nonce)
	off := r.Add(r, two).Bytes()
	answer := edwards25519.NewScalar().MultiplyAdd(newBatch(k.public).challenge(off, messages[3]), s, nonce)
	signatures[3] = append(off, answer.Bytes()...)
	require.False(t, ed25519.Verify(k.public, messages[3], signatures[3]), "the example must be wrong")
	for range 64 {
		require.False(t, newBatch(k.public).holds(messages, signatures))
	}
}

// TestBatchRefusesOtherWriting: a signature of the key's owner whose point is written
// in another way than ed25519.Verify takes. The equation itself would hold.
func TestBatchRefusesOtherWriting(t *testing.T) {
	seed := bytes.Repeat([]byte{9}, ed25519.SeedSize)
	k := newKey(seed)
	digest := sha512.Sum512(seed)
	secret, err := edwards25519.NewScalar().SetBytesWithClamping(digest[:32])
	require.NoError(t, err)
	for _, tt := range []struct {
		name  string
		point []byte
		holds bool
	}{
		{"the neutral element", append([]byte{1}, make([]byte, 31)...), true},
		{"the same, above the prime", append([]byte{0xee}, append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...), false},
		{"the same, as minus zero", append([]byte{1}, append(make([]byte, 30), 0x80)...), false},
		{"the same, both", append([]byte{0xee}, bytes.Repeat([]byte{0xff}, 31)...), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			neutral, err := new(edwards25519.Point).SetBytes(tt.point)
			require.NoError(t, err)
			require.Equal(t, 1, neutral.Equal(edwards25519.NewIdentityPoint()), "the example must be the neutral element")
			messages, signatures := signedBatch(k, 8)
			answer := edwards25519.NewScalar().Multiply(newBatch(k.public).challenge(tt.point, messages[3]), secret)
			signatures[3] = append(bytes.Clone(tt.point), answer.Bytes()...)
			require.Equal(t, tt.holds, ed25519.Verify(k.public, messages[3], signatures[3]), "set-up: the standard's word")
			s := newSignatures(k.public)
			for i, m := range messages {
				s.add(i+1, m, signaturePrefix+base64.StdEncoding.EncodeToString(signatures[i]))
			}
			line, _ := s.close()
			assert.Equal(t, map[bool]int{true: 0, false: 4}[tt.holds], line, "whoever made it, it is taken or refused as alone")
		})
	}
}

// TestFaultKeepsTheFirst: batches end in any order.
func TestFaultKeepsTheFirst(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	for _, tt := range []struct {
		name  string
		lines [2]int
		want  int
		err   error
	}{
		{"in order", [2]int{3, 70}, 3, one},
		{"the later batch first", [2]int{70, 3}, 3, two},
		{"a line twice", [2]int{3, 3}, 3, one},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s signatures
			s.fault(tt.lines[0], one)
			s.fault(tt.lines[1], two)
			assert.Equal(t, tt.want, s.first)
			assert.Equal(t, tt.err, s.err)
		})
	}
}

// TestSignaturesNameTheFirst: a batch that does not hold is looked through.
func TestSignaturesNameTheFirst(t *testing.T) {
	k := TestKey()
	for _, tt := range []struct {
		name   string
		bad    []int
		want   int
		reason string
	}{
		{"none", nil, 0, "all are good"},
		{"the first", []int{1}, 1, "lines count from one"},
		{"the last, alone in its batch", []int{10*batchSize + 1}, 10*batchSize + 1, "what fills no batch is checked too"},
		{"two, far apart", []int{9 * batchSize, 70}, 70, "the first of them counts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSignatures(k.public)
			for n := 1; n <= 10*batchSize+1; n++ {
				m := fmt.Appendf(nil, "line %d", n)
				text := k.signature(m)
				for _, b := range tt.bad {
					if b == n {
						m[0] ^= 1
					}
				}
				s.add(n, m, text)
			}
			line, err := s.close()
			assert.Equal(t, tt.want, line, tt.reason)
			assert.Equal(t, tt.want != 0, err != nil, tt.reason)
		})
	}
}

// BenchmarkSignature is one signature: by itself, and in a batch.
func BenchmarkSignature(b *testing.B) {
	k := TestKey()
	messages, signatures := signedBatch(k, batchSize)
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			require.True(b, ed25519.Verify(k.public, messages[0], signatures[0]))
		}
	})
	b.Run("batch", func(b *testing.B) {
		all := newBatch(k.public)
		for b.Loop() {
			require.True(b, all.holds(messages, signatures))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batchSize), "ns/signature")
	})
}
