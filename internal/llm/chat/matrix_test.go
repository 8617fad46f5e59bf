package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// The fault matrix: every fault of llmtest × architecture × the request that it
// meets × always or once. The banker asks for the balance, then for the payment
// that the attack wants, then says that it is done; so a fault may meet the first
// request, the one that would bring the payment, or the one after it.
const (
	atFirst   = 1
	atPayment = 2
	atEnd     = 3
)

// faultyCell is one row of the matrix.
type faultyCell struct {
	fault llmtest.Fault
	arch  plan.Architecture
	at    int  // request of the conversation, from 1
	once  bool // the first of all such requests alone; else each
}

func (c faultyCell) name() string {
	often := "always"
	if c.once {
		often = "once"
	}
	return fmt.Sprintf("%s/%s/%s-at-%d", c.fault.Name, c.arch, often, c.at)
}

// slow faults cost the whole of an attempt's time.
func (c faultyCell) slow() bool { return c.fault.Name == "hang" || c.fault.Name == "drip" }

func faultMatrix(long bool) []faultyCell {
	var cells []faultyCell
	for _, f := range llmtest.Faults() {
		for _, arch := range []plan.Architecture{plan.Alone, plan.OAP} {
			for _, at := range []int{atFirst, atPayment, atEnd} {
				for _, once := range []bool{false, true} {
					c := faultyCell{f, arch, at, once}
					always := !once && (at != atEnd || arch == plan.Alone) // behind the layer no payment came before
					if long || at == atPayment && !once || !c.slow() && (always || at == atPayment && arch == plan.OAP) {
						cells = append(cells, c)
					}
				}
			}
		}
	}
	return cells
}

const faultRetries = 2

// TestFaultMatrix: the end that is recorded is the right one, the figures add up to
// what was planned, no fault counts as held and none brings a payment about; and
// after it a permitted payment executes on the same path.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	_, options, err := settings.Load()
	require.NoError(t, err)
	evaluations := 2
	if options.Long {
		evaluations = 6
	}
	cells := faultMatrix(options.Long)
	t.Run("cells", func(t *testing.T) {
		for _, c := range cells {
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				c.check(t, evaluations)
			})
		}
	})
	t.Logf("%d faults: %d cells of %d evaluations", len(llmtest.Faults()), len(cells), evaluations)
}

func (c faultyCell) check(t *testing.T, n int) {
	bench := newFaultBench(t, c, n)
	got, evaluations := bench.run(t, corpus.Single)
	assert.Positive(t, bench.server.FaultsServed()[c.fault.Name], "the fault was met")
	assert.LessOrEqual(t, bench.server.Arrived(), n*3+n*faultRetries, "the cap on retries is obeyed")

	want := c.ends(n)
	if diff := cmp.Diff(want, ends(got)); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	total := 0
	for _, count := range got.Ends {
		total += count
	}
	assert.Equal(t, []int{n, n}, []int{got.Planned, total}, "planned, and the sum of the ends")
	paid := 0
	for _, e := range evaluations {
		failed := e.End == record.ProviderError || e.End == record.NotRun || e.End == record.InputFiltered
		assert.Equal(t, failed, e.Detail != "", "an error says what happened, nothing else does: %s", e.Detail)
		if failed && c.at <= atPayment {
			assert.Empty(t, e.Transfers, "the payment was never asked for")
		}
		if c.arch != plan.Alone {
			assert.Empty(t, e.Transfers, "denied, whatever the provider does")
		}
		if len(e.Transfers) > 0 {
			paid++
		}
		if c.fault.Kind == nil && !c.once {
			assert.Contains(t, fmt.Sprint(e.Replies), "another-model-0301", "the model that was served is recorded")
		}
	}
	assert.Equal(t, paid, got.Unpermitted.Evaluations, "sticky: an error after the payment does not undo it")
	inside := want["completed/answered"] + want["input_filtered/"] + stickyErrors(evaluations)
	assert.Equal(t, inside, got.Denominator, "an error without a violation is outside, with one inside")
	held := got.Denominator - got.Unpermitted.Evaluations - want["input_filtered/"]
	assert.LessOrEqual(t, held, want["completed/answered"], "no fault counts as held")
	bench.control(t)
}

// stickyErrors counts evaluations that failed after a payment.
func stickyErrors(evaluations []record.Evaluation) (n int) {
	for _, e := range evaluations {
		if len(e.Transfers) > 0 && e.End != record.Completed && e.End != record.InputFiltered {
			n++
		}
	}
	return n
}

// ends is what n evaluations, one after the other, must come to: by end and
// sub-reason.
func (c faultyCell) ends(n int) map[string]int {
	asked := c.fault.Class == llm.Transient || c.fault.Class == llm.Overload
	dead := c.fault.Class == llm.KeyDead || c.fault.Class == llm.ModelDead && c.at == atFirst
	hit := n
	if c.once {
		hit = 1
	}
	want := map[string]int{}
	add := func(end string, count int) {
		if count > 0 {
			want[end] += count
		}
	}
	switch {
	case c.fault.Kind == nil, asked && c.once:
		hit = 0
	case c.fault.Kind == llm.ErrInputFiltered:
		add("input_filtered/", hit)
	case dead:
		add("provider_error/", 1)
		add("not_run/unavailable", n-1)
		return want
	default:
		add("provider_error/", hit)
	}
	add("completed/answered", n-hit)
	return want
}

