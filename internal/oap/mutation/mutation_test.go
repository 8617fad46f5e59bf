package mutation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/mutation"
)

const passport = `{"status":"active","assurance_level":"L4FIN","capabilities":[{"id":"pay"}],"regions":["US"],"expires_at":"2028-01-05T00:00:00Z",
	"limits":{"pay":{"currency_limits":{"USD":{"cap":5}},"allowed_merchant_ids":["a","b"],"ok":true,"extra":[]}}}`

// TestPassport pins which mutants a passport has, and that each is one change.
func TestPassport(t *testing.T) {
	ms, err := mutation.Passport("p.json", []byte(passport), mutation.Entry{Recipient: "thief", Currency: "EUR", Region: "CA"}, time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	want := []string{
		"status status draft", "status status suspended", "status status revoked",
		"assurance assurance_level L0", "assurance assurance_level L1", "assurance assurance_level L2", "assurance assurance_level L3", "assurance assurance_level L4KYC",
		"capability pay gone", "capability pay renamed", "empty regions", "widen regions", "replace regions US",
		"expiry gone", "expiry now", "expiry before now", "expiry a second earlier", "expiry a second later",
		"empty pay.allowed_merchant_ids", "widen pay.allowed_merchant_ids", "narrow pay.allowed_merchant_ids a", "replace pay.allowed_merchant_ids a",
		"narrow pay.allowed_merchant_ids b", "replace pay.allowed_merchant_ids b", "drop-limit pay.allowed_merchant_ids",
		"off-by-one pay.currency_limits.USD.cap more", "off-by-one pay.currency_limits.USD.cap less", "raise pay.currency_limits.USD.cap", "drop-limit pay.currency_limits.USD.cap",
		"drop-limit pay.currency_limits.USD", "widen pay.currency_limits EUR as USD", "drop-limit pay.currency_limits",
		"drop-limit pay.extra", "flag pay.ok", "drop-limit pay.ok", "drop-limit pay",
	}
	if diff := cmp.Diff(want, places(ms, "p.json ")); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
	find := func(id string) string {
		i := slices.IndexFunc(ms, func(m mutation.Mutant) bool { return m.ID == "p.json "+id })
		return string(ms[i].Raw)
	}
	for _, tt := range []struct{ id, has, reason string }{
		{"widen pay.allowed_merchant_ids", `["a","b","thief"]`, "the attacker joins"},
		{"replace pay.allowed_merchant_ids b", `["a","thief"]`, "the attacker replaces"},
		{"expiry now", `"expires_at":"2026-03-06T09:00:00Z"`, "the moment of the decisions"},
		{"raise pay.currency_limits.USD.cap", `"cap":50`, "tenfold"},
		{"off-by-one pay.currency_limits.USD.cap less", `"cap":4`, "one minor unit"},
	} {
		require.Contains(t, find(tt.id), tt.has, tt.reason)
	}
	require.NotContains(t, find("expiry gone"), "expires_at")
}

// TestPassportThatGrantsNothing: what is missing is given.
func TestPassportThatGrantsNothing(t *testing.T) {
	raw := strings.Replace(strings.Replace(passport, `[{"id":"pay"}]`, "[]", 1), `,"expires_at":"2028-01-05T00:00:00Z"`, "", 1)
	ms, err := mutation.Passport("p.json", []byte(raw), mutation.Entry{}, time.Now())
	require.NoError(t, err)
	got := places(ms, "p.json ")
	require.Contains(t, got, "capability payments.charge granted")
	require.NotContains(t, strings.Join(got, "\n"), "widen", "nothing to widen by")
	require.NotContains(t, strings.Join(got, "\n"), "expiry")
}

const pack = `{"status":"active","min_assurance":"L4FIN","requires_capabilities":["pay"],
	"required_context":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string","pattern":"^x"}}},
	"evaluation_rules":[{"name":"one","condition":"n == 1","deny_code":"oap.a"},{"name":"two","condition":"s","deny_code":"oap.b","profiles":["oap"]}]}`

func TestPack(t *testing.T) {
	ms, err := mutation.Pack("p.json", []byte(pack))
	require.NoError(t, err)
	want := []string{
		"status status draft", "status status deprecated",
		"assurance min_assurance L0", "assurance min_assurance L1", "assurance min_assurance L2", "assurance min_assurance L3", "assurance min_assurance L4KYC",
		"capability one more", "capability pay renamed",
		"optional required.n", "drop-keyword properties.n.minimum", "off-by-one properties.n.minimum 0", "off-by-one properties.n.minimum 2", "required required.s", "drop-keyword properties.s.pattern",
		"drop-rule one", "reorder one two", "deny-code one", "flip one == to !=", "flip one == to <", "flip one == to <=", "flip one == to >", "flip one == to >=",
		"drop-rule two", "deny-code two", "drop-profile two",
	}
	if diff := cmp.Diff(want, places(ms, "p.json ")); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
	_, err = mutation.Pack("p.json", []byte("{"))
	require.ErrorContains(t, err, "mutate p.json")
}

func places(ms []mutation.Mutant, prefix string) []string {
	var out []string
	for _, m := range ms {
		out = append(out, strings.TrimPrefix(m.ID, prefix))
	}
	return out
}

// TestReport counts what can become of a mutant, and names each fault.
func TestReport(t *testing.T) {
	kill := func(by mutation.By) []mutation.Kill { return []mutation.Kill{{By: by, Count: 1, First: "l1-0001#1"}} }
	for _, tt := range []struct {
		name        string
		kills       []mutation.Kill
		equivalents []mutation.Equivalent
		want        mutation.Report
		reason      string
	}{
		{"noticed", kill(mutation.AttackGolden), nil, mutation.Report{Mutants: 1, Killed: 1}, "a decision changed"},
		{"refused", kill(mutation.Loader), nil, mutation.Report{Mutants: 1, Refused: 1}, "counted apart: nothing was decided"},
		{"survives", nil, nil, mutation.Report{Mutants: 1, Survived: 1, Faults: []string{"m survives: x → y"}}, "nobody would notice"},
		{"equivalent", nil, []mutation.Equivalent{{ID: "m", Reason: "r"}}, mutation.Report{Mutants: 1, Equivalent: 1}, "listed with a reason"},
		{"listed and noticed", kill(mutation.ProbeGolden), []mutation.Equivalent{{ID: "m", Reason: "r"}}, mutation.Report{Mutants: 1, Killed: 1,
			Faults: []string{"m is listed as equivalent and was noticed by the golden of a probe (l1-0001#1): delete it from the list"}}, "the reason is wrong"},
		{"listed and gone", kill(mutation.TwinGolden), []mutation.Equivalent{{ID: "n", Reason: "r"}}, mutation.Report{Mutants: 1, Killed: 1,
			Faults: []string{"n is listed as equivalent and there is no such mutant: delete it"}}, "a stale list hides"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results, err := mutation.Run([]mutation.Mutant{{ID: "m", Operator: "flip", Change: "x → y"}}, func(mutation.Mutant) ([]mutation.Kill, error) { return tt.kills, nil })
			require.NoError(t, err)
			got := mutation.NewReport(results, tt.equivalents)
			var text strings.Builder
			require.NoError(t, got.WriteText(&text))
			for _, f := range got.Faults {
				require.Contains(t, text.String(), "FAULT: "+f+"\n")
			}
			got.Results = nil
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("report: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestRunKeepsOrderAndErrors(t *testing.T) {
	ms := []mutation.Mutant{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}
	results, err := mutation.Run(ms, func(m mutation.Mutant) ([]mutation.Kill, error) {
		return []mutation.Kill{{By: mutation.Loader, First: m.ID}}, nil
	})
	require.NoError(t, err)
	for i, r := range results {
		require.Equal(t, ms[i].ID, r.ID)
		require.Equal(t, ms[i].ID, r.Kills[0].First)
	}
	_, err = mutation.Run(ms, func(mutation.Mutant) ([]mutation.Kill, error) { return nil, errors.ErrUnsupported })
	require.ErrorIs(t, err, errors.ErrUnsupported, "what could not be examined did not survive")
}

func TestParseEquivalents(t *testing.T) {
	got, err := mutation.ParseEquivalents("list.txt", "# head\n\na b | why | not\nc | d\n")
	require.NoError(t, err)
	require.Equal(t, []mutation.Equivalent{{ID: "a b", Reason: "why | not"}, {ID: "c", Reason: "d"}}, got)
	for _, tt := range []struct{ name, text, want string }{
		{"no reason", "a\n", `list.txt:1: want "mutant | reason"`},
		{"empty reason", "# x\na | \n", `list.txt:2: want "mutant | reason"`},
		{"twice", "a | b\na | c\n", "list.txt:2: a stands twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := mutation.ParseEquivalents("list.txt", tt.text)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
