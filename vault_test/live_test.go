package vault_test

import (
	"context"
	"fmt"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/llm/cassette"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/plan"
	"vaultbench/internal/suite"
)

// addLive opens the live models that were asked for, behind one limiter per key.
// A missing key is a skip with its reason; anything else that is known to be wrong
// stops the run before it costs.
func (b *bench) addLive() error {
	b.budget = budget.New(budget.Limits{USD: b.options.BudgetUSD, Tokens: b.options.BudgetTokens})
	for _, slug := range b.options.Models {
		if b.cassettes[slug] != nil {
			continue
		}
		m, p, err := b.catalog.Find(slug)
		if err != nil {
			return err
		}
		banker := suite.Banker{Slug: plan.ModelSlug(slug), Kind: plan.Live}
		key, url := b.options.Lookup(p.KeyEnv), b.options.Lookup(p.BaseURLEnv)
		if m.ID != nil && key == "" {
			banker.Skip = fmt.Sprintf("live: %s unset", p.KeyEnv)
			b.suite.Bankers[banker.Slug] = banker
			continue
		}
		client, err := chat.Open(m, p, url, key)
		if err != nil {
			return err
		}
		counted, err := b.budget.Client(m, b.limiter(p).Client(client))
		if err != nil {
			return err
		}
		if err := chat.Check(context.Background(), m, p, url, key); err != nil {
			return err
		}
		if b.options.Record != "" {
			r, err := cassette.Create(b.options.Record, slug)
			if err != nil {
				return fmt.Errorf("VAULT_RECORD: %w", err)
			}
			counted = r.Client(counted)
		}
		banker.Open = func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return counted, nil }
		b.suite.Bankers[banker.Slug] = banker
	}
	return nil
}

// addCassettes makes each cassette of VAULT_RECORDINGS the client of its model, which
// is then not asked. A replay is one trial, however often it is played.
func (b *bench) addCassettes() error {
	if b.options.Recordings == "" {
		return nil
	}
	players, err := cassette.Find(b.options.Recordings)
	if err != nil {
		return fmt.Errorf("VAULT_RECORDINGS: %w", err)
	}
	b.cassettes = map[string]*cassette.Player{}
	for _, p := range players {
		slug := p.Model()
		switch _, _, err := b.catalog.Find(slug); {
		case err != nil:
			return fmt.Errorf("VAULT_RECORDINGS: %s: %w", p.Name(), err)
		case b.options.Trials > 1:
			return fmt.Errorf("VAULT_TRIALS: %s is replayed from the cassette %s, which counts as one trial: unset it", slug, p.Name())
		case b.options.Record != "":
			return fmt.Errorf("VAULT_RECORD: %s is replayed from the cassette %s, which can't be recorded: unset it or VAULT_RECORDINGS", slug, p.Name())
		}
		b.cassettes[slug] = p
		if !slices.Contains(b.options.Models, slug) {
			b.options.Models = append(b.options.Models, slug)
		}
		b.suite.Bankers[plan.ModelSlug(slug)] = suite.Banker{
			Slug: plan.ModelSlug(slug), Kind: plan.Recorded, Label: "replay of the cassette " + p.Name() + ": counts as one trial",
			Open: func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return p, nil },
		}
	}
	return nil
}

// chargeEarlier puts what earlier processes of the run spent on its budget.
func (b *bench) chargeEarlier() error {
	for slug, spent := range b.run.Spent() {
		if !slices.Contains(b.options.Models, slug) || b.cassettes[slug] != nil {
			continue
		}
		m, _, err := b.catalog.Find(slug)
		if err != nil {
			return err
		}
		b.budget.Charge(llm.Usage{InputTokens: spent.InputTokens, OutputTokens: spent.OutputTokens, CacheReadTokens: spent.CachedTokens}, m.Price)
	}
	return nil
}

// limiter is the one of a provider's key: models that share the key share it.
func (b *bench) limiter(p llm.Provider) *limit.Limiter {
	if b.limiters == nil {
		b.limiters = map[string]*limit.Limiter{}
	}
	if b.limiters[p.KeyEnv] == nil {
		b.limiters[p.KeyEnv] = limit.New(limit.Config{Provider: p.Name, Max: b.options.Concurrency, Attempt: b.options.Attempt})
	}
	return b.limiters[p.KeyEnv]
}