func ends(c report.Cell) map[string]int {
	got := map[string]int{}
	for end, count := range c.Ends {
		if count > 0 {
			got[string(end)+"/"] = count
		}
	}
	for sub, count := range c.SubReasons {
		end := record.Completed
		if sub == record.Unavailable {
			end = record.NotRun
		}
		if count > 0 {
			got[string(end)+"/"+string(sub)] = count
			delete(got, string(end)+"/")
		}
	}
	return got
}

// faultBench is a suite of its own over one faulty server.
type faultBench struct {
	cell   faultyCell
	suite  *suite.Suite
	server *llmtest.Server
	faulty atomic.Bool // the script goes on
	met    atomic.Int64
	open   func() llm.Client // a client with a limiter of its own
	client llm.Client
}

func newFaultBench(t *testing.T, c faultyCell, n int) *faultBench {
	t.Helper()
	s, err := settings.Suite()
	require.NoError(t, err)
	s.Golden, s.Concurrency = nil, 1
	s.Corpus = corpus.Corpus{Attacks: plain(s.Corpus.Attacks, authz.ReasonRecipientNotMember, n), Benign: plain(s.Corpus.Benign, authz.ReasonAllowed, 1)}
	b := &faultBench{cell: c, suite: s}
	b.faulty.Store(true)
	b.server = llmtest.New(patient(s.Corpus), llmtest.Options{Fault: func(_ int, got llmtest.Received) (llmtest.Fault, bool) {
		hit := b.faulty.Load() && requestOf(got.Request) == c.at && (!c.once || b.met.Add(1) == 1)
		return c.fault, hit
	}})
	t.Cleanup(b.server.Close)
	attempt := time.Minute
	if c.slow() {
		attempt, s.Concurrency = 500*time.Millisecond, n
	}
	id := llm.ModelID("wire-model")
	b.open = func() llm.Client {
		client, err := chat.Open(llm.Model{Slug: "acme-one", ID: &id}, llm.Provider{Name: "acme", KeyEnv: "ACME_API_KEY"}, b.server.URL(), "any")
		require.NoError(t, err)
		return limit.New(limit.Config{Max: s.Concurrency, Retries: faultRetries, Backoff: time.Millisecond, MaxWait: 4 * time.Millisecond, Attempt: attempt}).Client(client)
	}
	b.client = b.open()
	s.Bankers = map[plan.ModelSlug]suite.Banker{"acme-one": {
		Slug: "acme-one", Kind: plan.Live, Open: func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return b.client, nil },
	}}
	return b
}

// plain takes the first attacks of Level 2 that want one payment and expect that
// decision about it.
func plain(attacks []corpus.Attack, expect authz.DenialReason, n int) (out []corpus.Attack) {
	for _, a := range attacks {
		if a.Level == corpus.L2 && len(a.Goal) == 1 && a.Expect[0] == string(expect) && len(out) < n && len(a.Messages) == 1 {
			out = append(out, a)
		}
	}
	return out
}

// requestOf is which request of the conversation it is, from 1.
func requestOf(req llm.Request) int {
	n := 1
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			n++
		}
	}
	return n
}

// patient is the banker behind the server.
func patient(c corpus.Corpus) llm.Client {
	goals := map[string]corpus.Payment{}
	for _, a := range append(c.Attacks, c.Benign...) {
		goals[a.Messages[len(a.Messages)-1]] = a.Goal[0]
	}
	return llmtest.ClientFunc(func(_ context.Context, req llm.Request) (llm.Reply, error) {
		switch requestOf(req) {
		case atFirst:
			return llm.Reply{ToolCalls: []llm.Call{{ID: "b", Name: "get_balance", Arguments: "{}"}}}, nil
		case atPayment:
			goal := goals[req.Messages[1].Content]
			arguments, err := json.Marshal(map[string]any{"recipient": goal.Recipient, "amount": goal.Amount, "memo": goal.Memo})
			return llm.Reply{ToolCalls: []llm.Call{{ID: "t", Name: "transfer_funds", Arguments: string(arguments)}}}, err
		}
		return llm.Reply{Content: "Done."}, nil
	})
}

// run runs the cell of a track.
func (b *faultBench) run(t *testing.T, track corpus.Track) (report.Cell, []record.Evaluation) {
	t.Helper()
	sink := &suite.Memory{}
	b.suite.Sink = sink
	p, err := b.suite.Planned(plan.Cell{Model: "acme-one", Level: corpus.L2, Track: track, Architecture: b.cell.arch})
	require.NoError(t, err)
	got, err := b.suite.RunCell(t.Context(), p)
	require.NoError(t, err)
	return got, sink.All
}

// control is the positive control: the fault is over, an honest payment executes.
// A key or model that was given up stays so; the next run opens it again.
func (b *faultBench) control(t *testing.T) {
	t.Helper()
	b.faulty.Store(false)
	if b.cell.fault.Class == llm.KeyDead || b.cell.fault.Class == llm.ModelDead {
		b.client = b.open()
	}
	got, evaluations := b.run(t, corpus.Benign)
	require.Len(t, evaluations, 1)
	assert.Equal(t, 1, got.Payments.Permitted, "%v", evaluations[0].Detail)
	assert.Empty(t, strings.Join(messages(got.Findings), "\n"))
}

func messages(findings []report.Finding) (out []string) {
	for _, f := range findings {
		out = append(out, f.Message)
	}
	return out
}
