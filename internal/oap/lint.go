package oap

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/strictjson"
)

// Severity says how bad a finding is.
type Severity string

// The two severities. An error is what the loader refuses, or what grants
// something that can never be used; a warning is a passport that works and may
// be wider or narrower than it looks.
const (
	LintError   Severity = "error"
	LintWarning Severity = "warning"
)

// Finding is one trap in a passport: where it is, what it does and what to do.
type Finding struct {
	File     string
	Severity Severity
	Pointer  jsontext.Pointer // the whole document is shown as /
	Message  string
}

// String is the finding as one line, which is not yet safe for a terminal.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: /%s: %s", f.File, f.Severity, strings.TrimPrefix(string(f.Pointer), "/"), f.Message)
}

// LintOptions is what a passport is held against.
type LintOptions struct {
	At      time.Time        // expiry counts from here
	Packs   []PackFile       // the packs that may decide under the passport
	Opening map[string]int64 // opening balance of the account that is paid from, minor units by currency; nil: not known
	Payees  map[string]bool  // whom the account's bank knows, and whether the policy permits them to be paid; nil: not known
}

// expiresSoon is how long before its end a passport is warned of.
const expiresSoon = 30 * 24 * time.Hour

// linter collects what is wrong with one passport. It reads each member on its
// own, so that one that is broken hides nothing about the others.
type linter struct {
	LintOptions
	file     string
	members  map[string]json.RawMessage
	granted  []CapabilityID
	findings []Finding
}

// Lint looks for traps in a passport; file is its name for messages. The findings
// are in the order of their pointers.
func Lint(file string, raw []byte, o LintOptions) []Finding {
	l := &linter{LintOptions: o, file: file}
	faults, err := strictjson.Faults("passport.schema.json", raw)
	if err != nil {
		l.error("", "%v", err)
		return l.findings
	}
	if l.members, err = object(raw); err != nil {
		l.error("", "want an object: %v", err)
		return l.findings
	}
	l.readCapabilities()
	l.lintState()
	l.lintCapabilities()
	l.lintLimits()
	l.lintSchema(faults)
	l.lintLoad(raw)
	slices.SortFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	return l.findings
}

func (l *linter) error(at jsontext.Pointer, format string, args ...any) {
	l.findings = append(l.findings, Finding{l.file, LintError, at, fmt.Sprintf(format, args...)})
}

func (l *linter) warn(at jsontext.Pointer, format string, args ...any) {
	l.findings = append(l.findings, Finding{l.file, LintWarning, at, fmt.Sprintf(format, args...)})
}

// text is a member that is a string; empty where it is not.
func (l *linter) text(name string) string {
	var s string
	if json.Unmarshal(l.members[name], &s) != nil {
		return ""
	}
	return s
}

// readCapabilities keeps the place of an entry that can't be read.
func (l *linter) readCapabilities() {
	var entries []json.RawMessage
	_ = json.Unmarshal(l.members["capabilities"], &entries) // the schema has said so
	for _, e := range entries {
		var c Capability
		_ = json.Unmarshal(e, &c)
		l.granted = append(l.granted, c.ID)
	}
}

// lintState looks at what lets a passport decide at all.
func (l *linter) lintState() {
	if l.text("kind") == "template" {
		l.error("/kind", "a template decides nothing: make an instance of it")
	}
	if s := l.text("status"); slices.Contains([]string{"draft", "suspended", "revoked"}, s) {
		l.warn("/status", "the passport is %s and every payment is denied: make it active if the agent shall pay", s)
	}
	expires, err := time.Parse(time.RFC3339, l.text("expires_at"))
	switch left := expires.Sub(l.At); {
	case err != nil: // absent, or the schema has said so
	case left <= 0:
		l.error("/expires_at", "the passport has expired and every payment is denied: issue a new one")
	case left <= expiresSoon:
		l.warn("/expires_at", "the passport expires in %d days: issue the next one in time", int(left.Hours()/24))
	}
}

// packActive is the status of a pack that is in use. The engine decides by any
// pack that it is given.
const packActive = "active"

