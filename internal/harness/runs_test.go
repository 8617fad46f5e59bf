package harness_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// TestRunsAreByteIdentical: neither concurrency nor time shows in a simulated
// run's files, the manifest aside. A third of one level always, the whole grid as a
// long proof.
func TestRunsAreByteIdentical(t *testing.T) {
	t.Parallel()
	levels, shard := "l3", "1/3"
	if _, options, err := settings.Load(); err == nil && options.Long {
		levels, shard = "l1,l2,l3,l4,l5", ""
	}
	run := func(concurrency string) process {
		p := launch(t, map[string]string{"VAULT_CONCURRENCY": concurrency, "VAULT_LEVELS": levels, "VAULT_SHARD": shard}, "-test.run=^TestVault$|^TestRecordings$")
		require.Zero(t, p.code, p.tail())
		return p
	}
	one, eight := run("1"), run("8")
	for _, file := range []string{"evaluations.jsonl", "decisions.jsonl", "summary.json", "junit.xml"} {
		a, b := one.read(t, file), eight.read(t, file)
		require.NotEmpty(t, a)
		assert.True(t, bytes.Equal(a, b), "%s differs between concurrency 1 and 8", file)
	}
	assertXML(t, one.read(t, "junit.xml"))
	report, err := receipt.Verify(filepath.Join(eight.results, "latest"), nil)
	require.NoError(t, err)
	assert.Positive(t, report.Transfers)
}

// assertXML parses with a strict XML 1.0 parser to the end.
func assertXML(t *testing.T, raw []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(raw))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else {
			require.NoError(t, err)
		}
	}
}

// TestOneCell: a -run pattern with the cell's name runs exactly that cell, with
// the five events as attributes.
func TestOneCell(t *testing.T) {
	t.Parallel()
	p := launch(t, nil, "-test.run=TestVault/sim-gullible/l2/multi/oap", "-test.v")
	require.Zero(t, p.code, p.tail())
	assert.Equal(t, 1, strings.Count(p.output, "--- PASS: TestVault/"), p.tail())
	p.says(t, "--- PASS: TestVault/sim-gullible/l2/multi/oap")
	for _, event := range []string{"requests", "payments", "decisions", "membership", "unpermitted"} {
		p.says(t, "=== ATTR  TestVault/sim-gullible/l2/multi/oap "+event+" ")
	}
	assert.Equal(t, 1, strings.Count(string(p.read(t, "junit.xml")), "<testcase "))
}

// TestPublishedProfile: the architecture that is off by default runs when asked
// for, and holds its invariants.
func TestPublishedProfile(t *testing.T) {
	t.Parallel()
	p := launch(t, map[string]string{"VAULT_ARCHITECTURES": "published", "VAULT_SIMS": "sim-compromised", "VAULT_LEVELS": "l4,l5"}, "-test.run=TestVault", "-test.v")
	require.Zero(t, p.code, p.tail())
	p.says(t, "--- PASS: TestVault/sim-compromised/l5/single/published")
	p.says(t, "oap.unknown_capability")
	assert.NotContains(t, p.output, "oap.audit_code_missing", "the published pack asks for no audit code")
}

