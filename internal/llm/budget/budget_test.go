package budget_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/price"
)

type clientFunc func(context.Context, llm.Request) (llm.Reply, error)

func (f clientFunc) Chat(ctx context.Context, r llm.Request) (llm.Reply, error) { return f(ctx, r) }

func uses(in, out, cached int64) llm.Client {
	return clientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Usage: llm.Usage{InputTokens: in, OutputTokens: out, CacheReadTokens: cached}}, nil
	})
}

func fails(err error) llm.Client {
	return clientFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, err })
}

func ptr[T any](v T) *T { return &v }

// request reserves 100 input and 50 output tokens.
func request() llm.Request {
	return llm.Request{Messages: []llm.Message{{Content: strings.Repeat("x", 384)}}, MaxOutputTokens: 50}
}

func TestCharges(t *testing.T) {
	list := &price.Price{Input: 2, Output: 10, CacheRead: ptr(0.5)}
	for _, tt := range []struct {
		name   string
		next   llm.Client
		price  *price.Price
		usd    float64
		tokens int64
		reason string
	}{
		{"as reported", uses(1000, 100, 400), list, (600*2 + 400*0.5 + 100*10) / 1e6, 1100, "cached tokens have a price of their own"},
		{"no price of cached tokens", uses(1000, 100, 400), &price.Price{Input: 2, Output: 10}, (1000*2 + 100*10) / 1e6, 1100, "then they cost as much as others"},
		{"no price", uses(1000, 100, 0), nil, 0, 1100, "tokens count still"},
		{"nothing reported", uses(0, 0, 0), list, (100*2 + 50*10) / 1e6, 150, "a provider that reports nothing is not free"},
		{"more cached than read", uses(10, 5, 100_000), list, (100*2 + 50*10) / 1e6, 150, "a count that contradicts itself is none: no reply gives money back"},
		{"less than nothing", uses(-10, 5, 0), list, (100*2 + 50*10) / 1e6, 150, "nor does this one"},
		{"more than a model can write", uses(10, math.MaxInt64, 0), list, (100*2 + 50*10) / 1e6, 150, "a sum that turns over would give money back"},
		{"failed", fails(llm.ErrProvider), list, 0, 0, "what it cost is not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := budget.New(budget.Limits{})
			c, err := b.Client(llm.Model{Slug: "m", Price: tt.price}, tt.next)
			require.NoError(t, err)
			_, _ = c.Chat(t.Context(), request())
			usd, tokens := b.Spent()
			require.InDelta(t, tt.usd, usd, 1e-12, tt.reason)
			require.Equal(t, tt.tokens, tokens, tt.reason)
		})
	}
}

func TestRefuses(t *testing.T) {
	list := &price.Price{Input: 2, Output: 10}
	for _, tt := range []struct {
		name   string
		limits budget.Limits
		prior  int64 // input tokens of an earlier process
		want   string
		reason string
	}{
		{"within", budget.Limits{Tokens: 150}, 0, "", "to the last token"},
		{"one token short", budget.Limits{Tokens: 149}, 0, "not asked: the budget is used up: 0 tokens spent and reserved, 150 more may be needed, VAULT_BUDGET_TOKENS is 149", "not sent"},
		{"dollars", budget.Limits{USD: 0.0007}, 0, "", "100 × $2 and 50 × $10 a million"},
		{"dollars short", budget.Limits{USD: 0.00069}, 0, "$0.0000 spent and reserved, $0.0007 more may be needed, VAULT_BUDGET_USD is $0.0007", "not sent"},
		{"spent before", budget.Limits{Tokens: 200}, 51, "51 tokens spent", "attempts add up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := budget.New(tt.limits)
			b.Charge(llm.Usage{InputTokens: tt.prior}, list)
			asked := 0
			c, err := b.Client(llm.Model{Price: list}, clientFunc(func(context.Context, llm.Request) (llm.Reply, error) { asked++; return llm.Reply{}, nil }))
			require.NoError(t, err)
			_, err = c.Chat(t.Context(), request())
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				require.Equal(t, 1, asked)
				return
			}
			require.ErrorIs(t, err, llm.ErrBudget)
			require.ErrorIs(t, err, llm.ErrNotAsked, "nothing was paid")
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.Zero(t, asked)
		})
	}
}

func TestDollarsNeedAPrice(t *testing.T) {
	_, err := budget.New(budget.Limits{USD: 1}).Client(llm.Model{Slug: "m"}, nil)
	require.ErrorContains(t, err, "fixtures/models.json: model m: price is null")
	_, err = budget.New(budget.Limits{Tokens: 1}).Client(llm.Model{Slug: "m"}, nil)
	require.NoError(t, err)
}

func TestPanicKeepsNoReserve(t *testing.T) {
	b := budget.New(budget.Limits{Tokens: 150})
	c, err := b.Client(llm.Model{}, clientFunc(func(context.Context, llm.Request) (llm.Reply, error) { panic("x") }))
	require.NoError(t, err)
	require.Panics(t, func() { _, _ = c.Chat(t.Context(), request()) })
	c, err = b.Client(llm.Model{}, uses(1, 1, 0))
	require.NoError(t, err)
	_, err = c.Chat(t.Context(), request())
	require.NoError(t, err)
}

func TestWords(t *testing.T) {
	b := budget.New(budget.Limits{})
	require.Empty(t, b.String(), "a run without budget and cost says nothing")
	b.Charge(llm.Usage{InputTokens: 500_000}, &price.Price{Input: 2})
	require.Equal(t, "$1.0000, 500000 tokens", b.String())
	b = budget.New(budget.Limits{USD: 5, Tokens: 10})
	c, err := b.Client(llm.Model{Price: &price.Price{}}, uses(1, 1, 0))
	require.NoError(t, err)
	_, err = c.Chat(t.Context(), request())
	require.Error(t, err)
	require.Empty(t, cmp.Diff("$0.0000 of $5.0000, 0 of 10 tokens, budget used up: 1 requests not sent", b.String()))
}

