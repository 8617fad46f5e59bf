package oap_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

// drawPay draws from few days, keys and currencies, so that payments meet, with
// amounts around what is left.
func drawPay(t *rapid.T, day int) pay {
	return pay{
		Day:      day,
		Currency: rapid.SampledFrom([]bank.Currency{bank.USD, bank.USD, "EUR", "JPY"}).Draw(t, "currency"),
		To:       rapid.SampledFrom([]bank.AccountID{bright, bright, oak}).Draw(t, "recipient"),
		Key:      rapid.SampledFrom([]string{"same-key-1", "same-key-2", "same-key-3", "SAME-KEY-1"}).Draw(t, "key"),
		Amount:   bank.Amount(rapid.OneOf(rapid.Int64Range(1, 401), rapid.SampledFrom([]int64{1, 100, 101, 200, 399, 400, 401})).Draw(t, "amount")),
		Memo:     rapid.SampledFrom([]string{"invoice 7", "invoice 8"}).Draw(t, "memo"),
	}
}

// stateCheck runs a property over so many steps, and ten times as many in a long
// run.
func stateCheck(t *testing.T, steps int, property func(*rapid.T)) {
	t.Helper()
	_, long := generated()
	if long {
		steps *= 10
	}
	oaptest.Check(t, steps, long, property)
}

// machine drives an engine and the model side by side, as one client does.
type machine struct {
	t      *testing.T
	engine *oap.Engine
	model  *model
	day    int
	asked  []pay // everything that was ever asked for
	open   []pay // allowed and not settled
}

func (m *machine) ask(t *rapid.T, p pay) {
	got := reasonsOf(ask(m.t, m.engine, p.request()))
	if diff := cmp.Diff(m.model.authorize(p), got); diff != "" {
		t.Fatalf("Authorize(%+v) (-model +engine):\n%s", p, diff)
	}
	m.asked = append(m.asked, p)
	if slices.Equal(got, free) {
		m.open = append(m.open, p)
	}
}

func (m *machine) settle(p pay, executed bool) {
	m.engine.Settle(p.request(), executed)
	m.model.settle(p, executed)
}

// settleOpen tells what became of one of the open payments, of today or before.
func (m *machine) settleOpen(t *rapid.T, executed bool) {
	if len(m.open) == 0 {
		t.Skip("nothing is open")
	}
	i := rapid.IntRange(0, len(m.open)-1).Draw(t, "open payment")
	m.settle(m.open[i], executed)
	m.open = slices.Delete(m.open, i, i+1)
}

func (m *machine) anyAsked(t *rapid.T) pay {
	if len(m.asked) == 0 {
		t.Skip("nothing was asked for")
	}
	return rapid.SampledFrom(m.asked).Draw(t, "earlier payment")
}

// TestStateMachine: whatever one client does, in whatever order, the engine
// answers as the model does, reason by reason.
func TestStateMachine(t *testing.T) {
	all := policies(t)
	stateCheck(t, 4_000*len(all), func(rt *rapid.T) {
		p := rapid.SampledFrom(all).Draw(rt, "policy")
		m := &machine{t: t, engine: p.layer.Open(), model: newModel(p)}
		rt.Repeat(map[string]func(*rapid.T){
			"authorize": func(rt *rapid.T) { m.ask(rt, drawPay(rt, m.day)) },
			"retry": func(rt *rapid.T) { // the same again, today
				p := m.anyAsked(rt)
				p.Day = m.day
				m.ask(rt, p)
			},
			"other key": func(rt *rapid.T) {
				p := m.anyAsked(rt)
				p.Day, p.Key = m.day, "other-"+p.Key
				m.ask(rt, p)
			},
			"execute": func(rt *rapid.T) { m.settleOpen(rt, true) },
			"refuse":  func(rt *rapid.T) { m.settleOpen(rt, false) },
			"settle what is not open": func(rt *rapid.T) {
				p := m.anyAsked(rt)
				if slices.Contains(m.open, p) {
					p.Memo += " changed"
				}
				m.settle(p, rapid.Bool().Draw(rt, "executed"))
			},
			"next day": func(*rapid.T) { m.day++ },
			"": func(rt *rapid.T) {
				if fault := m.model.broken(); fault != "" {
					rt.Fatal(fault)
				}
			},
		})
		m.askWhatIsLeft(rt)
	})
}

// askWhatIsLeft spends each day and currency to the last cent, and no further, to
// each recipient in turn.
func (m *machine) askWhatIsLeft(t *rapid.T) {
	for day := range m.day + 1 {
		for _, c := range []bank.Currency{bank.USD, "EUR"} {
			for _, to := range []bank.AccountID{bright, oak} {
				for i := 0; ; i++ {
					left := m.model.left(payee{slot{day, c}, to})
					m.ask(t, pay{day, c, to, "rest-key-" + string(c) + string(to) + string(rune('a'+i)), max(1, left), "rest"})
					if left <= 0 {
						break
					}
				}
			}
		}
	}
}

// left is the largest payment that may still go to somebody.
func (m *model) left(to payee) bank.Amount {
	left := min(modelCap-m.totals[to.slot], modelTx)
	if m.payeeCap > 0 {
		left = min(left, m.payeeCap-m.payees[to])
	}
	return left
}

// step is one thing that a goroutine does with one of the shared payments.
type step struct {
	Pay  int
	Kind string
}

const (
	doAuthorize = "authorize"
	doExecute   = "execute"
	doRefuse    = "refuse"
)

// event is a step with its answer, and when it began and ended.
type event struct {
	p          pay
	kind       string
	got        []judged
	begin, end int64
}

