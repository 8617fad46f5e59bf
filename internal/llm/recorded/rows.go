package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/unpack"
)

// rows takes a log apart, which may be JSON Lines, a JSON list, or JSON objects
// printed over several lines one after the other. Row numbers count from 1: the
// lines of JSON Lines, otherwise the objects.
type rows struct {
	in     *unpack.Reader
	limit  *bounded
	dec    *jsontext.Decoder // nil: JSON Lines
	list   bool
	first  []line // read to tell the form
	buf    []byte
	number int
}

// line is one of JSON Lines; of one that is too long, the beginning.
type line struct {
	text []byte
	err  error
}

// errLongRow: the row is skipped, as far as anybody can tell where it ends.
var errLongRow = fmt.Errorf("the row is longer than %d MiB", maxLine>>20)

// longRaw is how much of a row that is too long is kept to show, in bytes.
const longRaw = 1000

func newRows(in *unpack.Reader) (*rows, error) {
	r := &rows{in: in}
	if bom, _ := in.Peek(3); string(bom) == "\ufeff" {
		_, _ = io.CopyN(io.Discard, in, 3)
	}
	head, err := firstByte(in)
	if err != nil {
		return nil, err
	}
	if head == '[' {
		r.list = true
		r.decode(in)
		_, err := r.dec.ReadToken()
		return r, err
	}
	whole := head != '{'
	for range 2 {
		text, err := r.line()
		long := errors.Is(err, errLongRow)
		if err != nil && !long && !(errors.Is(err, io.EOF) && len(r.first) > 0) {
			return nil, err
		}
		if err == nil || long {
			r.first = append(r.first, line{bytes.Clone(text), err})
		}
		if whole = whole || long || isObject(text); whole {
			return r, nil
		}
	}
	var begun []byte
	for _, l := range r.first {
		begun = append(append(begun, l.text...), '\n')
	}
	r.decode(io.MultiReader(bytes.NewReader(begun), in))
	return r, nil
}

// isObject: JSON Lines have an object in the first line, or, where that was cut,
// in the second; an object that is printed over several lines has none there.
func isObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{' && jsontext.Value(line).IsValid(lenient...)
}

func (r *rows) decode(in io.Reader) {
	r.limit = &bounded{in: in}
	r.dec = jsontext.NewDecoder(r.limit, lenient...)
}

// firstByte looks at the first byte that is no space; 0 where there are many.
func firstByte(in *unpack.Reader) (byte, error) {
	head, err := in.Peek(512)
	if len(head) == 0 {
		return 0, err
	}
	if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 {
		return text[0], nil
	}
	return 0, nil
}

// lenient lets pass what readLineObject reports with its place.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// next returns the next row, valid until the next call, and io.EOF behind the
// last; the beginning of one that is too long, and errLongRow, where the next follows.
// Any other error ends the file: what lies behind can't be found.
func (r *rows) next() ([]byte, error) {
	r.number++
	if r.dec == nil {
		if len(r.first) > 0 {
			first := r.first[0]
			r.first = r.first[1:]
			return first.text, first.err
		}
		return r.line()
	}
	r.limit.n = 0
	if r.list && r.dec.PeekKind() == ']' {
		if _, err := r.dec.ReadToken(); err != nil {
			return nil, err
		}
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			return nil, errors.New("data after the list")
		}
		return nil, io.EOF
	}
	raw, err := r.dec.ReadValue()
	if r.list && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return raw, err
}

func (r *rows) line() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.buf = append(roomFor(r.buf, len(part)), part...)
		switch {
		case len(r.buf) > maxLine+2:
			return r.long(err)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && len(r.buf) > 0:
			return bytes.TrimRight(r.buf, "\r\n"), nil
		}
		return nil, err
	}
}

// long goes to the end of a line of which too much was read, up to where reading it
// gave that error, and returns its beginning.
func (r *rows) long(err error) ([]byte, error) {
	text := bytes.Clone(r.buf[:longRaw])
	r.buf = nil // what it takes is not needed again
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.in.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return text, errLongRow
}

// bounded stops a row that never ends.
type bounded struct {
	in io.Reader
	n  int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if b.n += n; b.n > maxLine {
		return 0, errLongRow
	}
	return n, err
}
