package oap

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/oap/condition"
)

// lack is a member that a rule reads and that is not there.
type lack struct {
	at   jsontext.Pointer // of what should have it
	name string
	by   reading
}

// lacks lists what rs read at or below a value, from where their paths start, and
// do not find.
func (rs readings) lacks(at jsontext.Pointer, raw json.RawMessage) []lack {
	members, err := object(raw)
	if err != nil {
		return nil // the schema, or the loader, says so
	}
	var out []lack
	for _, name := range rs.names() {
		if members[name] == nil {
			r, _ := rs.of(name)
			out = append(out, lack{at, name, r})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, rs.below(name).lacks(at.AppendToken(name), members[name])...)
	}
	return out
}

// lintRead holds what is there against what rules read, and returns the names that
// are missing among the limits; have are those that need not stand here.
func (l *linter) lintRead(p limitPlace, wanted readings, have []string) (missed []string) {
	missing := slices.DeleteFunc(wanted.lacks(p.at, p.raw), func(m lack) bool { return m.at == p.at && slices.Contains(have, m.name) })
	for _, m := range missing {
		if m.at == p.at {
			missed = append(missed, m.name)
		}
	}
	read, refused := wanted.byRulesAndGates(), l.refused(p, wanted)
	for _, at := range read.unread(p.at, p.raw) {
		if i, ok := meant(at, missing); ok {
			l.error(at, "misspelt here or there: %s reads %s: rename one of the two", missing[i].by, missing[i].name)
			missing = slices.Delete(missing, i, i+1)
			continue
		}
		say := l.warn
		if slices.Contains(refused, at) {
			say = l.error // as the loader does
		}
		say(at, unreadByAny+"%s", hint(at.LastToken(), read.under(p.at, at.Parent()).names()))
	}
	for _, m := range missing {
		l.error(m.at, "%s is missing, which %s reads: add it", m.name, m.by)
	}
	return missed
}

const unreadByAny = "no rule of any pack reads it, so it limits nothing: delete it, or write the rule"

// refused lists what the loader does not let stand among a capability's limits.
func (l *linter) refused(p limitPlace, wanted readings) []jsontext.Pointer {
	var declared []string
	for _, pack := range l.packsThatAsk(p.id) {
		declared = append(declared, pack.declared()...)
	}
	return wanted.byRulesAndGates().refused(p.at, p.raw, declared)
}

// byRulesAndGates adds what is read by another name, and by a gate.
func (rs readings) byRulesAndGates() readings {
	return append(rs.withSynonyms(), reading{Read: condition.Read{Path: []string{requireAssurance}}})
}

// meant is the place in missing of what a name beside it was probably meant for.
func meant(at jsontext.Pointer, missing []lack) (i int, ok bool) {
	var names []string
	for _, m := range missing {
		if m.at == at.Parent() {
			names = append(names, m.name)
		}
	}
	near, ok := nearest(at.LastToken(), names)
	if !ok {
		return 0, false
	}
	return slices.IndexFunc(missing, func(m lack) bool { return m.at == at.Parent() && m.name == near }), true
}

// under are the readings below a place, of those that start at another.
func (rs readings) under(start, at jsontext.Pointer) readings {
	if at == start {
		return rs
	}
	return rs.under(start, at.Parent()).below(at.LastToken())
}

// lintEmptyTables looks for a table without an entry where a rule wants one.
func (l *linter) lintEmptyTables(at jsontext.Pointer, raw json.RawMessage, rs readings) {
	members, err := object(raw)
	if err != nil {
		return
	}
	if r, any := rs.of(condition.AnyKey); any && len(members) == 0 {
		l.error(at, "empty table: %s can never hold: add an entry", r)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		l.lintEmptyTables(at.AppendToken(name), members[name], rs.below(name))
	}
}
