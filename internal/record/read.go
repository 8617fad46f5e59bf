package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/strictjson"
)

// chunkSize is how many bytes of lines are decoded together, at least.
const chunkSize = 1 << 18

// Read calls each for every evaluation of a run's evaluations.jsonl, in order and
// one at a time. Lines are decoded side by side; only few are held at once.
func Read(path string, each func(Evaluation) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read evaluations: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read evaluations: %w", err)
	}
	stop := make(chan struct{})
	defer close(stop)
	chunks := make(chan *chunk, runtime.GOMAXPROCS(0)) // its length bounds what is decoded at once
	go readChunks(f, info.Size(), chunks, stop)
	for c := range chunks {
		<-c.done
		for i, e := range c.evaluations {
			if err := each(e); err != nil {
				return fmt.Errorf("%s:%d: %q: %w", path, c.first+i, e.ID, err)
			}
		}
		if c.err != nil {
			return fmt.Errorf("%s:%d: %w", path, c.first+len(c.evaluations), c.err)
		}
	}
	return nil
}

// chunk is some consecutive lines of a file.
type chunk struct {
	first       int // number of its first line, from 1
	raw         []byte
	done        chan struct{} // closed when the fields below are set
	evaluations []Evaluation
	err         error // of the line after the last evaluation
}

// readChunks cuts a file of some size into chunks, in order, and has each decoded. No
// more is set aside than the file holds: most are small.
func readChunks(f io.Reader, size int64, chunks chan<- *chunk, stop <-chan struct{}) {
	defer close(chunks)
	r := bufio.NewReaderSize(f, int(min(1<<16, max(size, 1<<12))))
	for next := 1; ; {
		c := &chunk{first: next, done: make(chan struct{}), raw: make([]byte, 0, min(chunkSize+chunkSize/8, max(size, 0)))}
		n, err := c.fill(r)
		next, size = next+n, size-int64(len(c.raw))
		select {
		case chunks <- c:
			go c.decode(err)
		case <-stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// fill reads whole lines and returns how many they are. At the end of the file,
// and at a line that is cut, the error says so.
func (c *chunk) fill(r *bufio.Reader) (n int, err error) {
	for len(c.raw) < chunkSize {
		start := len(c.raw)
		for {
			var part []byte
			part, err = r.ReadSlice('\n')
			if len(c.raw)+len(part) > cap(c.raw) {
				c.raw = slices.Grow(c.raw, len(c.raw)+len(part)) // twice as much: a line may have megabytes
			}
			c.raw = append(c.raw, part...)
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if errors.Is(err, io.EOF) && len(c.raw) == start {
			return n, io.EOF
		}
		if err != nil {
			c.raw = c.raw[:start]
			return n, fmt.Errorf("line is cut or unreadable: %w", err)
		}
		n++
	}
	return n, nil
}

// decode reads the chunk's lines; end is what came after them.
func (c *chunk) decode(end error) {
	defer close(c.done)
	for line := range bytes.Lines(c.raw) {
		e, err := decode(line)
		if err != nil {
			c.err = err
			return
		}
		c.evaluations = append(c.evaluations, e)
	}
	c.raw = nil
	if end != nil && end != io.EOF { // the plain value alone is the end of the file
		c.err = end
	}
}

// Decode reads one line of evaluations.jsonl, which a caller has found for itself.
func Decode(line []byte) (Evaluation, error) { return decode(line) }

// decode reads one line: exactly one evaluation, whose id says where it belongs.
func decode(raw []byte) (Evaluation, error) {
	var e Evaluation
	if json.Unmarshal(raw, &e, json.RejectUnknownMembers(true)) != nil {
		return e, fault(raw)
	}
	if want := EvaluationID(e.Cell, e.Attack, e.Trial); e.ID != want {
		return e, fmt.Errorf("id is %q, its cell, attack and trial make %q", e.ID, want)
	}
	return e, nil
}

// fault words what is wrong with a line. A decoder knows where the evaluation ends,
// and takes twice the memory.
func fault(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if err := json.UnmarshalDecode(dec, new(Evaluation), json.RejectUnknownMembers(true)); err != nil {
		return strictjson.Worded(err)
	}
	return errors.New("data after the evaluation: one a line")
}
