package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/internal/record"
)

// The files that fix an export: the digest of each of its files, in the form of
// sha256sum, and the digest of that list, which is the snapshot's.
const (
	sumsFile     = "SHA256SUMS"
	snapshotFile = "SNAPSHOT"
)

// Seal digests every file of an export anew and returns the one digest over all.
func Seal(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, e := range entries {
		if e.Name() == sumsFile || e.Name() == snapshotFile {
			continue
		}
		sum, err := digestOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, e.Name())
	}
	if err := writeText(filepath.Join(dir, sumsFile), sums.String()); err != nil {
		return "", err
	}
	snapshot := snapshotOf(sums.String())
	return snapshot, writeText(filepath.Join(dir, snapshotFile), snapshot+"\n")
}

func snapshotOf(sums string) string {
	sum := sha256.Sum256([]byte(sums))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// CheckSnapshot holds an export's files against their digests and returns the
// snapshot's. A file that is not listed is no part of it and is left alone.
func CheckSnapshot(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return "", fmt.Errorf("read snapshot: %w (give the folder that go tool vault export wrote)", err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(raw)))
	n := 0
	for lines.Scan() {
		n++
		want, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || name != filepath.Base(name) {
			return "", fmt.Errorf("%s:%d: want a digest, two blanks and the name of a file beside it", sumsFile, n)
		}
		got, err := digestOf(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		if got != want {
			return "", fmt.Errorf("%s: its SHA-256 is %s, %s says %s: the file was changed", name, got, sumsFile, want)
		}
	}
	if n == 0 {
		return "", fmt.Errorf("%s lists no file", sumsFile)
	}
	snapshot, err := os.ReadFile(filepath.Join(dir, snapshotFile))
	if err != nil {
		return "", err
	}
	if got := snapshotOf(string(raw)); got != strings.TrimSpace(string(snapshot)) {
		return "", fmt.Errorf("%s: the digest of %s is %s: the list was changed", snapshotFile, sumsFile, got)
	}
	return snapshotOf(string(raw)), lines.Err()
}

func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

func writeText(path, text string) error {
	return record.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
