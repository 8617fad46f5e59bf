package oap

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/oap/condition"
)

// limitPlace is where a capability's limits stand in a passport.
type limitPlace struct {
	id      CapabilityID
	at      jsontext.Pointer
	raw     json.RawMessage
	members map[string]json.RawMessage
}

// lintLimits finds the limits of every capability and looks at those granted.
func (l *linter) lintLimits() {
	all, _ := object(l.members["limits"])
	found := map[CapabilityID][]limitPlace{}
	for _, p := range l.findLimits("", "/limits", all, l.capabilities()) {
		if first := found[p.id]; len(first) > 0 {
			l.error(p.at, "the limits of %s stand at %s as well: keep one", p.id, first[0].at)
		}
		found[p.id] = append(found[p.id], p)
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		l.lintPlaces(id, found[id])
	}
	for _, id := range l.granted {
		if names := l.wanted(id).names(); len(found[id]) == 0 && len(names) > 0 {
			l.error("/limits", "%s is granted and has no limits: rules read %s", id, strings.Join(names, ", "))
		}
	}
}

// lintPlaces looks at the limits of one capability, which stand in two places
// where a passport has them in both shapes.
func (l *linter) lintPlaces(id CapabilityID, places []limitPlace) {
	var have []string
	for _, p := range places {
		have = append(have, withSynonyms(p.members)...)
	}
	for _, p := range places {
		for _, pack := range l.packsThatAsk(id) {
			if pack.overlooks(id, p.raw) {
				l.error(p.at, "%s", pack.limitsOverlooked())
			}
		}
		if !slices.Contains(l.granted, id) {
			l.warn(p.at, "limits of %s, which is not granted, so they are never used: grant it, or delete them", id)
			if wanted := l.wanted(id); len(wanted) > 0 { // the loader looks at them all the same
				for _, at := range l.refused(p, wanted) {
					l.error(at, unreadByAny)
				}
			}
			continue
		}
		have = append(have, l.lintLimitsOf(p, have)...)
	}
}

// capabilities are those that limits may stand under.
func (l *linter) capabilities() []CapabilityID {
	ids := slices.DeleteFunc(slices.Clone(l.granted), func(id CapabilityID) bool { return id == "" })
	for _, id := range l.asked() {
		ids = append(ids, CapabilityID(id))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// findLimits walks the members below prefix, which is empty at the top, where a
// dotted name may stand. What belongs to no capability is warned of.
func (l *linter) findLimits(prefix string, at jsontext.Pointer, members map[string]json.RawMessage, ids []CapabilityID) []limitPlace {
	var out []limitPlace
	for _, name := range slices.Sorted(maps.Keys(members)) {
		id, here := prefix+name, at.AppendToken(name)
		inner, err := object(members[name])
		if err != nil {
			continue // the schema has said so
		}
		dotted := prefix != "" && strings.Contains(name, ".") // nobody looks for it there
		leads := slices.ContainsFunc(ids, func(c CapabilityID) bool { return strings.HasPrefix(string(c), id+".") })
		switch {
		case !dotted && slices.Contains(ids, CapabilityID(id)):
			out = append(out, limitPlace{CapabilityID(id), here, members[name], inner})
		case !dotted && !strings.Contains(name, ".") && leads:
			out = append(out, l.findLimits(id+".", here, inner, ids)...)
		default:
			l.warn(here, "limits of %s, which is not granted and which no pack asks for: delete them%s", id, hint(id, texts(ids)))
		}
	}
	return out
}

// reading is a limit that a rule reads.
type reading struct {
	condition.Read
	rule    Rule
	pack    PackID
	profile string // " (profile …)" where the rule does not stand in every one
}

func (r reading) String() string { return "rule " + r.rule.Name + " of " + string(r.pack) + r.profile }

// readings are what the rules of a capability's packs read, in order.
type readings []reading

// wanted lists what the rules read of a capability's limits.
func (l *linter) wanted(id CapabilityID) readings {
	var out readings
	for _, f := range l.Packs {
		if len(f.Pack.RequiresCapabilities) == 0 || f.Pack.RequiresCapabilities[0] != id {
			continue
		}
		for _, r := range f.Pack.Rules {
			profile := ""
			if len(r.Profiles) > 0 {
				profile = " (profile " + strings.Join(texts(r.Profiles), ", ") + ")"
			}
			for _, read := range f.Pack.Reads(r) {
				out = append(out, reading{read, r, f.Pack.ID, profile})
			}
		}
	}
	return out
}

// names are the members that must be there, each once.
func (rs readings) names() []string {
	var names []string
	for _, r := range rs {
		if len(r.Path) > 0 && r.Path[0] != condition.AnyKey && !slices.Contains(names, r.Path[0]) {
			names = append(names, r.Path[0])
		}
	}
	return names
}

// of returns the first reading of a member.
func (rs readings) of(name string) (reading, bool) {
	i := slices.IndexFunc(rs, func(r reading) bool { return len(r.Path) > 0 && r.Path[0] == name })
	if i < 0 {
		return reading{}, false
	}
	return rs[i], true
}

// lintLimitsOf looks at the limits of one granted capability; have are the names
// that stand there or elsewhere. It returns the names that it has missed.
func (l *linter) lintLimitsOf(p limitPlace, have []string) (missed []string) {
	wanted := l.wanted(p.id)
	l.lintSynonyms(p)
	if len(wanted) > 0 {
		missed = l.lintRead(p, wanted, have)
	}
	for _, name := range slices.Sorted(maps.Keys(p.members)) {
		l.lintList(p.at.AppendToken(name), name, p.members[name], wanted)
		l.lintNumbers(p.at.AppendToken(name), []string{name}, p.members[name])
		l.lintEmptyTables(p.at.AppendToken(name), p.members[name], wanted.below(name))
	}
	l.lintCurrencies(p)
	l.lintPayees(p)
	l.lintRequired(p)
	return missed
}

// lintSynonyms: two names of one list, of which nobody knows which counts.
func (l *linter) lintSynonyms(p limitPlace) {
	for _, s := range synonyms {
		if p.members[s[0]] != nil && p.members[s[1]] != nil {
			l.error(p.at.AppendToken(s[1]), "%s and %s are one list: keep one", s[0], s[1])
		}
	}
}

// withSynonyms are the names of the limits as the engine knows them.
func withSynonyms(members map[string]json.RawMessage) []string {
	names := slices.Sorted(maps.Keys(members))
	for _, s := range synonyms {
		for i := range s {
			if members[s[i]] != nil && members[s[1-i]] == nil {
				names = append(names, s[1-i])
			}
		}
	}
	if members["currency_limits"] != nil {
		names = append(names, "supported_currencies")
	}
	return names
}

func readBySynonym(name string, read []string) bool {
	return slices.ContainsFunc(synonyms, func(s [2]string) bool {
		return s[0] == name && slices.Contains(read, s[1]) || s[1] == name && slices.Contains(read, s[0])
	})
}

func texts[T ~string](words []T) []string {
	var out []string
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}
