package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Vacant cleans the path of a folder that is to be made, and refuses one that is
// there: that error is a *TakenError. A slash behind it would make its parent of it.
func Vacant(out string) (string, error) {
	out = filepath.Clean(out)
	if _, err := os.Lstat(out); err == nil {
		return "", &TakenError{out, "folder"}
	}
	return out, nil
}

// TakenError is a path that something stands at, and nothing is to replace it.
type TakenError struct{ Path, Kind string } // file or folder, which was to be made

// Error names the path and says what to do.
func (e *TakenError) Error() string {
	return fmt.Sprintf("%s exists: delete it or name another %s", e.Path, e.Kind)
}

// Is makes it an fs.ErrExist.
func (e *TakenError) Is(target error) bool { return target == fs.ErrExist }

// CreateFolder makes a folder, whole or not at all: what write leaves when it fails
// or is interrupted is taken away. Of several that make the same one at once, one
// succeeds; the others' error is a *TakenError. An empty folder is there as well.
func CreateFolder(ctx context.Context, out string, write func(dir string) error) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
	if err != nil {
		return err
	}
	if err = write(tmp); err == nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted, nothing was written: %w", ctx.Err())
	}
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err == nil {
		// No system renames a folder over one that holds something.
		if err = os.Rename(tmp, out); errors.Is(err, fs.ErrExist) {
			err = &TakenError{out, "folder"}
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return nil
}
