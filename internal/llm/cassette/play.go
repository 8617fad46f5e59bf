package cassette

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/llm"
	"vaultbench/internal/strictjson"
)

const schema = "cassette.schema.json"

// maxLine bounds one line, in bytes.
const maxLine = 64 << 20

// Player plays one cassette. It keeps the places of the lines alone, and is safe
// for concurrent use.
type Player struct {
	name  string // of the file
	model string
	file  *os.File
	lines map[place]span
}

type place struct {
	evaluation string
	step       int
}

type span struct {
	offset int64
	length int
	line   int // from 1
}

// Find opens the cassettes of a folder, sorted by model. A folder without any
// gives none.
func Find(dir string) ([]*Player, error) {
	files, err := filepath.Glob(filepath.Join(glob(dir), "*"+Suffix))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	slices.Sort(files)
	var all []*Player
	for _, file := range files {
		p, err := Open(file)
		if err == nil && slices.ContainsFunc(all, func(o *Player) bool { return o.model == p.model }) {
			err = errors.Join(fmt.Errorf("%s: model %s has another cassette in this folder: keep one", file, p.model), p.Close())
		}
		if err != nil {
			for _, open := range all {
				err = errors.Join(err, open.Close())
			}
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// glob escapes what a pattern would take for more than itself.
func glob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Open reads a cassette whole once: each line must be one, of one model, with the
// digest of its own request.
func Open(file string) (*Player, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	p := &Player{name: filepath.Base(file), file: f, lines: map[place]span{}}
	if err := p.index(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func (p *Player) index() error {
	in := bufio.NewReaderSize(p.file, 1<<20)
	var offset int64
	for n := 1; ; n++ {
		raw, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(raw) > 0:
			return fmt.Errorf("%s:%d: the line has no end: the recording was broken off; delete the line", p.name, n)
		case errors.Is(err, io.EOF) && n == 1:
			return fmt.Errorf("%s:1: the cassette is empty: delete it", p.name)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s:%d: %w", p.name, n, err)
		case len(raw) > maxLine:
			return fmt.Errorf("%s:%d: the line is longer than %d MiB", p.name, n, maxLine>>20)
		}
		l, err := p.decode(raw, n)
		if err != nil {
			return err
		}
		p.lines[place{l.Evaluation, l.Step}] = span{offset, len(raw), n}
		offset += int64(len(raw))
	}
}

func (p *Player) decode(raw []byte, line int) (Line, error) {
	var l Line
	if err := (strictjson.Line{File: p.name, Number: line, Raw: bytes.TrimSuffix(raw, []byte("\n"))}).Decode(schema, &l); err != nil {
		return l, err
	}
	digest, err := l.Request.digest()
	switch {
	case err != nil:
		return l, fmt.Errorf("%s:%d: %w", p.name, line, err)
	case digest != l.Digest:
		return l, fmt.Errorf("%s:%d: %s: the request is not the one that its digest is of: the line was changed", p.name, line, l.Evaluation)
	case p.model != "" && l.Model != p.model:
		return l, fmt.Errorf("%s:%d: %s: model %q, the lines before name %q: keep one model a cassette", p.name, line, l.Evaluation, l.Model, p.model)
	}
	p.model = l.Model
	return l, nil
}

// Model is the slug of the model that was recorded.
func (p *Player) Model() string { return p.model }

// Name is the name of the file.
func (p *Player) Name() string { return p.name }

// Close closes the file.
func (p *Player) Close() error { return p.file.Close() }

// Chat gives the recorded reply to the very request that was recorded in this
// evaluation. Anything else is a miss, which is a fault of the harness and never an
// answer.
func (p *Player) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	at := place{llm.Evaluation(ctx), step(req)}
	where, ok := p.lines[at]
	if !ok {
		return llm.Reply{}, p.miss(at, "nothing was recorded: it failed, was filtered, or was not part of that run")
	}
	raw := make([]byte, where.length)
	if _, err := p.file.ReadAt(raw, where.offset); err != nil {
		return llm.Reply{}, p.miss(at, err.Error())
	}
	var l Line
	if err := (strictjson.Line{File: p.name, Number: where.line, Raw: bytes.TrimSuffix(raw, []byte("\n"))}).Decode(schema, &l); err != nil {
		return llm.Reply{}, p.miss(at, err.Error())
	}
	asked := fromRequest(req)
	switch digest, err := asked.digest(); {
	case err != nil:
		return llm.Reply{}, p.miss(at, err.Error())
	case digest != l.Digest:
		return llm.Reply{}, p.miss(at, fmt.Sprintf("line %d has another request: %s", where.line, differs(l.Request, asked)))
	}
	reply, err := l.Reply.reply()
	if err != nil {
		return llm.Reply{}, p.miss(at, err.Error())
	}
	return reply, nil
}

func (p *Player) miss(at place, why string) error {
	return fmt.Errorf("%w: cassette %s: %s, request %d: %s", llm.ErrHarness, p.name, at.evaluation, at.step, why)
}

// differs names the first part in which two requests differ.
func differs(was, is Request) string {
	for i := range min(len(was.Messages), len(is.Messages)) {
		a, _ := encode(was.Messages[i]) // what was encoded before can be encoded again
		b, _ := encode(is.Messages[i])
		if !bytes.Equal(a, b) {
			return fmt.Sprintf("message %d (%s) differs", i+1, is.Messages[i].Role)
		}
	}
	if len(was.Messages) != len(is.Messages) {
		return fmt.Sprintf("%d messages then, %d now", len(was.Messages), len(is.Messages))
	}
	return "the tools or parameters differ"
}
