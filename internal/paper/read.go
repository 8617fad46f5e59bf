package paper

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/ingest"
)

// extensions are those of files with outcome rows, packed or not.
var extensions = []string{".parquet", ".csv", ".jsonl", ".ndjson"}

// Files lists the files of a folder that may hold outcome rows, sorted.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	var files []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		for _, packing := range []string{".gz", ".zst", ".bz2", ".xz"} {
			name = strings.TrimSuffix(name, packing)
		}
		if !e.IsDir() && slices.Contains(extensions, filepath.Ext(name)) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file ends in %s: name the folder with the outcome rows", dir, strings.Join(extensions, ", "))
	}
	return files, nil
}

// Rows streams the outcomes of several files, each by the mapping, or by the
// shipped ones where it has no columns.
func Rows(files []string, m ingest.Mapping) iter.Seq2[ingest.Outcome, error] {
	return func(yield func(ingest.Outcome, error) bool) {
		for _, f := range files {
			for o, err := range ingest.Outcomes(f, m) {
				if !yield(o, err) {
					return
				}
			}
		}
	}
}
