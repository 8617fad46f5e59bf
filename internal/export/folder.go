package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// vacant cleans the path of a folder that is to be made, and refuses one that is
// there: a slash behind it would make its parent of it.
func vacant(out string) (string, error) {
	out = filepath.Clean(out)
	if _, err := os.Lstat(out); err == nil {
		return "", fmt.Errorf("%s exists: delete it or name another folder", out)
	}
	return out, nil
}

// writeFolder makes a folder, whole or not at all: what write leaves when it fails
// or is interrupted is taken away.
func writeFolder(ctx context.Context, out string, write func(dir string) error) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
	if err != nil {
		return err
	}
	if err = write(tmp); err == nil {
		err = goesOn(ctx)
	}
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err == nil {
		err = os.Rename(tmp, out)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return nil
}

// goesOn is an error once somebody wants it to end.
func goesOn(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted, nothing was written: %w", ctx.Err())
	}
	return nil
}
