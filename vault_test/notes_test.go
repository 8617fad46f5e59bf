package vault_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"vaultbench/internal/escape"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// notes is what the tests outside the cells leave for the end of the run, whose
// cells know nothing of them.
type notes struct {
	mu        sync.Mutex
	refused   string          // why no test ran: what decides can't be loaded
	closed    error           // why no run was begun
	closedTo  string          // the first test that met it
	because   string          // the first test or cell that could not do its part, and why
	drift     []drifted       // the first golden decision of the worst sort that is not what is decided; else empty
	sentinels map[string]bool // by test, of those that ran whole
	goldens   map[string]bool // the same of the tests that pin decisions
	subtests  map[string]int  // by test that has some: how many ran
	failed    map[string]bool // tests that failed, as far as a subtest of theirs or they themselves told
}

var noted = notes{sentinels: map[string]bool{}, goldens: map[string]bool{}, subtests: map[string]int{}, failed: map[string]bool{}}

// sub is t.Run, counted: a pattern that leaves none of a test's subtests must not
// look like one that they passed.
func sub(t *testing.T, name string, f func(t *testing.T)) bool {
	top, _, _ := strings.Cut(t.Name(), "/")
	noted.add(top, 0)
	return t.Run(name, func(t *testing.T) {
		noted.add(top, 1)
		noted.watch(t)
		f(t)
	})
}

// watch notes whether a test fails, by the name that go test -run takes; without it
// the end of a run could not say which one did.
func (n *notes) watch(t *testing.T) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		top, _, _ := strings.Cut(t.Name(), "/")
		n.mu.Lock()
		defer n.mu.Unlock()
		n.failed[top] = true
	})
}

// failedTests names those that are known; go test names the others in the log alone.
func (n *notes) failedTests() string {
	if len(n.failed) == 0 {
		return "the lines that begin with --- FAIL name it"
	}
	return "see the log of " + strings.Join(slices.Sorted(maps.Keys(n.failed)), ", ") + ", and of any other that --- FAIL names"
}

// unopened notes why no run was begun, and says it to the first test that met it
// alone: the others are only told where.
func (n *notes) unopened(test string, err error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed == nil {
		n.closed, n.closedTo = err, test
		return err
	}
	return fmt.Errorf("no run was begun: see %s, or the last lines", n.closedTo)
}

// able ends a test that cannot do its part, and notes why: the run's failure is that
// then.
func (n *notes) able(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	n.blames(t.Name(), err)
	t.Fatal(err)
}

func (n *notes) blames(test string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.because == "" {
		n.because = escape.Line(fmt.Sprintf("%s: %v", test, err))
	}
}

// red notes why a cell did not pass: where nothing worse is found, that is why the run
// did not.
func (n *notes) red(test string, c report.Cell) {
	if len(c.Findings) > 0 {
		n.blames(test, fmt.Errorf("%s: %s", c.Findings[0].Kind, c.Findings[0].Message))
	}
}

func (n *notes) add(top string, ran int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.subtests[top] += ran
}

// sentinel is called first by each test of report.SentinelTests: it notes whether
// what the test broke was noticed, if the test ran whole.
func (n *notes) sentinel(t *testing.T) { n.whole(t, n.sentinels) }

// pins is called first by each test of report.GoldenTests. One that rewrites its
// golden is held against nothing.
func (n *notes) pins(t *testing.T) {
	n.watch(t)
	if !*update {
		n.whole(t, n.goldens)
	}
}

// whole notes how a test ended, if it ran whole.
func (n *notes) whole(t *testing.T, ended map[string]bool) {
	t.Cleanup(func() {
		if t.Skipped() || strings.Contains(testFlag("run")+testFlag("skip"), "/") {
			return
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		ended[t.Name()] = !t.Failed()
	})
}

// changedGolden notes a decision that is not the golden one.
func (n *notes) changedGolden(d drifted) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.drift) == 0 || d.how < n.drift[0].how {
		n.drift = []drifted{d}
	}
}

// unseen says which tests look passed though nothing of them ran.
func (n *notes) unseen() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if testFlag("list") != "" {
		return nil
	}
	total := 0
	for _, top := range slices.Sorted(maps.Keys(n.subtests)) {
		if n.subtests[top] == 0 {
			return fmt.Errorf("inconclusive: -run %q -skip %q leaves no subtest of %s", testFlag("run"), testFlag("skip"), top)
		}
		total += n.subtests[top]
	}
	if run := testFlag("run"); total == 0 && strings.Contains(run, "/") && testFlag("bench") == "" {
		return fmt.Errorf("inconclusive: -run %q names subtests, and the tests that it selects have none", run)
	}
	return nil
}

// failure is what the run's manifest says of the tests outside the cells.
func (n *notes) failure(failed bool) (record.FailureKind, string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.refused != "":
		return record.FailedTest, n.refused
	case len(n.drift) > 0:
		line, _, _ := strings.Cut(n.drift[0].line, "\n")
		return record.FailedGolden, n.drift[0].how.String() + ": " + line
	case failed && n.because != "":
		return record.FailedTest, n.because + "; lines that begin with --- FAIL name any other test"
	case failed:
		return record.FailedTest, "a test failed, and the cells alone do not say that the run passed: " + n.failedTests()
	}
	return "", ""
}
