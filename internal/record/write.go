package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// encode writes one line of JSON. HTML characters stay themselves: nothing here
// is for a browser.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := encodeTo(&b, v)
	return b.Bytes(), err
}

func encodeTo(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// WriteFile writes a file through a temporary one in the same folder, so that a
// reader never sees half of it. It replaces what stands there.
func WriteFile(path string, write func(io.Writer) error) error {
	return WriteFiles([]string{path}, func(_ string, w io.Writer) error { return write(w) })
}

// WriteFiles writes several files, each as WriteFile does, and replaces none before
// all are written. Where one can't be replaced then, the error names those that were.
func WriteFiles(paths []string, write func(path string, w io.Writer) error) error {
	staged := make([]string, 0, len(paths))
	defer func() {
		for _, tmp := range staged {
			_ = os.Remove(tmp) // gone where it was renamed
		}
	}()
	for _, path := range paths {
		tmp, err := stage(path, func(w io.Writer) error { return write(path, w) })
		if err != nil {
			return err
		}
		staged = append(staged, tmp)
	}
	for i, path := range paths {
		if err := os.Rename(staged[i], path); err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
			if i > 0 {
				err = fmt.Errorf("%w; %s are written already, and do not fit the rest: put them back", err, strings.Join(paths[:i], ", "))
			}
			return err
		}
	}
	return nil
}

// CreateFile writes a file as WriteFile does, and replaces none: of several that
// write the same path at once, one succeeds. The others' error is a *TakenError.
func CreateFile(path string, write func(io.Writer) error) error {
	tmp, err := stage(path, write)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp) }() // gone where it was renamed
	// Only who made the file itself may replace it, and a reader finds it empty at worst.
	claim, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &TakenError{path, "file"}
	}
	if err == nil {
		if err = errors.Join(claim.Close(), os.Rename(tmp, path)); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// stage writes what is to become the file at path into another beside it.
func stage(path string, write func(io.Writer) error) (name string, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	w := bufio.NewWriterSize(tmp, 1<<16)
	if err = write(w); err != nil {
		return "", err
	}
	if err = w.Flush(); err != nil {
		return "", err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return "", err
	}
	return tmp.Name(), tmp.Close()
}

// WriteJSON writes an indented JSON file, atomically.
func WriteJSON(path string, v any) error {
	return WriteFile(path, func(w io.Writer) error { return EncodeJSON(w, v) })
}

// EncodeJSON writes what WriteJSON writes.
func EncodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
