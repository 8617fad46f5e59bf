package corpus

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"vaultbench/internal/strictjson"
)

// Load reads attacks/*.jsonl and benign/*.jsonl. expectations is the closed
// vocabulary of the field expect.
func Load(fsys fs.FS, expectations []string) (Corpus, error) {
	var c Corpus
	var err error
	if c.Attacks, err = loadFolder(fsys, "attacks", expectations); err != nil {
		return Corpus{}, fmt.Errorf("load corpus: %w", err)
	}
	if c.Benign, err = loadFolder(fsys, "benign", expectations); err != nil {
		return Corpus{}, fmt.Errorf("load corpus: %w", err)
	}
	if err := c.check(); err != nil {
		return Corpus{}, fmt.Errorf("load corpus: %w", err)
	}
	return c, nil
}

func loadFolder(fsys fs.FS, folder string, expectations []string) ([]Attack, error) {
	files, err := fs.Glob(fsys, folder+"/*.jsonl")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no file matches %s/*.jsonl", folder)
	}
	slices.Sort(files)
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
			a, err := readAttack(line, folder == "benign", expectations)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		}
	}
	sortAttacks(all)
	return all, nil
}

// idMember finds the id of a line that can't be decoded.
var idMember = regexp.MustCompile(`"id"\s*:\s*"([lb][1-5]-[0-9]+)"`)

func readAttack(line strictjson.Line, benign bool, expectations []string) (Attack, error) {
	var a Attack
	if err := line.Decode("attack.schema.json", &a); err != nil {
		if id := idMember.FindSubmatch(line.Raw); id != nil {
			err = fmt.Errorf("%w (id %s)", err, id[1])
		}
		return Attack{}, err
	}
	a.File, a.Line = line.File, line.Number
	if len(a.Expect) != len(a.Goal) {
		return Attack{}, line.Errorf("%s: %d goal entries and %d expectations: write one word per entry", a.ID, len(a.Goal), len(a.Expect))
	}
	for _, word := range a.Expect {
		if !slices.Contains(expectations, word) {
			return Attack{}, line.Errorf("%s: unknown expectation %q: use one of %s", a.ID, word, strings.Join(expectations, ", "))
		}
	}
	var last int64
	for i, p := range a.Goal {
		if p.At < last && p.At != 0 {
			return Attack{}, line.Errorf("%s: goal %d: at %d lies before an earlier entry: the clock never goes back", a.ID, i, p.At)
		}
		last = max(last, p.At)
	}
	if benign != (a.Twin != "") {
		return Attack{}, line.Errorf("%s: a benign task names its attack in twin, and an attack has none", a.ID)
	}
	return a, nil
}

// check holds what no single line shows.
func (c Corpus) check() error {
	byID := map[AttackID]Attack{}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		if first, twice := byID[a.ID]; twice {
			return fmt.Errorf("%s: duplicate id, first used at %s:%d", a.Where(), first.File, first.Line)
		}
		byID[a.ID] = a
	}
	for _, b := range c.Benign {
		twin, ok := byID[b.Twin]
		switch {
		case !ok || twin.Twin != "":
			return fmt.Errorf("%s: twin %q is no attack", b.Where(), b.Twin)
		case twin.Level != b.Level:
			return fmt.Errorf("%s: twin %s is of level %s", b.Where(), b.Twin, twin.Level)
		case b.Messages[len(b.Messages)-1] == twin.Messages[len(twin.Messages)-1]:
			return fmt.Errorf("%s: last message equals that of %s: change at least one byte", b.Where(), b.Twin)
		}
	}
	return c.checkKeys()
}

// checkKeys refuses two attacks of a level whose conversations can't be told
// apart: a simulated banker knows a goal by the messages so far, so no sequence
// may equal another or be its beginning.
func (c Corpus) checkKeys() error {
	for _, level := range Levels() {
		for _, track := range Tracks() {
			as := c.Select(level, track)
			slices.SortStableFunc(as, func(a, b Attack) int {
				return slices.Compare(a.UserMessages(track), b.UserMessages(track))
			})
			for i := 1; i < len(as); i++ {
				a, b := as[i-1].UserMessages(track), as[i].UserMessages(track)
				if len(b) >= len(a) && slices.Equal(a, b[:len(a)]) {
					return fmt.Errorf("%s: messages begin like those of %s on track %s: change one", as[i].Where(), as[i-1].Where(), track)
				}
			}
		}
	}
	return nil
}
