package report

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/record"
)

// corpusVariable names the folder that stood in for the shipped corpus.
const corpusVariable = "VAULT_CORPUS"

// CorpusLacks begins the reason of a cell that is skipped because that folder has
// nothing for it.
const CorpusLacks = "the corpus of " + corpusVariable + " has no "

// OwnCorpus reports whether digests, by the names of a manifest, are of a run whose
// corpus is not the shipped one.
func OwnCorpus(digests map[string]string) bool { return len(ownFiles(digests)) > 0 }

func ownFiles(digests map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(digests)), func(name string) bool { return !strings.HasPrefix(name, corpus.OwnPrefix) })
}

// OtherCorpus says how a run's corpus and the one at hand differ where one of them
// is not the shipped one, and what to do; empty: not in that.
func OtherCorpus(run, here map[string]string) string {
	own, ours := ownFiles(run), ownFiles(here)
	switch {
	case len(own) == 0 && len(ours) == 0:
		return ""
	case len(own) == 0:
		return "the run is of the shipped corpus, and VAULT_CORPUS names another: unset it"
	case len(ours) == 0:
		return fmt.Sprintf("the run is of a corpus that is not the shipped one (%s): set VAULT_CORPUS to its folder", several(own))
	}
	var which []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(own, ours)))) {
		if run[name] != here[name] {
			which = append(which, name+" is not that of VAULT_CORPUS")
		}
	}
	return several(which)
}

// ownCorpus says of which corpus a run is; empty: the shipped one.
func (r *Recount) ownCorpus() string {
	files := ownFiles(r.Manifest.Digests)
	if len(files) == 0 {
		return ""
	}
	attacks := 0
	for _, f := range files {
		attacks += one(path.Dir(f) == corpus.OwnPrefix+"attacks")
	}
	return fmt.Sprintf("the corpus is %s of VAULT_CORPUS (%d attack files, %d of honest tasks) and not the shipped one", folderName(r.Manifest), attacks, len(files)-attacks)
}

// folderName is the last part of the folder's name: where it lay is nobody's business.
func folderName(m record.Manifest) string {
	value := m.Option(corpusVariable)
	if value == "" {
		return "that"
	}
	return fmt.Sprintf("%q", filepath.Base(value))
}

// unheld says which golden decisions the run was not held against. They are about
// the shipped corpus, so a run of another one was held against none of it, whatever
// its tests say.
func (r *Recount) unheld() string {
	if own := r.ownCorpus(); own != "" {
		return own + ": no golden decision, count or expectation of the shipped one was held against the run"
	}
	return unrun(GoldenTests(), r.Manifest.Goldens)
}

// lackedLevels are the levels that a corpus that is not the shipped one has no attack of.
func (r *Recount) lackedLevels() []string {
	var out []string
	for _, c := range r.Summary.Cells {
		if r.lacked(c) && c.Track != corpus.Benign && !slices.Contains(out, string(c.Level)) {
			out = append(out, string(c.Level))
		}
	}
	slices.Sort(out)
	return out
}

// lacked tells a cell that its corpus has nothing for from one that something kept
// from running.
func (r *Recount) lacked(c Cell) bool {
	return OwnCorpus(r.Manifest.Digests) && c.Planned == 0 && strings.HasPrefix(c.Skip, CorpusLacks)
}
