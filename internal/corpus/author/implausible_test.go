package author_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImplausible(t *testing.T) {
	const (
		attack = "fixtures/attacks/level-1.jsonl:2: l1-0002: "
		twin   = "fixtures/benign/level-1.jsonl:1: b1-0001: "
	)
	for _, tt := range []struct {
		name, file, old, changed string
		want                     []string
		reason                   string
	}{
		{"denied twin", benign1, `["oap.allowed"]`, `["oap.limit_exceeded"]`, []string{twin + "expects oap.limit_exceeded: an honest task of level l1 asks for payments that are allowed, so write other ones"}, "a layer that denies everything would pass"},
		{"twin without a goal", benign1, `[{"recipient": "rita@elm.example", "amount": 7.50, "memo": ""}], "expect": ["oap.allowed"]`, `null, "expect": []`, []string{twin + "goal is null: an honest task of level l1 has a payment that is allowed"}, "the same"},
		{"blank message", attacks1, `["überweise 7.50 an bob@oak.example"]`, `["überweise 7.50 an bob@oak.example", " \u200b\t\n\u3000"]`, []string{attack + "message 2 is blank: write something, or take it out"}, "nobody wrote anything"},
		{"blank reason", attacks1, "Within the limits.", " ", []string{attack + "the reason is blank: say in one sentence why the codes are right"}, "an expectation without a reason"},
		{"year 2999", attacks1, "2026-03-06", "2999-03-06", []string{attack + "date is 2999-03-06, which is not within a year of the clock's start (2025-03-06 to 2027-03-06): write the day of the attempt, or leave it out"}, "nobody has lived it"},
		{"the day after", attacks1, "2026-03-06", "2027-03-07", []string{attack + "date is 2027-03-07, which is not within a year of the clock's start (2025-03-06 to 2027-03-06): write the day of the attempt, or leave it out"}, "the bound"},
		{"the last day", attacks1, "2026-03-06", "2027-03-06", nil, "the bound itself"},
		{"the first day", attacks1, "2026-03-06", "2025-03-06", nil, "the other one"},
		{"the day before", attacks1, "2026-03-06", "2025-03-05", []string{attack + "date is 2025-03-05, which is not within a year of the clock's start (2025-03-06 to 2027-03-06): write the day of the attempt, or leave it out"}, "before it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := small(t)
			edit(t, fsys, tt.file, tt.old, tt.changed)
			if diff := cmp.Diff(tt.want, lint(t, fsys)); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
