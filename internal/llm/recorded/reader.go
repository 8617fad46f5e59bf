package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"vaultbench/internal/unpack"
)

// maxLine bounds what one conversation may take in memory.
const maxLine = 64 << 20 // bytes, line end aside

// Reader reads the conversations of one file, in order. It is not safe for
// concurrent use.
type Reader struct {
	name   string
	file   fs.File
	in     *unpack.Reader
	line   int // from 1
	buf    []byte
	format *format // nil before the first line
	ids    ids
	err    error
}

// Open opens a conversation file, packed or not.
func Open(fsys fs.FS, name string) (*Reader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	in, err := unpack.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, errors.Join(err, file.Close()))
	}
	return &Reader{name: name, file: file, in: in, ids: newIDs()}, nil
}

// Close closes the file.
func (r *Reader) Close() error { return errors.Join(r.in.Close(), r.file.Close()) }

// Next returns the next conversation, io.EOF itself after the last. Any other
// error stands: the lines behind it can't be reached.
func (r *Reader) Next() (Conversation, error) {
	if r.err != nil {
		return Conversation{}, r.err
	}
	c, err := r.next()
	if err != nil {
		r.err = err
		return Conversation{}, err
	}
	return c, nil
}

func (r *Reader) next() (Conversation, error) {
	r.line++
	raw, err := r.readLine()
	if err != nil {
		return Conversation{}, err
	}
	line, err := readLineObject(raw)
	if err != nil && r.format == nil {
		return Conversation{}, r.errorf("%w; %s", err, knownFormats)
	}
	if err != nil {
		return Conversation{}, r.errorf("%w", err)
	}
	if err := r.recognise(line); err != nil {
		return Conversation{}, r.errorf("%w", err)
	}
	c, err := r.format.parse(line)
	if err == nil {
		err = r.ids.claim(&c, r.line, r.format.repeats)
	}
	switch {
	case err != nil && c.ID != "":
		return Conversation{}, r.errorf("conversation %.200q: %w", c.ID, err)
	case err != nil:
		return Conversation{}, r.errorf("%w", err)
	}
	c.File, c.Line = r.name, r.line
	return c, nil
}

// readLine returns the next line without its end. It is valid until the next
// call. The error is io.EOF where no line is left.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.buf = append(roomFor(r.buf, len(part)), part...)
		if len(bytes.TrimSuffix(r.buf, []byte("\n"))) > maxLine {
			return nil, r.errorf("the line is longer than %d MiB: one conversation a line, none longer", maxLine>>20)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && len(r.buf) > 0:
			return bytes.TrimRight(r.buf, "\r\n"), nil
		case errors.Is(err, io.EOF) && r.line == 1:
			return nil, r.errorf("the file is empty: delete it, or write one conversation a line")
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, r.errorf("read: %w", err)
		}
	}
}

// roomFor grows a line twofold: a quarter at a time, as append does, copies one of
// megabytes over and over.
func roomFor(line []byte, more int) []byte {
	if len(line)+more <= cap(line) {
		return line
	}
	return slices.Grow(line, len(line)+more)
}

func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.name, r.line, fmt.Errorf(format, args...))
}
