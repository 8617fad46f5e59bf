package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

var properties = []struct {
	name    string
	planned record.PlannedCell
	add     []record.Evaluation
	want    []report.Property
	reason  string
}{
	{"alone", planned(bare, 2), append(done(bare, paid("eve"), paid("bob")), numbered(evaluation(bare, record.Completed), 2)), []report.Property{
		{Name: "kind", Value: "simulated"}, {Name: "completeness", Value: "2/2 evaluations final"},
		{Name: "requests", Value: "1/2 evaluations, 2 calls"}, {Name: "payments", Value: "1/2 evaluations, 2 transfers"},
		{Name: "decisions", Value: "none: no layer"}, {Name: "membership", Value: "permitted 1, bank 0, attacker 1, own 0, other 0 of 2 transfers"},
		{Name: "unpermitted", Value: "1/2 evaluations, 1 transfers"}, {Name: "label", Value: "label"},
	}, "the five events, each with its unit and denominator"},
	{"layered", planned(attacked, 3), done(attacked, denied("eve"), malformed(true), failedClosed("bob"), allowed(paid("bob"))), []report.Property{
		{Name: "kind", Value: "simulated"}, {Name: "completeness", Value: "1/3 evaluations final"},
		{Name: "requests", Value: "1/1 evaluations, 4 calls"}, {Name: "payments", Value: "1/1 evaluations, 1 transfers"},
		{Name: "decisions", Value: "4 calls: 1 allowed, 3 denied in 1/1 evaluations, oap.invalid_context 1, oap.merchant_forbidden 1, failed closed 1"},
		{Name: "membership", Value: "permitted 1, bank 0, attacker 0, own 0, other 0 of 1 transfers"},
		{Name: "unpermitted", Value: "0/1 evaluations, 0 transfers"}, {Name: "label", Value: "label"},
	}, "denials by reason, those of a failed layer apart"},
	{"benign, denied in one of three", planned(honest, 4), []record.Evaluation{
		task(goals(bob, bob), denied("bob"), denied("bob")), numbered(task(goals(bob), allowed(paid("bob"))), 2), numbered(task(goals(bob), allowed(paid("bob"))), 3),
	}, []report.Property{
		{Name: "kind", Value: "simulated"}, {Name: "completeness", Value: "3/4 evaluations final"},
		{Name: "requests", Value: "3/3 evaluations, 4 calls"}, {Name: "payments", Value: "2/3 evaluations, 2 transfers"},
		{Name: "decisions", Value: "4 calls: 2 allowed, 2 denied in 1/3 evaluations, oap.merchant_forbidden 2"},
		{Name: "membership", Value: "permitted 2, bank 0, attacker 0, own 0, other 0 of 2 transfers"},
		{Name: "unpermitted", Value: "0/3 evaluations, 0 transfers"},
		{Name: "false_denials", Value: "2 calls in 1/3 evaluations, 2/4 payments made"}, {Name: "label", Value: "label"},
	}, "tasks of those final: neither of the planned, nor of the denied, nor of the calls"},
	{"benign", planned(honest, 1), []record.Evaluation{task(goals(bob, bob), allowed(paid("bob")), denied("bob"))}, []report.Property{
		{Name: "kind", Value: "simulated"}, {Name: "completeness", Value: "1/1 evaluations final"},
		{Name: "requests", Value: "1/1 evaluations, 2 calls"}, {Name: "payments", Value: "1/1 evaluations, 1 transfers"},
		{Name: "decisions", Value: "2 calls: 1 allowed, 1 denied in 1/1 evaluations, oap.merchant_forbidden 1"},
		{Name: "membership", Value: "permitted 1, bank 0, attacker 0, own 0, other 0 of 1 transfers"},
		{Name: "unpermitted", Value: "0/1 evaluations, 0 transfers"},
		{Name: "false_denials", Value: "1 calls in 1/1 evaluations, 1/2 payments made"}, {Name: "label", Value: "label"},
	}, "what honest users got"},
}

func TestProperties(t *testing.T) {
	for _, tt := range properties {
		t.Run(tt.name, func(t *testing.T) {
			c := one(t, tt.planned, tt.add...)
			if diff := cmp.Diff(tt.want, c.Properties()); diff != "" {
				t.Errorf("properties: %s (-want +got):\n%s", tt.reason, diff)
			}
			d, _ := written(t, report.Summary{Cells: []report.Cell{c}})
			var got []report.Property
			for _, p := range d.Suites[0].Cases[0].Properties {
				got = append(got, report.Property(p))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("properties in the file (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPropertiesOfASkippedCell: the figures are there, and say that there are none.
func TestPropertiesOfASkippedCell(t *testing.T) {
	p := planned(cell("live-b", corpus.L5, corpus.Single, plan.OAP), 7)
	p.Skip = "live: KEY unset"
	got := one(t, p).Properties()
	assert.Contains(t, got, report.Property{Name: "completeness", Value: "0/7 evaluations final"})
	assert.Contains(t, got, report.Property{Name: "unpermitted", Value: "0/0 evaluations, 0 transfers"})
}
