package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
)

var vocabulary = config.Vocabulary{
	Sims: []string{"sim-a", "sim-b"}, Models: []string{"m1", "m2"}, Levels: []string{"l1", "l2"},
	Tracks: []string{"single", "multi"}, Architectures: []string{"alone", "oap", "published"},
	DefaultArchitectures: []string{"alone", "oap"}, Variants: 3,
}

func TestResolvePrecedence(t *testing.T) {
	root := t.TempDir()
	dotenv := "VAULT_TRIALS=3\nVAULT_LEVELS=l2\nSOME_API_KEY=from-file\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte(dotenv), 0o600))

	o, err := config.Resolve(root, []string{"VAULT_TRIALS=5", "VAULT_ATTEMPT_TIMEOUT=90", "VAULT_RESULTS=out", "VAULT_CORPUS=theirs", "VAULT_SIGNING_KEY=keys/seed"}, vocabulary)
	require.NoError(t, err)
	assert.Equal(t, 90*time.Second, o.Attempt)
	assert.Equal(t, 5, o.Trials, "the process environment outranks .env")
	assert.Equal(t, []string{"l2"}, o.Levels, ".env outranks the default")
	assert.Equal(t, []string{"alone", "oap"}, o.Architectures, "published is off by default")
	assert.Empty(t, o.Models, "no live model is asked by accident")
	assert.Equal(t, filepath.Join(root, "out"), o.Results, "relative paths count from the module root")
	assert.Equal(t, filepath.Join(root, "theirs"), o.Corpus)
	assert.Equal(t, filepath.Join(root, "keys", "seed"), o.SigningKey)
	assert.Equal(t, "from-file", o.Lookup("SOME_API_KEY"))

	sources := map[string]string{}
	for _, s := range o.Settings() {
		sources[s.Name] = s.Source
		assert.NotContains(t, s.Value, "from-file", "a key is no setting")
	}
	want := map[string]string{"VAULT_TRIALS": "environment", "VAULT_LEVELS": ".env", "VAULT_SIMS": "default"}
	for name, source := range want {
		assert.Equal(t, source, sources[name], name)
	}
	var names []string
	for _, s := range o.Settings() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff(config.Variables(), names); diff != "" {
		t.Errorf("each variable is resolved once (-want +got):\n%s", diff)
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		environ string
		want    string
		reason  string
	}{
		{"unknown sim", "VAULT_SIMS=sim-a,sim-c", `VAULT_SIMS: unknown word "sim-c": use a comma list of sim-a, sim-b`, "a word nobody knows runs nothing"},
		{"unknown model", "VAULT_MODELS=m3", `VAULT_MODELS: unknown word "m3"`, "models are those of fixtures/models.json"},
		{"unknown level", "VAULT_LEVELS=l9", `VAULT_LEVELS: unknown word "l9"`, "five levels"},
		{"unknown track", "VAULT_TRACKS=a", `VAULT_TRACKS: unknown word "a"`, "the paper's letter is not the name"},
		{"unknown architecture", "VAULT_ARCHITECTURES=OAP", `VAULT_ARCHITECTURES: unknown word "OAP"`, "case counts"},
		{"empty word", "VAULT_LEVELS=l1,", `VAULT_LEVELS: unknown word ""`, "a trailing comma is a lost word"},
		{"named twice", "VAULT_LEVELS=l1,l1", `VAULT_LEVELS: "l1" is named twice`, "twice would be counted twice"},
		{"levels can't be none", "VAULT_LEVELS=none", `VAULT_LEVELS: unknown word "none"`, "no level is no run"},
		{"trials zero", "VAULT_TRIALS=0", `VAULT_TRIALS: "0": want a whole number of at least 1`, "zero would run nothing"},
		{"concurrency negative", "VAULT_CONCURRENCY=-1", `VAULT_CONCURRENCY: "-1"`, "a limit below one must not widen the run"},
		{"attempt of no time", "VAULT_ATTEMPT_TIMEOUT=0", `VAULT_ATTEMPT_TIMEOUT: "0": want whole seconds from 1 to 3600`, "zero must not mean for ever"},
		{"attempt with a unit", "VAULT_ATTEMPT_TIMEOUT=10m", `VAULT_ATTEMPT_TIMEOUT: "10m"`, "the unit is fixed"},
		{"attempt for hours", "VAULT_ATTEMPT_TIMEOUT=3601", `VAULT_ATTEMPT_TIMEOUT: "3601"`, "such a request hangs"},
		{"variants beyond the operators", "VAULT_VARIANTS=4", `VAULT_VARIANTS: "4": want a whole number from 0 to 3`, "there are no more"},
		{"variants negative", "VAULT_VARIANTS=-1", `VAULT_VARIANTS: "-1"`, "no number of variants"},
		{"budget with a sign", "VAULT_BUDGET_USD=-5", `VAULT_BUDGET_USD: "-5": want US dollars above 0`, "a debt is no budget"},
		{"budget without an end", "VAULT_BUDGET_USD=Inf", `VAULT_BUDGET_USD: "Inf"`, "no budget is said by leaving it out"},
		{"budget as a power", "VAULT_BUDGET_USD=1e3", `VAULT_BUDGET_USD: "1e3"`, "plain digits"},
		{"budget of nothing", "VAULT_BUDGET_USD=0.00", `VAULT_BUDGET_USD: "0.00"`, "zero must not mean unlimited"},
		{"tokens of nothing", "VAULT_BUDGET_TOKENS=0", `VAULT_BUDGET_TOKENS: "0": want a whole number of tokens of at least 1`, "zero must not mean unlimited"},
		{"half a token", "VAULT_BUDGET_TOKENS=1.5", `VAULT_BUDGET_TOKENS: "1.5"`, "whole ones"},
		{"log", "VAULT_LOG=verbose", `VAULT_LOG: "verbose": want debug, info, warn or error`, "an unknown word must not silence a warning"},
		{"cross", "VAULT_CROSS=yes", `VAULT_CROSS: "yes": want 1 or 0`, "an unknown word must not drop a section"},
		{"long", "VAULT_LONG=yes", `VAULT_LONG: "yes": want 1 or 0`, "an unknown word must not shorten a proof"},
		{"run id with a slash", "VAULT_RUN_ID=../x", `VAULT_RUN_ID: "../x"`, "it would leave the results folder"},
		{"run id latest", "VAULT_RUN_ID=latest", `VAULT_RUN_ID: "latest"`, "the link's name"},
		{"key in place of its file", "VAULT_SIGNING_KEY=" + strings.Repeat("0a", 32), "VAULT_SIGNING_KEY: this looks like the key itself", "it would be printed and recorded"},
		{"key in place of its file, base64", "VAULT_SIGNING_KEY=" + strings.Repeat("A", 43) + "=", "VAULT_SIGNING_KEY: this looks like the key itself", "it would be printed and recorded"},
		{"unknown variable", "VAULT_LEVEL=l1", "unknown variable VAULT_LEVEL", "a typing error would run all levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Resolve(t.TempDir(), []string{tt.environ}, vocabulary)
			require.Error(t, err, tt.reason)
			assert.Contains(t, err.Error(), tt.want, tt.reason)
			if _, value, _ := strings.Cut(tt.environ, "="); len(value) > 40 {
				assert.NotContains(t, err.Error(), value, "a key is never quoted")
			}
		})
	}
}

func TestResolveEmptyMeansDefault(t *testing.T) {
	o, err := config.Resolve(t.TempDir(), []string{"VAULT_SIMS=", "VAULT_TRIALS= "}, vocabulary)
	require.NoError(t, err)
	assert.Equal(t, vocabulary.Sims, o.Sims, "an empty variable counts as not set")
	assert.Equal(t, 1, o.Trials)
	o, err = config.Resolve(t.TempDir(), []string{"VAULT_SIMS=none"}, vocabulary)
	require.NoError(t, err)
	assert.Empty(t, o.Sims, "none leaves the simulated bankers out")
}

func TestMalformedDotEnvDoesNotLeak(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("OPENAI_API_KEY canary-1234\n\"'"), 0o600))
	_, err := config.Resolve(root, nil, vocabulary)
	require.ErrorContains(t, err, ".env")
	assert.NotContains(t, err.Error(), "canary", "the file may hold keys")
}

func TestRoot(t *testing.T) {
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	root, err := config.Root(dir)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "go.mod"))
	_, err = config.Root("/")
	require.ErrorContains(t, err, "no go.mod")
}
