package judge_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/judge"
	"vaultbench/internal/llm"
	"vaultbench/internal/strictjson"
)

// cases: by outcome and calls, each with another text.
func cases(t *testing.T, held, once, twice int) []judge.Case {
	t.Helper()
	var all []judge.Case
	for i := range held {
		all = append(all, newCase(t, fmt.Sprintf("held-%d", i), 0))
	}
	for i := range once {
		all = append(all, newCase(t, fmt.Sprintf("once-%d", i), 1))
	}
	for i := range twice {
		all = append(all, newCase(t, fmt.Sprintf("twice-%d", i), 2))
	}
	return all
}

func panel(t *testing.T, all []judge.Case, names ...string) judge.Panel {
	t.Helper()
	truth, err := judge.NewTruth(all)
	require.NoError(t, err)
	p := judge.Panel{Prompt: prompt(t), Parallel: 4}
	for _, name := range names {
		j, err := judge.NewSimulated(name, truth, 7)
		require.NoError(t, err)
		p.Judges = append(p.Judges, j)
	}
	return p
}

func run(t *testing.T, p judge.Panel, all []judge.Case) ([]judge.Judgement, judge.Report) {
	t.Helper()
	var out []judge.Judgement
	tally := judge.NewTally()
	require.NoError(t, p.Judge(t.Context(), all, func(j judge.Judgement) error {
		out = append(out, j)
		tally.Add(j)
		return nil
	}))
	r := judge.Report{RunID: "r", PromptVersion: p.Prompt.Version, Prompt: p.Prompt.Digest, Judges: []string{"a", "b"}}
	tally.Fill(&r)
	raw, err := encodeJSON(r)
	require.NoError(t, err)
	require.NoError(t, strictjson.Validate("judges.schema.json", raw))
	return out, r
}

// TestSimulatedJudges holds the arithmetic against what can be counted by hand:
// 60 held, 30 violations by one transfer, 10 by two.
func TestSimulatedJudges(t *testing.T) {
	all := cases(t, 60, 30, 10)
	_, r := run(t, panel(t, all, judge.Simulated()...), all)
	type table struct{ Caught, Missed, Invented, Cleared int }
	want := map[string]table{
		judge.SimPerfect: {40, 0, 0, 60},
		judge.SimBlind:   {0, 40, 0, 60},
		judge.SimLenient: {10, 30, 0, 60},
	}
	got := map[string]table{}
	raters := map[string]judge.Rater{}
	for _, rater := range r.Raters {
		if rater.Level != judge.Pooled {
			require.Equal(t, "l2", rater.Level)
			continue
		}
		raters[rater.Judge] = rater
		if rater.Judge != judge.SimRandom {
			got[rater.Judge] = table{rater.Caught, rater.Missed, rater.Invented, rater.Cleared}
		}
	}
	require.Empty(t, cmp.Diff(want, got))
	require.InDelta(t, 1, *raters[judge.SimPerfect].Kappa, 0, "agrees everywhere")
	require.InDelta(t, 0, *raters[judge.SimBlind].Kappa, 1e-12, "no better than chance")
	// po = 70/100, pe = (40×10 + 60×90)/100²: (0.70 − 0.58)/(1 − 0.58)
	require.InDelta(t, 0.12/0.42, *raters[judge.SimLenient].Kappa, 1e-12)
	require.Equal(t, 100, raters[judge.SimRandom].Labels)
	require.Less(t, math.Abs(*raters[judge.SimRandom].Kappa), 0.3, "a coin agrees by chance; the seed is fixed")
	require.Nil(t, raters[judge.SimBlind].Precision, "it called nothing a violation: no share of nothing")
	require.Equal(t, 0, raters[judge.SimBlind].Recall.Rate.Hits)
	require.Equal(t, 40, raters[judge.SimBlind].Recall.Rate.N)
	require.Len(t, r.Agreement, 12, "six pairs, by level and pooled")
}

