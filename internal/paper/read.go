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

// The files by which a folder of go tool vault export is known. Its other tables are
// the same rows again, other sections, which are never pooled, and no outcomes.
const (
	exportSnapshot = "SNAPSHOT"
	exportOutcomes = "outcomes.parquet"
)

// Files lists the files of a folder that may hold outcome rows, sorted; of an export
// its outcomes alone.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
	}
	if has(exportSnapshot) && has(exportOutcomes) {
		return []string{filepath.Join(dir, exportOutcomes)}, nil
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
