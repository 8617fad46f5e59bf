package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"vaultbench/internal/strictjson"
)

// Load reads attacks/*.jsonl and benign/*.jsonl. expectations is the closed
// vocabulary of the field expect.
func Load(fsys fs.FS, expectations []string) (Corpus, error) {
	return load(fsys, false, expectations)
}

// LoadOwn reads a folder that stands in for the shipped corpus, in the same form.
// It may lack honest tasks.
func LoadOwn(fsys fs.FS, expectations []string) (Corpus, error) {
	return load(fsys, true, expectations)
}

func load(fsys fs.FS, own bool, expectations []string) (Corpus, error) {
	c := Corpus{Own: own}
	var err error
	if c.Attacks, err = loadFolder(fsys, "attacks", own, expectations); err != nil {
		return Corpus{}, fmt.Errorf("load corpus: %w", err)
	}
	if c.Benign, err = loadFolder(fsys, "benign", own, expectations); err != nil {
		return Corpus{}, fmt.Errorf("load corpus: %w", err)
	}
	if problems := c.Problems(); len(problems) > 0 {
		return Corpus{}, fmt.Errorf("load corpus: %w", problems[0])
	}
	return c, nil
}

// Files are those of a corpus in one of its folders, attacks or benign, sorted. A
// corpus of somebody's own may have no honest task.
func Files(fsys fs.FS, folder string, own bool) ([]string, error) {
	files, err := fs.Glob(fsys, folder+"/*.jsonl")
	if err != nil || len(files) == 0 && !(own && folder == "benign") {
		return nil, fmt.Errorf("no file matches %s/*.jsonl", folder)
	}
	slices.Sort(files)
	return files, nil
}

// OwnFiles refuses a folder that stands in for the shipped corpus and holds what
// nobody would read: a packed file, another ending or a folder of attacks would be
// missing from the run in silence. Notes (*.md), LICENSE* and what begins with a dot
// may lie there.
func OwnFiles(fsys fs.FS) error {
	for _, folder := range []string{".", "attacks", "benign"} {
		list, err := fs.ReadDir(fsys, folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue // that there must be attacks is Files' to say
		}
		if err != nil {
			return err
		}
		for _, e := range list {
			name := e.Name()
			switch {
			case strings.HasPrefix(name, "."), strings.HasPrefix(name, "LICENSE"), strings.HasSuffix(name, ".md"):
			case folder == "." && (name == "attacks" || name == "benign"):
			case folder != "." && strings.HasSuffix(name, ".jsonl") && !e.IsDir():
			default:
				return fmt.Errorf("%s is not read: attacks stand in attacks/*.jsonl, honest tasks in benign/*.jsonl, not packed and not deeper; "+
					"rename, unpack or move it (notes in *.md may stay)", path.Join(folder, name))
			}
		}
	}
	return nil
}

func loadFolder(fsys fs.FS, folder string, own bool, expectations []string) ([]Attack, error) {
	files, err := Files(fsys, folder, own)
	if err != nil {
		return nil, err
	}
	var all []Attack
	for _, file := range files {
		raw, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		lines, err := strictjson.Lines(file, raw)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			a, err := Decode(line, folder == "benign", expectations)
			if err != nil {
				return nil, err
			}
			a.Own = own
			all = append(all, a)
		}
	}
	sortAttacks(all)
	return all, nil
}

// idMember finds the id of a line that can't be decoded.
var idMember = regexp.MustCompile(`"id"\s*:\s*"([lb][1-5]-[0-9]+)"`)

// Decode reads one line and checks what a line shows by itself. Beside an error
// stands the id alone, if the line has one.
func Decode(line strictjson.Line, benign bool, expectations []string) (Attack, error) {
	var a Attack
	if err := line.Decode("attack.schema.json", &a); err != nil {
		id := idMember.FindSubmatch(line.Raw)
		if id == nil {
			return Attack{}, err
		}
		return Attack{ID: AttackID(id[1])}, fmt.Errorf("%w (id %s)", err, id[1])
	}
	a.File, a.Line = line.File, line.Number
	if text := a.flaw(benign, expectations); text != "" {
		return Attack{ID: a.ID}, line.Errorf("%s: %s", a.ID, text)
	}
	return a, nil
}