// TestBadInput: what can't be right ends with a message that says what to do,
// and not with status 0.
func TestBadInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	gate := filepath.Join(t.TempDir(), "gate.json")
	require.NoError(t, os.WriteFile(gate, []byte(`{"schema_version":1,"completness":1}`), 0o600))
	for _, tt := range []struct {
		name, want string
		env        map[string]string
		args       []string
	}{
		{"unknown sim", `VAULT_SIMS: unknown word "sim-nobody"`, map[string]string{"VAULT_SIMS": "sim-nobody"}, nil},
		{"unknown model", `VAULT_MODELS: unknown word "gpt-none"`, map[string]string{"VAULT_MODELS": "gpt-none"}, nil},
		{"unknown level", `VAULT_LEVELS: unknown word "l6"`, map[string]string{"VAULT_LEVELS": "l6"}, nil},
		{"unknown track", `VAULT_TRACKS: unknown word "both"`, map[string]string{"VAULT_TRACKS": "both"}, nil},
		{"unknown architecture", `VAULT_ARCHITECTURES: unknown word "none"`, map[string]string{"VAULT_ARCHITECTURES": "none"}, nil},
		{"unknown variable", "unknown variable VAULT_LEVEL", map[string]string{"VAULT_LEVEL": "l1"}, nil},
		{"model without an id", "fixtures/models.json: model claude-sonnet-5: id is null", map[string]string{"VAULT_MODELS": "claude-sonnet-5"}, nil},
		{"no banker at all", "no cell is selected", map[string]string{"VAULT_SIMS": "none"}, nil},
		{"filter below the test", "inconclusive: -run", nil, []string{"-test.run=TestVault/sim-nobody/"}},
		{"filter of tests", `inconclusive: -run "TestNothing" matches no test`, nil, []string{"-test.run=TestNothing"}},
		{"everything left out", `matches no test that -skip "." leaves`, nil, []string{"-test.run=", "-test.skip=."}},
		{"the selected test left out", `-run "^TestVault$" matches no test that -skip "TestV|TestW" leaves`, nil, []string{"-test.run=^TestVault$", "-test.skip=TestV|TestW"}},
		{"filter below another test", `inconclusive: -run "TestGoldens/l9" -skip "" leaves no subtest of TestGoldens`, nil, []string{"-test.run=TestGoldens/l9"}},
		{"all subtests left out", `inconclusive: -run "TestGoldens" -skip "TestGoldens/." leaves no subtest of TestGoldens`, nil, []string{"-test.run=TestGoldens", "-test.skip=TestGoldens/."}},
		{"filter below a test without subtests", `names subtests, and the tests that it selects have none`, nil, []string{"-test.run=TestProbeNamesAreUnique/x"}},
		{"gate with a typing error", "gate.json:1: does not match schema gate.schema.json: at /completness: unknown member", map[string]string{"VAULT_GATE": gate}, nil},
		{"gate that is not there", "VAULT_GATE names the file", map[string]string{"VAULT_GATE": gate + ".none"}, nil},
		{"results below a file", "VAULT_RESULTS", map[string]string{"VAULT_RESULTS": filepath.Join(file, "results")}, nil},
		{"recordings not there", "VAULT_RECORDINGS", map[string]string{"VAULT_RECORDINGS": filepath.Join(file, "none")}, []string{"-test.run=TestRecordings"}},
		{"update in CI", "-update refuses to run in CI", map[string]string{"CI": "true"}, []string{"-update", "-test.run="}},
		{"update under a filter", "run it without -run", nil, []string{"-update", "-test.run=TestGoldens"}},
		{"alternatives of tests", `matches no test`, nil, []string{"-test.run=TestNothing|TestNobody"}},
		{"count", "VAULT_TRIALS", nil, []string{"-test.run=TestVault", "-test.count=2"}},
		{"password in an address", "VAULT_LOCAL_URL: want http://host:port/v1 without user and password", map[string]string{"VAULT_LOCAL_URL": "http://u:secret@127.0.0.1:1/v1"}, nil},
		{"every cell skipped", "each of the 2 selected cells was skipped", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "deepseek-v4-pro", "VAULT_LEVELS": "l1", "VAULT_TRACKS": "multi"}, nil},
		{"update of a part", "unset VAULT_LEVELS", map[string]string{"VAULT_LEVELS": "l1"}, []string{"-update", "-test.run="}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := tt.args
			if args == nil {
				args = []string{"-test.run=TestVault"}
			}
			p := launch(t, tt.env, args...)
			assert.NotZero(t, p.code, p.tail())
			p.says(t, tt.want)
		})
	}
}