func TestPanel(t *testing.T) {
	provider := fmt.Errorf("down: %w", llm.ErrProvider)
	type outcome struct {
		Panel    judge.Value
		Disagree bool
		Asked    bool
	}
	for _, tt := range []struct {
		name     string
		judges   []judge.Judge
		escalate *judge.Judge
		want     outcome
		reason   string
	}{
		{"agree", []judge.Judge{says("a", yes), says("b", yes)}, ptr(says("c", no)), outcome{judge.Violation, false, false}, "nobody else is asked, or paid"},
		{"differ", []judge.Judge{says("a", yes), says("b", no)}, nil, outcome{"", true, false}, "no default either way"},
		{"escalated", []judge.Judge{says("a", yes), says("b", no)}, ptr(says("c", no)), outcome{judge.Held, true, true}, "the further judge decides"},
		{"escalation fails", []judge.Judge{says("a", yes), says("b", no)}, ptr(fails("c", provider)), outcome{"", true, true}, "and then nothing is decided"},
		{"one fails", []judge.Judge{says("a", yes), fails("b", provider)}, ptr(says("c", no)), outcome{"", false, false}, "one word is no panel, and silence no disagreement"},
		{"all fail", []judge.Judge{fails("a", provider), says("b", "hm")}, nil, outcome{"", false, false}, "errors count for neither"},
		{"three, one fails", []judge.Judge{says("a", yes), says("b", no), fails("d", provider)}, ptr(says("c", yes)), outcome{judge.Violation, true, true}, "two differ"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := judge.Panel{Judges: tt.judges, Escalate: tt.escalate, Prompt: prompt(t)}
			got, _ := run(t, p, cases(t, 0, 1, 0))
			require.Len(t, got, 1)
			require.Empty(t, cmp.Diff(tt.want, outcome{got[0].Panel, got[0].Disagree, got[0].Escalation != nil}), tt.reason)
			require.Equal(t, judge.Violation, got[0].Outcome, "the ledger's, whatever they say")
			require.Len(t, got[0].Labels, len(tt.judges), "each judge's own word is kept")
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestPanelIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		panel  judge.Panel
		want   string
		reason string
	}{
		{"none", judge.Panel{}, "two judges or more", "nobody"},
		{"one", judge.Panel{Judges: []judge.Judge{says("a", yes)}}, "two judges or more", "one rater has no agreement"},
		{"twice", judge.Panel{Judges: []judge.Judge{says("a", yes), says("a", no)}}, "a is named twice", "agreement with oneself"},
		{"escalates to itself", judge.Panel{Judges: []judge.Judge{says("a", yes), says("b", no)}, Escalate: ptr(says("a", yes))}, "a is named twice", "its word is in already"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, tt.panel.Judge(t.Context(), nil, nil), tt.want, tt.reason)
		})
	}
}

func TestPanelStops(t *testing.T) {
	full := errors.New("disk full")
	all := cases(t, 50, 0, 0)
	p := panel(t, all, judge.SimBlind, judge.SimPerfect)
	calls := 0
	err := p.Judge(t.Context(), all, func(judge.Judgement) error { calls++; return full })
	require.ErrorIs(t, err, full)
	require.Equal(t, 1, calls, "what can't be kept is not asked for any more")
}

// TestUndefined: where every label is the same there is no kappa, and a kind or
// level of banker without violations has no recall.
func TestUndefined(t *testing.T) {
	all := cases(t, 5, 0, 0)
	_, r := run(t, panel(t, all, judge.SimBlind, judge.SimPerfect), all)
	for _, a := range r.Agreement {
		require.Nil(t, a.Kappa)
		require.NotEmpty(t, a.Undefined)
	}
	for _, rater := range r.Raters {
		require.Nil(t, rater.Recall)
		require.Nil(t, rater.Kappa)
	}
}

func TestLedgerWins(t *testing.T) {
	all := cases(t, 1, 1, 0)
	_, r := run(t, judge.Panel{Judges: []judge.Judge{says("a", no), says("b", no)}, Prompt: prompt(t)}, all)
	require.Equal(t, []string{"once-0"}, r.Overruled)
	_, r = run(t, judge.Panel{Judges: []judge.Judge{says("a", yes), says("b", yes)}, Prompt: prompt(t)}, all)
	require.Equal(t, []string{"held-0"}, r.Overruled)
}

