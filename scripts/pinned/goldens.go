// Package pinned decides what golden/decisions-*.jsonl pins: each goal of each
// attack and honest task of a level, and hand-written probes of the engine. The
// benchmark's tests compare with it, and go tool vault mutate asks it which
// changes of a policy file would be noticed. It stands under scripts because
// layers and bankers meet here: calls are written as the simulated bankers do.
package pinned

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"

	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/strictjson"
)

// Head is the first line of a golden: what was decided by.
type Head struct {
	Version        int          `json:"version"`
	Level          corpus.Level `json:"level"`
	Profile        oap.Profile  `json:"profile"` // but of the probes that name another one
	PassportDigest string       `json:"passport_digest"`
	PackDigest     string       `json:"pack_digest"`
}

// Decision is one decision: of an attack's or honest task's n-th goal, or of a
// probe's n-th call. Messages are for people and not pinned.
type Decision struct {
	ID    string             `json:"id"`
	Allow bool               `json:"allow"`
	Code  authz.DenialReason `json:"code"`
	Rule  string             `json:"rule"`
}

// Verdict is the decision as code/rule; a permission, which names no rule that could
// be another, as its code alone.
func (d Decision) Verdict() string {
	if d.Allow {
		return string(d.Code)
	}
	return fmt.Sprintf("%s/%s", d.Code, d.Rule)
}

// Golden is what is pinned of a level.
type Golden struct {
	Head      Head
	Decisions []Decision
}

const (
	version = 1
	schema  = "golden-decisions.schema.json"
)

// File is the golden of a level, below golden/.
func File(l corpus.Level) string { return "decisions-" + string(l) + ".jsonl" }

// Read reads the committed golden of a level.
func Read(level corpus.Level) (Golden, error) { return ReadFrom(golden.FS, level) }

// ReadFrom reads that of a folder shaped like golden/.
func ReadFrom(folder fs.FS, level corpus.Level) (Golden, error) {
	var g Golden
	raw, err := fs.ReadFile(folder, File(level))
	if err != nil {
		return g, fmt.Errorf("read golden: %w: run go test ./vault_test -update", err)
	}
	lines, err := strictjson.Lines(File(level), raw)
	if err != nil {
		return g, fmt.Errorf("read golden: %w", err)
	}
	if err := lines[0].Decode(schema, &g.Head); err != nil {
		return g, fmt.Errorf("read golden: %w", err)
	}
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		var d Decision
		if err := line.Decode(schema, &d); err != nil {
			return g, fmt.Errorf("read golden: %w", err)
		}
		if seen[d.ID] {
			return g, fmt.Errorf("read golden: %w", line.Errorf("%s stands twice: delete one", d.ID))
		}
		seen[d.ID] = true
		g.Decisions = append(g.Decisions, d)
	}
	return g, nil
}

// Encode is the golden's file.
func (g Golden) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	if err := enc.Encode(g.Head); err != nil {
		return nil, err
	}
	for _, d := range g.Decisions {
		if err := enc.Encode(d); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Difference is a decision that is not the pinned one. Want is nil where the
// golden has no line of it, Got where it was not decided.
type Difference struct {
	ID        string
	Want, Got *Decision
}

// Compare lists the decisions that differ from the golden, those of the golden
// that are missing last. The heads are not compared: they differ with every
// change of a file, whatever it decides.
func (g Golden) Compare(got []Decision) []Difference {
	left := map[string]Decision{}
	for _, d := range g.Decisions {
		left[d.ID] = d
	}
	var out []Difference
	for _, d := range got {
		want, ok := left[d.ID]
		delete(left, d.ID)
		switch {
		case !ok:
			out = append(out, Difference{ID: d.ID, Got: &d})
		case want != d:
			out = append(out, Difference{ID: d.ID, Want: &want, Got: &d})
		}
	}
	for _, d := range g.Decisions {
		if _, stale := left[d.ID]; stale {
			out = append(out, Difference{ID: d.ID, Want: &d})
		}
	}
	return out
}
