package receipt

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"

	"filippo.io/edwards25519"
)

// batchSize is how many signatures are checked together: enough that their shared
// work costs each little, few enough that their tables stay near the processor.
const batchSize = 64

// batch checks many signatures of one key in one equation, several times faster
// than one by one. Each is weighed by an odd number of 128 random bits, so that wrong
// ones can't make up for each other. RFC 8032 leaves open whether a signature may be
// off by a point of small order. ed25519.Verify says no, and so does the equation for
// one, whose weight is odd; several can make up for each other. The key's owner alone
// can make such signatures, and could as well have made plain ones.
type batch struct {
	public ed25519.PublicKey
	key    *edwards25519.Point // nil: it is no point, and nothing holds
}

func newBatch(public ed25519.PublicKey) batch {
	key, err := new(edwards25519.Point).SetBytes(public)
	if err != nil {
		key = nil
	}
	return batch{public, key}
}

// holds reports whether all signatures are good. False says nothing of any one of
// them: each is to be checked by itself.
func (b batch) holds(messages, signatures [][]byte) bool {
	if b.key == nil {
		return false
	}
	weights := make([]byte, 16*len(messages))
	_, _ = rand.Read(weights) // fails never
	base, key := edwards25519.NewScalar(), edwards25519.NewScalar()
	scalars, points := make([]*edwards25519.Scalar, 0, len(messages)+2), make([]*edwards25519.Point, 0, len(messages)+2)
	for i, signature := range signatures {
		if len(signature) != ed25519.SignatureSize || !plain(signature[:32]) {
			return false
		}
		r, err := new(edwards25519.Point).SetBytes(signature[:32])
		if err != nil {
			return false
		}
		s, err := edwards25519.NewScalar().SetCanonicalBytes(signature[32:])
		if err != nil {
			return false
		}
		z, k := weight(weights[16*i:]), b.challenge(signature[:32], messages[i])
		base.MultiplyAdd(z, s, base)
		key.MultiplyAdd(z, k, key)
		scalars, points = append(scalars, z), append(points, r)
	}
	scalars = append(scalars, key, base.Negate(base))
	points = append(points, b.key, edwards25519.NewGeneratorPoint())
	sum := new(edwards25519.Point).VarTimeMultiScalarMult(scalars, points)
	return sum.Equal(edwards25519.NewIdentityPoint()) == 1
}

// challenge is the digest that a signature answers, RFC 8032, 5.1.7.
func (b batch) challenge(r, message []byte) *edwards25519.Scalar {
	h := sha512.New()
	_, _ = h.Write(r)
	_, _ = h.Write(b.public)
	_, _ = h.Write(message)
	k, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(make([]byte, 0, sha512.Size)))
	if err != nil {
		panic("receipt: a SHA-512 is not 64 bytes long: " + err.Error())
	}
	return k
}

// weight is an odd scalar of 128 bits.
func weight(random []byte) *edwards25519.Scalar {
	var wide [32]byte
	copy(wide[:16], random)
	wide[0] |= 1
	z, err := edwards25519.NewScalar().SetCanonicalBytes(wide[:])
	if err != nil {
		panic("receipt: 128 bits are no scalar: " + err.Error())
	}
	return z
}

// plain reports whether a point is far from the few that can be written in two
// ways, of which ed25519.Verify takes one.
func plain(point []byte) bool {
	middle, last := point[1:31], point[31]&0x7f
	low := last == 0 && point[0] <= 1 && bytes.Equal(middle, make([]byte, 30))
	high := last == 0x7f && point[0] >= 0xec && bytes.Equal(middle, bytes.Repeat([]byte{0xff}, 30))
	return !low && !high
}
