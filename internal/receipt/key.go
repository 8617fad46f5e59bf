package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// The words of signing_key in manifest and summary.
const (
	SignedTest = "test" // by the published test key: anybody could have signed
	SignedOwn  = "own"  // by a key of one's own
)

// Domain stands in the key ids of this suite.
const Domain = "vaultbench.example"

// testSeed is the published test key's seed. It is no secret: what it signs shows
// damage, and not who signed.
const testSeed = "vaultbench-published-test-key-01"

// Key signs receipts and manifests. It prints as its key id: the secret half is
// held by a function, where no formatter and no encoder finds it.
type Key struct {
	public ed25519.PublicKey
	kid    string
	sign   func(message []byte) []byte
}

// TestKey is the published test key.
func TestKey() Key { return newKey([]byte(testSeed)) }

func newKey(seed []byte) Key {
	private := ed25519.NewKeyFromSeed(seed)
	public := private.Public().(ed25519.PublicKey)
	return Key{public: public, kid: KeyID(public), sign: func(message []byte) []byte { return ed25519.Sign(private, message) }}
}

// maxKeyFile is far above what a seed in any of its forms takes, in bytes.
const maxKeyFile = 4096

// LoadKey reads the Ed25519 seed in a file: 32 bytes as 64 hex digits or base64,
// white space around it allowed. No error quotes the content. An empty path means
// the published test key.
func LoadKey(path string) (Key, error) {
	if path == "" {
		return TestKey(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Key{}, fmt.Errorf("open signing key: %w (VAULT_SIGNING_KEY names the file)", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return Key{}, fmt.Errorf("read signing key: %w (VAULT_SIGNING_KEY names the file)", err)
	}
	seed, err := parseSeed(raw)
	if err != nil {
		return Key{}, fmt.Errorf("signing key %s: %w", path, err)
	}
	return newKey(seed), nil
}

var errSeed = errors.New("want an Ed25519 seed, 32 bytes as 64 hex digits or base64, and nothing else in the file")

func parseSeed(raw []byte) ([]byte, error) {
	text := strings.TrimSpace(string(raw))
	if len(raw) > maxKeyFile || strings.ContainsAny(text, "\r\n") { // base64 would skip line ends
		return nil, errSeed
	}
	seed, err := hex.DecodeString(text)
	if err != nil {
		seed, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, errSeed
	}
	return seed, nil
}

// KeyID names a public key: oap:owner:<domain>:<first 16 hex digits of its SHA-256>.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return "oap:owner:" + Domain + ":" + hex.EncodeToString(sum[:8])
}

// ID is the key id.
func (k Key) ID() string { return k.kid }

// Kind is SignedTest or SignedOwn. The test key read from a file is no other.
func (k Key) Kind() string { return kindOf(k.public) }

// Public is the public key in base64.
func (k Key) Public() string { return base64.StdEncoding.EncodeToString(k.public) }

func kindOf(public ed25519.PublicKey) string {
	if public.Equal(TestKey().public) {
		return SignedTest
	}
	return SignedOwn
}

// signaturePrefix is the algorithm, as the passport's specification writes it.
const signaturePrefix = "ed25519:"

// signature signs and writes the signature as it stands in a file.
func (k Key) signature(message []byte) string {
	var buf [len(signaturePrefix) + 88]byte
	return string(base64.StdEncoding.AppendEncode(append(buf[:0], signaturePrefix...), k.sign(message)))
}

var errSignature = errors.New("signature does not verify")

func checkSignature(public ed25519.PublicKey, message []byte, signature string) error {
	raw, err := parseSignature(signature)
	if err != nil {
		return err
	}
	if !ed25519.Verify(public, message, raw) {
		return errSignature
	}
	return nil
}

// parseSignature accepts one way of writing a signature only: base64 has spare
// bits and a decoder skips line ends, and each would be a byte that can change.
func parseSignature(signature string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, signaturePrefix))
	if err != nil || signature != signaturePrefix+base64.StdEncoding.EncodeToString(raw) {
		return nil, fmt.Errorf("%w: it is not %q and 88 characters of base64", errSignature, signaturePrefix)
	}
	return raw, nil
}

// parsePublic reads a public key in base64, again in one way only.
func parsePublic(text string) (ed25519.PublicKey, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != ed25519.PublicKeySize || base64.StdEncoding.EncodeToString(raw) != text {
		return nil, errors.New("public key is no base64 of 32 bytes")
	}
	return raw, nil
}
