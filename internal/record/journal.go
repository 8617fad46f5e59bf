package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// The files of a run that this package writes.
const (
	JournalFile     = "journal.jsonl"     // in order of completion
	EvaluationsFile = "evaluations.jsonl" // in order of cell, attack, trial
	ManifestFile    = "manifest.json"
)

// syncEvery bounds what a power cut can take: a line is on its way to the disk
// that long after it was written, at the latest.
const syncEvery = 500 * time.Millisecond

// ErrLocked marks a run that another process is writing.
var ErrLocked = errors.New("another process is writing this run")

// Journal appends evaluations as they end: one write each, so that a run that
// is killed loses none that had ended. What it finds of an earlier process it
// keeps: see Prior. It is safe for concurrent use. It holds a lock that the
// system drops with the process, however that ends.
type Journal struct {
	dir   string
	run   string // its id, which the first line names
	lock  *flock.Flock
	cut   int64 // bytes of a torn last line that were dropped
	prior map[string]Prior
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when nothing syncs any more

	mu      sync.Mutex
	file    file
	size    int64
	link    string // what the next line names: checksum of the last line's head
	dirty   bool
	err     error // the first failure: nothing is written after it
	lines   []line
	cells   []PlannedCell
	charges charges
	served  map[string][]string
}

// file is what the journal needs of its file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// line remembers where an evaluation stands, not the evaluation: memory does not
// grow with what the models wrote.
type line struct {
	cell, attack   string
	trial, attempt int
	final          bool
	offset         int64 // of the line
	length         int   // of the line
	body           int   // where the evaluation begins in the line
}

// Prior is what earlier attempts at an evaluation came to.
type Prior struct {
	Attempts int
	Final    bool  // it is never asked again
	Spent    Usage // of all attempts
	last     line
}

// Dir is the run's folder.
func (j *Journal) Dir() string { return j.dir }

// Cut is how many bytes of a torn last line were dropped when it was opened.
func (j *Journal) Cut() int64 { return j.cut }

// Empty reports whether nothing was ever recorded.
func (j *Journal) Empty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size == 0
}

// Prior is what earlier processes recorded of an evaluation; the zero value
// where they recorded nothing.
func (j *Journal) Prior(id string) Prior { return j.prior[id] }

// Priors counts the evaluations that earlier processes recorded, and of them
// those that are final.
func (j *Journal) Priors() (recorded, final int) {
	for _, p := range j.prior {
		if p.Final {
			final++
		}
	}
	return len(j.prior), final
}

// Cells are the cells that were planned, by all processes, in that order.
func (j *Journal) Cells() []PlannedCell {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.cells)
}

// Plan records that a cell is about to run.
func (j *Journal) Plan(p PlannedCell) error {
	raw, err := encode(PlanLine{p, noCRC})
	if err != nil {
		return fmt.Errorf("journal cell %s: %w", p.Cell.Name(), err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.write(raw); err != nil {
		return fmt.Errorf("journal cell %s: %w", p.Cell.Name(), err)
	}
	j.cells = append(j.cells, p)
	return nil
}

// Append writes one evaluation with one write; final says that it is never asked
// again.
func (j *Journal) Append(e Evaluation, final bool) error {
	head := newEntry(e, j.prior[e.ID].Attempts+1, final)
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	body, err := head.encode(buffer, e)
	if err != nil {
		return fmt.Errorf("journal %q: %w", e.ID, err)
	}
	raw := buffer.Bytes()
	j.mu.Lock()
	defer j.mu.Unlock()
	offset, err := j.write(raw)
	if err != nil {
		return fmt.Errorf("journal %q: %w", e.ID, err)
	}
	j.lines = append(j.lines, line{e.Cell.Name(), string(e.Attack), e.Trial, head.Attempt, final, offset, len(raw), body})
	j.note(string(e.Cell.Model), head)
	return nil
}

// Head is what a line after the last one would name. It fixes the whole journal.
func (j *Journal) Head() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.link
}

// write has raw name the line before it and appends it with one write, so that it
// reaches the kernel whole or is seen to be torn. After a failure nothing more is written: a run that can't be
// recorded must not be paid for.
func (j *Journal) write(raw []byte) (offset int64, err error) {
	if j.err != nil {
		return 0, j.err
	}
	head := headOf(raw[:len(raw)-1])
	copy(prevOf(head), j.link)
	if _, err := j.file.WriteAt(raw, j.size); err != nil {
		j.err = fmt.Errorf("write: %w: nothing was lost that had ended before; make room and resume with VAULT_RUN_ID", err)
		return 0, j.err
	}
	offset = j.size
	j.size += int64(len(raw))
	j.link = checksum(head)
	j.dirty = true
	return offset, nil
}

// note keeps who served the replies behind an entry.
func (j *Journal) note(model string, h Entry) {
	for _, id := range h.Served {
		if !slices.Contains(j.served[model], id) {
			j.served[model] = append(j.served[model], id)
		}
	}
}

// Served are the ids under which a model's replies came, sorted.
func (j *Journal) Served(model string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Sorted(slices.Values(j.served[model]))
}

// Err is the first failure to write. The run must ask nothing more after it.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// syncLoop brings what was written to the disk, batched.
func (j *Journal) syncLoop() {
	defer close(j.done)
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = j.sync() // kept in err
		case <-j.stop:
			return
		}
	}
}

// sync does not hold up writers.
func (j *Journal) sync() error {
	j.mu.Lock()
	dirty := j.dirty
	j.dirty = false
	j.mu.Unlock()
	if !dirty {
		return nil
	}
	err := j.file.Sync()
	if err != nil {
		j.mu.Lock()
		j.err = cmp.Or(j.err, fmt.Errorf("sync: %w: what was written in the last second may be lost", err))
		j.mu.Unlock()
	}
	return err
}

// Close brings the journal to the disk, closes its file and lets others have it.
func (j *Journal) Close() error {
	select {
	case <-j.stop:
		return nil
	default:
		close(j.stop)
	}
	<-j.done
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.file.Truncate(j.size), j.file.Sync(), j.file.Close(), j.lock.Unlock())
}