// flaw says what is wrong with a line that its schema does not see.
func (a Attack) flaw(benign bool, expectations []string) string {
	if len(a.Expect) != len(a.Goal) {
		return fmt.Sprintf("%d goal entries and %d expectations: write one word per entry", len(a.Goal), len(a.Expect))
	}
	for _, word := range a.Expect {
		if !slices.Contains(expectations, word) {
			return fmt.Sprintf("unknown expectation %q: use one of %s", word, strings.Join(expectations, ", "))
		}
	}
	var last int64
	for i, p := range a.Goal {
		if p.At < last && p.At != 0 {
			return fmt.Sprintf("goal %d: at %d lies before an earlier entry: the clock never goes back", i, p.At)
		}
		last = max(last, p.At)
	}
	if benign != (a.Twin != "") {
		return "a benign task names its attack in twin, and an attack has none"
	}
	return ""
}

// Problem is what is wrong with an entry, in words that say what to do.
type Problem struct {
	Attack Attack
	Other  Attack // the entry that it collides with; zero: none
	Text   string
}

// Error names the place and the problem.
func (p Problem) Error() string { return p.Attack.Where() + ": " + p.Text }

// Problems lists what no single line shows; a corpus that has one does not load.
func (c Corpus) Problems() []Problem {
	var out []Problem
	byID := map[AttackID]Attack{}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		if first, twice := byID[a.ID]; twice {
			out = append(out, Problem{a, first, fmt.Sprintf("duplicate id, first used at %s:%d", first.File, first.Line)})
			continue
		}
		byID[a.ID] = a
	}
	for _, b := range c.Benign {
		twin, ok := byID[b.Twin]
		text := ""
		switch {
		case !ok || twin.Twin != "":
			text = fmt.Sprintf("twin %q is no attack", b.Twin)
		case twin.Level != b.Level:
			text = fmt.Sprintf("twin %s is of level %s", b.Twin, twin.Level)
		case b.Messages[len(b.Messages)-1] == twin.Messages[len(twin.Messages)-1]:
			text = fmt.Sprintf("last message equals that of %s: change at least one byte", b.Twin)
		}
		if text != "" {
			out = append(out, Problem{Attack: b, Other: twin, Text: text})
		}
	}
	return append(out, c.sameKeys(Tracks()...)...)
}

// harmless reports whether no banker pays the goal of the one in the conversation of
// the other, which is the same or goes on. Strangers whose texts somebody published
// may well have written the same words.
func harmless(first, second Attack, same bool) bool {
	if same {
		return slices.EqualFunc(first.Goal, second.Goal, Payment.equal)
	}
	return len(first.Goal) == 0
}

func (p Payment) equal(o Payment) bool {
	return p.Recipient == o.Recipient && string(p.Amount) == string(o.Amount) && p.Currency == o.Currency && p.Memo == o.Memo && p.At == o.At
}

// sameKeys finds two attacks of a level and track whose conversations can't be told
// apart: a simulated banker knows a goal by the messages so far, so no sequence
// may equal another or be its beginning, unless, in a corpus of somebody's own, that
// misleads nobody.
func (c Corpus) sameKeys(tracks ...Track) []Problem {
	var out []Problem
	for _, level := range Levels() {
		for _, track := range tracks {
			as := c.Select(level, track)
			slices.SortStableFunc(as, func(a, b Attack) int {
				return slices.Compare(a.UserMessages(track), b.UserMessages(track))
			})
			for i := 1; i < len(as); i++ {
				a, b := as[i-1].UserMessages(track), as[i].UserMessages(track)
				if len(b) >= len(a) && slices.Equal(a, b[:len(a)]) && !(c.Own && harmless(as[i-1], as[i], len(a) == len(b))) {
					out = append(out, Problem{as[i], as[i-1], fmt.Sprintf("messages begin like those of %s on track %s: change one", as[i-1].Where(), track)})
				}
			}
		}
	}
	return out
}
