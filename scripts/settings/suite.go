package settings

import (
	"sync"

	"vaultbench/fixtures"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/shipped"
)

// AskedSuite is a suite over the corpus that the environment asks for. The golden
// counts the shipped one alone.
func AskedSuite() (*suite.Suite, error) {
	s, err := Suite()
	if err != nil {
		return nil, err
	}
	if s.Corpus, err = Corpus(); err != nil {
		return nil, err
	}
	if s.Corpus.Own {
		s.Golden = nil
	}
	s.Bankers = suite.Sims(s.Corpus)
	return s, nil
}

// Suite is a suite of its own over what does not depend on the environment, the
// shipped corpus included; the fixtures under it are read once and shared, nobody
// changes them.
func Suite() (*suite.Suite, error) {
	shared, err := loadShared()
	if err != nil {
		return nil, err
	}
	s := *shared
	s.Architectures, s.Bankers = Architectures(), suite.Sims(s.Corpus)
	return &s, nil
}

var loadShared = sync.OnceValues(func() (*suite.Suite, error) {
	c, err := shipped.Corpus()
	if err != nil {
		return nil, err
	}
	levels, err := shipped.Levels()
	if err != nil {
		return nil, err
	}
	if err := c.Fits(levels); err != nil {
		return nil, err
	}
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	if err != nil {
		return nil, err
	}
	expected, err := shipped.Golden()
	if err != nil {
		return nil, err
	}
	parties, err := receipt.LoadParties(passports.FS)
	if err != nil {
		return nil, err
	}
	return &suite.Suite{
		Corpus: c, Levels: levels, ToolMaps: maps, Golden: expected, Trials: 1, Concurrency: 2, Parties: parties,
	}, nil
})

// Architectures are the layers of this repository. Another layer joins here: it
// must pass authztest.Run.
func Architectures() map[plan.Architecture]suite.Architecture {
	return map[plan.Architecture]suite.Architecture{
		plan.Alone:     suite.Alone(),
		plan.OAP:       passportLayer(plan.OAP, oap.ProfileOAP),
		plan.Published: passportLayer(plan.Published, oap.ProfilePublished),
	}
}

func passportLayer(name plan.Architecture, profile oap.Profile) suite.Architecture {
	return suite.Architecture{Name: name, Layered: true, Layer: func(passport string) (func() authz.Authorizer, error) {
		layer, err := pinned.Layer(passport, profile)
		if err != nil {
			return nil, err
		}
		return func() authz.Authorizer { return layer.Open() }, nil
	}}
}
