package report

import (
	"fmt"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// World is what a run's record is held against and does not hold itself: that of
// this checkout.
type World struct {
	Golden  map[string]Counts // by cell
	Digests map[string]string // of fixtures, golden and passports, by the names of a manifest
	Sims    []plan.ModelSlug  // every simulated banker
	Attacks func(corpus.Level, corpus.Track) int
}

// Recount is a finished run, verified and counted again from its sealed lines.
// Its Summary owes nothing to summary.json.
type Recount struct {
	Manifest record.Manifest
	Verified receipt.Report
	Summary  Summary
	bounds   boundTally
}

// Count verifies a run's folder and counts its evaluations in the same pass, under
// a gate. trusted holds the keys that the reader knows; nil: any key will do. Each
// evaluation is handed to also, too, which may be nil. A run that does not verify
// is an error, and whatever was gathered from it is worth nothing.
func Count(dir string, trusted *receipt.JWKS, w World, g Gate, also func(record.Evaluation)) (*Recount, error) {
	r := &Recount{}
	var b *Builder
	verified, err := receipt.VerifyEach(dir, trusted, func(m record.Manifest) (func(record.Evaluation) error, error) {
		var golden map[string]Counts
		if r.Manifest = m; w.sameGolden(m) {
			golden = w.Golden
		}
		if len(m.Directories) == 0 {
			return nil, fmt.Errorf("%s: no directories: the run is of a version that did not note whom each level permits", dir)
		}
		var err error
		if b, err = NewBuilder(m.Cells, m.Directories, oracle.Judge, golden); err != nil {
			return nil, err
		}
		b.Hold(g)
		b.Resample(m.Bootstrap)
		b.Models(m.Models)
		r.bounds = newBounds(m)
		return func(e record.Evaluation) error {
			if also != nil {
				also(e)
			}
			r.bounds.add(e, oracle.Judge(e.Transfers, m.Directories[e.Cell.Level]))
			return b.Add(e)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	r.Verified, r.Summary = verified, b.Summary()
	r.Summary.SigningKey = verified.SigningKey
	r.Summary.Fail(r.Manifest.Failures...)
	return r, nil
}

// GoldenPrefix begins the names of goldens in a manifest.
const GoldenPrefix = "golden/"

// goldenDigest names the golden of counts in a manifest: it stands there where the
// run was held against it.
const goldenDigest = GoldenPrefix + EventsFile

// sameGolden reports whether the run was held against the golden of this checkout.
func (w World) sameGolden(m record.Manifest) bool {
	digest, held := m.Digests[goldenDigest]
	return held && digest == w.Digests[goldenDigest]
}
