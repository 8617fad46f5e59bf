package oaptest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

// draft is a request in the making, for a passport and what was paid before.
type draft struct {
	*rapid.T
	policy *reference.Policy
	spent  *reference.Conversation
	step   int // of the conversation, from 0
	req    authz.Request
}

// aspect is a part of a request that can be drawn so that nothing stands against
// it, on a boundary where there is one, or so that something does. A passport may
// leave no room for one of the two.
type aspect struct {
	name      string
	weight    int // how often it is the one to be bad: some passports leave no room for it
	good, bad func(*draft)
}

// aspects in the order in which they are drawn: what a later one reads stands
// before it.
func aspects() []aspect {
	return []aspect{
		{"currency", 1, (*draft).supportedCurrency, (*draft).otherCurrency},
		{"time", 1, (*draft).validTime, (*draft).expiredTime},
		{"amount", 1, (*draft).smallAmount, (*draft).largeAmount},
		{"recipient", 2, (*draft).member, (*draft).stranger},
		{"region", 1, (*draft).listedRegion, (*draft).otherRegion},
		{"country", 2, (*draft).listedCountry, (*draft).otherCountry},
		{"items", 1, (*draft).fewItems, (*draft).manyItems},
		{"category", 2, (*draft).plainCategory, (*draft).blockedCategory},
		{"memo", 7, (*draft).oneCode, (*draft).notOneCode},
		{"key", 4, (*draft).freshKey, (*draft).usedKey},
		{"form", 1, func(*draft) {}, (*draft).malformed},
	}
}

// Request draws the next request of a conversation: one in three has nothing
// against it, another third one thing, the others more.
func Request(t *rapid.T, policy *reference.Policy, spent *reference.Conversation, step int) authz.Request {
	d := &draft{T: t, policy: policy, spent: spent, step: step}
	all := aspects()
	bad := make([]bool, len(all))
	switch pick(t, "mood", "good", "good", "good", "good", "good", "one", "one", "one", "one", "one", "one", "one", "two", "two", "many", "many") {
	case "one":
		bad[d.aspect()] = true
	case "two":
		bad[d.aspect()], bad[d.aspect()] = true, true
	case "many":
		for i := range all {
			bad[i] = chance(t, "bad", 3)
		}
	}
	for i, a := range all {
		if bad[i] {
			a.bad(d)
		} else {
			a.good(d)
		}
	}
	return d.req
}

// byWeight holds the index of each aspect as often as it weighs.
var byWeight = func() (out []int) {
	for i, a := range aspects() {
		out = append(out, slices.Repeat([]int{i}, a.weight)...)
	}
	return out
}()

func (d *draft) aspect() int { return rapid.SampledFrom(byWeight).Draw(d.T, "aspect") }

// The conversations play on a few days from this one on.
var firstDay = time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC)

// validTime lies at a day's start or end, in any zone, or just before the expiry.
func (d *draft) validTime() {
	day := firstDay.AddDate(0, 0, pick(d.T, "day", 0, 1, 2, 3))
	d.req.At = day.Add(pick(d.T, "clock", 9*time.Hour, 0, 24*time.Hour-1, 1, 12*time.Hour))
	switch zone := pick(d.T, "zone", 0, 0, 0, 14, -12, 1); {
	case zone != 0:
		d.req.At = d.req.At.In(time.FixedZone("", zone*60*60))
	case chance(d.T, "epoch", 1):
		d.req.At = time.Unix(0, 0).UTC().Add(pick[time.Duration](d.T, "beside the epoch", 0, -1, -24*time.Hour, -24*time.Hour-1))
	}
	if end := d.policy.Expires; end != nil && (!d.req.At.Before(*end) || chance(d.T, "at the expiry", 3)) {
		d.req.At = end.Add(-pick(d.T, "before the expiry", 1, time.Second, 24*time.Hour))
	}
}

func (d *draft) expiredTime() {
	d.validTime()
	if end := d.policy.Expires; end != nil {
		d.req.At = end.Add(pick(d.T, "after the expiry", 0, 1, 24*time.Hour))
	}
}
