package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Left is what a run that was stopped has left, to be told before it goes on.
type Left struct {
	Empty   bool // nothing was ever recorded
	Prior   map[string]Prior
	Cells   []PlannedCell
	Charged map[string]Usage // as of Journal.Charged
}

// ReadLeft reads a run's journal as OpenJournal does, and changes nothing: no
// folder, no lock, no torn end. Where there is no journal, nothing is left.
func ReadLeft(dir string) (Left, error) {
	path := filepath.Join(dir, JournalFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Left{Empty: true}, nil
	}
	if err != nil {
		return Left{}, fmt.Errorf("read journal: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	j := newJournal(dir)
	if err := j.scan(f, path); err != nil {
		return Left{}, err
	}
	return Left{j.Empty(), j.prior, j.cells, j.charges.total}, nil
}

// newJournal is a journal of which nothing is read, without its file.
func newJournal(dir string) *Journal {
	run := filepath.Base(dir)
	return &Journal{dir: dir, run: run, link: genesis(run), prior: map[string]Prior{}, charges: charges{open: map[int64]Charge{}, total: map[string]Usage{}}, served: map[string][]string{}}
}
