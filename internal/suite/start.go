package suite

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Start opens the run results/<id>: a new one, or one that an earlier process left
// unfinished and that is made of the same things. An empty id is made from the
// time. Two processes never share a run. root is the module root, whose revision
// goes into the manifest.
func Start(s *Suite, root, results, id string, m record.Manifest) (*Run, error) {
	if id == "" {
		id = newRunID()
	}
	j, err := record.OpenJournal(filepath.Join(results, id))
	if err != nil {
		return nil, err
	}
	r, err := newRun(s, root, results, id, m)
	if err == nil {
		r.journal = j
		err = r.resume(j.Empty(), j.Cells())
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	s.Sink = r
	return r, r.writeManifest()
}

// Left is what of the run results/<id> is done, read without touching it. It
// refuses what Start would refuse to go on with.
func Left(s *Suite, root, results, id string, m record.Manifest) (record.Left, error) {
	if id == "" {
		return record.Left{Empty: true}, nil
	}
	left, err := record.ReadLeft(filepath.Join(results, id))
	if err != nil {
		return left, err
	}
	r, err := newRun(s, root, results, id, m)
	if err != nil {
		return left, err
	}
	return left, r.resume(left.Empty, left.Cells)
}

// newRun is a run without its journal.
func newRun(s *Suite, root, results, id string, m record.Manifest) (*Run, error) {
	r := &Run{suite: s, key: s.key(), results: results, dir: filepath.Join(results, id), directories: s.Directories(), planned: map[string]record.PlannedCell{}}
	m.Version, m.RunID, m.StartedAt = record.ManifestVersion, id, now()
	m.GoVersion, m.Trials, m.KeyID = runtime.Version(), s.Trials, r.key.ID()
	m.Bootstrap = report.Resampling()
	m.Directories, m.AuditCodeKeys = r.directories, s.auditCodeKeys()
	err := stamp(&m, root)
	r.manifest = m
	return r, err
}

// mayDiffer are the variables that say how a run is done and not what it is. Of
// the signing key its id is compared, of recordings and corpus their digests. Long proofs that
// failed are not cleared by short ones, so VAULT_LONG is not among them.
var mayDiffer = []string{
	"VAULT_RUN_ID", "VAULT_RESULTS", "VAULT_CONCURRENCY", "VAULT_ATTEMPT_TIMEOUT", "VAULT_BUDGET_USD", "VAULT_BUDGET_TOKENS", "VAULT_LOG", "VAULT_RECORD",
	"VAULT_GATE", "VAULT_SIGNING_KEY", "VAULT_RECORDINGS", "VAULT_CORPUS",
}

// resume takes over what an earlier process left, if it was the same run: whether
// its journal is empty, and the cells there.
func (r *Run) resume(empty bool, cells []record.PlannedCell) error {
	was, err := receipt.ReadManifest(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if empty {
			return nil
		}
		return fmt.Errorf("resume %s: the journal is there and the manifest is not, so nobody knows what the run was made of: choose another VAULT_RUN_ID", r.dir)
	}
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	is := r.manifest
	is.Digests = withRecordings(is.Digests, was.Digests) // held against each other by Digest
	if lines := record.Differences(was, is, mayDiffer...); len(lines) > 0 {
		return fmt.Errorf("resume %s: the run was begun with other things, and one run can't hold both:\n  %s\nput back what changed, or choose another VAULT_RUN_ID", r.dir, strings.Join(lines, "\n  "))
	}
	r.was, r.manifest.StartedAt, r.manifest.Digests = &was, was.StartedAt, is.Digests
	r.earlier = earlierFailures(was)
	r.manifest.Failures = r.earlier // whatever becomes of this process
	for _, p := range cells {
		r.planned[p.Cell.Name()] = p
	}
	return r.stillThere()
}

// stillThere refuses to go on without a banker that the run was begun with: its
// cells would be called skipped, though they have evaluations.
func (r *Run) stillThere() error {
	for _, name := range slices.Sorted(maps.Keys(r.planned)) {
		p := r.planned[name]
		if why := r.suite.Bankers[p.Cell.Model].Skip; p.Skip == "" && why != "" {
			return fmt.Errorf("resume %s: cell %s was begun, and would be skipped now (%s): put that back, or choose another VAULT_RUN_ID", r.dir, name, why)
		}
	}
	return nil
}

const recordingsPrefix = "recordings/"

// withRecordings are digests with the recordings of others.
func withRecordings(digests, others map[string]string) map[string]string {
	all := map[string]string{}
	for name, digest := range digests {
		all[name] = digest
	}
	for name, digest := range others {
		if strings.HasPrefix(name, recordingsPrefix) {
			all[name] = digest
		}
	}
	return all
}

// Resumed says what an earlier process left: how many evaluations, how many of
// them are final and not asked again, and how many bytes of a torn line were
// dropped.
func (r *Run) Resumed() (recorded, final int, torn int64) {
	recorded, final = r.journal.Priors()
	return recorded, final, r.journal.Cut()
}

func newRunID() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// stamp says of which code a run is: its revision, and where that does not tell,
// the digest of its files, so that no run goes on or is merged with other code.
func stamp(m *record.Manifest, root string) error {
	if m.Revision, m.Modified = revision(root); m.Revision != "" && !m.Modified {
		return nil
	}
	digest, err := codeDigest(root)
	if err != nil {
		return fmt.Errorf("digest the code: %w", err)
	}
	m.Digests = maps.Clone(m.Digests)
	if m.Digests == nil {
		m.Digests = map[string]string{}
	}
	m.Digests["code"] = digest
	return nil
}

// revision asks git for the code's revision, since go test stamps none into its
// binaries; empty where there is no git or no checkout.
func revision(root string) (rev string, modified bool) {
	out, err := exec.Command("git", "-C", root, "status", "--porcelain=v2", "--branch", "--no-renames").Output()
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(out)) {
		header, isHeader := strings.CutPrefix(line, "# ")
		if oid, ok := strings.CutPrefix(header, "branch.oid "); ok && isHeader {
			rev = strings.TrimSpace(oid)
		}
		modified = modified || !isHeader
	}
	if rev == "(initial)" { // nothing was committed yet
		return "", false
	}
	return rev, modified
}
