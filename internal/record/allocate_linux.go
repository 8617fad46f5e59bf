package record

import (
	"os"
	"syscall"
)

// allocate has the file system set bytes aside for a file, without writing them.
// Not every file system can: an error says nothing about the room.
func allocate(f *os.File, bytes int64) error {
	return syscall.Fallocate(int(f.Fd()), 0, 0, bytes)
}
