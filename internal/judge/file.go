package judge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// The files that judging writes, by their names in a run's folder. They are not
// part of the run: its seal does not cover them.
const (
	JudgementsFile = "judgements.jsonl"
	ReportFile     = "judges.json"
)

// Store holds a run's judgements: one line as each is made, so that nothing that
// was paid for is lost, and at the end all in the order of the cases.
type Store struct {
	path string
	file *os.File
	done map[string]Judgement
}

// OpenStore opens the file at path. Judgements that stand in it and are complete
// need not be asked for again; those of another panel or prompt are an error. A
// last line that was cut off by a crash is dropped.
func OpenStore(path string, p Panel) (*Store, error) {
	done, err := readStore(path, p)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, done: done}
	if err := s.rewrite(sortedByID(done)); err != nil {
		return nil, err
	}
	if s.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return nil, fmt.Errorf("open judgements: %w", err)
	}
	return s, nil
}

func readStore(path string, p Panel) (map[string]Judgement, error) {
	done := map[string]Judgement{}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read judgements: %w", err)
	}
	raw = raw[:bytes.LastIndexByte(raw, '\n')+1] // a crash may have cut the last line
	if len(raw) == 0 {
		return done, nil
	}
	lines, err := strictjson.Lines(path, raw)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		var j Judgement
		if err := line.Decode("judgement.schema.json", &j); err != nil {
			return nil, err
		}
		if err := p.owns(j); err != nil {
			return nil, line.Errorf("%w: judge into another file (--out)", err)
		}
		if j.Complete() {
			done[j.Evaluation] = j
		}
	}
	return done, nil
}

// owns reports why a judgement can't be one of this panel's.
func (p Panel) owns(j Judgement) error {
	if j.Prompt != p.Prompt.Digest {
		return fmt.Errorf("%s was judged with another prompt", j.Evaluation)
	}
	same := len(j.Labels) == len(p.Judges)
	for i := range j.Labels {
		same = same && j.Labels[i].Rater == p.Judges[i].Name
	}
	if j.Escalation != nil {
		same = same && p.Escalate != nil && p.Escalate.Name == j.Escalation.Rater
	} else {
		same = same && !(j.Disagree && p.Escalate != nil)
	}
	if !same {
		return fmt.Errorf("%s was judged by another panel", j.Evaluation)
	}
	return nil
}

// Open returns the cases that still have to be judged. A judgement whose outcome
// is not the ledger's of the case is an error: it is of another run.
func (s *Store) Open(cases []Case) ([]Case, error) {
	var open []Case
	for _, c := range cases {
		j, ok := s.done[c.ID]
		if !ok {
			open = append(open, c)
			continue
		}
		if j.Outcome != c.Outcome {
			return nil, fmt.Errorf("%s: %s came out as %s there and as %s in this run: judge into another file (--out)", s.path, c.ID, j.Outcome, c.Outcome)
		}
	}
	return open, nil
}

// Add appends a judgement with one write.
func (s *Store) Add(j Judgement) error {
	line, err := encode(j)
	if err != nil {
		return fmt.Errorf("write judgement of %s: %w", j.Evaluation, err)
	}
	if _, err := s.file.Write(line); err != nil {
		return fmt.Errorf("write judgement of %s: %w", j.Evaluation, err)
	}
	s.done[j.Evaluation] = j
	return nil
}

// Finish writes the judgements of the cases in their order and returns them; those
// of cases that were sampled before and are not any more stay at the end.
func (s *Store) Finish(cases []Case) ([]Judgement, error) {
	var judged []Judgement
	rest := s.done
	for _, c := range cases {
		j, ok := rest[c.ID]
		if !ok {
			return nil, fmt.Errorf("%s was not judged", c.ID)
		}
		judged = append(judged, j)
		delete(rest, c.ID)
	}
	if err := s.rewrite(slices.Concat(judged, sortedByID(rest))); err != nil {
		return nil, err
	}
	return judged, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

func (s *Store) rewrite(all []Judgement) error {
	return record.WriteFile(s.path, func(w io.Writer) error {
		for _, j := range all {
			line, err := encode(j)
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

func sortedByID(all map[string]Judgement) []Judgement {
	var out []Judgement
	for _, j := range all {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b Judgement) int { return cmp.Compare(a.Evaluation, b.Evaluation) })
	return out
}

// encode writes one line of JSON.
func encode(j Judgement) ([]byte, error) {
	line, err := json.Marshal(j, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(line, '\n'), err
}
