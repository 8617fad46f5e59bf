package record

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// Finish writes evaluations.jsonl: the last attempt at each evaluation, in the
// order of cell, attack and trial, so that neither concurrency nor luck shows in
// it. It returns how many there are.
func (j *Journal) Finish() (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	winners, err := j.winners()
	if err != nil {
		return 0, err
	}
	err = WriteFile(filepath.Join(j.dir, EvaluationsFile), func(w io.Writer) error {
		for _, l := range winners {
			if err := j.copy(w, l.offset+int64(l.body), l.length-l.body-len("}\n")); err != nil {
				return err
			}
			if _, err := w.Write([]byte{'\n'}); err != nil {
				return err
			}
		}
		return nil
	})
	return len(winners), err
}

func (j *Journal) copy(w io.Writer, offset int64, length int) error {
	_, err := io.Copy(w, io.NewSectionReader(j.file, offset, int64(length)))
	return err
}

// winners are the lines that count, sorted. An evaluation that was recorded
// again after a final end, or twice as one attempt, is an error: one of the two
// would be a wrong figure.
func (j *Journal) winners() ([]line, error) {
	sorted := slices.Clone(j.lines)
	slices.SortFunc(sorted, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.attack, b.attack), cmp.Compare(a.trial, b.trial), cmp.Compare(a.attempt, b.attempt))
	})
	winners := sorted[:0]
	for _, l := range sorted {
		last := len(winners) - 1
		if last < 0 || winners[last].cell != l.cell || winners[last].attack != l.attack || winners[last].trial != l.trial {
			winners = append(winners, l)
			continue
		}
		if winners[last].final || winners[last].attempt == l.attempt {
			return nil, fmt.Errorf("evaluation %s/%q/%d was recorded twice", l.cell, l.attack, l.trial)
		}
		winners[last] = l
	}
	return winners, nil
}

// Complete reports whether every evaluation that was planned, in cells that could
// be run, is final.
func (j *Journal) Complete() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	planned := map[string]PlannedCell{}
	for _, p := range j.cells {
		planned[p.Cell.Name()] = p // the last word counts
	}
	open := 0
	for _, p := range planned {
		if p.Skip == "" {
			open += p.Evaluations
		}
	}
	for _, l := range j.lines {
		if l.final {
			open--
		}
	}
	return open == 0
}

// Thin rewrites the journal of a run that is complete: evaluations that stand in
// evaluations.jsonl are named and not held a second time. Order, attempts, what
// each cost and every superseded attempt stay.
func (j *Journal) Thin() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	winners, err := j.winners()
	if err != nil {
		return err
	}
	held := make(map[int64]bool, len(winners))
	for _, l := range winners {
		held[l.offset] = true
	}
	return WriteFile(filepath.Join(j.dir, JournalFile), func(w io.Writer) error {
		offset := int64(0)
		_, err := eachLine(io.NewSectionReader(j.file, 0, j.size), func(_ int, raw []byte) error {
			thin := held[offset]
			offset += int64(len(raw) + 1)
			if thin {
				raw = append(headOf(raw), '}')
			}
			_, err := w.Write(append(raw, '\n'))
			return err
		})
		return err
	})
}
