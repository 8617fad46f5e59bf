package condition_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

const vectorsDir = "../../../../shared/oap/vectors"

// pack is what these tests read of a published pack.
type pack struct {
	ID           string   `json:"id"`
	Capabilities []string `json:"requires_capabilities"`
	Context      schema   `json:"required_context"`
	Rules        []struct {
		Name      string `json:"name"`
		Condition string `json:"condition"`
	} `json:"evaluation_rules"`
}

type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
}

// typ is the type of a value that the schema describes.
func (s schema) typ() condition.Type {
	switch s.Type {
	case "integer":
		return intType
	case "string":
		return stringType
	case "boolean":
		return boolType
	case "array":
		return listOf(s.Items.typ())
	case "object":
		out := condition.Type{Kind: condition.KindRecord}
		for name, member := range s.Properties {
			out.Names = append(out.Names, name)
			out.Members = append(out.Members, member.typ())
		}
		return out
	}
	return condition.Any
}

// publishedPacks are the finance packs; the test skips where they are absent.
func publishedPacks(t *testing.T) []pack {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vectorsDir, "finance.*", "policy.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skipf("no published packs in %s: they are not part of this repository", vectorsDir)
	}
	var packs []pack
	for _, f := range files {
		raw, err := os.ReadFile(f)
		require.NoError(t, err)
		var p pack
		require.NoError(t, json.Unmarshal(raw, &p), f)
		packs = append(packs, p)
	}
	return packs
}

// scope is what the pack's conditions may name, with no passport.
func (p pack) scope() *condition.Scope {
	context := map[string]condition.Slot{}
	for name, s := range p.Context.Properties {
		context[name] = condition.Slot{Index: len(context), Type: s.typ()}
	}
	state := map[string]condition.Slot{}
	for name, typ := range map[string]condition.Type{
		"daily_total": intType, "daily_payout_count": intType, "recent_keys": kept["recent_keys"], "daily_counterparty_total": kept["totals"],
	} {
		state[name] = condition.Slot{Index: len(context) + len(state), Type: typ}
	}
	return &condition.Scope{
		Context: context, State: state, Capability: strings.Split(p.Capabilities[0], "."),
		Order: scope().Order, Ordered: scope().Ordered,
	}
}

// unboundRules are the published rules that do not bind without a passport.
var unboundRules = map[string]error{
	"finance.payment.refund.v1 assurance_minimum": condition.ErrUnknownFunction,
}

// TestPublishedPacks: every condition parses, and binds unless it is listed.
func TestPublishedPacks(t *testing.T) {
	rules := 0
	for _, p := range publishedPacks(t) {
		s := p.scope()
		for _, r := range p.Rules {
			rules++
			t.Run(p.ID+"/"+r.Name, func(t *testing.T) {
				x, err := condition.Parse(r.Condition)
				require.NoError(t, err)
				require.Equal(t, r.Condition, x.Text())
				program, err := x.Bind(s)
				if want := unboundRules[p.ID+" "+r.Name]; want != nil {
					require.ErrorIs(t, err, want)
					return
				}
				require.NoError(t, err)
				blank := &condition.Env{Slots: make([]condition.Value, len(s.Context)+len(s.State))}
				require.NotEqual(t, yes, program.Eval(blank), "without a passport and a request nothing holds")
				require.NotEmpty(t, program.Seen(blank))
			})
		}
	}
	require.GreaterOrEqual(t, rules, 36, "four packs")
}

// TestPublishedFunction: the refund pack's function, once registered, has an
// order of its own.
func TestPublishedFunction(t *testing.T) {
	packs := publishedPacks(t)
	i := slices.IndexFunc(packs, func(p pack) bool { return p.ID == "finance.payment.refund.v1" })
	require.GreaterOrEqual(t, i, 0)
	for _, r := range packs[i].Rules {
		if r.Name != "assurance_minimum" {
			continue
		}
		s := packs[i].scope()
		s.Passport = pointers(passport)
		s.Functions = map[string]condition.Func{"getRequiredAssuranceLevel": {
			Params: []condition.Kind{condition.KindInt, condition.KindString}, Result: condition.KindString, Ordered: true,
			Call: func(args []*condition.Value) (condition.Value, error) { return condition.String("L4FIN"), nil },
		}}
		e := &condition.Env{Slots: make([]condition.Value, len(s.Context)+len(s.State))}
		e.Slots[s.Context["amount"].Index], e.Slots[s.Context["currency"].Index] = condition.Int(1), condition.String("USD")
		require.Equal(t, no, bind(t, r.Condition, s).Eval(e), "L4KYC does not reach L4FIN")
		return
	}
	t.Error("the refund pack has no rule assurance_minimum")
}
