package pinned

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/mutation"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

// PackFile is the shipped pack, below passports/.
const PackFile = "packs/" + string(oap.ChargePack) + ".json"

func passportFile(l corpus.Level) string { return suite.PassportOf(l) + ".json" }

// Examiner asks the goldens, and what attacks and honest tasks expect, whether a
// mutant would be noticed.
type Examiner struct {
	cases   Cases
	goldens map[corpus.Level]Golden
	ground  ground
	files   map[string][]byte
	expect  map[string]string // by a goal's line in the golden
	twins   map[string]bool   // ids of honest tasks
}

// NewExaminer holds the shipped files against the goldens first: where those
// differ, every mutant would seem noticed.
func NewExaminer() (*Examiner, error) {
	cases, err := Load()
	if err != nil {
		return nil, err
	}
	e := &Examiner{cases: cases, goldens: map[corpus.Level]Golden{}, files: map[string][]byte{}, twins: map[string]bool{}, expect: map[string]string{}}
	if e.ground, err = standOn(passports.FS); err != nil {
		return nil, err
	}
	for _, level := range corpus.Levels() {
		for _, a := range cases.Of(level) {
			e.twins[string(a.ID)] = a.Twin != ""
			for i, word := range a.Expect {
				e.expect[goalID(a.ID, i)] = word
			}
		}
		if e.goldens[level], err = Read(level); err != nil {
			return nil, err
		}
		if e.files[passportFile(level)], err = fs.ReadFile(passports.FS, passportFile(level)); err != nil {
			return nil, err
		}
	}
	if e.files[PackFile], err = fs.ReadFile(passports.FS, PackFile); err != nil {
		return nil, err
	}
	kills, err := e.examine(e.files, corpus.Levels())
	if err == nil && len(kills) > 0 {
		err = fmt.Errorf("the shipped files are not what is pinned: %s by the %s: run go test ./vault_test", kills[0].First, kills[0].By)
	}
	return e, err
}

// Mutants are those of the five levels' passports, and of the pack.
func (e *Examiner) Mutants() ([]mutation.Mutant, error) {
	var all []mutation.Mutant
	for _, level := range corpus.Levels() {
		file := passportFile(level)
		ms, err := mutation.Passport(file, e.files[file], e.foreign(level), e.cases.Level(level).ClockStart)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	ms, err := mutation.Pack(PackFile, e.files[PackFile])
	return append(all, ms...), err
}

// foreign is what no list of a level's passport may hold; the recipient is one
// that attackers name.
func (e *Examiner) foreign(level corpus.Level) mutation.Entry {
	on := e.ground[level]
	f := mutation.Entry{
		Country: on.foreignCountry("BR"), Category: on.freeCategory("paper"), Currency: string(on.foreignCurrency("EUR")), Region: on.foreignRegion("CA"),
	}
	for _, r := range e.cases.Level(level).Recipients {
		if r.Class == corpus.ClassAttacker && !slices.Contains(on.recipients(), string(r.ID)) {
			f.Recipient = r.ID
			break
		}
	}
	return f
}

// Examine says what notices a mutant.
func (e *Examiner) Examine(m mutation.Mutant) ([]mutation.Kill, error) {
	files := map[string][]byte{}
	for name, raw := range e.files {
		files[name] = raw
	}
	if _, ok := files[m.File]; !ok {
		return nil, fmt.Errorf("no file %s", m.File)
	}
	files[m.File] = m.Raw
	for _, level := range corpus.Levels() {
		if m.File == passportFile(level) {
			return e.examine(files, []corpus.Level{level})
		}
	}
	return e.examine(files, corpus.Levels())
}

// examine decides everything of the levels under the files.
func (e *Examiner) examine(files map[string][]byte, levels []corpus.Level) ([]mutation.Kill, error) {
	var t tally
	pack, err := oap.ParsePack(PackFile, files[PackFile])
	if err != nil {
		return []mutation.Kill{{By: mutation.Loader, Count: 1, First: err.Error()}}, nil
	}
	for _, level := range levels {
		layer, err := join(passportFile(level), files, pack)
		if err != nil {
			return []mutation.Kill{{By: mutation.Loader, Count: 1, First: err.Error()}}, nil
		}
		e.decide(&t, level, layer)
	}
	return t.kills(), nil
}

func join(file string, files map[string][]byte, pack oap.PolicyPack) (*oap.Layer, error) {
	p, err := oap.ParsePassport(file, files[file])
	if err != nil {
		return nil, err
	}
	return oap.NewLayer(p, pack, oap.ProfileOAP)
}

func (e *Examiner) decide(t *tally, level corpus.Level, layer *oap.Layer) {
	got, err := e.cases.Decide(level, layer)
	for _, d := range got.Decisions {
		if word := e.expect[d.ID]; word == "" || word == string(d.Code) {
			continue
		} else if e.by(d.ID) == mutation.TwinGolden {
			t.add(mutation.TwinExpect, d.ID)
		} else {
			t.add(mutation.AttackExpect, d.ID)
		}
	}
	if err != nil { // a probe's passport can't be made of this one
		t.add(mutation.ProbeGolden, err.Error())
	}
	for _, d := range e.goldens[level].Compare(got.Decisions) {
		if d.Got == nil && err != nil {
			continue // counted as the probe that can't be made
		}
		t.add(e.by(d.ID), d.ID)
	}
}

// by says whose golden a line is.
func (e *Examiner) by(id string) mutation.By {
	attack, _, _ := strings.Cut(id, "#")
	switch {
	case IsProbe(id):
		return mutation.ProbeGolden
	case e.twins[attack]:
		return mutation.TwinGolden
	}
	return mutation.AttackGolden
}

// tally counts what noticed a mutant.
type tally struct {
	by map[mutation.By]*mutation.Kill
}

func (t *tally) add(by mutation.By, what string) {
	if t.by == nil {
		t.by = map[mutation.By]*mutation.Kill{}
	}
	if t.by[by] == nil {
		t.by[by] = &mutation.Kill{By: by, First: what}
	}
	t.by[by].Count++
}

func (t *tally) kills() []mutation.Kill {
	var out []mutation.Kill
	for _, by := range mutation.Noticers() {
		if k := t.by[by]; k != nil {
			out = append(out, *k)
		}
	}
	return out
}
