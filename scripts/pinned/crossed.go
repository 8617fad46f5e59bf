package pinned

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"

	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/strictjson"
)

// CrossedFile is the golden of every attack at every level, below golden/.
const CrossedFile = "decisions-crossed.jsonl"

const crossedSchema = "golden-crossed.schema.json"

// Crossing is one goal of an attack at each level, as Decision.Verdict words it.
type Crossing struct {
	ID string `json:"id"`
	L1 string `json:"l1"`
	L2 string `json:"l2"`
	L3 string `json:"l3"`
	L4 string `json:"l4"`
	L5 string `json:"l5"`
}

func (c *Crossing) at(l corpus.Level) *string {
	return map[corpus.Level]*string{corpus.L1: &c.L1, corpus.L2: &c.L2, corpus.L3: &c.L3, corpus.L4: &c.L4, corpus.L5: &c.L5}[l]
}

// Cross decides every goal of every attack at every level, in order of the ids;
// open starts the state of one conversation at a level. Whatever is allowed is
// handed to each, with the attack as it was moved.
func (c Cases) Cross(open func(corpus.Level) authz.Authorizer, allowed func(moved corpus.Attack, goal corpus.Payment)) []Crossing {
	var all []Crossing
	for _, a := range c.corpus.Attacks {
		lines := make([]Crossing, len(a.Goal))
		for _, level := range corpus.Levels() {
			moved := derived.Cross(a, c.levels[a.Level], c.levels[level])
			for i, d := range c.DecideGoal(moved, open(level)) {
				lines[i].ID = goalID(a.ID, i)
				*lines[i].at(level) = verdict(d)
				if d.Allowed() {
					allowed(moved, moved.Goal[i])
				}
			}
		}
		all = append(all, lines...)
	}
	return all
}

func verdict(d authz.Decision) string { return line("", d).Verdict() }

// ReadCrossed reads the committed golden.
func ReadCrossed() ([]Crossing, error) { return ReadCrossedFrom(golden.FS) }

// ReadCrossedFrom reads that of a folder shaped like golden/.
func ReadCrossedFrom(folder fs.FS) ([]Crossing, error) {
	raw, err := fs.ReadFile(folder, CrossedFile)
	if err != nil {
		return nil, fmt.Errorf("read golden: %w: run go test ./vault_test -update", err)
	}
	lines, err := strictjson.Lines(CrossedFile, raw)
	if err != nil {
		return nil, fmt.Errorf("read golden: %w", err)
	}
	var all []Crossing
	for _, line := range lines {
		var c Crossing
		if err := line.Decode(crossedSchema, &c); err != nil {
			return nil, fmt.Errorf("read golden: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// EncodeCrossed is the golden's file.
func EncodeCrossed(all []Crossing) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, c := range all {
		if err := enc.Encode(c); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// At is what is pinned of the goal at a level, as code/rule or as a code alone.
func (c Crossing) At(l corpus.Level) string { return *c.at(l) }

// Crossed compares what is decided with what is pinned: one line a difference, with
// the goal, the level, and old → new.
func Crossed(want, got []Crossing) []string {
	left := map[string]Crossing{}
	for _, c := range want {
		left[c.ID] = c
	}
	var out []string
	for _, c := range got {
		was, ok := left[c.ID]
		if delete(left, c.ID); !ok {
			out = append(out, c.ID+" has no line")
			continue
		}
		for _, l := range corpus.Levels() {
			if c.At(l) != was.At(l) {
				out = append(out, fmt.Sprintf("%s at %s: %s → %s", c.ID, l, was.At(l), c.At(l)))
			}
		}
	}
	for _, c := range want {
		if _, stale := left[c.ID]; stale {
			out = append(out, c.ID+" was not decided: its attack is gone")
		}
	}
	return out
}
