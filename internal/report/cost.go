package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/record"
)

// Cost is what a run's bankers took. Simulated ones take nothing.
type Cost struct {
	Models []ModelCost `json:"models"` // live ones first, then by name
	USD    *float64    `json:"usd"`    // of all live models; null where one of them has none
}

// ModelCost is what one banker took, in all attempts.
type ModelCost struct {
	Model       plan.ModelSlug `json:"model"`
	Kind        plan.Kind      `json:"kind"`
	Evaluations int            `json:"evaluations"`
	record.Usage
	Untold int      `json:"untold_replies,omitempty"` // of which the provider counted no token
	USD    *float64 `json:"usd"`                      // null where that would be a guess
	NoUSD  NoUSD    `json:"no_usd,omitempty"`         // why
}

// NoUSD is why there are no dollars beside tokens.
type NoUSD string

// The reasons.
const (
	NoPrice       NoUSD = "price"
	NoCachedPrice NoUSD = "cached_price"
	UntoldReplies NoUSD = "untold_replies"
	Replayed      NoUSD = "replay"
)

// Text words why a banker has no dollars, and what to mend; empty where it has.
func (c ModelCost) Text() string {
	switch c.NoUSD {
	case NoPrice:
		return fmt.Sprintf("the price of %s was not confirmed in fixtures/models.json", c.Model)
	case NoCachedPrice:
		return fmt.Sprintf("the price of %s for cached input was not confirmed in fixtures/models.json", c.Model)
	case UntoldReplies:
		return fmt.Sprintf("the provider of %s did not count the tokens of %s of %s replies", c.Model, thousands(c.Untold), thousands(c.Replies))
	case Replayed:
		return fmt.Sprintf("%s was replayed: it was paid for when it was recorded", c.Model)
	}
	return ""
}

// costTally adds up by banker.
type costTally map[banker]*ModelCost

func (t costTally) add(e record.Evaluation) {
	who := bankerOf(e)
	c, ok := t[who]
	if !ok {
		c = &ModelCost{Model: who.model, Kind: who.kind}
		t[who] = c
	}
	c.Evaluations++
	c.Usage = c.Usage.Add(e.Usage())
	if e.Earlier != nil {
		c.Usage = c.Usage.Add(e.Earlier.Usage)
	}
	for _, r := range e.Replies {
		c.Untold += one(r.InputTokens+r.OutputTokens == 0)
	}
}

// cost closes the books: nil where no banker that is a model replied.
func (t costTally) cost(prices map[plan.ModelSlug]*price.Price) *Cost {
	out := Cost{}
	total, live, whole := price.Pico(0), false, true
	for _, who := range slices.SortedFunc(maps.Keys(t), byBanker) {
		c := *t[who]
		if c.Replies == 0 || (who.kind != plan.Live && c.InputTokens+c.OutputTokens == 0) {
			continue
		}
		amount := c.charge(prices[who.model])
		live, whole = live || who.kind == plan.Live, whole && (who.kind != plan.Live || c.NoUSD == "")
		total += amount
		out.Models = append(out.Models, c)
	}
	if len(out.Models) == 0 {
		return nil
	}
	if live && whole {
		usd := total.USD()
		out.USD = &usd
	}
	return &out
}

// charge puts dollars beside the tokens, or why there are none.
func (c *ModelCost) charge(p *price.Price) price.Pico {
	switch {
	case c.Kind != plan.Live:
		c.NoUSD = Replayed
	case p == nil:
		c.NoUSD = NoPrice
	case c.Untold > 0:
		c.NoUSD = UntoldReplies
	case c.CachedTokens > 0 && p.CacheRead == nil:
		c.NoUSD = NoCachedPrice
	default:
		amount := p.Of(price.Tokens{Input: c.InputTokens, Cached: c.CachedTokens, Output: c.OutputTokens})
		usd := amount.USD()
		c.USD = &usd
		return amount
	}
	return 0
}

// Text words the total of all live models, or why there is none.
func (c Cost) Text() string {
	if c.USD != nil {
		return "all live models together cost " + price.Dollars(*c.USD).String()
	}
	var why []string
	for _, m := range c.Models {
		if m.Kind == plan.Live && m.NoUSD != "" {
			why = append(why, m.Text())
		}
	}
	if why == nil {
		return "no live model was asked, so the run cost nothing"
	}
	return "no total in US dollars: " + strings.Join(why, "; ")
}

func markdownCost(line func(string, ...any), c *Cost) {
	if c == nil {
		return
	}
	for _, m := range c.Models {
		usd := "no US dollars: " + m.Text()
		if m.USD != nil {
			usd = price.Dollars(*m.USD).String()
		}
		line("- cost, %s, %s: %s replies, %s input tokens (%s of them cached), %s output tokens, %s", m.Kind, escape.Markdown(string(m.Model)), thousands(m.Replies),
			thousands(int(m.InputTokens)), thousands(int(m.CachedTokens)), thousands(int(m.OutputTokens)), escape.Markdown(usd))
	}
	line("- cost: %s", escape.Markdown(c.Text()))
}
