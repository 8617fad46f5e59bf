package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxLine bounds what one conversation may take in memory.
const maxLine = 64 << 20 // bytes, line end aside

// Reader reads the conversations of one file, in order. It is not safe for
// concurrent use.
type Reader struct {
	name   string
	file   fs.File
	in     *bufio.Reader
	zipped bool
	line   int // from 1
	buf    []byte
	format *format        // nil before the first line
	lines  map[string]int // where each id stands
	suffix map[string]int // the next suffix to try for an id that is repeated
	err    error
}

// Open opens a conversation file. Whether it is compressed is read from its
// first bytes: names lie once files are moved around.
func Open(fsys fs.FS, name string) (*Reader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	r := &Reader{name: name, file: file, in: bufio.NewReader(file), lines: map[string]int{}, suffix: map[string]int{}}
	magic, _ := r.in.Peek(2) // a read error comes again at the first line
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return r, nil
	}
	r.zipped, r.line = true, 1
	unzipped, err := gzip.NewReader(r.in)
	if err != nil {
		return nil, errors.Join(r.readError(err), file.Close())
	}
	r.in, r.line = bufio.NewReader(unzipped), 0
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

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
		err = r.claim(&c)
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
		r.buf = append(r.buf, part...)
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
			return nil, r.readError(err)
		}
	}
}

// claim takes the id for this line. A source that numbers its runs by what they
// are, not one by one, repeats itself: there the id gets a suffix.
func (r *Reader) claim(c *Conversation) error {
	base := c.ID
	for n := max(2, r.suffix[base]); r.lines[c.ID] > 0; n++ {
		if !r.format.repeats {
			return fmt.Errorf("the id stands in line %d already: give each conversation its own", r.lines[c.ID])
		}
		c.ID = fmt.Sprintf("%s#%d", base, n)
		r.suffix[base] = n + 1
	}
	r.lines[c.ID] = r.line
	return nil
}

func (r *Reader) readError(err error) error {
	if r.zipped && errors.Is(err, io.ErrUnexpectedEOF) {
		return r.errorf("the gzip stream is cut: fetch the file again: %w", err)
	}
	return r.errorf("read: %w", err)
}

func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.name, r.line, fmt.Errorf(format, args...))
}
