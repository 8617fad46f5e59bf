package suite

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
)

// summaryFile is the name of a run's figures.
const summaryFile = "summary.json"

// Run is a run's folder: the journal while it goes on, the reports at its end.
type Run struct {
	suite    *Suite
	key      receipt.Key
	results  string
	dir      string
	journal  *record.Journal
	manifest record.Manifest

	mu      sync.Mutex
	planned map[string]record.PlannedCell
	served  map[string]map[string]bool // by model slug
}

// Start creates results/<id>; an empty id is made from the time. Two runs never
// share a folder. root is the module root, whose revision goes into the manifest.
func Start(s *Suite, root, results, id string, m record.Manifest) (*Run, error) {
	if id == "" {
		id = newRunID()
	}
	dir := filepath.Join(results, id)
	j, err := record.CreateJournal(dir)
	if err != nil {
		return nil, fmt.Errorf("%w (VAULT_RESULTS names the folder)", err)
	}
	m.Version, m.RunID, m.StartedAt = record.ManifestVersion, id, now()
	m.GoVersion, m.Trials = runtime.Version(), s.Trials
	m.Revision, m.Modified = revision(root)
	m.Directories = s.Directories()
	r := &Run{suite: s, key: s.Key, results: results, dir: dir, journal: j, manifest: m, planned: map[string]record.PlannedCell{}, served: map[string]map[string]bool{}}
	if r.key.ID() == "" {
		r.key = receipt.TestKey()
	}
	s.Sink = r
	return r, r.writeManifest()
}

func newRunID() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// revision asks git for the code's revision, since go test stamps none into its
// binaries; empty where there is no git or no checkout.
func revision(root string) (rev string, modified bool) {
	out, err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", false
	}
	status, err := exec.Command("git", "-C", root, "status", "--porcelain").Output()
	return strings.TrimSpace(string(out)), err != nil || len(status) > 0
}

// Dir is the run's folder.
func (r *Run) Dir() string { return r.dir }

// Plan notes that a cell is about to run.
func (r *Run) Plan(p record.PlannedCell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned[p.Cell.Name()] = p
}

// Digest notes what else the run is made of, by name.
func (r *Run) Digest(digests map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.manifest.Digests == nil {
		r.manifest.Digests = map[string]string{}
	}
	maps.Copy(r.manifest.Digests, digests)
}

// Append records an evaluation.
func (r *Run) Append(e record.Evaluation) error {
	if err := r.journal.Append(e); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.Evaluations++
	for _, reply := range e.Replies {
		if reply.ServedModel == "" {
			continue
		}
		slug := string(e.Cell.Model)
		if r.served[slug] == nil {
			r.served[slug] = map[string]bool{}
		}
		r.served[slug][reply.ServedModel] = true
	}
	return nil
}

// Fail notes what failed outside the cells; Finish then does not let the run pass.
func (r *Run) Fail(kind record.FailureKind, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.FailureKind, r.manifest.Failure = kind, reason
}

// Sentinels notes, by test, whether the known-bad layers and bankers were noticed.
func (r *Run) Sentinels(noticed map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.Sentinels = maps.Clone(noticed)
}

// Finish writes the run's files from its journal, signs and seals them, and
// points results/latest at the folder. Receipts and summary are built from
// evaluations.jsonl alone, so a later report over the same file says the same.
func (r *Run) Finish() (report.Summary, error) {
	if err := r.journal.Finish(); err != nil {
		return report.Summary{}, err
	}
	summary, seal, err := r.close()
	if err != nil {
		return report.Summary{}, err
	}
	if err := writeChecked(filepath.Join(r.dir, summaryFile), "summary.schema.json", summary); err != nil {
		return report.Summary{}, err
	}
	err = record.WriteFile(filepath.Join(r.dir, report.JUnitFile), func(w io.Writer) error { return report.WriteJUnit(w, summary) })
	if err != nil {
		return report.Summary{}, err
	}
	r.manifest.FinishedAt, r.manifest.SummaryState, r.manifest.Seal = now(), string(summary.Status), seal
	if err := r.writeManifest(); err != nil {
		return report.Summary{}, err
	}
	if err := r.journal.Close(); err != nil {
		return report.Summary{}, err
	}
	return summary, linkLatest(r.results, r.manifest.RunID)
}

// close reads evaluations.jsonl once, one evaluation at a time: it signs the
// decisions and adds the figures up.
func (r *Run) close() (report.Summary, *record.Seal, error) {
	b, err := report.NewBuilder(r.cells(), r.suite.Directories(), r.suite.judge(), r.suite.Golden)
	if err != nil {
		return report.Summary{}, nil, err
	}
	b.Hold(r.suite.Gate)
	head := ""
	err = record.WriteFile(filepath.Join(r.dir, receipt.File), func(out io.Writer) error {
		w := receipt.NewWriter(out, r.key, r.suite.Parties)
		defer func() { head = w.Head() }()
		return record.Read(filepath.Join(r.dir, record.EvaluationsFile), func(e record.Evaluation) error {
			if err := b.Add(e); err != nil {
				return err
			}
			return w.Add(e)
		})
	})
	if err != nil {
		return report.Summary{}, nil, err
	}
	seal, err := receipt.Seal(r.dir, head)
	summary := b.Summary()
	summary.SigningKey = r.key.Kind()
	if r.manifest.Failure != "" {
		summary.Fail(r.manifest.FailureKind, r.manifest.Failure)
	}
	return summary, seal, err
}

func (r *Run) cells() []record.PlannedCell {
	r.mu.Lock()
	defer r.mu.Unlock()
	cells := []record.PlannedCell{}
	for _, name := range slices.Sorted(maps.Keys(r.planned)) {
		cells = append(cells, r.planned[name])
	}
	return cells
}

func (r *Run) writeManifest() error {
	r.manifest.Cells = r.cells()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, m := range r.manifest.Models {
		r.manifest.Models[i].Served = slices.Sorted(maps.Keys(r.served[m.Slug]))
	}
	if err := receipt.SignManifest(&r.manifest, r.key); err != nil {
		return err
	}
	return writeChecked(filepath.Join(r.dir, record.ManifestFile), "manifest.schema.json", r.manifest)
}

// writeChecked writes a JSON file and holds it against its schema, so that a
// reader can rely on the schema.
func writeChecked(path, schema string, v any) error {
	if err := record.WriteJSON(path, v); err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read back %s: %w", path, err)
	}
	if err := strictjson.Validate(schema, raw); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// linkLatest points results/latest at the run, atomically: two runs that end at
// once leave one whole link.
func linkLatest(results, id string) error {
	latest := filepath.Join(results, "latest")
	tmp := filepath.Join(results, ".latest-"+id)
	if err := os.Symlink(id, tmp); err != nil {
		return fmt.Errorf("point results/latest at the run: %w", err)
	}
	if err := os.Rename(tmp, latest); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("point results/latest at the run: %w", err)
	}
	return nil
}
