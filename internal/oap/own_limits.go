package oap

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/oap/condition"
)

// PublishedLimits names the limits of payments.charge that published passports
// have, and those of a currency. They may stand under any capability though no rule
// reads them.
// Source: the limits in fixtures/schema/passport.schema.json.
func PublishedLimits() (limits, caps []string) {
	return []string{
		"currency_limits", "allowed_merchant_ids", "allowed_merchants", "allowed_countries", "blocked_categories",
		"max_items_per_tx", requireAssurance, "idempotency_required", "audit_code_required",
	}, []string{"max_per_tx", "daily_cap"}
}

// publishedLimit reports whether a path below the limits is that of a limit, or of a
// currency's, that PublishedLimits names.
func publishedLimit(path []string) bool {
	limits, caps := PublishedLimits()
	return len(path) == 1 && slices.Contains(limits, path[0]) ||
		len(path) == 3 && path[0] == "currency_limits" && slices.Contains(caps, path[2])
}

// refuseUnread refuses what the issuer wrote among the limits and no rule of the
// pack reads, in whatever profile: it looks like a limit and limits nothing. What
// another name or complete adds was not written.
func (p *PolicyPack) refuseUnread(id CapabilityID, written json.RawMessage) error {
	if written == nil {
		return nil
	}
	if p.overlooks(id, written) {
		return errors.New(p.limitsOverlooked())
	}
	var reads readings
	for _, r := range p.Rules {
		for _, read := range p.Reads(r) {
			reads = append(reads, reading{Read: read})
		}
	}
	for _, at := range reads.withSynonyms().refused("", written, p.declared()) {
		path := strings.Join(slices.Collect(at.Tokens()), ".")
		return fmt.Errorf("no rule of %s reads %s, so it limits nothing: delete it, or write the rule", p.ID, path)
	}
	return nil
}

// overlooks reports whether there are limits under a capability that the pack asks
// for beside the one whose limits its rules read.
func (p *PolicyPack) overlooks(id CapabilityID, written json.RawMessage) bool {
	members, err := object(written)
	return slices.Index(p.RequiresCapabilities, id) > 0 && (err != nil || len(members) > 0)
}

func (p *PolicyPack) limitsOverlooked() string {
	return fmt.Sprintf("the rules of %s read the limits of %s, the first of its requires_capabilities, and no other: move these there, or delete them", p.ID, p.RequiresCapabilities[0])
}

// declared are the limits that a pack tells issuers to write. Of payments.charge the
// schema of a passport describes them, one by one; of any other capability nobody
// knows the names but its pack, and published packs name some that no rule reads.
func (p *PolicyPack) declared() []string {
	if slices.Contains(p.RequiresCapabilities, ChargeCapability) {
		return nil
	}
	return p.LimitsRequired
}

// refused lists what is unread at or below the limits of a capability, which stand
// at a place, and may not stand there. A declared limit may if no rule reads any of it.
func (rs readings) refused(at jsontext.Pointer, raw json.RawMessage, declared []string) []jsontext.Pointer {
	return slices.DeleteFunc(append(rs, rs.published()...).unread(at, raw), func(p jsontext.Pointer) bool {
		for name := range jsontext.Pointer(strings.TrimPrefix(string(p), string(at))).Tokens() {
			return slices.Contains(declared, name) && len(rs.below(name)) == 0
		}
		return false
	})
}

// published stands for the published limits that no rule reads at all. One that a
// rule reads in part, as that of one currency, is held to be read where it is.
func (rs readings) published() readings {
	var out readings
	add := func(path ...string) {
		if !slices.ContainsFunc(rs, func(r reading) bool { return matches(r.Path, path) }) {
			out = append(out, reading{Read: condition.Read{Path: path}})
		}
	}
	limits, caps := PublishedLimits()
	for _, name := range limits {
		add(name)
	}
	for _, name := range caps {
		add("currency_limits", condition.AnyKey, name)
	}
	return out
}

// matches reports whether a path starts as another does, whatever their keys are
// where that one has any.
func matches(path, start []string) bool {
	if len(path) < len(start) {
		return false
	}
	for i, part := range start {
		if part != path[i] && part != condition.AnyKey {
			return false
		}
	}
	return true
}

// withSynonyms adds what is read by the other name of a limit.
func (rs readings) withSynonyms() readings {
	out := slices.Clone(rs)
	for _, r := range rs {
		for _, s := range synonyms {
			if i := slices.Index(s[:], r.Path[0]); i >= 0 {
				r.Path = append([]string{s[1-i]}, r.Path[1:]...)
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// below are the readings of a member, their paths from there on.
func (rs readings) below(key string) readings {
	var out readings
	for _, r := range rs {
		if len(r.Path) > 0 && (r.Path[0] == key || r.Path[0] == condition.AnyKey) {
			r.Path = r.Path[1:]
			out = append(out, r)
		}
	}
	return out
}

// whole reports whether the value itself is read, not only something below it.
func (rs readings) whole() bool {
	return slices.ContainsFunc(rs, func(r reading) bool { return len(r.Path) == 0 })
}

// unread lists what stands at or below a value and is read by none of rs, whose
// paths start there. A table as a whole is read for its keys, a list for the words
// and numbers in it: what lies deeper is read by a path of its own.
func (rs readings) unread(at jsontext.Pointer, raw json.RawMessage) []jsontext.Pointer {
	var out []jsontext.Pointer
	switch jsontext.Value(raw).Kind() {
	case '{':
		members, _ := object(raw)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			onlyKey := jsontext.Value(members[name]).Kind() == 't'
			out = append(out, rs.unreadMember(at, name, members[name], onlyKey)...)
		}
	case '[':
		var entries []json.RawMessage
		_ = json.Unmarshal(raw, &entries) // it starts like a list, and the file was read as JSON
		for i, entry := range entries {
			kind := jsontext.Value(entry).Kind()
			out = append(out, rs.unreadMember(at, strconv.Itoa(i), entry, kind != '{' && kind != '[')...)
		}
	default:
		if len(rs) == 0 {
			out = append(out, at)
		}
	}
	return out
}

// unreadMember is what is unread of one member; covered, where it says nothing that
// the whole does not.
func (rs readings) unreadMember(at jsontext.Pointer, name string, raw json.RawMessage, covered bool) []jsontext.Pointer {
	below, here := rs.below(name), at.AppendToken(name)
	switch {
	case len(below) == 0 && !rs.whole():
		return []jsontext.Pointer{here}
	case covered:
		return nil
	}
	return below.unread(here, raw)
}
