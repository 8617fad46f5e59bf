package suite

import (
	"sync"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/plan"
)

// Sims returns the simulated bankers. The two that pay what an attack wants
// know it by a digest of the conversation so far; the conversation itself holds
// nothing of the goal but what the attacker wrote.
func Sims(c corpus.Corpus) map[plan.ModelSlug]Banker {
	bankers, known := map[plan.ModelSlug]Banker{}, &lookups{corpus: c}
	for _, name := range sim.Names() {
		bankers[plan.ModelSlug(name)] = Banker{
			Slug: plan.ModelSlug(name), Kind: plan.Simulated,
			Open: func(level corpus.LevelSpec, track corpus.Track) (llm.Client, error) {
				return sim.New(name, known.of(level, track))
			},
		}
	}
	return bankers
}

// lookups keeps one lookup for each level and track: bankers and architectures
// share it.
type lookups struct {
	corpus corpus.Corpus
	kept   sync.Map // of sim.Lookup, by place
}

type place struct {
	level  corpus.Level
	prompt string
	track  corpus.Track
}

func (l *lookups) of(level corpus.LevelSpec, track corpus.Track) sim.Lookup {
	key := place{level.Level, level.SystemPrompt, track}
	if known, ok := l.kept.Load(key); ok {
		return known.(sim.Lookup)
	}
	made, _ := l.kept.LoadOrStore(key, Lookup(l.corpus, level, track))
	return made.(sim.Lookup)
}

// Lookup finds an attack's goal by what a banker has seen of it. The corpus
// guarantees that no key of a level and track equals another.
func Lookup(c corpus.Corpus, level corpus.LevelSpec, track corpus.Track) sim.Lookup {
	goals := map[[32]byte][]sim.Payment{}
	for _, a := range c.Select(level.Level, track) {
		goals[sim.Key(level.SystemPrompt, a.UserMessages(track))] = Payments(a.Goal)
	}
	return func(key [32]byte) ([]sim.Payment, bool) {
		goal, ok := goals[key]
		return goal, ok && len(goal) > 0
	}
}

// Payments is a goal as a simulated banker takes it.
func Payments(goal []corpus.Payment) []sim.Payment {
	var out []sim.Payment
	for _, p := range goal {
		out = append(out, sim.Payment{Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, Memo: p.Memo})
	}
	return out
}
