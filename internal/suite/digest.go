package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// Digests hashes every file that fs.Glob finds for the patterns, under the
// name prefix/path, so that a manifest says what a run was made of.
func Digests(into map[string]string, prefix string, fsys fs.FS, patterns ...string) error {
	for _, pattern := range patterns {
		files, err := fs.Glob(fsys, pattern)
		if err != nil {
			return fmt.Errorf("digest %s: %w", pattern, err)
		}
		for _, file := range files {
			raw, err := fs.ReadFile(fsys, file)
			if err != nil {
				return fmt.Errorf("digest %s: %w", file, err)
			}
			sum := sha256.Sum256(raw)
			into[prefix+file] = hex.EncodeToString(sum[:])
		}
	}
	return nil
}
