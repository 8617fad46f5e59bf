package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/internal/record"
)

// genesis is what the first line carries in the place of a digest.
var genesis = strings.Repeat("0", 2*sha256.Size)

// Writer writes receipts in the order in which it is given evaluations. It holds
// one line at a time and is not safe for concurrent use.
type Writer struct {
	out      io.Writer
	key      Key
	parties  Parties
	sequence int64
	head     string
	receipt  Receipt // the one in hand
	line     []byte
}

// NewWriter begins a chain.
func NewWriter(out io.Writer, key Key, parties Parties) *Writer {
	return &Writer{out: out, key: key, parties: parties, head: genesis}
}

// Add writes a receipt for each decided call of an evaluation.
func (w *Writer) Add(e record.Evaluation) error {
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.Decision == nil {
			continue
		}
		w.receipt.fill(e.ID, c, w.parties)
		if err := w.write(&w.receipt); err != nil {
			return fmt.Errorf("receipt of call %d: %w", c.Position, err)
		}
	}
	return nil
}

func (w *Writer) write(r *Receipt) error {
	r.Sequence, r.Prev, r.KeyID = w.sequence+1, w.head, w.key.kid
	unsigned, err := r.appendUnsigned(w.line[:0])
	if err != nil {
		return err
	}
	line := appendSignature(unsigned, w.key.signature(unsigned))
	w.sequence, w.head = r.Sequence, chained(line)
	w.line = append(line, '\n')
	_, err = w.out.Write(w.line)
	return err
}

// Head is the hex SHA-256 of the last line, zeros before the first.
func (w *Writer) Head() string { return w.head }

// Seal counts and hashes the finished files of a run; head is that of the chain.
func Seal(dir, head string) (*record.Seal, error) {
	evaluations, err := seal(filepath.Join(dir, record.EvaluationsFile))
	if err != nil {
		return nil, err
	}
	decisions, err := seal(filepath.Join(dir, File))
	return &record.Seal{Evaluations: evaluations, Decisions: decisions, Head: head}, err
}

func seal(path string) (record.FileSeal, error) {
	f, err := os.Open(path)
	if err != nil {
		return record.FileSeal{}, fmt.Errorf("seal: %w", err)
	}
	defer func() { _ = f.Close() }()
	hash, count := sha256.New(), lineCounter(0)
	if _, err := io.Copy(io.MultiWriter(hash, &count), f); err != nil {
		return record.FileSeal{}, fmt.Errorf("seal %s: %w", path, err)
	}
	return record.FileSeal{Lines: int(count), SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// lineCounter counts line feeds.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}
