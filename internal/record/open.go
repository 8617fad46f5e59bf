package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// OpenJournal opens the journal of a run's folder: a new one, or one that an
// earlier process left. The error says which variable to change.
func OpenJournal(dir string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create results folder %s: %w (VAULT_RESULTS names the folder of the runs)", dir, err)
	}
	path := filepath.Join(dir, JournalFile)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("open journal %s: %w (VAULT_RESULTS names the folder of the runs)", path, err)
	case !held:
		return nil, fmt.Errorf("open journal %s: %w: wait for it, or choose another VAULT_RUN_ID", path, ErrLocked)
	}
	j, err := openLocked(dir, path, lock)
	if err != nil {
		_ = lock.Unlock() // the error above is the one to tell
	}
	return j, err
}

func openLocked(dir, path string, lock *flock.Flock) (*Journal, error) {
	if err := checkRoom(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j := newJournal(dir)
	j.lock, j.file, j.stop, j.done = lock, f, make(chan struct{}), make(chan struct{})
	err = j.scan(f, path)
	if err == nil {
		err = f.Truncate(j.size)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	go j.syncLoop()
	return j, nil
}

// room is what must be free before anything is asked, in bytes.
const room = 4 << 20

// checkRoom finds a folder out that can't be written or is full while it costs
// nothing.
func checkRoom(dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("results folder %s has no room for %d bytes: %w (VAULT_RESULTS names the folder of the runs)", dir, room, err)
		}
	}()
	f, err := os.CreateTemp(dir, ".room.*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	zeros := make([]byte, 64<<10)
	for n := 0; n < room && err == nil; n += len(zeros) {
		_, err = f.Write(zeros)
	}
	return err
}
