package ingest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

// Counts are what an import came to.
type Counts struct {
	Read, Imported int64
	Rejected       map[Reason]int64
	Notes          map[string]int64 // what stands behind the counts, such as transfer calls
	Unread         []string         // columns of a table that no field was read from
	LeftOut        []string         // files of a log's folder that were not read
	Calls          map[string]int64 // calls of tools that the tool map does not know
	OtherCalls     int64            // calls of other tools than the tool map's transfer tool
	Parsed         int64            // transfer calls that ask for a payment under the tool map's arguments
	Unparsed       string           // where and why the first one does not; empty: each does
}

// Reject counts a rejected row.
func (c *Counts) Reject(r *Rejected) {
	if c.Rejected == nil {
		c.Rejected = map[Reason]int64{}
	}
	c.Read++
	c.Rejected[r.Reason]++
}

// Take counts an imported row.
func (c *Counts) Take() { c.Read, c.Imported = c.Read+1, c.Imported+1 }

// Note counts something beside.
func (c *Counts) Note(what string, n int64) {
	if c.Notes == nil {
		c.Notes = map[string]int64{}
	}
	c.Notes[what] += n
}

// noteGoalless says how many attacks nobody can carry out without a model: they
// would stand in a simulated banker's rows as attacks that held.
func (c *Counts) noteGoalless(added []corpus.Attack) {
	var n int64
	for _, a := range added {
		if len(a.Goal) == 0 {
			n++
		}
	}
	if n > 0 {
		c.Note("without a goal: simulated bankers can't pay them", n)
	}
}

// noteAlike says how many attacks are much like an earlier one, or share its words:
// they are kept, and count in their own sessions.
func (c *Counts) noteAlike(findings []author.Finding) {
	alike := map[int]bool{}
	for _, f := range findings {
		if f.Warning {
			alike[f.Line] = true
		}
	}
	if len(alike) > 0 {
		c.Note("much like an earlier one, or sharing its words: kept", int64(len(alike)))
	}
}

// noteContradicted says how many attacks expect something else than the layer decides:
// a hole in the policy, or a wrong expectation. They are kept.
func (c *Counts) noteContradicted(findings []author.Finding) {
	rows := map[int]bool{}
	for _, f := range findings {
		if !f.Warning {
			rows[f.Line] = true
		}
	}
	if len(rows) > 0 {
		c.Note(contradictedRows, int64(len(rows)))
	}
}

// contradictedRows is the note that counts them.
const contradictedRows = "expecting something else than the layer decides: kept, attacks lint lists them and a run over them fails"

// Add adds another file's.
func (c *Counts) Add(o Counts) {
	c.Read, c.Imported = c.Read+o.Read, c.Imported+o.Imported
	for r, n := range o.Rejected {
		if c.Rejected == nil {
			c.Rejected = map[Reason]int64{}
		}
		c.Rejected[r] += n
	}
	for what, n := range o.Notes {
		c.Note(what, n)
	}
}

// transferCalls is the note that counts them.
const transferCalls = "transfer calls"

func (c *Counts) noteParsed(err error, place string) {
	if err == nil {
		c.Parsed++
	} else if c.Unparsed == "" {
		c.Unparsed = fmt.Sprintf("%s: %v", place, err)
	}
}

func (c *Counts) noteCall(tool string) {
	if c.Calls == nil {
		c.Calls = map[string]int64{}
	}
	c.Calls[tool]++
}

// Warning says what the counts do not, a line each; empty where there is nothing.
func (c Counts) Warning() string {
	var b strings.Builder
	if len(c.Unread) > 0 {
		fmt.Fprintf(&b, "no field is read from these columns: %s; the mapping says which are (docs/import.md)\n", few(c.Unread))
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out, being neither *.json nor *.jsonl, packed with .gz or .zst or not: %s\n", few(c.LeftOut))
	}
	c.warnOfCalls(&b)
	switch transfers := c.Notes[transferCalls]; {
	case transfers == 0 && c.OtherCalls > 0:
		b.WriteString("WARNING: not one call is a transfer by the tool map: if another tool moves money, called here or named in harmless, it is the wrong map, and every model holds by it\n")
	case transfers > 0 && c.Parsed == 0:
		fmt.Fprintf(&b, "WARNING: not one of %d transfer calls parses under the tool map's arguments (%s): see whether they name what the source's tool takes; a replay is inconclusive\n", transfers, c.Unparsed)
	}
	return b.String()
}

func (c Counts) warnOfCalls(b *strings.Builder) {
	if len(c.Calls) == 0 {
		return
	}
	tools := slices.SortedFunc(maps.Keys(c.Calls), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.Calls[b], c.Calls[a]), cmp.Compare(a, b))
	})
	for i, tool := range tools {
		tools[i] = fmt.Sprintf("%s: %d calls", tool, c.Calls[tool])
	}
	fmt.Fprintf(b, "tools that the tool map does not know: %s\n", first(100, tools)) // whoever mends the map needs each
	b.WriteString("a replay counts no conversation that calls one of them, and is inconclusive: name them in the tool map, in harmless or undecided (docs/recordings.md)\n")
}

// few lists ten at the most.
func few(list []string) string { return first(10, list) }

func first(most int, list []string) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// AllRejected is the number of rows that were not imported.
func (c Counts) AllRejected() int64 { return c.Read - c.Imported }

// String is one line: read, imported, rejected by reason, and what was noted.
func (c Counts) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d read, %d imported, %d rejected", c.Read, c.Imported, c.AllRejected())
	var reasons []string
	for _, r := range slices.Sorted(maps.Keys(c.Rejected)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", r, c.Rejected[r]))
	}
	if len(reasons) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(reasons, ", "))
	}
	for _, what := range slices.Sorted(maps.Keys(c.Notes)) {
		fmt.Fprintf(&b, ", %d %s", c.Notes[what], what)
	}
	return b.String()
}

// Rejects is the file that rejected rows go to, as JSON Lines. It is made with
// the first of them.
type Rejects struct {
	path string
	file *os.File
}

// NewRejects refuses a path that is taken: an earlier import's rejects may wait there.
func NewRejects(path string) (*Rejects, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, rejectsWait(path)
	}
	return &Rejects{path: path}, nil
}

func rejectsWait(path string) error {
	return fmt.Errorf("%s exists: see what an earlier import rejected, then delete it", path)
}

// Path is the file's path, empty as long as nothing was rejected.
func (r *Rejects) Path() string {
	if r.file == nil {
		return ""
	}
	return r.path
}

// Write adds a row.
func (r *Rejects) Write(bad *Rejected) error {
	if r.file == nil {
		if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
			return fmt.Errorf("rejects: %w", err)
		}
		file, err := os.OpenFile(r.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) { // of an import at the same time
			return rejectsWait(r.path)
		}
		if err != nil {
			return fmt.Errorf("rejects: %w", err)
		}
		r.file = file
	}
	// Bytes that are no UTF-8 can't stand in JSON; the source's file still has them.
	raw := strings.ToValidUTF8(bad.Raw, "\ufffd")
	line, err := json.Marshal(struct {
		File   string `json:"file"`
		Row    int64  `json:"row"`
		Reason Reason `json:"reason"`
		Detail string `json:"detail"`
		Raw    string `json:"raw"`
	}{bad.File, bad.Row, bad.Reason, strings.ToValidUTF8(bad.Detail, "\ufffd"), raw})
	if err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// Close closes the file, if there is one.
func (r *Rejects) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