// TestNeverOvershot: however requests interleave, what was charged is at most the
// budget and what those in flight took beyond their reserves; and as long as no
// reply takes more than its reserve, it is never beyond the budget.
func TestNeverOvershot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, 3000).Draw(t, "tokens")
		parallel := rapid.IntRange(1, 8).Draw(t, "parallel")
		beyond := rapid.Int64Range(0, 40).Draw(t, "beyond its reserve")
		calls := rapid.SliceOfN(rapid.SampledFrom([]string{"all", "half", "error", "silent"}), 1, 60).Draw(t, "calls")
		b := budget.New(budget.Limits{Tokens: limit})
		work := make(chan string)
		var wg sync.WaitGroup
		var mu sync.Mutex
		done := 0
		for range parallel {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for kind := range work {
					next := map[string]llm.Client{"all": uses(100, 50+beyond, 0), "half": uses(50, 25, 0), "error": fails(errors.New("x")), "silent": uses(0, 0, 0)}[kind]
					c, err := b.Client(llm.Model{}, next)
					if err != nil {
						panic(err)
					}
					_, err = c.Chat(context.Background(), request())
					mu.Lock()
					if !errors.Is(err, llm.ErrBudget) {
						done++
					}
					mu.Unlock()
				}
			}()
		}
		for _, kind := range calls {
			work <- kind
		}
		close(work)
		wg.Wait()
		_, tokens := b.Spent()
		if most := limit + int64(parallel)*beyond; tokens > most {
			t.Fatalf("%d tokens of %d: %d in flight may take %d beyond", tokens, limit, parallel, int64(parallel)*beyond)
		}
		if limit >= int64(len(calls))*(150+beyond) && done != len(calls) {
			t.Fatalf("%d of %d requests sent within a budget that all fit into", done, len(calls))
		}
	})
}

// book keeps notes in order; full says from which on it takes none.
type book struct {
	notes []string
	full  int
}

func (b *book) note(text string) error {
	if b.full > 0 && len(b.notes) >= b.full {
		return errors.New("disk full")
	}
	b.notes = append(b.notes, text)
	return nil
}

func (b *book) Reserve(model string, most llm.Usage) (int64, error) {
	return int64(len(b.notes) + 1), b.note(fmt.Sprintf("%s may take %d", model, most))
}

func (b *book) Settle(request int64, model string, took llm.Usage, how budget.How) error {
	return b.note(fmt.Sprintf("%d of %s took %d, %d", request, model, took, how))
}

// TestBook: what a request may take is noted before it is sent, and what it took
// when it has ended, however it ends.
func TestBook(t *testing.T) {
	given, giveUp := context.WithCancel(context.Background())
	giveUp()
	sent := "m may take {100 50 0}"
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		next   llm.Client
		want   []string
		tokens int64
		reason string
	}{
		{"reported", t.Context(), uses(90, 7, 30), []string{sent, "1 of m took {90 7 30}, 1"}, 97, "as the provider counts"},
		{"unreported", t.Context(), uses(0, 0, 0), []string{sent, "1 of m took {100 50 0}, 2"}, 150, "the reserve stays"},
		{"contradictory", t.Context(), uses(10, 5, 100_000), []string{sent, "1 of m took {100 50 0}, 2"}, 150, "no count"},
		{"failed", t.Context(), fails(llm.ErrProvider), []string{sent, "1 of m took {0 0 0}, 0"}, 0, "what it cost is not known"},
		{"given up", given, fails(context.Canceled), []string{sent, "1 of m took {100 50 0}, 2"}, 150, "it may be answered and paid for: as after a kill"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept, b := &book{}, budget.New(budget.Limits{Tokens: 1000})
			b.Keep(kept)
			c, err := b.Client(llm.Model{Slug: "m"}, clientFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
				require.Equal(t, []string{sent}, kept.notes, "before it is sent")
				return tt.next.Chat(ctx, r)
			}))
			require.NoError(t, err)
			_, _ = c.Chat(tt.ctx, request())
			require.Empty(t, cmp.Diff(tt.want, kept.notes), tt.reason)
			_, tokens := b.Spent()
			require.Equal(t, tt.tokens, tokens, tt.reason)
		})
	}
}

// TestFullBook: what can't be noted is not asked, and its reserve is free again.
func TestFullBook(t *testing.T) {
	b := budget.New(budget.Limits{Tokens: 299})
	b.Keep(&book{full: 1})
	asked := 0
	c, err := b.Client(llm.Model{Slug: "m"}, clientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		asked++
		return llm.Reply{Usage: llm.Usage{InputTokens: 50, OutputTokens: 10}}, nil
	}))
	require.NoError(t, err)
	_, err = c.Chat(t.Context(), request())
	require.NoError(t, err, "what came is not lost for a note")
	for range 2 {
		_, err = c.Chat(t.Context(), request())
		require.ErrorIs(t, err, llm.ErrHarness)
		require.ErrorContains(t, err, "what it may cost can't be noted: disk full")
	}
	require.Equal(t, 1, asked)
}

func Example() {
	b := budget.New(budget.Limits{Tokens: 400})
	c, _ := b.Client(llm.Model{}, uses(100, 50, 0))
	for range 3 {
		_, err := c.Chat(context.Background(), request())
		fmt.Println(errors.Is(err, llm.ErrBudget), b)
	}
	// Output:
	// false 150 of 400 tokens
	// false 300 of 400 tokens
	// true 300 of 400 tokens, budget used up: 1 requests not sent
}