// perform does one step and notes what came of it.
func perform(e *oap.Engine, clock *atomic.Int64, p pay, kind string) event {
	ev := event{p: p, kind: kind, begin: clock.Add(1)}
	switch kind {
	case doAuthorize:
		d, err := e.Authorize(context.Background(), p.request())
		if err == nil {
			ev.got = reasonsOf(d)
		}
	default:
		e.Settle(p.request(), kind == doExecute)
	}
	ev.end = clock.Add(1)
	return ev
}

// TestStateIsLinearizable: what goroutines see of one engine can be put in one
// order, within which each answer is the model's. Since the model holds caps and
// keys in every order, so does every interleaving.
func TestStateIsLinearizable(t *testing.T) {
	all := policies(t)
	stateCheck(t, 20_000*len(all), func(rt *rapid.T) {
		l := rapid.SampledFrom(all).Draw(rt, "policy")
		pays := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) pay { return drawPay(rt, rapid.IntRange(0, 1).Draw(rt, "day")) }), 4, 8).Draw(rt, "payments")
		kinds := []string{doAuthorize, doAuthorize, doAuthorize, doExecute, doRefuse}
		script := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{rapid.IntRange(0, len(pays)-1).Draw(rt, "payment"), rapid.SampledFrom(kinds).Draw(rt, "kind")}
		}), 3, 8)
		scripts := rapid.SliceOfN(script, 2, 4).Draw(rt, "scripts")
		e, clock := l.layer.Open(), &atomic.Int64{}
		threads := make([][]event, len(scripts))
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i, steps := range scripts {
			wg.Go(func() {
				<-start
				for _, s := range steps {
					threads[i] = append(threads[i], perform(e, clock, pays[s.Pay], s.Kind))
					runtime.Gosched()
				}
			})
		}
		close(start)
		wg.Wait()
		var tail []event // at rest: whether each key is free, and what is left
		for day := range 2 {
			for _, c := range []bank.Currency{bank.USD, "EUR"} {
				for _, key := range []string{"same-key-1", "same-key-2", "same-key-3", "SAME-KEY-1", "rest-key-" + string(c)} {
					tail = append(tail, perform(e, clock, pay{day, c, oak, key, 200, "rest"}, doAuthorize))
				}
			}
		}
		if !explain(append(threads, tail), newModel(l)) {
			rt.Fatalf("no order of these steps gives these answers:\n%+v", threads)
		}
	})
}

// explain searches an order of the threads' events, each after what had ended
// before it began, in which the model answers alike.
func explain(threads [][]event, m *model) bool {
	return (&search{failed: map[string]bool{}}).from(threads, m)
}

// search remembers from where no order leads on: threads that met at every step have
// more orders than anybody can try, and few states.
type search struct {
	tried  int
	failed map[string]bool
}

// easy is how many steps are tried without a memory, which costs more than most take.
const easy = 500

func (s *search) from(threads [][]event, m *model) bool {
	first := int64(1<<63 - 1) // the earliest end of what is still to come
	done := true
	for _, th := range threads {
		if len(th) > 0 {
			done, first = false, min(first, th[0].end)
		}
	}
	if done {
		return m.broken() == ""
	}
	at := ""
	if s.tried++; s.tried > easy {
		if at = place(threads, m); s.failed[at] {
			return false
		}
	}
	for i, th := range threads {
		if len(th) == 0 || th[0].begin > first {
			continue
		}
		next, rest := m.clone(), slices.Clone(threads)
		rest[i] = th[1:]
		if next.take(th[0]) && s.from(rest, next) {
			return true
		}
	}
	if at != "" {
		s.failed[at] = true
	}
	return false
}

// place is all that the rest of a search depends on: what is still to come, and what
// the model holds.
func place(threads [][]event, m *model) string {
	var left []int
	for _, th := range threads {
		left = append(left, len(th))
	}
	return fmt.Sprint(left, m.totals, m.payees, m.executed, m.used, m.paid, m.open)
}

// take does an event on the model; false where the engine answered otherwise.
func (m *model) take(e event) bool {
	if e.kind == doAuthorize {
		return slices.Equal(m.authorize(e.p), e.got)
	}
	m.settle(e.p, e.kind == doExecute)
	return true
}

// TestExplainRefuses: the search itself can fail, or it would prove nothing.
func TestExplainRefuses(t *testing.T) {
	p, shipped := pay{0, bank.USD, bright, "same-key-1", 400, "invoice 7"}, policies(t)[0]
	twice := [][]event{{{p, doAuthorize, free, 1, 4}}, {{p, doAuthorize, free, 2, 3}}}
	require.False(t, explain(twice, newModel(shipped)), "one key, allowed twice")
	late := [][]event{{{p, doAuthorize, free, 1, 2}, {p, doRefuse, nil, 5, 6}}, {{p, doAuthorize, free, 3, 4}}}
	require.False(t, explain(late, newModel(shipped)), "allowed again before it was given back")
	overlapping := [][]event{{{p, doAuthorize, free, 1, 2}, {p, doRefuse, nil, 3, 6}}, {{p, doAuthorize, free, 4, 5}}}
	require.True(t, explain(overlapping, newModel(shipped)), "given back while it was asked for")

	// Four threads that met at all of their eight steps: 10^17 orders, and none is right.
	met := make([][]event, 5)
	for i := range 4 {
		for n := range 8 {
			met[i] = append(met[i], event{p, doRefuse, nil, int64(n), 1000})
		}
	}
	met[4] = []event{{p, doAuthorize, free, 1001, 1002}, {p, doAuthorize, free, 1003, 1004}}
	require.False(t, explain(met, newModel(shipped)), "one key, allowed twice after all of them")
}
