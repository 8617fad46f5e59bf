// Package config resolves the suite's options: process environment, then .env,
// then defaults. It is the only reader of the environment. Everything is
// validated here, an unknown word is an error, and a secret is only ever handed
// out by name.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/joho/godotenv"
)

// Options are the validated settings of a run.
type Options struct {
	Sims          []string // simulated bankers
	Models        []string // live models; empty: none is asked
	Levels        []string
	Tracks        []string
	Architectures []string
	Corpus        string        // folder that stands in for the shipped corpus, absolute; empty: the shipped one
	Recordings    string        // folder with recorded conversations, absolute; empty: the shipped ones
	Record        string        // folder for cassettes of live models, absolute; empty: nothing is recorded
	Trials        int           // evaluations per attack and cell
	Shard         string        // part of the grid, such as 3/16; empty: the whole
	RunID         string        // empty: made from the time
	Results       string        // folder, absolute
	Concurrency   int           // evaluations at a time
	Attempt       time.Duration // that one request to a live model may take, its reply included
	Gate          string        // file with what a run is held against, absolute; empty: the default gate
	BudgetUSD     float64       // US dollars that live models may cost; 0: no budget
	BudgetTokens  int64         // input and output tokens that they may take; 0: no budget
	SigningKey    string        // file with the Ed25519 seed, absolute; empty: the published test key
	Cross         bool          // replay every attack at every level
	Variants      int           // variants per attack; 0: none
	Log           slog.Level    // what is logged at least
	Long          bool          // long proofs whole
	CI            bool          // the process runs in CI

	Root     string // the module root, absolute
	settings []Setting
	lookup   func(string) (string, string)
}

// Setting is one resolved variable, for the record.
type Setting struct {
	Name, Value, Source string // Source: environment, .env or default
}

// Vocabulary is what the list variables may name.
type Vocabulary struct {
	Sims, Models, Levels, Tracks, Architectures []string
	DefaultArchitectures                        []string
	Variants                                    int // how many an attack has at most
}

// prefix marks the suite's own variables; one that nobody knows is a typing
// error that would silently run something else.
const prefix = "VAULT_"

// The variables. LocalURL is read through the model catalog.
const (
	varSims          = "VAULT_SIMS"
	varModels        = "VAULT_MODELS"
	varLevels        = "VAULT_LEVELS"
	varTracks        = "VAULT_TRACKS"
	varArchitectures = "VAULT_ARCHITECTURES"
	varCorpus        = "VAULT_CORPUS"
	varRecordings    = "VAULT_RECORDINGS"
	varRecord        = "VAULT_RECORD"
	varTrials        = "VAULT_TRIALS"
	varShard         = "VAULT_SHARD"
	varRunID         = "VAULT_RUN_ID"
	varResults       = "VAULT_RESULTS"
	varConcurrency   = "VAULT_CONCURRENCY"
	varAttempt       = "VAULT_ATTEMPT_TIMEOUT"
	varGate          = "VAULT_GATE"
	varBudgetUSD     = "VAULT_BUDGET_USD"
	varBudgetTokens  = "VAULT_BUDGET_TOKENS"
	varSigningKey    = "VAULT_SIGNING_KEY"
	varCross         = "VAULT_CROSS"
	varVariants      = "VAULT_VARIANTS"
	varLog           = "VAULT_LOG"
	varLong          = "VAULT_LONG"
	varLocalURL      = "VAULT_LOCAL_URL"
)

// ConcurrencyPerProcessor is how many evaluations run at a time, for each processor,
// where VAULT_CONCURRENCY is not set: a conversation waits for its layer, which
// decides in a goroutine of its own, and meanwhile another can go on.
const ConcurrencyPerProcessor = 4

// Variables lists the suite's own variables.
func Variables() []string {
	return []string{
		varSims, varModels, varLevels, varTracks, varArchitectures, varCorpus, varRecordings, varRecord,
		varTrials, varShard, varRunID, varResults, varConcurrency, varAttempt, varGate, varBudgetUSD, varBudgetTokens, varSigningKey, varCross, varVariants, varLog, varLong, varLocalURL,
	}
}

// Load resolves the options of the process. root is the module root, where .env
// stands and from which relative paths count.
func Load(root string, v Vocabulary) (Options, error) {
	for _, name := range Variables() {
		os.LookupEnv(name) // go test caches by the names that were looked up
	}
	return Resolve(root, os.Environ(), v)
}

// Resolve does what Load does for a given environment.
func Resolve(root string, environ []string, v Vocabulary) (Options, error) {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	file := filepath.Join(root, ".env")
	dotenv, err := godotenv.Read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// The parser's message may quote a line, and the line may hold a key.
		return Options{}, fmt.Errorf("read %s: not in NAME=value form: compare it with .env.example", file)
	}
	r := &resolver{env: env, dotenv: dotenv}
	r.refuseUnknown()
	o := r.options(root, v)
	if r.err != nil {
		return Options{}, fmt.Errorf("configuration: %w", r.err)
	}
	return o, nil
}

// Settings returns the resolved variables with their sources, in a fixed order.
// None of them is a secret.
func (o Options) Settings() []Setting { return slices.Clone(o.settings) }

// Lookup returns a variable that a fixture names: a provider's key or address.
// What it returns may be a secret: it goes to package llm and nowhere else.
func (o Options) Lookup(name string) string {
	v, _ := o.lookup(name)
	return v
}

// Root finds the module root: the nearest folder at or above dir with a go.mod.
func Root(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod at or above %s: run from inside the module", dir)
		}
	}
}

// InCI reports whether the process runs in CI, before any option is resolved.
func InCI() bool { return truthy(os.Getenv("CI")) }

func truthy(v string) bool { return v != "" && v != "false" && v != "0" }

// stepSummary names the file that GitHub shows beside a job's log.
const stepSummary = "GITHUB_STEP_SUMMARY"

// AppendStepSummary appends to the summary of a GitHub job, where the process runs
// in one.
func AppendStepSummary(write func(io.Writer) error) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	return nil
}
