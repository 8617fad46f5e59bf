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
	members map[string]json.RawMessage
}

// refusesUnread says whether the loader refuses what no rule reads there: among the
// limits of payments.charge, and among those of a currency.
func (p limitPlace) refusesUnread() bool {
	last := p.at.LastToken()
	return p.id == ChargeCapability && (last == "charge" || last == string(ChargeCapability) || p.at.Parent().LastToken() == "currency_limits")
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
		if !slices.Contains(l.granted, id) {
			l.warn(p.at, "limits of %s, which is not granted, so they are never used: grant it, or delete them", id)
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
			out = append(out, limitPlace{CapabilityID(id), here, inner})
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

// names are the limits that must be there, each once.
func (rs readings) names() []string {
	var names []string
	for _, r := range rs {
		if name := r.Path[0]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// entries are the members that each entry of a table must have.
func (rs readings) entries(table string) readings {
	var out readings
	for _, r := range rs {
		if len(r.Path) > 2 && r.Path[0] == table && r.Path[1] == condition.AnyKey {
			r.Path = r.Path[2:]
			if !slices.ContainsFunc(out, func(o reading) bool { return o.Path[0] == r.Path[0] }) {
				out = append(out, r)
			}
		}
	}
	return out
}

// of returns the first reading of a limit.
func (rs readings) of(name string) (reading, bool) {
	i := slices.IndexFunc(rs, func(r reading) bool { return r.Path[0] == name })
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
		missed = l.lintNames(p, wanted, have, append(wanted.names(), requireAssurance))
	}
	for _, name := range slices.Sorted(maps.Keys(p.members)) {
		l.lintList(p.at.AppendToken(name), name, p.members[name], wanted)
		l.lintNumbers(p.at.AppendToken(name), name, p.members[name])
	}
	for _, table := range wanted.names() {
		if entries := wanted.entries(table); len(entries) > 0 && p.members[table] != nil {
			l.lintTable(limitPlace{id: p.id, at: p.at.AppendToken(table)}, p.members[table], entries)
		}
	}
	l.lintCurrencies(p)
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

// lintNames holds the names that are there against those that rules read, and
// returns those that are missing.
func (l *linter) lintNames(p limitPlace, wanted readings, have, read []string) (missed []string) {
	missing := slices.DeleteFunc(wanted.names(), func(name string) bool { return slices.Contains(have, name) })
	missed = slices.Clone(missing)
	for _, name := range slices.Sorted(maps.Keys(p.members)) {
		if slices.Contains(read, name) || readBySynonym(name, read) {
			continue
		}
		meant, ok := nearest(name, missing)
		if r, isRead := wanted.of(meant); ok && isRead {
			l.error(p.at.AppendToken(name), "misspelt: %s reads %s: rename it", r, meant)
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == meant })
			continue
		}
		say := l.warn
		if p.refusesUnread() && !slices.Contains(slices.Concat(publishedLimits, publishedCaps), name) {
			say = l.error // as the loader does
		}
		say(p.at.AppendToken(name), "no rule of any pack reads it, so it limits nothing: delete it, or write the rule%s", hint(name, read))
	}
	for _, name := range missing {
		r, _ := wanted.of(name)
		l.error(p.at, "%s is missing, which %s reads: add it", name, r)
	}
	return missed
}

func readBySynonym(name string, read []string) bool {
	return slices.ContainsFunc(synonyms, func(s [2]string) bool {
		return s[0] == name && slices.Contains(read, s[1]) || s[1] == name && slices.Contains(read, s[0])
	})
}

// lintTable looks at each entry of a table, such as the limits of a currency.
func (l *linter) lintTable(table limitPlace, raw json.RawMessage, wanted readings) {
	entries, err := object(raw)
	if err != nil {
		return // the schema, or the loader, says so
	}
	if len(entries) == 0 {
		l.error(table.at, "empty table: %s can never hold: add an entry", wanted[0])
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if members, err := object(entries[key]); err == nil {
			l.lintNames(limitPlace{table.id, table.at.AppendToken(key), members}, wanted, slices.Collect(maps.Keys(members)), wanted.names())
		}
	}
}

func texts[T ~string](words []T) []string {
	var out []string
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}
