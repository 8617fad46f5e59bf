package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

// maxDraft bounds the attacks of one import, which are compared with each other
// and with the corpus and so are held in memory.
const maxDraft = 64 << 20 // bytes

// Attacks imports a table of attacks through the author's tool: ids are given and
// every check that a hand-written attack passes holds.
type Attacks struct {
	Fixtures     fs.FS // of the module: what is there already
	Own          bool  // into a corpus that stands alone: its ids begin at 1, and what is alike or contradicted is kept
	Expectations []string
	Mapping      Mapping // with no columns: a shipped one
	Rejects      *Rejects

	// Contradicted says which entries expect something else than the layer decides;
	// nil: nobody asks it.
	Contradicted func([]corpus.Attack) ([]author.Finding, error)
}

// Import returns what is to be written. A row that fails a check is rejected, and
// the others are checked without it.
func (a Attacks) Import(path string) (author.Addition, Counts, error) {
	var c Counts
	levels, err := corpus.LoadLevels(a.Fixtures)
	if err != nil {
		return author.Addition{}, c, err
	}
	last := map[corpus.Level]int{}
	if !a.Own {
		if last, err = a.lastSessions(); err != nil {
			return author.Addition{}, c, err
		}
	}
	rows, err := a.read(path, levels, &c)
	if err != nil {
		return author.Addition{}, c, err
	}
	for {
		if len(rows) == 0 {
			return author.Addition{}, c, fmt.Errorf("%s: none of %d rows could be imported", path, c.Read)
		}
		added, wrong, err := a.add(path, rows, levels, last)
		if err != nil {
			return author.Addition{}, c, err
		}
		if len(wrong) == 0 {
			for range rows {
				c.Take()
			}
			c.noteGoalless(added.Entries)
			c.noteContradicted(added.Findings)
			c.noteAlike(added.Findings)
			return added, c, nil
		}
		if rows, err = a.without(path, rows, wrong, &c); err != nil {
			return author.Addition{}, c, err
		}
	}
}

// add makes entries of the rows, or says what is wrong with them.
func (a Attacks) add(path string, rows []drafted, levels map[corpus.Level]corpus.LevelSpec, last map[corpus.Level]int) (added author.Addition, wrong []author.Finding, err error) {
	draft, err := file(path, rows, last)
	if err != nil {
		return added, nil, err
	}
	if a.Own {
		added = author.AddOwn(levels, draft, a.Expectations)
	} else if added, err = author.Add(a.Fixtures, draft, a.Expectations); err != nil {
		return added, nil, err
	}
	if len(added.Entries) == 0 {
		return added, added.Findings, nil
	}
	if a.Contradicted != nil {
		wrong, err = a.Contradicted(added.Entries)
	}
	if a.Own {
		// A run over them is to show where the policy has a hole.
		added.Findings, wrong = append(added.Findings, wrong...), nil
	}
	return added, wrong, err
}

// drafted is a row that was read.
type drafted struct {
	row    int
	entry  draft  // with the source's session
	source string // as it was read
}

func (a Attacks) read(path string, levels map[corpus.Level]corpus.LevelSpec, c *Counts) ([]drafted, error) {
	var rows []drafted
	size := 0
	reject := func(r *Rejected) error {
		c.Reject(r)
		return a.Rejects.Write(r)
	}
	err := eachRow(path, a.Mapping, KindAttacks, []string{RunPrompts, PaperPrompts}, func(b *binding, row int64) error {
		d := drafted{int(row), b.attack(path, row, levels), b.table.Raw(b.lists)}
		if err := b.rejection(path, row); err != nil {
			return reject(b.bad)
		}
		if size += len(d.source) + len(strings.Join(d.entry.Messages, "")); size > maxDraft {
			return fmt.Errorf("%s:%d: more than %d MiB of attacks: split the file", filepath.Base(path), row, maxDraft>>20)
		}
		rows = append(rows, d)
		return nil
	}, reject, func(columns []string) { c.Unread = columns })
	return rows, err
}

// file is a draft of the rows, as the author's tool takes it. Their sessions get the
// numbers behind last, by level: those of rows that were rejected leave no gap. What
// is found is said of the rows.
func file(path string, rows []drafted, last map[corpus.Level]int) (author.File, error) {
	s := &sessions{next: maps.Clone(last), names: map[[2]string]corpus.SessionID{}}
	var b bytes.Buffer
	numbers := make([]int, len(rows))
	enc := json.NewEncoder(&b)
	for i, r := range rows {
		numbers[i] = r.row
		r.entry.Session = s.of(r.entry.Level, r.entry.Session)
		if err := enc.Encode(r.entry); err != nil {
			return author.File{}, err
		}
	}
	return author.File{Name: filepath.Base(path), Data: b.Bytes(), Rows: numbers}, nil
}

// without rejects the rows that have findings, each for its first one. The ids that
// it names of the table's entries are left out: they are given anew without it.
func (a Attacks) without(path string, rows []drafted, findings []author.Finding, c *Counts) ([]drafted, error) {
	name := filepath.Base(path)
	ids := regexp.MustCompile(`(^| )(` + regexp.QuoteMeta(name) + `:[0-9]+): l[1-5]-[0-9]+`)
	first := map[int]string{}
	for _, f := range findings {
		if f.File != name {
			return nil, fmt.Errorf("mend the corpus first: %s", f)
		}
		if _, known := first[f.Line]; !known {
			first[f.Line] = ids.ReplaceAllString(f.Text, "$1$2")
		}
	}
	var left []drafted
	for _, row := range rows {
		detail, bad := first[row.row]
		if !bad {
			left = append(left, row)
			continue
		}
		r := &Rejected{File: name, Row: int64(row.row), Reason: FailedChecks, Detail: detail, Raw: row.source}
		c.Reject(r)
		if err := a.Rejects.Write(r); err != nil {
			return nil, err
		}
	}
	if len(left) == len(rows) { // nobody would ever end
		return nil, fmt.Errorf("%s: no row has the finding %s", name, findings[0])
	}
	return left, nil
}

// sessions gives the source's sessions names of ours. A session of ours belongs
// to one level, so one of theirs that goes on at another gets another there.
type sessions struct {
	next  map[corpus.Level]int
	names map[[2]string]corpus.SessionID
}

// lastSessions are the highest that were ever given, by level.
func (a Attacks) lastSessions() (map[corpus.Level]int, error) {
	c, err := corpus.Load(a.Fixtures, a.Expectations)
	if err != nil {
		return nil, errors.Join(errors.New("mend the corpus first"), err)
	}
	return author.LastSessions(a.Fixtures, c)
}

func (s *sessions) of(level corpus.Level, theirs corpus.SessionID) corpus.SessionID {
	key := [2]string{string(level), string(theirs)}
	if _, known := s.names[key]; !known {
		s.next[level]++
		s.names[key] = corpus.SessionID(fmt.Sprintf("%s-s%02d", level, s.next[level]))
	}
	return s.names[key]
}