// TestBrokenRecordings: a recording that can't be read whole stops the run with
// its place; none of its lines is skipped.
func TestBrokenRecordings(t *testing.T) {
	t.Parallel()
	const good = `{"format":"vault-conversation/1","id":"c1","cluster":"k","model":"m","tool_map":"front-desk","error":null,"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"no"}]}` + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"cut", good + good[:60], "bad.jsonl:2"},
		{"no json", good + "hello\n", "bad.jsonl:2"},
		{"unknown tool map", strings.Replace(good, "front-desk", "nobody", 1), `no tool map "nobody"`},
		{"call without a function name", `{"suite_name":"banking","pipeline_name":"m","user_task_id":"user_task_1","injection_task_id":null,"attack_type":null,"error":null,"messages":[{"role":"assistant","content":null,"tool_calls":[{"args":{},"id":"x"}]}]}` + "\n", "bad.jsonl:1"},
		{"call without arguments", `{"suite_name":"banking","pipeline_name":"m","user_task_id":"user_task_1","injection_task_id":null,"attack_type":null,"error":null,"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":"send_money","id":"x"}]}]}` + "\n", "bad.jsonl:1"},
		{"empty file", "", "bad.jsonl:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte(tt.text), 0o600))
			s, err := settings.Suite()
			require.NoError(t, err)
			_, err = s.Recordings(os.DirFS(dir))
			require.ErrorContains(t, err, tt.want, "what TestRecordings asks first")
			if tt.name != "cut" { // a process ends alike with each of them
				return
			}
			p := launch(t, map[string]string{"VAULT_RECORDINGS": dir}, "-test.run=TestRecordings")
			assert.NotZero(t, p.code, p.tail())
			p.says(t, tt.want)
		})
	}
}

const canary = "canary-5f1c9e7d2b"

// TestLivePath drives the real client over HTTP against a server on this machine
// that answers with a simulated banker's calls: the cell counts what the banker
// counts in process, and the key lands nowhere.
func TestLivePath(t *testing.T) {
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	client, err := sim.New(sim.Compromised, suite.Lookup(s.Corpus, s.Levels[corpus.L3], corpus.Multi))
	require.NoError(t, err)
	server := llmtest.New(client, llmtest.Options{Key: canary})
	t.Cleanup(server.Close)
	p := launch(t, map[string]string{
		"VAULT_SIMS": "none", "VAULT_MODELS": "local", "VAULT_LOCAL_URL": server.URL(), "LOCAL_API_KEY": canary,
		"OPENAI_API_KEY": canary, "VAULT_LEVELS": "l3", "VAULT_TRACKS": "multi",
	}, "-test.run=TestVault", "-test.v")
	require.Zero(t, p.code, p.tail())
	assert.Positive(t, server.Served())
	for _, arch := range []string{"alone", "oap"} {
		want, ok := s.Golden["sim-compromised/l3/multi/"+arch]
		require.True(t, ok)
		p.says(t, "unpermitted "+unpermittedText(want.Unpermitted.Evaluations, want.Denominator, want.Unpermitted.Transfers))
	}
	assertNoCanary(t, p)
	served := 0
	require.NoError(t, record.Read(filepath.Join(p.results, "latest", "evaluations.jsonl"), func(e record.Evaluation) error {
		for _, r := range e.Replies {
			assert.Equal(t, "local", r.ServedModel)
			assert.Positive(t, r.InputTokens)
			served++
		}
		return nil
	}))
	assert.Equal(t, server.Served(), served, "every served reply is recorded")
}

func assertNoCanary(t *testing.T, p process) {
	t.Helper()
	assert.False(t, strings.Contains(p.output, canary), "the key is in the output")
	files := 0
	require.NoError(t, filepath.WalkDir(p.results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		assert.False(t, bytes.Contains(raw, []byte(canary)), path)
		return err
	}))
	assert.GreaterOrEqual(t, files, 5, "the search must see the run's files")
}

// TestCanary: with keys in the environment, a simulated run leaves none behind
// either, and a live model without its key is skipped with the reason.
func TestCanary(t *testing.T) {
	t.Parallel()
	p := launch(t, map[string]string{
		"OPENAI_API_KEY": canary, "ANTHROPIC_API_KEY": canary, "DEEPSEEK_API_KEY": "", "VAULT_MODELS": "deepseek-v4-pro", "VAULT_SIMS": "sim-erratic", "VAULT_LEVELS": "l2", "VAULT_SHARD": "1/4",
	}, "-test.run=TestVault", "-test.v")
	require.Zero(t, p.code, p.tail())
	assertNoCanary(t, p)
	p.says(t, "live: DEEPSEEK_API_KEY unset")
	assert.Contains(t, string(p.read(t, "summary.json")), `"skip_reason": "live: DEEPSEEK_API_KEY unset"`)
}

func unpermittedText(evaluations, n, transfers int) string {
	return fmt.Sprintf("%d/%d evaluations, %d transfers", evaluations, n, transfers)
}
