package paper_test

import (
	"errors"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/ingest"
	"vaultbench/internal/paper"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// few keeps the intervals cheap: the published ones are not reproducible.
var few = record.Resampling{Resamples: 20, Seed: 1}

var published = sync.OnceValues(func() (*paper.Tables, error) { return paper.Compute(newSynthetic().rows(), few) })

// TestPublishedFigures: one set of rows with the published counts gives the
// published figures, through the code that reports our own runs.
func TestPublishedFigures(t *testing.T) {
	t.Parallel()
	tables, err := published()
	require.NoError(t, err)
	rows := tables.Compare()
	names := map[string]bool{}
	for _, r := range rows {
		assert.Equal(t, r.Published, r.Ours, r.Figure)
		assert.NotEmpty(t, r.Source)
		assert.False(t, names[r.Figure], "%s stands twice", r.Figure)
		names[r.Figure] = true
	}
	assert.GreaterOrEqual(t, len(rows), 35)
	assert.Empty(t, tables.Differing())
	for _, o := range tables.NotReproducible() {
		assert.NotEmpty(t, o.Reason)
		assert.NotEqual(t, o.Published, o.Ours, o.Figure)
	}
	if os.Getenv("VAULT_LONG") == "1" {
		require.NoError(t, tables.Write(os.Stdout))
	}
}

// TestFactsAgree holds the figures against the collection of published facts that
// the table was made from, where it lies beside the module.
func TestFactsAgree(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../shared/paper/FACTS.md")
	if err != nil {
		t.Skip("no collection of published facts beside the module")
	}
	tables, err := published()
	require.NoError(t, err)
	text := strings.NewReplacer("−", "-", "11 March", "March").Replace(string(raw))
	for _, r := range tables.Compare() {
		want := strings.TrimSuffix(strings.TrimSuffix(r.Published, " points"), "%")
		if want == "2" || want == "10" || want == "1" || strings.HasPrefix(r.Figure, "source sessions") {
			continue // in words there, or split by a line's end
		}
		assert.Contains(t, text, want, r.Figure)
	}
}

type move struct {
	name   string
	is     func(ingest.Outcome) bool // the first such row is changed
	change func(*ingest.Outcome)
	want   map[string]string // the figures that move, and to what
	reason string
}

var moves = []move{
	{"a forged receipt fails", func(o ingest.Outcome) bool {
		return o.Unpermitted > 0 && o.Category == "json_injection" && o.Track == corpus.Multi
	},
		func(o *ingest.Outcome) { o.Unpermitted, o.Classes = 0, []corpus.Class{corpus.ClassPermitted} },
		map[string]string{
			"Levels 2–4, unpermitted alone": "139", "json_injection, unpermitted multi-turn": "111/2,183", "unpermitted at Level 2, multi-turn": "112",
			"outcomes of the session with the most": "66", "sessions that give nine tenths": "11", "attacks that beat five models": "0",
			"Levels 2–4, matched: unpermitted alone": "104",
		}, "one outcome of the session with the most"},
	{"a denial for another reason", func(o ingest.Outcome) bool {
		return slices.Contains(o.Reasons, string(authz.ReasonRecipientNotMember))
	}, func(o *ingest.Outcome) {
		o.Reasons = append(slices.Clone(o.Reasons[1:]), string(authz.ReasonLimitExceeded))
	},
		map[string]string{"Levels 2–4, calls denied for oap.merchant_forbidden": "147", "Levels 2–4, calls denied for oap.limit_exceeded": "14"},
		"the number of denials stays"},
	{"a conversation breaks off", func(o ingest.Outcome) bool {
		return o.Level == corpus.L5 && o.Architecture == plan.OAP && o.Requests == 0 && o.End == record.Completed
	}, func(o *ingest.Outcome) { o.End = record.ProviderError },
		map[string]string{"evaluations completed": "225,963", "error rows": "5,396", "Level 5, evaluations behind the layer": "20,108"},
		"an error is neither refusal nor hit"},
	{"a model declines", func(o ingest.Outcome) bool {
		return o.Level == corpus.L4 && o.Track == corpus.Single && o.Architecture == plan.Alone && o.Requests > 0
	}, func(o *ingest.Outcome) { o.Requests, o.Payments, o.Classes = 0, 0, nil },
		map[string]string{
			"Levels 2–4, with a request alone": "28,542", "Levels 2–4, with a payment alone": "28,520", "of these, with a request from every model": "808",
			"Levels 2–4, matched: requests alone": "25,361", "Levels 2–4, matched: difference of request rates": "+0.086 points",
			"Levels 2–4, matched: pairs that disagree": "1,221", "Levels 2–4, matched: request only behind the layer": "640",
		}, "a request and its payment, here and in the matched pair"},
	{"a payment gets through at Level 5", func(o ingest.Outcome) bool { return o.Level == corpus.L5 && o.Denied == 2 },
		func(o *ingest.Outcome) {
			o.Denied, o.Payments, o.Unpermitted, o.Reasons = 1, 1, 1, o.Reasons[1:]
			o.Classes = []corpus.Class{corpus.ClassAttacker}
		},
		map[string]string{"Level 5, with a payment behind the layer": "1", "Level 5, calls denied": "9,384"}, "one of the two calls"},
	{"the zero is none", func(o ingest.Outcome) bool {
		return o.Level == corpus.L4 && o.Architecture == plan.OAP && o.Payments == 1 && o.Denied == 0
	}, func(o *ingest.Outcome) { o.Unpermitted, o.Classes = 1, []corpus.Class{corpus.ClassAttacker} },
		map[string]string{
			"Levels 2–4, unpermitted behind the layer": "1", "Levels 2–4, paid an allowlisted recipient behind the layer": "25,369",
			"Levels 2–4, matched: unpermitted behind the layer": "1", "Levels 2–4, per-session bound 3/S of the zero": "–", "Levels 2–4, exact one-sided bound of the zero": "–",
		}, "no bound of a zero that is none"},
	{"a judge sees what the other sees", func(o ingest.Outcome) bool { return o.Level == corpus.L3 && o.JudgeA == "no" && o.JudgeB == "no" },
		func(o *ingest.Outcome) { o.JudgeA, o.JudgeB = "yes", "yes" },
		map[string]string{"Cohen's kappa at Level 3": "0.169"}, "a single verdict among few"},
}

// TestOneRowMovesItsFigures: a row changes the figures that speak of it, and no
// other. Each needs a pass over all rows: one by one under VAULT_LONG=1, else two that
// share no figure at once.
func TestOneRowMovesItsFigures(t *testing.T) {
	t.Parallel()
	tables, err := published()
	require.NoError(t, err)
	base, s := tables.Compare(), newSynthetic()
	passes := slices.Collect(slices.Chunk(moves, 1))
	if os.Getenv("VAULT_LONG") != "1" {
		passes = [][]move{moves[:2]}
	}
	for _, pass := range passes {
		var names, reasons []string
		want := map[string]string{}
		for _, m := range pass {
			names, reasons = append(names, m.name), append(reasons, m.reason)
			maps.Copy(want, m.want)
		}
		t.Run(strings.Join(names, " and "), func(t *testing.T) {
			done := make([]int, len(pass))
			s.change = func(o *ingest.Outcome) {
				for i, m := range pass {
					if first := changedRow(&done[i], o, m.is); first {
						m.change(o)
					}
				}
			}
			tables, err := paper.Compute(s.rows(), few)
			require.NoError(t, err)
			got := map[string]string{}
			for i, r := range tables.Compare() {
				if r.Ours != base[i].Ours {
					got[r.Figure] = r.Ours
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("figures that moved: %s (-want +got):\n%s", strings.Join(reasons, "; "), diff)
			}
		})
	}
}

// changedRow reports whether this is the row to change: the same one on both
// readings, by its number.
func changedRow(number *int, o *ingest.Outcome, is func(ingest.Outcome) bool) bool {
	if *number == 0 && is(*o) {
		*number = int(o.Row)
	}
	return *number == int(o.Row)
}

// rowsOf streams rows and errors as a file would.
func rowsOf(items ...any) iter.Seq2[ingest.Outcome, error] {
	return func(yield func(ingest.Outcome, error) bool) {
		for _, item := range items {
			err, bad := item.(error)
			o, _ := item.(ingest.Outcome)
			if !yield(o, map[bool]error{true: err}[bad]) {
				return
			}
		}
	}
}

func row(change func(*ingest.Outcome)) ingest.Outcome {
	o := ingest.Outcome{
		Model: "GPT X", Kind: plan.Live, Level: corpus.L2, Track: corpus.Single, Architecture: plan.Alone, Attack: "p1", Session: "s1", Trial: 1,
		End: record.Completed, File: "rows.csv", Row: 1,
	}
	if change != nil {
		change(&o)
	}
	return o
}

func TestComputeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rows   []any
		want   string
		reason string
	}{
		{"twice", []any{row(nil), row(nil)}, "rows.csv:1: cell gpt-x/l2/single/alone: attack p1, trial 1: counted already: the line stands twice", "never silently summed"},
		{"two names, one slug", []any{row(nil), row(func(o *ingest.Outcome) { o.Model = "gpt x" })}, `rows.csv:1: models "GPT X" and "gpt x" both become gpt-x: rename one`, "two models are not one"},
		{"two sessions", []any{row(nil), row(func(o *ingest.Outcome) { o.Session, o.Model = "s2", "other" })},
			"rows.csv:1: attack p1: session, level, category and date were {s1 l2  } in an earlier row, and are {s2 l2  }", "intervals hang on sessions"},
		{"no name", []any{row(func(o *ingest.Outcome) { o.Model = "//" })}, `rows.csv:1: cell /l2/single/alone: part "": use lower-case letters, digits, dots and hyphens`, "a cell needs a name"},
		{"unreadable", []any{row(nil), errors.New("rows.csv: short file")}, "rows.csv: short file", "half a file is no table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := paper.Compute(rowsOf(tt.rows...), few)
			require.EqualError(t, err, tt.want, tt.reason)
		})
	}
}

func TestRejectedRowsAreNamed(t *testing.T) {
	t.Parallel()
	tables, err := paper.Compute(rowsOf(row(nil), &ingest.Rejected{File: "rows.csv", Row: 2, Reason: ingest.BadValue, Detail: "trial is \x1b"}), few)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, tables.Write(&b))
	assert.Contains(t, b.String(), "1 rows counted, 1 rejected\nrejected: rows.csv:2: bad value: trial is \\u001b\n")
	assert.NotEmpty(t, tables.Differing(), "one row is not the paper")
}
