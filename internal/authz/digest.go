package authz

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// Digest is the SHA-256 of a request. As text it is 64 lower-case hex digits; the
// zero value, which is the digest of nothing, stands for none and is no text.
type Digest [sha256.Size]byte

// IsZero reports whether there is no digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// String is the text; empty where there is none.
func (d Digest) String() string {
	var buf [2 * sha256.Size]byte
	return string(d.AppendHex(buf[:0]))
}

// AppendHex appends the text. It writes eight digits at a time: each half of a
// byte is moved to a byte of its own, and those above 9 are lifted from ':' to 'a'.
func (d *Digest) AppendHex(b []byte) []byte {
	if d.IsZero() {
		return b
	}
	const each = 0x0101010101010101
	for i := 0; i < len(d); i += 4 {
		w := uint64(binary.BigEndian.Uint32(d[i:]))
		w = (w | w<<16) & 0x0000ffff0000ffff
		w = (w | w<<8) & 0x00ff00ff00ff00ff
		w = (w | w<<4) & 0x0f0f0f0f0f0f0f0f
		above9 := (w + 6*each) >> 4 & each
		b = binary.BigEndian.AppendUint64(b, w+'0'*each+above9*('a'-':'))
	}
	return b
}

// MarshalText is the text.
func (d Digest) MarshalText() ([]byte, error) { return d.AppendHex(make([]byte, 0, 2*len(d))), nil }

var errDigest = errors.New("digest is not 64 lower-case hex digits")

// UnmarshalText reads the text in the one way in which it is written.
func (d *Digest) UnmarshalText(text []byte) error {
	var read Digest
	if len(text) != 2*len(read) {
		return errDigest
	}
	if _, err := hex.Decode(read[:], text); err != nil || string(read.AppendHex(nil)) != string(text) {
		return errDigest
	}
	*d = read
	return nil
}
