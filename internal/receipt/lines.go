package receipt

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// maxLine is far above what a receipt takes, in bytes: a longer line is none, and
// is not read into memory.
const maxLine = 64 << 20

// lines reads decisions.jsonl line by line and hashes it meanwhile.
type lines struct {
	path string
	n    int // of the line that was read last
	file *os.File
	r    *bufio.Reader
	hash hash.Hash
	line []byte
}

func openLines(path string) (*lines, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	l := &lines{path: path, file: f, hash: sha256.New()}
	l.r = bufio.NewReaderSize(io.TeeReader(f, l.hash), 1<<16)
	return l, nil
}

// next returns a line without its line feed, valid until the next call; io.EOF
// where the file has ended after a whole line.
func (l *lines) next() ([]byte, error) {
	l.n++
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.line = append(l.line, part...)
		switch {
		case err == nil:
			return l.line[:len(l.line)-1], nil
		case errors.Is(err, io.EOF) && len(l.line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, l.faultf("line is cut: the file was shortened, or its last line feed changed")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, l.faultf("%w", err)
		case len(l.line) > maxLine:
			return nil, l.faultf("line is longer than %d bytes", maxLine)
		}
	}
}

// sum is the hex SHA-256 of the file, once it has been read to its end.
func (l *lines) sum() string { return hex.EncodeToString(l.hash.Sum(nil)) }

// fault is what is wrong with decisions.jsonl. It begins with its place, before
// which no other place is put.
type fault struct{ err error }

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func (l *lines) faultf(format string, args ...any) error {
	return &fault{fmt.Errorf("%s:%d: %w", l.path, max(l.n, 1), fmt.Errorf(format, args...))}
}
