package receipt

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// Report is what a run that holds was found to have.
type Report struct {
	RunID       string
	Evaluations int
	Receipts    int
	Transfers   int // executed behind a layer, each as its receipt allowed
	SigningKey  string
	KeyID       string
}

// Verify holds the files of a finished run against each other: the manifest's
// signature, the digests and line counts in it, each receipt's bytes, signature,
// sequence and link to the one before, that receipts and decided calls pair up,
// and that each transfer behind a layer is the one that its receipt allowed. The
// error names file, line and fault.
//
// It can't say whose key signed: the manifest names its own. trusted holds the
// keys that the reader knows; nil: any key will do.
func Verify(dir string, trusted *JWKS) (Report, error) {
	return VerifyEach(dir, trusted, func(record.Manifest) (func(record.Evaluation) error, error) {
		return func(record.Evaluation) error { return nil }, nil
	})
}

// Begin is told the manifest and returns who is handed every evaluation.
type Begin func(record.Manifest) (func(record.Evaluation) error, error)

// VerifyEach does what Verify does, and hands the manifest and then every
// evaluation to a reader on the way: the lines are decoded once. What the reader
// has gathered counts only if VerifyEach ends without an error, since a fault may
// show after the last line.
func VerifyEach(dir string, trusted *JWKS, begin Begin) (Report, error) {
	return read(dir, trusted, begin, true)
}

// ReadSealed does what VerifyEach does but for the receipts' own signatures, which
// take most of the time: the manifest's covers every byte of them through the seal.
// What it lets pass is a receipt that the suite itself signed wrongly.
func ReadSealed(dir string, trusted *JWKS, begin Begin) (Report, error) {
	return read(dir, trusted, begin, false)
}

func read(dir string, trusted *JWKS, begin Begin, each bool) (Report, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return Report{}, err
	}
	v := &verifier{dir: dir, manifest: m, layered: map[string]bool{}, transfers: map[tool]bool{}, prev: genesis}
	v.report = Report{RunID: m.RunID, SigningKey: m.SigningKey, KeyID: m.KeyID}
	if err := v.checkManifest(trusted); err != nil {
		return Report{}, fmt.Errorf("%s: %w", filepath.Join(dir, record.ManifestFile), err)
	}
	if err := v.checkEvaluationsFile(); err != nil {
		return Report{}, err
	}
	if err := record.CheckJournal(dir, m); err != nil {
		return Report{}, err
	}
	if v.lines, err = openLines(filepath.Join(dir, File)); err != nil {
		return Report{}, err
	}
	defer func() { _ = v.lines.file.Close() }()
	visit, err := begin(m)
	if err != nil {
		return Report{}, err
	}
	if each {
		v.signatures = newSignatures(v.public)
	}
	err = v.walk(visit)
	if f := (*fault)(nil); errors.As(err, &f) {
		return Report{}, f
	}
	return v.report, err
}

// walk reads both files to their end. A line's signature may turn out bad after
// later lines were read: it is the first fault all the same.
func (v *verifier) walk(visit func(record.Evaluation) error) error {
	err := record.ReadPlanned(filepath.Join(v.dir, record.EvaluationsFile), v.manifest, func(e record.Evaluation) error {
		if err := v.evaluation(e); err != nil {
			return err
		}
		return visit(e)
	})
	if err == nil {
		err = v.end()
	}
	if v.signatures == nil {
		return err
	}
	if n, bad := v.signatures.close(); n > 0 {
		v.lines.n = n
		return v.lines.faultf("%w: the line was changed, or another key signed it", bad)
	}
	return err
}

// verifier walks evaluations.jsonl and decisions.jsonl side by side, one line of
// each at a time.
type verifier struct {
	dir        string
	manifest   record.Manifest
	public     ed25519.PublicKey
	layered    map[string]bool // by cell name, of the planned ones
	lines      *lines
	signatures *signatures
	prev       string
	named      names
	transfers  map[tool]bool // whether it is the one that pays, of the tools called so far
	unsigned   []byte
	again      []byte
	report     Report
}

