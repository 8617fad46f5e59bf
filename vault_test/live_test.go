package vault_test

import (
	"context"
	"fmt"

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
	b.budget = budget.New(budget.Limits{USD: b.Options.BudgetUSD, Tokens: b.Options.BudgetTokens})
	for _, slug := range b.Options.Models {
		if b.Cassettes[slug] != nil {
			continue
		}
		m, p, err := b.Catalog.Find(slug)
		if err != nil {
			return err
		}
		banker := suite.Banker{Slug: plan.ModelSlug(slug), Kind: plan.Live}
		key, url := b.Options.Lookup(p.KeyEnv), b.Options.Lookup(p.BaseURLEnv)
		if m.ID != nil && key == "" {
			banker.Skip = fmt.Sprintf("live: %s unset", p.KeyEnv)
			b.Suite.Bankers[banker.Slug] = banker
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
		if b.Options.Record != "" {
			r, err := cassette.Create(b.Options.Record, slug)
			if err != nil {
				return fmt.Errorf("VAULT_RECORD: %w", err)
			}
			counted = r.Client(counted)
		}
		banker.Open = func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return counted, nil }
		b.Suite.Bankers[banker.Slug] = banker
	}
	return nil
}

// chargeEarlier puts what earlier processes of the run were charged on its budget,
// and has the run's journal keep what this one is.
func (b *bench) chargeEarlier() error {
	for slug, took := range b.run.Charged() {
		m, _, err := b.Catalog.Find(slug)
		if err != nil {
			return err
		}
		b.budget.Charge(llm.Usage{InputTokens: took.InputTokens, OutputTokens: took.OutputTokens, CacheReadTokens: took.CachedTokens}, m.Price)
	}
	b.budget.Keep(b.run)
	return nil
}

// limiter is the one of a provider's key: models that share the key share it.
func (b *bench) limiter(p llm.Provider) *limit.Limiter {
	if b.limiters == nil {
		b.limiters = map[string]*limit.Limiter{}
	}
	if b.limiters[p.KeyEnv] == nil {
		b.limiters[p.KeyEnv] = limit.New(limit.Config{Provider: p.Name, Max: b.Options.Concurrency, Attempt: b.Options.Attempt})
	}
	return b.limiters[p.KeyEnv]
}
