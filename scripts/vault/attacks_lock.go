package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// alone runs a change that reads the corpus, decides and writes, while no other
// process does: two that read the same files would give the same ids, and the
// later one would write over the earlier one's entries. It waits for its turn.
// The lock is on the folder itself, since its files are replaced, and ends with
// the process.
func (w workshop) alone(change func() error) error {
	folder := filepath.Join(w.root, "fixtures")
	lock := flock.New(folder, flock.SetFlag(os.O_RDONLY))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s, so that nobody else writes the corpus: %w", folder, err)
	}
	defer func() { _ = lock.Unlock() }() // closing the folder can't lose anything
	return change()
}
