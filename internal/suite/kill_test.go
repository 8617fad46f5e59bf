package suite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
)

// A child is this test binary, told by variables what to run.
const (
	childURL     = "VAULTBENCH_KILL_URL"
	childResults = "VAULTBENCH_KILL_RESULTS"
	childRoot    = "VAULTBENCH_KILL_ROOT" // the parent's folder: who is killed removes none
)

const (
	killAttacks = 100
	killTotal   = killAttacks * 2 * 2 // architectures, trials
)

// killSuite has a live model behind a server: 400 evaluations of three requests.
func killSuite(t *testing.T, url string) *suite.Suite {
	t.Helper()
	s := newSuite()
	s.Concurrency = 8
	s.Corpus = corpus.Corpus{}
	for n := range killAttacks {
		a := attack(n+1, "bob")
		a.Goal = nil
		s.Corpus.Attacks = append(s.Corpus.Attacks, a)
	}
	s.Bankers["sim-a"] = suite.Banker{Slug: "sim-a", Kind: plan.Live, Open: func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return remote(url), nil }}
	return s
}

// remote is the URL of a model in another process. It is asked in this module's own
// words: the harness kills a run that asks in a provider's.
type remote string

func (r remote) Chat(ctx context.Context, req llm.Request) (reply llm.Reply, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return reply, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, string(r), bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	answer, err := http.DefaultClient.Do(post)
	if err != nil {
		return reply, fmt.Errorf("%w: %w", llm.ErrProvider, err)
	}
	err = json.NewDecoder(answer.Body).Decode(&reply)
	return reply, errors.Join(err, answer.Body.Close())
}

// TestKilledChild is no test of its own: TestKill starts it and kills it.
func TestKilledChild(t *testing.T) {
	url := os.Getenv(childURL)
	if url == "" {
		t.Skip("a part of TestKill")
	}
	s := killSuite(t, url)
	r, err := suite.Start(s, os.Getenv(childRoot), os.Getenv(childResults), "r1", record.Manifest{})
	require.NoError(t, err)
	for _, arch := range []plan.Architecture{plan.Alone, plan.OAP} {
		p, err := s.Planned(cell(corpus.Multi, arch))
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		_, err = s.RunCell(t.Context(), p)
		require.NoError(t, err)
	}
	_, err = r.Finish()
	require.NoError(t, err)
}

// killer is the server's side: it counts how often each conversation was opened,
// and gives the alarm at a request.
type killer struct {
	mu     sync.Mutex
	served int
	opened map[string]int // by first message
	at     int            // alarm at this request; 0: never
	alarm  chan struct{}
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req llm.Request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		return // who asked was killed in the midst of it
	}
	k.mu.Lock()
	k.served++
	if len(req.Messages) == 2 {
		k.opened[req.Messages[1].Content]++
	}
	if k.served == k.at {
		close(k.alarm)
	}
	k.mu.Unlock()
	reply, err := payer(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply.Usage = llm.Usage{InputTokens: 11, OutputTokens: 3}
	_ = json.NewEncoder(w).Encode(reply) // who asked may have been killed
}

// child runs the binary until it ends or the alarm is given, and reports whether
// it was killed. Each has a server of its own: what a killed one had sent may be
// served after the next one has begun, and is not asked by that.
func child(t *testing.T, results string, at int) (k *killer, killed bool) {
	t.Helper()
	k = &killer{opened: map[string]int{}, at: at, alarm: make(chan struct{})}
	server := httptest.NewServer(k)
	defer server.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), childURL+"="+server.URL, childResults+"="+results, childRoot+"="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	done := make(chan struct{})
	go func() {
		select {
		case <-k.alarm:
			_ = cmd.Process.Kill() // SIGKILL; it may have ended by itself
		case <-done:
		}
	}()
	err := cmd.Wait()
	close(done)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 {
		return k, true
	}
	require.NoError(t, err, out.String())
	return k, false
}

