package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Parties are the passports and packs whose names a receipt gives beside their
// digests. The zero value knows none: the names stay absent then.
type Parties struct {
	passports map[string]passport // by sha256:<hex> of the canonical JSON
	policies  map[string]string   // likewise: a pack's id
}

type passport struct {
	ID             string `json:"passport_id"`
	OwnerID        string `json:"owner_id"`
	AssuranceLevel string `json:"assurance_level"`
}

// LoadParties reads the passports (*.json) and packs (packs/*.json) of a folder.
func LoadParties(fsys fs.FS) (Parties, error) {
	p := Parties{passports: map[string]passport{}, policies: map[string]string{}}
	err := eachFile(fsys, "*.json", func(digest string, raw []byte) error {
		var holder passport
		err := json.Unmarshal(raw, &holder)
		p.passports[digest] = holder
		return err
	})
	if err != nil {
		return Parties{}, err
	}
	return p, eachFile(fsys, "packs/*.json", func(digest string, raw []byte) error {
		var pack struct {
			ID string `json:"id"`
		}
		err := json.Unmarshal(raw, &pack)
		p.policies[digest] = pack.ID
		return err
	})
}

func eachFile(fsys fs.FS, pattern string, visit func(digest string, raw []byte) error) error {
	files, err := fs.Glob(fsys, pattern)
	if err != nil {
		return fmt.Errorf("list %s: %w", pattern, err)
	}
	for _, file := range files {
		raw, err := fs.ReadFile(fsys, file)
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		canonical := jsontext.Value(slices.Clone(raw))
		if err := canonical.Canonicalize(); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		sum := sha256.Sum256(canonical)
		if err := visit(digestPrefix+hex.EncodeToString(sum[:]), raw); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
