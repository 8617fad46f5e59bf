package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

var planMark = []byte(`{"planned":`)

// scan reads what an earlier process left. A torn end, as a kill or a power cut
// leaves it, is dropped; damage before whole lines is an error, since nobody
// knows what stood there, and so is a whole line that does not follow the one
// before it: it would be summed twice, or for another run. The file is not changed.
func (j *Journal) scan(r io.Reader, path string) error {
	in := bufio.NewReaderSize(r, 1<<16)
	interned := map[string]string{}
	torn := error(nil) // why the lines from size on do not count
	for n := 1; ; n++ {
		raw, err := readLine(in)
		if errors.Is(err, io.EOF) && len(raw) == 0 {
			break
		}
		if err == nil {
			err = j.take(raw[:len(raw)-1], interned)
		} else if !errors.Is(err, io.EOF) {
			return fmt.Errorf("read journal %s:%d: %w", path, n, err)
		}
		switch {
		case errors.Is(err, ErrFinished):
			return fmt.Errorf("journal %s: %w, and VAULT_RUN_ID=%s names it: for a new run take the variable out of the shell (unset VAULT_RUN_ID) or out of .env; or choose another VAULT_RUN_ID or delete the folder", path, ErrFinished, j.run)
		case torn != nil && (err == nil || errors.Is(err, errMisplaced)):
			return fmt.Errorf("journal %s is damaged before its end: %w: put back a copy of the file, or start a new run", path, torn)
		case errors.Is(err, errMisplaced):
			return fmt.Errorf("journal %s:%d: %w: put back a copy of the file, or start a new run", path, n, misplaced(path, j.run, n))
		case err != nil && torn == nil:
			torn = fmt.Errorf("line %d: %w", n, err)
		}
		if torn != nil {
			j.cut += int64(len(raw))
			continue
		}
		j.size += int64(len(raw))
	}
	return nil
}

// readLine returns a line with its line feed; what is cut comes with io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	raw, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return raw, err
	}
	long := bytes.Clone(raw)
	for errors.Is(err, bufio.ErrBufferFull) {
		raw, err = in.ReadSlice('\n')
		long = append(long, raw...)
	}
	return long, err
}

// take notes one line, given without its line feed, that begins at size.
func (j *Journal) take(raw []byte, interned map[string]string) error {
	if known, err := j.takeOther(raw); known {
		return err
	}
	h, l, err := parseEntry(raw)
	if err != nil {
		return err
	}
	if h.Prev != j.link {
		return errMisplaced
	}
	before := j.prior[h.ID]
	if h.Attempt != before.Attempts+1 {
		return fmt.Errorf("%w: attempt %d at %q after %d: it stands twice, was moved, or one before it is gone", errDamaged, h.Attempt, h.ID, before.Attempts)
	}
	l.offset, j.link = j.size, checksum(headOf(raw))
	if known, ok := interned[l.cell]; ok {
		l.cell = known
	} else {
		interned[l.cell] = l.cell
	}
	j.lines = append(j.lines, l)
	model, _, _ := strings.Cut(l.cell, "/")
	j.note(model, h)
	j.prior[h.ID] = Prior{Attempts: h.Attempt, Final: before.Final || h.Final, Spent: before.Spent.Add(h.Spent), last: l}
	return nil
}

// Load reads an evaluation that an earlier process recorded; of several attempts
// the last.
func (j *Journal) Load(id string) (Evaluation, error) {
	p, ok := j.prior[id]
	if !ok {
		return Evaluation{}, fmt.Errorf("journal holds no evaluation %q", id)
	}
	raw := make([]byte, p.last.length-p.last.body-len("}\n"))
	if _, err := j.file.ReadAt(raw, p.last.offset+int64(p.last.body)); err != nil {
		return Evaluation{}, fmt.Errorf("journal: read %q: %w", id, err)
	}
	e, err := decode(raw)
	if err != nil {
		return e, fmt.Errorf("journal: read %q: %w", id, err)
	}
	return e, nil
}
