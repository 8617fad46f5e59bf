package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
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

// codeDigest hashes what a binary is built of below root, by path and content: the
// files of folders that hold Go files, which are what a package can embed, and the
// module's. Where the checkout stands and what lies beside the code, such as a log
// that grows, is no part of it. Data below such a folder has digests of its own.
func codeDigest(root string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(root), ".", func(dir string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil || !d.IsDir():
			return err
		case dir != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		}
		files, err := codeFiles(os.DirFS(root), dir)
		for _, file := range files {
			raw, err := os.ReadFile(root + "/" + file)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%q %d\n", file, len(raw))
			sum.Write(raw)
		}
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// moduleFiles say which versions of others a binary is built of.
var moduleFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum"}

// codeFiles are the files of one folder that count.
func codeFiles(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	isPackage := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".go" })
	var files []string
	for _, e := range entries {
		built := isPackage && path.Ext(e.Name()) != ".md" // of the documents, the one that is embedded has a digest of its own
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && (built || slices.Contains(moduleFiles, e.Name())) {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	return files, err
}
