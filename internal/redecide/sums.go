package redecide

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
)

// Sum is how many calls of a level flip in one way.
type Sum struct {
	Level    corpus.Level
	Change   Change
	Old, New Verdict // by code and rule; without the values
	Calls    int
	Attacks  int
}

// sumKey is what a Sum is of.
type sumKey struct {
	level            corpus.Level
	change           Change
	oldCode, newCode authz.DenialReason
	oldRule, newRule string
}

func (k sumKey) compare(o sumKey) int {
	return cmp.Or(cmp.Compare(k.level, o.level), cmp.Compare(k.change, o.change), cmp.Compare(k.oldCode, o.oldCode),
		cmp.Compare(k.oldRule, o.oldRule), cmp.Compare(k.newCode, o.newCode), cmp.Compare(k.newRule, o.newRule))
}

// Sums adds the flips up by level, change and rules, in that order.
func (r *Report) Sums() []Sum {
	calls, attacks := map[sumKey]int{}, map[sumKey]map[corpus.AttackID]bool{}
	for _, f := range r.Flips {
		k := sumKey{f.level, f.Change, f.Old.Code, f.New.Code, f.Old.Rule, f.New.Rule}
		calls[k]++
		if attacks[k] == nil {
			attacks[k] = map[corpus.AttackID]bool{}
		}
		attacks[k][f.Attack] = true
	}
	var sums []Sum
	for _, k := range slices.SortedFunc(maps.Keys(calls), sumKey.compare) {
		sums = append(sums, Sum{k.level, k.change, Verdict{Code: k.oldCode, Rule: k.oldRule}, Verdict{Code: k.newCode, Rule: k.newRule}, calls[k], len(attacks[k])})
	}
	return sums
}
