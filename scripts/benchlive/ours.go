package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/shipped"
)

func load() (map[corpus.Level]corpus.LevelSpec, []corpus.Attack, error) {
	levels, err := shipped.Levels()
	if err != nil {
		return nil, nil, err
	}
	c, err := shipped.Corpus()
	return levels, c.Select(corpus.L2, corpus.Single), err
}

// ours is a cell as the benchmark runs it: the live client behind its limiter and
// a budget, the agent loop, the policy engine, the ledger, the journal on disk. What comes after
// the cell (reports, signatures) is not measured.
func ours(o options) (measured, error) {
	levels, attacks, err := load()
	if err != nil {
		return measured{}, err
	}
	id := llm.ModelID("bench")
	client, err := chat.Open(llm.Model{Slug: "bench", ID: &id}, llm.Provider{Name: "local", KeyEnv: "LOCAL_API_KEY"}, o.url, "any")
	if err != nil {
		return measured{}, err
	}
	books := budget.New(budget.Limits{Tokens: 1 << 50}) // never used up: what is measured is its bookkeeping
	client, err = books.Client(llm.Model{Slug: "bench"}, limit.New(limit.Config{Provider: "local", Max: o.workers}).Client(client))
	if err != nil {
		return measured{}, err
	}
	layer, err := pinned.Layer(suite.PassportOf(corpus.L2), oap.ProfileOAP)
	if err != nil {
		return measured{}, err
	}
	s := &suite.Suite{
		Corpus: corpus.Corpus{Attacks: attacks}, Levels: levels, Concurrency: o.workers,
		Trials: (o.requests + 2*len(attacks) - 1) / (2 * len(attacks)),
		Architectures: map[plan.Architecture]suite.Architecture{plan.OAP: {Name: plan.OAP, Layered: true, Layer: func(string) (func() authz.Authorizer, error) {
			return func() authz.Authorizer { return layer.Open() }, nil
		}}},
		Bankers: map[plan.ModelSlug]suite.Banker{"bench": {
			Slug: "bench", Kind: plan.Live, Open: func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return client, nil },
		}},
	}
	dir, err := os.MkdirTemp("", "benchlive")
	if err != nil {
		return measured{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return measure(s, books, dir)
}

func measure(s *suite.Suite, books *budget.Budget, dir string) (measured, error) {
	r, err := suite.Start(s, dir, dir, "bench", record.Manifest{})
	if err != nil {
		return measured{}, err
	}
	books.Keep(r)
	p, err := s.Planned(plan.Cell{Model: "bench", Level: corpus.L2, Track: corpus.Single, Architecture: plan.OAP})
	if err != nil {
		return measured{}, err
	}
	if err := r.Plan(p); err != nil {
		return measured{}, err
	}
	start := time.Now()
	cell, err := s.RunCell(context.Background(), p)
	took := time.Since(start)
	if err != nil {
		return measured{}, err
	}
	if cell.Ends[record.Completed] != p.Evaluations || cell.Decisions.Denied != p.Evaluations {
		return measured{}, fmt.Errorf("of %d evaluations %d completed and %d had a denial", p.Evaluations, cell.Ends[record.Completed], cell.Decisions.Denied)
	}
	return measured{requests: 2 * p.Evaluations, evaluations: p.Evaluations, took: took}, r.Close()
}
