package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/record"
	"vaultbench/internal/unpack"
)

// Logs converts other tools' logs into recorded conversations of our own format,
// one file a log.
type Logs struct {
	How  recorded.Import
	Maps map[string]corpus.ToolMap
	Out  string // folder; rejects go to its folder rejects

	// Parse says why a replay can't read the arguments of a call of a tool map's
	// transfer tool; nil: it can.
	Parse func(m corpus.ToolMap, arguments string) error
}

// RejectsDir is the folder of rejects within that of the conversations.
const RejectsDir = "rejects"

// simulated begins the names of simulated bankers.
const simulated = "sim-"

// Convert converts a file, or a folder's files as one log. The conversations are
// written whole or not at all; a log of which none can be imported is an error.
// The path of the rejects is empty where there are none. It stops when the context
// ends.
func (l Logs) Convert(ctx context.Context, path string) (c Counts, rejects string, err error) {
	files, leftOut, err := logFiles(path)
	if err != nil {
		return c, "", err
	}
	c.LeftOut = leftOut
	stem := recorded.LogStem(filepath.Base(filepath.Clean(path)))
	if strings.HasPrefix(strings.ToLower(stem), simulated) {
		return c, "", fmt.Errorf("%s: names that begin with sim- are those of simulated bankers: rename it", path)
	}
	out := filepath.Join(l.Out, stem+".jsonl")
	if _, err := os.Lstat(out); err == nil {
		return c, "", fmt.Errorf("%s exists: delete it or choose another folder", out)
	}
	bad, err := NewRejects(filepath.Join(l.Out, RejectsDir, stem+".jsonl"))
	if err != nil {
		return c, "", err
	}
	err = record.CreateFile(out, func(w io.Writer) error {
		s := &conversion{Logs: l, w: w, rejects: bad, counts: &c}
		for _, file := range files {
			if err := s.file(ctx, file); err != nil {
				return err
			}
		}
		if c.Imported == 0 {
			return fmt.Errorf("%s: none of %d rows could be imported: %w", path, c.Read, s.first)
		}
		return nil
	})
	return c, bad.Path(), errors.Join(err, bad.Close())
}

// logFiles lists the files of a log: one, or those of a folder, however deep, by
// their paths. In a folder hidden files are no log, and what is neither JSON nor
// JSON Lines by its name, packed or not, is left out; so is a link to a folder.
func logFiles(path string) (files, leftOut []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil, nil
	}
	root, err := filepath.EvalSymlinks(path) // a walk does not follow a link
	if err != nil {
		return nil, nil, err
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		info, err := os.Stat(p)
		plain := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".gz"), ".zst")
		if ext := filepath.Ext(plain); (ext == ".json" || ext == ".jsonl") && !(err == nil && info.IsDir()) {
			files = append(files, filepath.Join(path, rel))
		} else {
			leftOut = append(leftOut, rel)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: the folder holds no *.json or *.jsonl, packed or not", path)
	}
	return files, leftOut, err
}

// conversion is one log on its way.
type conversion struct {
	Logs
	w        io.Writer
	rejects  *Rejects
	counts   *Counts
	importer *recorded.Importer
	toolMap  string // of the first conversation
	model    string // likewise
	place    string // where the first stands
	path     string // of the file that is read
	first    error  // why the first rejected row was
}

func (s *conversion) file(ctx context.Context, path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	name := filepath.Base(path)
	s.path = path
	in, err := unpack.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if s.importer == nil {
		s.importer, err = recorded.NewImporter(name, in, s.How)
	} else {
		err = s.importer.Continue(name, in)
	}
	for err == nil {
		if err = s.next(path); err == nil && ctx.Err() != nil {
			err = fmt.Errorf("interrupted, nothing was imported: %w", ctx.Err())
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (s *conversion) next(path string) error {
	c, err := s.importer.Next()
	var bad *recorded.BadRow
	if errors.As(err, &bad) {
		return s.reject(&Rejected{File: path, Row: int64(bad.Row), Reason: Unreadable, Detail: bad.Error(), Raw: string(bad.Raw)})
	}
	if err != nil {
		return err
	}
	reject := func(reason Reason, format string, args ...any) error {
		return s.reject(&Rejected{File: path, Row: int64(c.Line), Reason: reason, Detail: fmt.Sprintf(format, args...), Raw: string(s.importer.Raw())})
	}
	m, ok := s.Maps[c.ToolMap]
	switch {
	case c.ToolMap == "":
		return errors.New("the log does not say which tools move money: give --tool-map")
	case !ok:
		return reject(UnmappedTools, "no tool map %q: write fixtures/toolmaps/%s.json, or give --tool-map", c.ToolMap, c.ToolMap)
	case s.toolMap != "" && s.toolMap != c.ToolMap:
		return reject(UnmappedTools, "tool map %q, the rows before name %q: keep one source a file", c.ToolMap, s.toolMap)
	case s.model != "" && s.model != c.Model:
		return reject(Contradiction, "model %q, and %s is of model %q: a log is one cell; keep one model a log, or give --model if it is one", c.Model, s.place, s.model)
	}
	if err := recorded.Write(s.w, c); err != nil {
		var bad *recorded.UnwritableError
		if !errors.As(err, &bad) {
			return err
		}
		return reject(Unreadable, "%v", err)
	}
	if s.toolMap == "" {
		s.toolMap, s.model, s.place = c.ToolMap, c.Model, fmt.Sprintf("%s:%d", path, c.Line)
	}
	s.counts.Take()
	s.note(c, m)
	return nil
}

// note counts what a reader of the counts asks first.
func (s *conversion) note(c recorded.Conversation, m corpus.ToolMap) {
	var transfers, errs int64
	for _, message := range c.Messages {
		for _, call := range message.ToolCalls {
			if call.Name == m.Transfer {
				transfers++
				s.counts.noteParsed(s.Parse(m, call.Arguments), fmt.Sprintf("%s:%d", filepath.Base(s.path), c.Line))
				continue
			}
			if s.counts.OtherCalls++; !m.Names(call.Name) {
				s.counts.noteCall(call.Name)
			}
		}
	}
	if c.SourceError != "" {
		errs = 1
	}
	s.counts.Note("ended as source errors", errs)
	s.counts.Note(transferCalls, transfers)
}

func (s *conversion) reject(r *Rejected) error {
	if s.first == nil {
		s.first = r
	}
	s.counts.Reject(r)
	return s.rejects.Write(r)
}
