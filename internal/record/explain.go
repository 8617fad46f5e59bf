package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Explain names the first line of a run's evaluations.jsonl that is not the run's,
// where the digest of the file says that there is one: out of its order, twice, not
// planned, changed, or missing. It goes by the manifest and, where it is there and
// whole, by the journal. It returns nil where no line can be named.
func Explain(dir string, m Manifest) error {
	path := filepath.Join(dir, EvaluationsFile)
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read evaluations: %w", err)
	}
	defer func() { _ = f.Close() }()
	x := explainer{planned: newPlanned(m)}
	if err := CheckJournal(dir, m); err == nil {
		x.want = expected(filepath.Join(dir, JournalFile))
	}
	if n, err := eachLine(f, x.line); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n, err)
	}
	if x.missing != nil {
		return fmt.Errorf("%s:%d: %w", path, x.at, x.missing)
	}
	return nil
}

// explainer walks evaluations.jsonl beside what a run planned and recorded.
type explainer struct {
	planned *planned
	want    []recorded // in the order of the file; nil: unknown
	next    int        // of want
	at      int        // line of missing
	missing error      // the first gap: told if nothing worse is found
}

// recorded is what the journal says of a line.
type recorded struct {
	place
	crc string
}

func (x *explainer) line(n int, raw []byte) error {
	e, err := decode(raw)
	if err != nil {
		return err
	}
	at, err := x.planned.follow(e)
	if err != nil {
		return fmt.Errorf("%q: %w", e.ID, err)
	}
	if x.want == nil {
		return x.planned.count(e)
	}
	k, known := slices.BinarySearchFunc(x.want, at, func(r recorded, p place) int { return r.compare(p) })
	switch {
	case !known:
		return fmt.Errorf("%q: %s holds no such evaluation: it was not planned, or the line is another run's", e.ID, JournalFile)
	case checksum(raw) != x.want[k].crc:
		return fmt.Errorf("%q: checksum of the line is %s, %s says %s: the line was changed, or is another run's", e.ID, checksum(raw), JournalFile, x.want[k].crc)
	case k > x.next && x.missing == nil:
		x.at, x.missing = n, fmt.Errorf("%q stands here, and before it %q is missing", e.ID, x.want[x.next].id)
	}
	x.next = k + 1
	return nil
}

// expected is what a journal recorded, of several attempts the last; nil where the
// file can't tell.
func expected(path string) []recorded {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	last := map[string]recorded{}
	_, err = eachLine(f, func(_ int, raw []byte) error {
		var p PlanLine
		if strict(raw, &p) == nil {
			return nil
		}
		h, _, err := parseEntry(raw)
		if err != nil && !errors.Is(err, ErrFinished) {
			return err
		}
		cell, attack, trial, err := splitID(h.ID)
		last[h.ID] = recorded{place{h.ID, cell, attack, trial}, h.CRC}
		return err
	})
	if err != nil || len(last) == 0 {
		return nil
	}
	all := make([]recorded, 0, len(last))
	for _, r := range last {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b recorded) int { return cmp.Or(a.compare(b.place), cmp.Compare(a.id, b.id)) })
	return all
}
