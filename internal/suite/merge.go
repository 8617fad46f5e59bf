package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

const shardVariable = "VAULT_SHARD"

// part is one of the runs that are merged.
type part struct {
	dir      string
	shard    plan.Shard
	manifest record.Manifest
}

func (p part) String() string { return fmt.Sprintf("%s (shard %s)", p.dir, p.shard) }

// Merge joins the finished runs of all shards of a grid in results/id: its lines,
// receipts and summary are those of a run that was never divided. Each part is
// verified while it is read. Parts that are made of other things, that overlap or
// that leave a gap are refused by name, and then nothing is left behind. The suite
// gives golden, gate, key and parties; held are the digests of what the whole is held
// against and its parts were not.
func Merge(s *Suite, held map[string]string, dirs []string, results, id string) (_ report.Summary, _ string, err error) {
	parts, err := partsOf(dirs)
	if err != nil {
		return report.Summary{}, "", err
	}
	m := parts[0].manifest
	if key := s.key(); key.ID() != m.KeyID {
		return report.Summary{}, "", fmt.Errorf("%s was signed by key %s, and VAULT_SIGNING_KEY holds %s: a merged run is signed as its parts are", parts[0].dir, m.KeyID, key.ID())
	}
	dir := filepath.Join(results, cmp.Or(id, newRunID()))
	if err := os.MkdirAll(results, 0o755); err != nil {
		return report.Summary{}, "", err
	}
	switch err := os.Mkdir(dir, 0o755); { // whoever makes it is the only one to write to it
	case errors.Is(err, fs.ErrExist):
		return report.Summary{}, "", fmt.Errorf("%s is there already: choose another name", dir)
	case err != nil:
		return report.Summary{}, "", err
	}
	r, err := mergedRun(s, held, results, dir, parts)
	if err != nil {
		return report.Summary{}, "", errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.journal.Close(), os.RemoveAll(dir))
		}
	}()
	for _, p := range parts {
		if err := r.take(p); err != nil {
			return report.Summary{}, "", err
		}
	}
	summary, err := r.Finish()
	return summary, dir, err
}

// partsOf reads the manifests, in the order of the shards, and refuses what is not
// one grid, whole and once.
func partsOf(dirs []string) ([]part, error) {
	var parts []part
	for _, dir := range dirs {
		m, err := receipt.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		shard, err := plan.ParseShard(m.Option(shardVariable))
		if err != nil || shard.Of == 0 {
			return nil, fmt.Errorf("%s: VAULT_SHARD was %q: only the runs of shards are merged", dir, m.Option(shardVariable))
		}
		parts = append(parts, part{dir, shard, m})
	}
	if len(parts) == 0 {
		return nil, errors.New("no run to merge: name the folders of all shards")
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.shard.Index - b.shard.Index })
	first := parts[0]
	for i, p := range parts {
		if p.shard.Of != first.shard.Of {
			return nil, fmt.Errorf("%v and %v are parts of divisions into %d and %d", first, p, first.shard.Of, p.shard.Of)
		}
		if i > 0 && p.shard == parts[i-1].shard {
			return nil, fmt.Errorf("%v and %v overlap: both hold the same sessions", parts[i-1], p)
		}
		if p.shard.Index != i+1 {
			return nil, fmt.Errorf("shard %d/%d is missing: name its folder", i+1, first.shard.Of)
		}
		if lines := record.Differences(alike(first.manifest), alike(p.manifest), append([]string{shardVariable, "VAULT_LONG"}, mayDiffer...)...); len(lines) > 0 {
			return nil, fmt.Errorf("%v and %v are made of other things, and one run can't hold both:\n  %s", first, p, strings.Join(lines, "\n  "))
		}
	}
	if n := len(parts); n != first.shard.Of {
		return nil, fmt.Errorf("shard %d/%d is missing: name its folder", n+1, first.shard.Of)
	}
	return parts, nil
}

// alike is a manifest without what the first shard alone replays.
func alike(m record.Manifest) record.Manifest {
	digests := map[string]string{}
	for name, digest := range m.Digests {
		if !strings.HasPrefix(name, recordingsPrefix) {
			digests[name] = digest
		}
	}
	m.Digests = digests
	return m
}

