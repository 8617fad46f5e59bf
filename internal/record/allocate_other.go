//go:build !linux

package record

import (
	"errors"
	"os"
)

// allocate can't tell here.
func allocate(*os.File, int64) error { return errors.ErrUnsupported }
