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
	Set      Set
	Change   Change
	Old, New Verdict // by code and rule; without the values
	Calls    int
	Attacks  int
	// Unpermitted are the calls that are allowed now, to whom the policy does not permit.
	Unpermitted int
}

// sumKey is what a Sum is of.
type sumKey struct {
	level            corpus.Level
	set              Set
	change           Change
	oldCode, newCode authz.DenialReason
	oldRule, newRule string
}

func (k sumKey) compare(o sumKey) int {
	return cmp.Or(cmp.Compare(k.level, o.level), cmp.Compare(k.set, o.set), cmp.Compare(k.change, o.change), cmp.Compare(k.oldCode, o.oldCode),
		cmp.Compare(k.oldRule, o.oldRule), cmp.Compare(k.newCode, o.newCode), cmp.Compare(k.newRule, o.newRule))
}

// Sums adds the flips up by level, set, change and rules, in that order.
func (r *Report) Sums() []Sum {
	calls, unpermitted, attacks := map[sumKey]int{}, map[sumKey]int{}, map[sumKey]map[corpus.AttackID]bool{}
	for _, f := range r.Flips {
		k := sumKey{f.level, f.Set, f.Change, f.Old.Code, f.New.Code, f.Old.Rule, f.New.Rule}
		calls[k]++
		if f.Unpermitted {
			unpermitted[k]++
		}
		if attacks[k] == nil {
			attacks[k] = map[corpus.AttackID]bool{}
		}
		attacks[k][f.Attack] = true
	}
	var sums []Sum
	for _, k := range slices.SortedFunc(maps.Keys(calls), sumKey.compare) {
		sums = append(sums, Sum{
			Level: k.level, Set: k.set, Change: k.change, Old: Verdict{Code: k.oldCode, Rule: k.oldRule}, New: Verdict{Code: k.newCode, Rule: k.newRule},
			Calls: calls[k], Attacks: len(attacks[k]), Unpermitted: unpermitted[k],
		})
	}
	return sums
}