// mergedRun begins the run of the whole.
func mergedRun(s *Suite, held map[string]string, results, dir string, parts []part) (*Run, error) {
	m := parts[0].manifest
	m.RunID, m.Seal, m.Signature, m.FinishedAt, m.Tests, m.Failures = filepath.Base(dir), nil, "", "", "", nil
	m.Options = maps.Clone(m.Options)
	m.Options[shardVariable] = " (default)"
	m.Digests = map[string]string{}
	cells := map[string]record.PlannedCell{}
	var failed []record.Failure
	for _, p := range parts {
		maps.Copy(m.Digests, p.manifest.Digests)
		m.StartedAt = min(m.StartedAt, p.manifest.StartedAt)
		for _, f := range p.manifest.Failures {
			f.Message = p.String() + ": " + f.Message
			failed = append(failed, f)
		}
		if err := addCells(cells, parts[0], p); err != nil {
			return nil, err
		}
	}
	m.Sentinels = inAll(parts, func(m record.Manifest) map[string]bool { return m.Sentinels })
	m.Goldens = inAll(parts, func(m record.Manifest) map[string]bool { return m.Goldens })
	maps.Copy(m.Digests, held)
	j, err := record.OpenJournal(dir)
	if err != nil {
		return nil, err
	}
	return &Run{suite: s, key: s.key(), results: results, dir: dir, journal: j, manifest: m, directories: m.Directories, planned: cells, failed: failed}, nil
}

// addCells adds up what the parts planned. A cell that one part did not plan is a
// gap; one that it had no session of is none.
func addCells(cells map[string]record.PlannedCell, first, p part) error {
	seen := map[string]bool{}
	for _, c := range p.manifest.Cells {
		name := c.Cell.Name()
		seen[name] = true
		was, known := cells[name]
		switch recorded := c.Cell.Track == corpus.Recorded; {
		case recorded && p.shard.Index != 1:
			return fmt.Errorf("%v holds the recorded cell %s: those are replayed by the first shard", p, name)
		case !known && !recorded && p.shard.Index != 1:
			return fmt.Errorf("cell %s is in %v and not in %v: run the same cells in every shard", name, p, first)
		case !known:
			cells[name] = c
			continue
		}
		var err error
		if was.Skip, err = joinSkip(was, c); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		was.Evaluations += c.Evaluations
		cells[name] = was
	}
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		if !seen[name] && cells[name].Cell.Track != corpus.Recorded {
			return fmt.Errorf("cell %s is in %v and not in %v: run the same cells in every shard", name, first, p)
		}
	}
	return nil
}

// joinSkip is why a cell of several parts was skipped. A part that had no session of
// the cell says nothing of the others; one that skipped what another ran leaves a gap.
func joinSkip(was, c record.PlannedCell) (string, error) {
	switch {
	case c.Evaluations == 0:
		return was.Skip, nil
	case was.Evaluations == 0:
		return c.Skip, nil
	case c.Skip != "" && was.Skip == "":
		return "", fmt.Errorf("cell %s was skipped (%s), and other shards ran it: run this shard again as they were", c.Cell.Name(), c.Skip)
	case c.Skip == "" && was.Skip != "":
		return "", fmt.Errorf("cell %s was run, and an earlier shard skipped it (%s): run that shard again as this one", c.Cell.Name(), was.Skip)
	}
	return was.Skip, nil
}

// inAll joins what the parts say of the tests beside the cells: one passed in the
// whole if it did in every part that ran it.
func inAll(parts []part, of func(record.Manifest) map[string]bool) map[string]bool {
	var all map[string]bool
	for _, p := range parts {
		for test, passed := range of(p.manifest) {
			if all == nil {
				all = map[string]bool{}
			}
			before, known := all[test]
			all[test] = passed && (before || !known)
		}
	}
	return all
}

// take verifies a part and copies its evaluations. Each must be of the part's own
// sessions: what another machine put there by hand is refused.
func (r *Run) take(p part) error {
	_, err := receipt.VerifyEach(p.dir, nil, func(record.Manifest) (func(record.Evaluation) error, error) {
		return func(e record.Evaluation) error {
			if e.Cell.Track != corpus.Recorded && !p.shard.Has(e.Session) {
				return fmt.Errorf("session %s is not of shard %s", e.Session, p.shard)
			}
			return r.Append(e)
		}, nil
	})
	return err
}
