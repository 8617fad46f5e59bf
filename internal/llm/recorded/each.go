package recorded

import (
	"errors"
	"io"
	"io/fs"
)

// Each reads a file's conversations in order.
func Each(fsys fs.FS, file string, visit func(Conversation) error) error {
	reader, err := Open(fsys, file)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	for {
		c, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(c); err != nil {
			return err
		}
	}
}