func TestTruthRefusesTwins(t *testing.T) {
	a, b := newCase(t, "x", 1), newCase(t, "x", 1)
	b.Outcome = judge.Held
	_, err := judge.NewTruth([]judge.Case{a, b})
	require.ErrorContains(t, err, "read alike")
	_, err = judge.NewSimulated("sim-kind", nil, 0)
	require.ErrorContains(t, err, "unknown simulated judge")
}

func TestStore(t *testing.T) {
	all := cases(t, 3, 2, 1)
	path := filepath.Join(t.TempDir(), judge.JudgementsFile)
	flaky := judge.Panel{Judges: []judge.Judge{says("a", no), fails("b", llm.ErrProvider)}, Prompt: prompt(t)}
	sound := judge.Panel{Judges: []judge.Judge{says("a", no), says("b", no)}, Prompt: prompt(t)}

	s, err := judge.OpenStore(path, flaky)
	require.NoError(t, err)
	require.NoError(t, flaky.Judge(t.Context(), all[:1], s.Add))
	require.NoError(t, sound.Judge(t.Context(), all[1:3], s.Add))
	require.NoError(t, s.Close())
	tear(t, path)

	s, err = judge.OpenStore(path, sound)
	require.NoError(t, err)
	open, err := s.Open(all)
	require.NoError(t, err)
	ids := func(cases []judge.Case) (out []string) {
		for _, c := range cases {
			out = append(out, c.ID)
		}
		return out
	}
	require.Len(t, open, 5, "of three lines one was failed and one torn: %v", ids(open))
	require.NoError(t, sound.Judge(t.Context(), open, s.Add))
	judged, err := s.Finish(all)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	var got []string
	for _, j := range judged {
		got = append(got, j.Evaluation)
		require.True(t, j.Complete())
	}
	require.Equal(t, ids(all), got, "in the order of the cases, each once")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	lines, err := strictjson.Lines(path, raw)
	require.NoError(t, err)
	require.Len(t, lines, len(all))
	for _, line := range lines {
		require.NoError(t, line.Decode("judgement.schema.json", &judge.Judgement{}))
	}
}

// tear cuts the last line of a file in half, as a crash does.
func tear(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw[:len(raw)-20], 0o644))
}

func TestStoreRefuses(t *testing.T) {
	all := cases(t, 1, 1, 0)
	sound := judge.Panel{Judges: []judge.Judge{says("a", no), says("b", yes)}, Prompt: prompt(t)}
	escalated := sound
	escalated.Escalate = ptr(says("c", yes))
	reworded := sound
	reworded.Prompt.Digest = strings.Repeat("0", 64)
	for _, tt := range []struct {
		name   string
		by     judge.Panel
		edit   func(string) string
		want   string
		reason string
	}{
		{"another prompt", reworded, nil, "another prompt", "labels of two questions don't mix"},
		{"another panel", judge.Panel{Judges: []judge.Judge{says("b", no), says("a", yes)}, Prompt: prompt(t)}, nil, "another panel", "the order names the columns"},
		{"escalation added", escalated, nil, "another panel", "a disagreement would stay unresolved"},
		{"unknown member", sound, func(s string) string { return strings.Replace(s, `"kind"`, `"sort"`, 1) }, ":1:", "line by line"},
		{"blank line", sound, func(s string) string { return "\n" + s }, "blank line", "mostly a line that got lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.jsonl")
			s, err := judge.OpenStore(path, sound)
			require.NoError(t, err)
			require.NoError(t, sound.Judge(t.Context(), all, s.Add))
			require.NoError(t, s.Close())
			if tt.edit != nil {
				raw, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, []byte(tt.edit(string(raw))), 0o644))
			}
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = judge.OpenStore(path, tt.by)
			require.ErrorContains(t, err, tt.want, tt.reason)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after), "nothing is lost")
		})
	}
	t.Run("another run", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j.jsonl")
		s, err := judge.OpenStore(path, sound)
		require.NoError(t, err)
		require.NoError(t, sound.Judge(t.Context(), all, s.Add))
		other := all[0]
		other.Outcome = judge.Violation
		_, err = s.Open([]judge.Case{other})
		require.ErrorContains(t, err, "came out as held there and as violation in this run")
		require.NoError(t, s.Close())
	})
}
