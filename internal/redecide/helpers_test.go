package redecide_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/redecide"
	"vaultbench/internal/suite"
)

// world is the corpus with everything that a run needs.
type world struct {
	suite *suite.Suite
}

func openWorld(t *testing.T) world {
	t.Helper()
	s, err := loadWorld()
	require.NoError(t, err)
	fresh := s // each test has a sink of its own
	return world{&fresh}
}

var loadWorld = sync.OnceValues(func() (suite.Suite, error) {
	var codes []string
	for _, r := range authz.Reasons() {
		codes = append(codes, string(r))
	}
	c, err := corpus.Load(fixtures.FS, codes)
	if err != nil {
		return suite.Suite{}, err
	}
	levels, err := corpus.LoadLevels(fixtures.FS)
	if err != nil {
		return suite.Suite{}, err
	}
	toolMaps, err := corpus.LoadToolMaps(fixtures.FS)
	return suite.Suite{
		Corpus: c, Levels: levels, ToolMaps: toolMaps, Bankers: suite.Sims(c), Trials: 1, Concurrency: 4,
		Architectures: map[plan.Architecture]suite.Architecture{
			plan.Alone: suite.Alone(), plan.OAP: architecture(plan.OAP, oap.ProfileOAP), plan.Published: architecture(plan.Published, oap.ProfilePublished),
		},
	}, err
})

func architecture(name plan.Architecture, profile oap.Profile) suite.Architecture {
	return suite.Architecture{Name: name, Layered: true, Layer: func(passport string) (func() authz.Authorizer, error) {
		l, err := loadLayer(oaptest.Fixed(), passport, profile)
		return func() authz.Authorizer { return l.Open() }, err
	}}
}

func loadLayer(folder fs.FS, passport string, profile oap.Profile) (*oap.Layer, error) {
	p, err := oap.LoadPassport(folder, passport)
	if err != nil {
		return nil, err
	}
	pack, err := oap.LoadPack(folder, oap.ChargePack)
	if err != nil {
		return nil, err
	}
	return oap.NewLayer(p, pack, profile)
}

// run runs cells and returns the path of the evaluations.
func (w world) run(t *testing.T, cells ...plan.Cell) string {
	t.Helper()
	r, err := suite.Start(w.suite, t.TempDir(), t.TempDir(), "run", record.Manifest{})
	require.NoError(t, err)
	for _, c := range cells {
		p, err := w.suite.Planned(c)
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		_, err = w.suite.RunCell(t.Context(), p)
		require.NoError(t, err)
	}
	_, err = r.Finish()
	require.NoError(t, err)
	return filepath.Join(r.Dir(), record.EvaluationsFile)
}

// config decides by the passports of a folder.
func (w world) config(folder fs.FS, a plan.Architecture) redecide.Config {
	profile := oap.ProfileOAP
	if a == plan.Published {
		profile = oap.ProfilePublished
	}
	return redecide.Config{Architecture: a, Layer: func(l corpus.Level) (redecide.Layer, error) {
		passport := suite.PassportOf(l)
		if m, ok := w.suite.ToolMaps[string(l)]; ok {
			passport = m.Passport
		}
		layer, err := loadLayer(folder, passport, profile)
		return redecide.Layer{Open: func() authz.Authorizer { return layer.Open() }, KeyByAuditCode: w.suite.Levels[l].Idempotency == corpus.KeyAuditCode, Directory: w.suite.Directories()[l]}, err
	}}
}

// copied is the folder passports with one text of one file replaced.
func copied(t *testing.T, file, old, changed string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, oaptest.Fixed()))
	raw, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(raw), old), "set-up: %q must stand once in %s", old, file)
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(raw), old, changed, 1)), 0o600))
	return os.DirFS(dir)
}

// evaluations writes a run's file by hand.
func evaluations(t *testing.T, es ...record.Evaluation) string {
	t.Helper()
	j, err := record.OpenJournal(t.TempDir())
	require.NoError(t, err)
	for _, e := range es {
		e.ID = record.EvaluationID(e.Cell, e.Attack, e.Trial)
		require.NoError(t, j.Append(e, true))
	}
	_, err = j.Finish()
	require.NoError(t, err)
	require.NoError(t, j.Close())
	return filepath.Join(j.Dir(), record.EvaluationsFile)
}

func plain(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}
