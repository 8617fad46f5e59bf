package receipt

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// SignManifest names the key in a manifest and signs it.
func SignManifest(m *record.Manifest, key Key) error {
	m.SigningKey, m.KeyID, m.PublicKey, m.Signature = key.Kind(), key.ID(), key.Public(), ""
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode manifest: %w", err)
	}
	message, err := unsignedManifest(raw)
	if err != nil {
		return fmt.Errorf("sign manifest: %w", err)
	}
	m.Signature = key.signature(message)
	return nil
}

// unsignedManifest is the canonical form without the signature: what is signed.
func unsignedManifest(raw []byte) ([]byte, error) {
	members := map[string]jsontext.Value{}
	if err := jsonv2.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "signature")
	unsigned, err := jsonv2.Marshal(members)
	if err != nil {
		return nil, err
	}
	canonical := jsontext.Value(unsigned)
	return canonical, canonical.Canonicalize()
}

// ReadManifest reads a run's manifest and checks that the key that it names
// signed it. Whose key that is, it can't say: see Verify.
func ReadManifest(dir string) (record.Manifest, error) {
	m, path := record.Manifest{}, filepath.Join(dir, record.ManifestFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("read manifest: %w (give a run's folder, such as results/latest)", err)
	}
	if err := checkVersion(raw); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	if err := strictjson.Decode(path, raw, "manifest.schema.json", &m); err != nil {
		return m, err
	}
	if err := checkManifest(raw, m); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// checkVersion refuses what a later version wrote before the schema does, which
// would only say that some member is unknown.
func checkVersion(raw []byte) error {
	var m struct {
		Version int `json:"schema_version"`
	}
	if err := json.Unmarshal(raw, &m); err == nil && m.Version > record.ManifestVersion {
		return fmt.Errorf("schema_version %d is newer than %d, the newest that this version reads: use the version that wrote it", m.Version, record.ManifestVersion)
	}
	return nil
}

func checkManifest(raw []byte, m record.Manifest) error {
	public, err := parsePublic(m.PublicKey)
	if err != nil {
		return err
	}
	message, err := unsignedManifest(raw)
	if err != nil {
		return err
	}
	if err := checkSignature(public, message, m.Signature); err != nil {
		return fmt.Errorf("%w: it was changed, or another key signed it", err)
	}
	if err := checkKeyNames(m, public); err != nil {
		return err
	}
	var again bytes.Buffer
	if err := record.EncodeJSON(&again, m); err != nil {
		return err
	}
	if !bytes.Equal(raw, again.Bytes()) {
		return fmt.Errorf("line %d is not written as a run writes it: it was changed", 1+bytes.Count(raw[:commonPrefix(raw, again.Bytes())], []byte("\n")))
	}
	return nil
}

func checkKeyNames(m record.Manifest, public ed25519.PublicKey) error {
	switch {
	case m.KeyID != KeyID(public):
		return fmt.Errorf("kid is %s, its public key makes %s", m.KeyID, KeyID(public))
	case m.SigningKey == SignedOwn && kindOf(public) == SignedTest:
		return errors.New("signing_key is own, but the published test key signed it")
	case m.SigningKey != kindOf(public):
		return fmt.Errorf("signing_key is %s, but key %s signed it", m.SigningKey, m.KeyID)
	}
	return nil
}

// commonPrefix is how many bytes a and b begin with alike.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