func (v *verifier) checkManifest(trusted *JWKS) (err error) {
	if v.public, err = parsePublic(v.manifest.PublicKey); err != nil {
		return err
	}
	if trusted != nil && !trusted.holds(v.public) {
		return fmt.Errorf("key %s signed it, which is not among the trusted ones", v.manifest.KeyID)
	}
	if v.manifest.Seal == nil {
		return errors.New("the run did not finish: there is nothing sealed to verify")
	}
	if n := v.manifest.Seal.Evaluations.Lines; n != v.manifest.Evaluations {
		return fmt.Errorf("%d evaluations were recorded, %d are sealed", v.manifest.Evaluations, n)
	}
	for _, p := range v.manifest.Cells {
		if alone := p.Cell.Architecture == plan.Alone; alone == p.Layered && p.Skip == "" {
			return fmt.Errorf("cell %s is planned with a layer: %t", p.Cell.Name(), p.Layered)
		}
		v.layered[p.Cell.Name()] = p.Layered
	}
	return nil
}

func (v *verifier) checkEvaluationsFile() error {
	path, want := filepath.Join(v.dir, record.EvaluationsFile), v.manifest.Seal.Evaluations
	got, err := seal(path)
	if err != nil {
		return err
	}
	if got != want {
		if err := record.Explain(v.dir, v.manifest); err != nil {
			return err
		}
	}
	switch {
	case got.Lines != want.Lines:
		return fmt.Errorf("%s:%d: file has %d lines, the manifest says %d: lines were dropped or added, or the manifest is another run's", path, min(got.Lines, want.Lines)+1, got.Lines, want.Lines)
	case got.SHA256 != want.SHA256:
		return fmt.Errorf("%s: SHA-256 is %s, the manifest says %s: the file was changed, or the manifest is another run's", path, got.SHA256, want.SHA256)
	}
	return nil
}

// next reads one receipt and checks all that it says of itself.
func (v *verifier) next() (Receipt, error) {
	line, err := v.lines.next()
	if err != nil {
		return Receipt{}, err
	}
	r, err := v.parse(line)
	if err != nil {
		return Receipt{}, err
	}
	switch want := int64(v.lines.n); {
	case r.Sequence != want:
		return r, v.lines.faultf("sequence is %d, want %d: a line was dropped, repeated or moved", r.Sequence, want)
	case r.Prev != v.prev:
		return r, v.lines.faultf("prev is not the digest of the line before: that one was changed, or a line was dropped or moved")
	case r.KeyID != v.manifest.KeyID:
		return r, v.lines.faultf("kid is %q, the manifest's is %s: another key signed it", r.KeyID, v.manifest.KeyID)
	}
	if v.signatures != nil {
		v.signatures.add(v.lines.n, v.unsigned, r.Signature)
	}
	v.prev = chained(line)
	v.report.Receipts++
	return r, nil
}

// parse reads a line and refuses any writing of it but the canonical one.
func (v *verifier) parse(line []byte) (Receipt, error) {
	var r Receipt
	if err := json.Unmarshal(line, &r, json.RejectUnknownMembers(true)); err != nil {
		worded := strictjson.Line{File: v.lines.path, Number: v.lines.n, Raw: line}.Decode("decision.schema.json", new(Receipt))
		if worded != nil {
			return r, &fault{worded}
		}
		return r, v.lines.faultf("no receipt: %w", err)
	}
	var err error
	if v.unsigned, err = r.appendUnsigned(v.unsigned[:0]); err != nil {
		return r, v.lines.faultf("no receipt: %w", err)
	}
	v.again = appendSignature(append(v.again[:0], v.unsigned...), r.Signature)
	if !bytes.Equal(line, v.again) {
		return r, v.lines.faultf("not written in canonical form (RFC 8785): byte %d differs from its re-encoding", commonPrefix(line, v.again)+1)
	}
	return r, nil
}

// end checks that nothing follows, and that the last line is the sealed one.
func (v *verifier) end() error {
	r, err := v.next()
	if err == nil {
		return v.lines.faultf("receipt of call %d in %q: evaluations.jsonl has no such decision", r.Call, r.Evaluation)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	v.lines.n--
	switch want := v.manifest.Seal; {
	case v.lines.n != want.Decisions.Lines:
		return v.lines.faultf("file ends after %d lines, the manifest says %d", v.lines.n, want.Decisions.Lines)
	case v.prev != want.Head:
		return v.lines.faultf("the last line's digest is %s, the manifest's head is %s: the lines were signed again, or the manifest is another run's", v.prev, want.Head)
	case v.lines.sum() != want.Decisions.SHA256:
		return v.lines.faultf("SHA-256 of the file is %s, the manifest says %s", v.lines.sum(), want.Decisions.SHA256)
	}
	return nil
}