// lintCapabilities holds each grant against the packs.
func (l *linter) lintCapabilities() {
	have := AssuranceLevel(l.text("assurance_level"))
	known := slices.Contains(assuranceOrder, have)
	for i, id := range l.granted {
		at := jsontext.Pointer("/capabilities").AppendToken(fmt.Sprint(i)).AppendToken("id")
		packs := l.packsThatAsk(id)
		if len(packs) == 0 && id != "" {
			l.warn(at, "no pack asks for %s, so nothing decides about it: add its pack, or drop the capability%s", id, hint(string(id), l.asked()))
		}
		for _, p := range packs {
			l.lintPack(at, p)
			if known && !have.AtLeast(p.MinAssurance) {
				l.error("/assurance_level", "%s is below %s, which pack %s asks for, and every payment is denied: raise it, or drop %s", have, p.MinAssurance, p.ID, id)
			}
		}
	}
}

// lintPack looks at what of a pack does not do what it looks like.
func (l *linter) lintPack(at jsontext.Pointer, p PolicyPack) {
	if p.Status != packActive {
		l.warn(at, "the pack %s is %s and decides all the same: decide by another, or make its status active", p.ID, p.Status)
	}
	if len(p.AssuranceRules) > 0 && !slices.ContainsFunc(p.Rules, func(r Rule) bool { return strings.Contains(r.Condition, assuranceFunction) }) {
		l.warn(at, "the pack %s has assurance_rules and no rule calls %s, so they ask for nothing: write the rule, or delete them", p.ID, assuranceFunction)
	}
	switch overlooked := p.overlooksRegions(ProfileOAP) || p.overlooksRegions(ProfilePublished); {
	case overlooked && p.decidesPayments():
		l.error("/regions", "pack %s: %s", p.ID, regionsOverlooked)
	case overlooked:
		l.warn("/regions", "pack %s: %s", p.ID, regionsOverlooked)
	}
}

// packsThatAsk lists the packs that require a capability.
func (l *linter) packsThatAsk(id CapabilityID) []PolicyPack {
	var out []PolicyPack
	for _, p := range l.Packs {
		if slices.Contains(p.Pack.RequiresCapabilities, id) {
			out = append(out, p.Pack)
		}
	}
	return out
}

// asked lists every capability that a pack asks for.
func (l *linter) asked() []string {
	var out []string
	for _, p := range l.Packs {
		for _, id := range p.Pack.RequiresCapabilities {
			out = append(out, string(id))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lintSchema adds what the schema refuses. Where a finding stands already, that
// one explains it better, and what the loader refuses is no mere warning.
func (l *linter) lintSchema(faults []strictjson.Fault) {
	for _, f := range faults {
		if i := slices.IndexFunc(l.findings, func(o Finding) bool { return o.Pointer == f.Pointer }); i >= 0 {
			if l.findings[i].Severity == LintWarning {
				l.findings[i].Severity, l.findings[i].Message = LintError, f.Reason+": "+l.findings[i].Message
			}
			continue
		}
		reason := f.Reason
		if reason == strictjson.Unknown {
			reason = "unknown key: delete it"
			if f.Pointer.Parent() == "" {
				reason += hint(f.Pointer.LastToken(), passportMembers())
			}
		}
		l.error(f.Pointer, "%s", reason)
	}
}

// passportMembers are the names of a passport's members.
func passportMembers() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Passport]()) {
		if name := f.Tag.Get("json"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// lintLoad is the last resort: nothing that the loader refuses is clean.
func (l *linter) lintLoad(raw []byte) {
	if slices.ContainsFunc(l.findings, func(f Finding) bool { return f.Severity == LintError }) {
		return
	}
	p, err := ParsePassport(l.file, raw)
	for _, f := range l.Packs {
		for _, profile := range []Profile{ProfileOAP, ProfilePublished} {
			if err == nil && f.Err == nil {
				_, err = NewLayer(p, f.Pack, profile)
			}
		}
	}
	if err != nil {
		l.error("", "can't be loaded: %v", err)
	}
}
