package cassette

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"vaultbench/internal/llm"
)

// Recorder appends to one model's cassette. It is safe for concurrent use.
type Recorder struct {
	model string

	mu   sync.Mutex
	file *os.File
	err  error // why nothing can be recorded any more
}

// Create opens the cassette of a model in dir, which it makes. A cassette that is
// there is gone on with, a torn last line of it dropped: of a request that was
// recorded twice, the later reply counts.
func Create(dir, model string) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, model+Suffix), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := dropTorn(f); err != nil {
		return nil, errors.Join(fmt.Errorf("record: %s: %w", f.Name(), err), f.Close())
	}
	return &Recorder{model: model, file: f}, nil
}

// dropTorn cuts what follows the last line end.
func dropTorn(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		start := max(0, end-int64(len(buf)))
		n, err := f.ReadAt(buf[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := bytes.LastIndexByte(buf[:n], '\n'); at >= 0 {
			return f.Truncate(start + int64(at) + 1)
		}
		end = start
	}
	return f.Truncate(0)
}

// Close closes the cassette.
func (r *Recorder) Close() error { return r.file.Close() }

// Client records what next replies. A reply that can't be recorded is a fault of
// the harness: a cassette with a gap would replay as something else.
func (r *Recorder) Client(next llm.Client) llm.Client { return recording{r, next} }

type recording struct {
	*Recorder
	next llm.Client
}

func (c recording) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := c.failed(); err != nil {
		return llm.Reply{}, err
	}
	reply, err := c.next.Chat(ctx, req)
	if err != nil {
		return reply, err
	}
	return reply, c.append(llm.Evaluation(ctx), req, reply)
}

func (r *Recorder) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) append(evaluation string, req llm.Request, reply llm.Reply) error {
	l := Line{Format: Format, Model: r.model, Evaluation: evaluation, Step: step(req), Request: fromRequest(req), Reply: fromReply(reply)}
	if evaluation == "" {
		return fmt.Errorf("%w: record: the request belongs to no evaluation", llm.ErrHarness)
	}
	var err error
	if l.Digest, err = l.Request.digest(); err != nil {
		return fmt.Errorf("%w: record %s: %w", llm.ErrHarness, evaluation, err)
	}
	raw, err := encode(l)
	if err != nil {
		return fmt.Errorf("%w: record %s: %w", llm.ErrHarness, evaluation, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if _, err := r.file.Write(raw); err != nil { // one write a line
		r.err = fmt.Errorf("%w: VAULT_RECORD: %w", llm.ErrHarness, err)
	}
	return r.err
}
