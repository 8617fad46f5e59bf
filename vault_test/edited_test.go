package vault_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

func shippedPack(t *testing.T) oap.PolicyPack {
	t.Helper()
	pack, err := oap.LoadPack(passports.FS, oap.ChargePack)
	require.NoError(t, err)
	return pack
}

// writtenPack is the pack that these tests and the probes were written with.
func writtenPack(t *testing.T) oap.PolicyPack {
	t.Helper()
	pack, err := oap.LoadPack(oaptest.Fixed(), oap.ChargePack)
	require.NoError(t, err)
	return pack
}

// asWritten says whether a level is decided by the files that these tests were
// written with. What they name beyond that is of those files.
func asWritten(t *testing.T, level corpus.Level) bool {
	t.Helper()
	now, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
	require.NoError(t, err)
	then, err := oap.LoadPassport(oaptest.Fixed(), suite.PassportOf(level))
	require.NoError(t, err)
	return now.Digest == then.Digest && shippedPack(t).Digest == writtenPack(t).Digest
}

// packEdits are the rules and gates of a pack that are not as they were: edited, new,
// gone, or in another order. A probe says what the rules as they were decide.
type packEdits struct {
	rules map[string]bool
	codes map[authz.DenialReason]bool // of the rules as they were
}

func editsOf(then, now oap.PolicyPack) packEdits {
	e := packEdits{map[string]bool{}, map[authz.DenialReason]bool{}}
	note := func(rule string, code authz.DenialReason) { e.rules[rule], e.codes[code] = true, true }
	moved := !slices.Equal(common(then, now), common(now, then))
	for _, r := range then.Rules {
		if other, ok := ruleOf(now, r.Name); moved || !ok || !alike(r, other) {
			note(r.Name, r.DenyCode)
		}
	}
	for _, r := range now.Rules {
		if _, ok := ruleOf(then, r.Name); !ok {
			e.rules[r.Name] = true
		}
	}
	if !sameJSON(then.RequiredContext, now.RequiredContext) {
		note("context_schema", authz.ReasonInvalidContext)
	}
	if then.MinAssurance != now.MinAssurance {
		note("assurance_minimum", authz.ReasonAssurance)
	}
	if !slices.Equal(then.RequiresCapabilities, now.RequiresCapabilities) {
		note("capability", authz.ReasonCapabilityMissing)
	}
	return e
}

// explain says whether an edit may be why a decision is not what a probe wants.
func (e packEdits) explain(d authz.Decision, want authz.DenialReason) bool {
	return e.rules[d.Rule()] || e.codes[want]
}

func ruleOf(p oap.PolicyPack, name string) (oap.Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r oap.Rule) bool { return r.Name == name })
	if i < 0 {
		return oap.Rule{}, false
	}
	return p.Rules[i], true
}

// sameJSON compares what both say, whatever the blanks; two that say nothing are alike.
func sameJSON(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && cmp.Equal(one, other) || len(a)+len(b) == 0
}

// alike says whether two rules of one name decide alike, as far as their text tells.
func alike(a, b oap.Rule) bool {
	return a.Condition == b.Condition && a.DenyCode == b.DenyCode && slices.Equal(a.Profiles, b.Profiles)
}

// common are the names of a pack's rules that another one has too, in order.
func common(p, other oap.PolicyPack) []string {
	var names []string
	for _, r := range p.Rules {
		if _, ok := ruleOf(other, r.Name); ok {
			names = append(names, r.Name)
		}
	}
	return names
}

// TestPackEdits: what an edit may explain, and that no edit explains nothing.
func TestPackEdits(t *testing.T) {
	rule := func(name, condition string, code authz.DenialReason) oap.Rule {
		return oap.Rule{Name: name, Condition: condition, DenyCode: code}
	}
	cap, list := rule("cap", "amount <= 5", authz.ReasonLimitExceeded), rule("list", "merchant_id != 'm'", authz.ReasonRecipientNotMember)
	memo := rule("memo", "memo is not empty", authz.ReasonInvalidContext)
	tight := rule("cap", "amount < 5", authz.ReasonLimitExceeded)
	type asked struct {
		rule string // that decided; empty: it is allowed
		want authz.DenialReason
	}
	for _, tt := range []struct {
		name   string
		now    []oap.Rule
		ask    asked
		want   bool
		reason string
	}{
		{"no edit", []oap.Rule{cap, list}, asked{"cap", authz.ReasonAllowed}, false, "the engine decides otherwise"},
		{"edited rule denies", []oap.Rule{tight, list}, asked{"cap", authz.ReasonAllowed}, true, "as it now says"},
		{"edited rule lets pass", []oap.Rule{tight, list}, asked{"", authz.ReasonLimitExceeded}, true, "it denied before"},
		{"another rule denies", []oap.Rule{tight, list}, asked{"list", authz.ReasonAllowed}, false, "the list was not edited"},
		{"another rule lets pass", []oap.Rule{tight, list}, asked{"", authz.ReasonRecipientNotMember}, false, "the list was not edited"},
		{"new rule denies", []oap.Rule{cap, list, memo}, asked{"memo", authz.ReasonAllowed}, true, "nobody wrote a probe of it"},
		{"new rule beside", []oap.Rule{cap, list, memo}, asked{"cap", authz.ReasonAllowed}, false, "the cap is as it was"},
		{"rule gone", []oap.Rule{list}, asked{"", authz.ReasonLimitExceeded}, true, "nobody denies it now"},
		{"order changed", []oap.Rule{list, cap}, asked{"list", authz.ReasonLimitExceeded}, true, "the first that fails gives the code"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			d := authz.Decision{Effect: authz.Allow}
			if tt.ask.rule != "" {
				d = authz.Decision{Effect: authz.Deny, Reasons: []authz.Reason{{Rule: tt.ask.rule}}}
			}
			got := editsOf(oap.PolicyPack{Rules: []oap.Rule{cap, list}}, oap.PolicyPack{Rules: tt.now}).explain(d, tt.ask.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("explain: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