// finals reads from a journal what a resumed run must not ask again, by attack.
// It reads the file by itself, and not as the suite does.
func finals(t *testing.T, path string) (byAttack map[string]int, total int) {
	t.Helper()
	byAttack = map[string]int{}
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return byAttack, 0
	}
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range bytes.Lines(raw) {
		var e struct {
			ID    string
			Final bool
		}
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &e) != nil || !e.Final {
			continue
		}
		require.False(t, seen[e.ID], "%s is final twice", e.ID)
		seen[e.ID] = true
		byAttack[strings.Split(e.ID, "/")[4]]++
		total++
	}
	return byAttack, total
}

// TestKill kills runs at random points until they are through. In the end each
// evaluation stands once, as in an undisturbed run, and no process asked for
// anything that was final when it began. A hundred runs under VAULT_LONG=1, else
// three; some kills also leave half a line behind.
func TestKill(t *testing.T) {
	if os.Getenv(childURL) != "" {
		t.Skip("a child starts none")
	}
	runs := 3
	if os.Getenv("VAULT_LONG") == "1" {
		runs = 100
	}
	undisturbed := filepath.Join(t.TempDir(), "results")
	k, killed := child(t, undisturbed, 0)
	require.False(t, killed)
	want := evaluations(t, undisturbed)
	require.Len(t, want, killTotal)
	requests := k.served

	points := rand.New(rand.NewPCG(4, 2026))
	var share []float64
	for run := range runs {
		results := filepath.Join(t.TempDir(), "results")
		journal := filepath.Join(results, "r1", record.JournalFile)
		for kills := 0; ; kills++ {
			before, finished := finals(t, journal)
			left := requests * (killTotal - finished) / killTotal
			at := 0
			switch {
			case kills == 0: // the whole run but its last tenth, which ends before the alarm is heard
				at = 1 + points.IntN(requests*9/10)
			case kills < 1+points.IntN(2):
				at = 1 + points.IntN(max(left, 1))
			}
			k, killed := child(t, results, at)
			for n := range killAttacks {
				a := attack(n+1, "bob")
				opened, open := k.opened[a.Messages[0]], killTotal/killAttacks-before[string(a.ID)]
				require.LessOrEqual(t, opened, open, "run %d: %s: %d of its evaluations were final, and it was asked for again", run, a.ID, before[string(a.ID)])
				if !killed {
					require.Equal(t, open, opened, "run %d: %s: everything that is not final is asked", run, a.ID)
				}
			}
			if !killed {
				break
			}
			if _, done := finals(t, journal); kills == 0 {
				share = append(share, 100*float64(done)/killTotal)
			}
			if kills%4 == run%4 {
				tear(t, journal, points)
			}
		}
		if diff := cmp.Diff(want, evaluations(t, results)); diff != "" {
			t.Fatalf("run %d: evaluations (-undisturbed +resumed):\n%s", run, diff)
		}
	}
	inside := 0
	for _, s := range share {
		if s >= 5 && s <= 95 {
			inside++
		}
	}
	t.Logf("%d runs of %d evaluations, %d first kills, %d of them between 5%% and 95%% done: %.0f", runs, killTotal, len(share), inside, share)
	assert.GreaterOrEqual(t, inside*100, 60*runs, "kills between 5% and 95% done, of 100 runs at least 60")
}

// tear leaves half a line behind, as a kill within a write would.
func tear(t *testing.T, journal string, points *rand.Rand) {
	t.Helper()
	raw, err := os.ReadFile(journal)
	require.NoError(t, err)
	first, _, _ := bytes.Cut(raw, []byte("\n"))
	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(first[:points.IntN(len(first)+1)])
	require.NoError(t, errors.Join(err, f.Close()))
}

// evaluations are a run's lines by id, without what the wall clock says.
func evaluations(t *testing.T, results string) map[string]record.Evaluation {
	t.Helper()
	all := map[string]record.Evaluation{}
	require.NoError(t, record.Read(filepath.Join(results, "r1", record.EvaluationsFile), func(e record.Evaluation) error {
		if _, twice := all[e.ID]; twice {
			return fmt.Errorf("%s stands twice", e.ID)
		}
		for i := range e.Replies {
			e.Replies[i].LatencyMS = 0
		}
		all[e.ID] = e
		return nil
	}))
	return all
}
