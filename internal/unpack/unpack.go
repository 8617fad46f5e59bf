// Package unpack opens files as text: gzip and zstd are recognised by their
// first bytes, since names lie once files are moved around, and what they unpack
// to is bounded, so that a few hostile bytes can't fill memory or disk.
package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The bound: what is unpacked may be Ratio times what was read, beyond Free.
// Recorded conversations, which repeat themselves, come to 20 times under gzip.
const (
	Ratio = 200
	Free  = 64 << 20 // bytes
)

// maxWindow bounds what zstd looks back on, and with it its memory.
const maxWindow = 32 << 20 // bytes

// ErrBomb: more comes out than an honest file would hold. A packed stream that
// ends early is an io.ErrUnexpectedEOF.
var ErrBomb = fmt.Errorf("the file unpacks to more than %d times its size: unpack it yourself if it is honest", Ratio)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Reader reads what a file holds. It is not safe for concurrent use.
type Reader struct {
	in     *bufio.Reader
	close  func()
	format string
	packed int64 // bytes read
	out    int64 // bytes handed out
}

// NewReader recognises the packing of a stream. A packed stream whose head is
// broken is an error here.
func NewReader(r io.Reader) (*Reader, error) {
	u := &Reader{close: func() {}}
	packed := bufio.NewReader(&counter{r, &u.packed})
	magic, _ := packed.Peek(len(zstdMagic)) // a read error comes again at the first byte
	var plain io.Reader
	var err error
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		u.format = "gzip"
		plain, err = gzip.NewReader(packed)
	case bytes.Equal(magic, zstdMagic):
		u.format = "zstd"
		var z *zstd.Decoder
		z, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			plain, u.close = z, z.Close
		}
	default:
		u.in = packed
		return u, nil
	}
	if err != nil {
		return nil, u.wrap(err)
	}
	u.in = bufio.NewReader(plain)
	return u, nil
}

// Format is gzip, zstd, or empty for a file that is not packed.
func (u *Reader) Format() string { return u.format }

// Close releases the unpacker; the stream below stays open.
func (u *Reader) Close() error {
	u.close()
	return nil
}

// Read hands out unpacked bytes.
func (u *Reader) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	return n, u.account(n, err)
}

// ReadSlice reads until a byte, as bufio.Reader does: a line that is longer than
// the buffer comes in parts, with bufio.ErrBufferFull.
func (u *Reader) ReadSlice(delim byte) ([]byte, error) {
	part, err := u.in.ReadSlice(delim)
	return part, u.account(len(part), err)
}

// Peek shows the next bytes without reading them.
func (u *Reader) Peek(n int) ([]byte, error) {
	part, err := u.in.Peek(n)
	return part, u.wrap(err)
}

func (u *Reader) account(n int, err error) error {
	u.out += int64(n)
	if u.format != "" && u.out > Free && u.out-Free > Ratio*u.packed {
		return ErrBomb
	}
	return u.wrap(err)
}

func (u *Reader) wrap(err error) error {
	switch {
	case err == nil, u.format == "", errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s stream is cut: fetch the file again: %w", u.format, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("zstd: a window of more than %d MiB: pack the file again without --long: %w", maxWindow>>20, err)
	}
	return err
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n *int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	*c.n += int64(n)
	return n, err
}
