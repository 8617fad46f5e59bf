package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"

	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// JWKS is a set of public keys (RFC 7517).
type JWKS struct {
	Keys []JWK `json:"keys"`
}

// JWK is one Ed25519 public key (RFC 8037).
type JWK struct {
	Type      string `json:"kty"` // OKP
	Curve     string `json:"crv"` // Ed25519
	X         string `json:"x"`   // the key, base64url without padding
	KeyID     string `json:"kid"`
	Use       string `json:"use"` // sig
	Algorithm string `json:"alg"` // EdDSA
}

// KeySet is the set of the one key that signed a run.
func KeySet(m record.Manifest) (JWKS, error) {
	public, err := parsePublic(m.PublicKey)
	if err != nil {
		return JWKS{}, err
	}
	return JWKS{Keys: []JWK{{
		Type: "OKP", Curve: "Ed25519", X: base64.RawURLEncoding.EncodeToString(public), KeyID: KeyID(public), Use: "sig", Algorithm: "EdDSA",
	}}}, nil
}

// LoadKeySet reads a file in the form that KeySet gives.
func LoadKeySet(path string) (JWKS, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return JWKS{}, fmt.Errorf("read key set: %w", err)
	}
	var set JWKS
	err = strictjson.Decode(path, raw, "jwks.schema.json", &set)
	return set, err
}

// holds goes by the key itself: a key id is only a part of its digest.
func (s JWKS) holds(public ed25519.PublicKey) bool {
	for _, k := range s.Keys {
		if k.X == base64.RawURLEncoding.EncodeToString(public) {
			return true
		}
	}
	return false
}
