package harness_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	vault "vaultbench/vault_test"
)

// process is a run of the benchmark as go test would start it.
type process struct {
	results string // its results folder
	output  string
	code    int
}

// benchmarkDir is where go test runs the benchmark.
const benchmarkDir = "../../vault_test"

// built is the folder of the benchmark's binary.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "vault-harness-"); err != nil {
		fmt.Fprintln(os.Stderr, "make a folder for the benchmark's binary:", err)
		os.Exit(1)
	}
	debug.SetGCPercent(400) // much garbage, little kept
	code := m.Run()
	if err := os.RemoveAll(built); err != nil {
		fmt.Fprintln(os.Stderr, "remove the benchmark's binary:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// benchmark builds the binary with the first test that starts it.
var benchmark = sync.OnceValues(func() (string, error) { return build("vault.test") })

// build builds the benchmark: for the race detector where this binary is, and
// without what only a debugger reads.
func build(name string, more ...string) (string, error) {
	binary := filepath.Join(built, name)
	args := append([]string{"test", "-c", "-ldflags=-s -w", "-o", binary}, more...)
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = benchmarkDir
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("build the benchmark: no go command in PATH, which these tests need: %w", err)
	case err != nil:
		return "", fmt.Errorf("build the benchmark: %w:\n%s", err, out)
	}
	return binary, nil
}

// launch runs the binary with arguments and variables of its own; nothing of the
// suite's environment is inherited, so that no outer setting leaks in.
func launch(t *testing.T, env map[string]string, args ...string) process {
	t.Helper()
	return begin(t, env, args...).wait(t)
}

// finishedRun is a small run r1 that passed, of sim-compromised at Level 2 on the track
// single behind the layer. Tests share it and do not change it.
func finishedRun(t *testing.T) process {
	t.Helper()
	finished.once.Do(func() {
		env := maps.Clone(finishedEnv)
		env["VAULT_RESULTS"] = filepath.Join(built, "results")
		finished.process = launch(t, env, "-test.run=^TestVault$")
	})
	require.NotEmpty(t, finished.results, "the test that began it failed")
	require.Zero(t, finished.code, finished.tail())
	return finished.process
}

var (
	finishedEnv = map[string]string{"VAULT_SIMS": "sim-compromised", "VAULT_LEVELS": "l2", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "oap", "VAULT_RUN_ID": "r1"}
	finished    struct {
		process
		once sync.Once
	}
)

// running is a process that goes on.
type running struct {
	process
	cmd *exec.Cmd
	out *bytes.Buffer
}

// begin starts what launch runs.
func begin(t *testing.T, env map[string]string, args ...string) *running {
	t.Helper()
	binary, err := benchmark()
	require.NoError(t, err)
	return beginBinary(t, binary, env, args...)
}

func beginBinary(t *testing.T, binary string, env map[string]string, args ...string) *running {
	t.Helper()
	p := process{results: filepath.Join(t.TempDir(), "results")}
	cmd := exec.Command(binary, args...)
	cmd.Dir = benchmarkDir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "VAULT_") && !strings.HasPrefix(kv, "CI=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	for _, name := range config.Variables() {
		cmd.Env = append(cmd.Env, name+"=") // the default, whatever a .env says
	}
	cmd.Env = append(cmd.Env, vault.ChildVariable+"=1", "VAULT_RESULTS="+p.results, "GOGC=off", "GOMEMLIMIT=256MiB") // short-lived: collecting costs more than it gives
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if results := env["VAULT_RESULTS"]; results != "" {
		p.results = results
	}
	r := &running{process: p, cmd: cmd, out: &bytes.Buffer{}}
	cmd.Stdout, cmd.Stderr = r.out, r.out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // a test that failed meanwhile leaves none behind
	return r
}

// wait is the end of a process.
func (r *running) wait(t *testing.T) process {
	t.Helper()
	err := r.cmd.Wait()
	r.output = r.out.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	r.code = r.cmd.ProcessState.ExitCode()
	return r.process
}

// tail is the end of the output: what a failure message shows of a whole run.
func (p process) tail() string {
	lines := strings.Split(p.output, "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

// says holds that the output contains a text.
func (p process) says(t *testing.T, want string) {
	t.Helper()
	assert.True(t, strings.Contains(p.output, want), "%q is not in the output, which ends:\n%s", want, p.tail())
}

func (p process) read(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.results, "latest", file))
	require.NoError(t, err, p.tail())
	return raw
}
