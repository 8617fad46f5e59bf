// Package budget stands before the requests that cost money: what one may cost is
// reserved before it is sent, and what it did cost is charged after. Where the
// reserve would go beyond the budget, the model is not asked. So a budget is
// overshot at most by what the requests in flight cost beyond their reserves.
package budget

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"vaultbench/internal/llm"
	"vaultbench/internal/price"
)

// Limits of a budget; zero is none.
type Limits struct {
	USD    float64 // US dollars
	Tokens int64   // input and output together
}

// cost is counted in whole numbers, so that a sum depends on no order.
type cost struct {
	usd    price.Pico
	tokens int64
}

func (c cost) plus(d cost) cost  { return cost{c.usd + d.usd, c.tokens + d.tokens} }
func (c cost) minus(d cost) cost { return cost{c.usd - d.usd, c.tokens - d.tokens} }

// Budget is what a run may cost. It is safe for concurrent use.
type Budget struct {
	limits Limits

	book Book // nil: nothing outlives the process

	mu       sync.Mutex
	spent    cost
	reserved cost // by requests in flight
	refused  int64
}

// New makes a budget. Every request of a run goes through it.
func New(l Limits) *Budget { return &Budget{limits: l} }

// Book keeps what is charged where a kill does not take it, so that the next
// process of the run can count it.
type Book interface {
	// Reserve notes the most that a request may take, before it is sent, and numbers it.
	Reserve(model string, most llm.Usage) (request int64, err error)
	// Settle notes what a request took: of failed ones nothing, of others what was
	// reported or, where it was not, what was reserved.
	Settle(request int64, model string, took llm.Usage, how How) error
}

// How a request ended.
type How int

// The ends.
const (
	Failed     How = iota // no reply: nothing is charged
	Reported              // with the provider's count
	Unreported            // with no count that can be, or given up: the reserve is charged
)

// Keep has every request noted in a book. It comes before the first request.
func (b *Budget) Keep(in Book) { b.book = in }

// Charge adds what earlier processes of the same run spent.
func (b *Budget) Charge(u llm.Usage, p *price.Price) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.plus(costOf(u, p))
}

// Client puts a model's client behind the budget. A price that nobody confirmed is
// an error where the budget is in dollars.
func (b *Budget) Client(m llm.Model, next llm.Client) (llm.Client, error) {
	if b.limits.USD > 0 && m.Price == nil {
		return nil, fmt.Errorf("fixtures/models.json: model %s: price is null: fill in what the provider charges, with its date, or give the budget in tokens (VAULT_BUDGET_TOKENS)", m.Slug)
	}
	return &client{b, m, next}, nil
}

type client struct {
	budget *Budget
	model  llm.Model
	next   llm.Client
}

// Chat asks where the budget allows it; else the error is llm.ErrBudget. What can't
// be noted is not asked.
func (c *client) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	most := estimate(req)
	settle, err := c.reserve(most)
	if err != nil {
		return llm.Reply{}, err
	}
	took, how := llm.Usage{}, Failed // what a failed request costs is not known; a client that panics costs nothing either
	defer func() { settle(took, how) }()
	reply, err := c.next.Chat(ctx, req)
	switch told := reply.Usage.InputTokens+reply.Usage.OutputTokens > 0 && reply.Usage.Consistent(); {
	case told:
		took, how = reply.Usage, Reported
	case err == nil || ctx.Err() != nil:
		took, how = most, Unreported // nothing is reported that can be, or nobody waited for it: not free, but as much as it may have cost
	}
	return reply, err
}

// reserve sets aside what a request may take; settle, which it returns, charges
// what it took.
func (c *client) reserve(most llm.Usage) (settle func(llm.Usage, How), err error) {
	b, reserve, request := c.budget, costOf(most, c.model.Price), int64(0)
	if err := b.reserve(reserve); err != nil {
		return nil, err
	}
	if b.book != nil {
		if request, err = b.book.Reserve(c.model.Slug, most); err != nil {
			b.settle(reserve, cost{})
			return nil, fmt.Errorf("%w: not asked, since what it may cost can't be noted: %w", llm.ErrHarness, err)
		}
	}
	return func(took llm.Usage, how How) {
		b.settle(reserve, costOf(took, c.model.Price))
		if b.book != nil {
			_ = b.book.Settle(request, c.model.Slug, took, how) // it holds the reserve then, and takes no request any more
		}
	}, nil
}

// defaultOutput bounds the reply to a request that sets no bound, in tokens.
const defaultOutput = 4096

// estimate is what a request may take: its text at four bytes a token, and as many
// output tokens as it allows.
func estimate(req llm.Request) llm.Usage {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Content) + len(m.Opaque) + 16 // for its frame
		for _, call := range m.ToolCalls {
			n += len(call.Name) + len(call.Arguments) + len(call.Opaque)
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	u := llm.Usage{InputTokens: int64(n+3) / 4, OutputTokens: int64(req.MaxOutputTokens)}
	if u.OutputTokens <= 0 {
		u.OutputTokens = defaultOutput
	}
	return u
}

// costOf is what tokens cost; no price costs no dollars.
func costOf(u llm.Usage, p *price.Price) cost {
	c := cost{tokens: u.InputTokens + u.OutputTokens}
	if p != nil {
		c.usd = p.Of(price.Tokens{Input: u.InputTokens, Cached: u.CacheReadTokens, Output: u.OutputTokens})
	}
	return c
}

func (b *Budget) reserve(c cost) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.spent.plus(b.reserved).plus(c)
	switch {
	case b.limits.Tokens > 0 && next.tokens > b.limits.Tokens:
		b.refuse()
		return fmt.Errorf("%w: %d tokens spent and reserved, %d more may be needed, VAULT_BUDGET_TOKENS is %d", llm.ErrBudget, next.tokens-c.tokens, c.tokens, b.limits.Tokens)
	case b.limits.USD > 0 && next.usd > price.Dollars(b.limits.USD):
		b.refuse()
		return fmt.Errorf("%w: %s spent and reserved, %s more may be needed, VAULT_BUDGET_USD is %s", llm.ErrBudget, next.usd-c.usd, c.usd, price.Dollars(b.limits.USD))
	}
	b.reserved = b.reserved.plus(c)
	return nil
}

// refuse counts a request that was not sent, and says so of the first.
func (b *Budget) refuse() {
	if b.refused++; b.refused == 1 {
		slog.Warn("budget is used up: further requests are not sent", "usd", b.spent.usd.USD(), "tokens", b.spent.tokens)
	}
}

func (b *Budget) settle(reserve, charge cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved, b.spent = b.reserved.minus(reserve), b.spent.plus(charge)
}

// Spent is what was charged so far: US dollars, and input and output tokens.
func (b *Budget) Spent() (usd float64, tokens int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.usd.USD(), b.spent.tokens
}

// String says what was spent, of how much, for a progress line; empty before the
// first charge of a budget without limits.
func (b *Budget) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var parts []string
	if b.spent.usd > 0 || b.limits.USD > 0 {
		parts = append(parts, b.spent.usd.String()+of(b.limits.USD > 0, price.Dollars(b.limits.USD).String()))
	}
	if b.spent.tokens > 0 || b.limits.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d%s tokens", b.spent.tokens, of(b.limits.Tokens > 0, fmt.Sprint(b.limits.Tokens))))
	}
	if b.refused > 0 {
		parts = append(parts, fmt.Sprintf("budget used up: %d requests not sent", b.refused))
	}
	return strings.Join(parts, ", ")
}

func of(limited bool, limit string) string {
	if !limited {
		return ""
	}
	return " of " + limit
}
