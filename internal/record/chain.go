package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Each line of a journal names the one before it by a checksum, and the first the
// run: a line that was moved, repeated, dropped or taken from elsewhere is found by
// its number, and nothing is summed over it. The checksum shows damage, not intent.

const prevMark = `"prev":"`

// genesis is what the first line of a run's journal names.
func genesis(run string) string { return checksum([]byte(run)) }

// headOf is the part of a line, given without its line feed, that the next line
// names: all but the evaluation, whose checksum is in it. Thin leaves it as it is.
func headOf(raw []byte) []byte {
	head, _, whole := bytes.Cut(raw, []byte(bodyMark))
	if !whole {
		return bytes.TrimSuffix(raw, []byte("}"))
	}
	return head
}

// prevOf is where a head names the line before; empty where it does not.
func prevOf(head []byte) []byte {
	at := bytes.LastIndex(head, []byte(prevMark)) + len(prevMark)
	if at < len(prevMark) || len(head) < at+len(noCRC) {
		return nil
	}
	return head[at : at+len(noCRC)]
}

// errMisplaced marks a whole line that does not follow the one before it.
var errMisplaced = errors.New("line does not follow the one before it")

// CheckJournal reads the journal of a finished run and names the first line that is
// damaged or out of its place. A folder without one, as an import makes, passes:
// the figures don't come from it.
func CheckJournal(dir string, m Manifest) error {
	path := filepath.Join(dir, JournalFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	defer func() { _ = f.Close() }()
	link := genesis(m.RunID)
	n, err := eachLine(f, func(n int, raw []byte) error {
		head := headOf(raw)
		if err := checkBody(raw, head); err != nil {
			return err
		}
		if string(prevOf(head)) != link {
			return misplaced(path, m.RunID, n)
		}
		link = checksum(head)
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s:%d: %w", path, n, err)
	case m.Seal != nil && m.Seal.Journal != "" && link != m.Seal.Journal:
		return fmt.Errorf("%s:%d: file ends here, and not with the run's last line: the end was dropped or changed", path, max(n, 1))
	}
	return nil
}

// eachLine hands out the lines of a file by their numbers and without their line
// feeds, valid until the next one. It returns how many there are, or the number of
// the one that is at fault.
func eachLine(r io.Reader, each func(n int, raw []byte) error) (int, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		raw, err := readLine(in)
		if errors.Is(err, io.EOF) && len(raw) == 0 {
			return n - 1, nil
		}
		if err != nil {
			return n, fmt.Errorf("line is cut or unreadable: %w", err)
		}
		if err := each(n, raw[:len(raw)-1]); err != nil {
			return n, err
		}
	}
}

// checkBody holds an evaluation in a line against the checksum before it.
func checkBody(raw, head []byte) error {
	at := len(head) + len(bodyMark)
	if len(raw) <= at {
		return nil // a planned cell, a charge, or thinned
	}
	want := head[max(0, len(head)-len(noCRC)-1) : len(head)-1]
	if got := checksum(raw[at : len(raw)-1]); got != string(want) {
		return fmt.Errorf("%w: the evaluation's checksum is %s, its line says %s", errDamaged, got, want)
	}
	return nil
}

// misplaced says where line n of a journal, which does not follow the one before
// it, would belong.
func misplaced(path, run string, n int) error {
	type ends struct{ link, prev string }
	lines, name := []ends{{link: genesis(run)}}, ""
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, _ = eachLine(f, func(k int, raw []byte) error { // a cut end is not what is asked for
		head := headOf(raw)
		if lines = append(lines, ends{checksum(head), string(prevOf(head))}); k == n {
			name = nameOf(raw)
		}
		return nil
	})
	at, before := lines[n], lines[n-1].link
	if k := 1 + slices.IndexFunc(lines[1:n], func(l ends) bool { return l.link == at.link }); k > 0 {
		return fmt.Errorf("%s stands twice: it is line %d again", name, k)
	}
	for k, l := range lines[1:] {
		switch k++; {
		case k != n && l.link == at.prev:
			return fmt.Errorf("%s is out of order: it follows line %d", name, k)
		case k > n && l.prev == before:
			return fmt.Errorf("%s is not of run %s or was not written here: line %d is what follows line %d", name, run, k, n-1)
		}
	}
	if n == 1 {
		return fmt.Errorf("%s does not begin run %s: the journal is another run's or its folder was renamed, or lines before it are gone", name, run)
	}
	return fmt.Errorf("%s does not follow line %d: that one was changed, lines between them are gone, or this one is not of run %s", name, n-1, run)
}

// nameOf says what a line is about.
func nameOf(raw []byte) string {
	var p PlanLine
	if bytes.HasPrefix(raw, planMark) && strict(raw, &p) == nil {
		return "the plan of cell " + p.Planned.Cell.Name()
	}
	var c ChargeLine
	if bytes.HasPrefix(raw, chargeMark) && strict(raw, &c) == nil {
		return fmt.Sprintf("the charge of request %d (%s)", c.Charged.Request, c.Charged.Basis)
	}
	if h, _, err := parseEntry(raw); h.ID != "" {
		return fmt.Sprintf("%q", h.ID)
	} else if err != nil {
		return "what stands here"
	}
	return "the line"
}
