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
	passports map[string]holder // by the hex SHA-256 of the canonical JSON
	packs     map[string]pack   // likewise
}

// holder is a passport with its digest as receipts write it.
type holder struct {
	passport
	digest string
}

type passport struct {
	ID             string `json:"passport_id"`
	OwnerID        string `json:"owner_id"`
	AssuranceLevel string `json:"assurance_level"`
}

type pack struct {
	ID     string `json:"id"`
	digest string // as receipts write it
}

// LoadParties reads the passports (*.json) and packs (packs/*.json) of a folder.
func LoadParties(fsys fs.FS) (Parties, error) {
	p := Parties{passports: map[string]holder{}, packs: map[string]pack{}}
	err := eachFile(fsys, "*.json", func(digest string, raw []byte) error {
		named := holder{digest: prefixed(digest)}
		err := json.Unmarshal(raw, &named.passport)
		p.passports[digest] = named
		return err
	})
	if err != nil {
		return Parties{}, err
	}
	return p, eachFile(fsys, "packs/*.json", func(digest string, raw []byte) error {
		policy := pack{digest: prefixed(digest)}
		err := json.Unmarshal(raw, &policy)
		p.packs[digest] = policy
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
		if err := visit(hex.EncodeToString(sum[:]), raw); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
