// Package config resolves the suite's options: process environment, then .env,
// then defaults. It is the only reader of the environment. Everything is
// validated here, an unknown word is an error, and a secret is only ever handed
// out by name.
package config

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/joho/godotenv"
)

// Options are the validated settings of a run.
type Options struct {
	Sims          []string // simulated bankers
	Models        []string // live models; empty: none is asked
	Levels        []string
	Tracks        []string
	Architectures []string
	Recordings    string // folder with recorded conversations, absolute; empty: the shipped ones
	Trials        int    // evaluations per attack and cell
	RunID         string // empty: made from the time
	Results       string // folder, absolute
	Concurrency   int    // evaluations at a time
	Gate          string // file with what a run is held against, absolute; empty: the default gate
	SigningKey    string // file with the Ed25519 seed, absolute; empty: the published test key
	Cross         bool   // replay every attack at every level
	Variants      int    // variants per attack; 0: none
	Long          bool   // long proofs whole
	CI            bool   // the process runs in CI

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
	varRecordings    = "VAULT_RECORDINGS"
	varTrials        = "VAULT_TRIALS"
	varRunID         = "VAULT_RUN_ID"
	varResults       = "VAULT_RESULTS"
	varConcurrency   = "VAULT_CONCURRENCY"
	varGate          = "VAULT_GATE"
	varSigningKey    = "VAULT_SIGNING_KEY"
	varCross         = "VAULT_CROSS"
	varVariants      = "VAULT_VARIANTS"
	varLong          = "VAULT_LONG"
	varLocalURL      = "VAULT_LOCAL_URL"
)

// Variables lists the suite's own variables.
func Variables() []string {
	return []string{
		varSims, varModels, varLevels, varTracks, varArchitectures, varRecordings,
		varTrials, varRunID, varResults, varConcurrency, varGate, varSigningKey, varCross, varVariants, varLong, varLocalURL,
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

type resolver struct {
	env, dotenv map[string]string
	settings    []Setting
	err         error
}

func (r *resolver) options(root string, v Vocabulary) Options {
	o := Options{
		Root:          root,
		Sims:          r.words(varSims, v.Sims, v.Sims, true),
		Models:        r.words(varModels, v.Models, nil, true),
		Levels:        r.words(varLevels, v.Levels, v.Levels, false),
		Tracks:        r.words(varTracks, v.Tracks, v.Tracks, false),
		Architectures: r.words(varArchitectures, v.Architectures, v.DefaultArchitectures, false),
		Recordings:    r.path(varRecordings, root, ""),
		Trials:        r.positive(varTrials, 1),
		RunID:         r.runID(),
		Results:       r.path(varResults, root, "results"),
		Concurrency:   r.positive(varConcurrency, runtime.GOMAXPROCS(0)),
		Gate:          r.path(varGate, root, ""),
		SigningKey:    r.keyFile(varSigningKey, root),
		Cross:         r.boolean(varCross),
		Variants:      r.upTo(varVariants, v.Variants),
		Long:          r.boolean(varLong),
	}
	if u, err := url.Parse(r.text(varLocalURL, "")); err != nil || u.User != nil {
		r.settings[len(r.settings)-1].Value = "…"
		r.fail(fmt.Errorf("%s: want http://host:port/v1 without user and password: the key has a variable of its own", varLocalURL))
	}
	ci, _ := r.get("CI")
	o.CI = truthy(ci)
	o.settings, o.lookup = r.settings, r.get
	return o
}

// get returns a variable and where it was found.
func (r *resolver) get(name string) (value, source string) {
	if v, ok := r.env[name]; ok {
		return v, "environment"
	}
	if v, ok := r.dotenv[name]; ok {
		return v, ".env"
	}
	return "", "default"
}

func (r *resolver) text(name, def string) string {
	v, source := r.get(name)
	if v = strings.TrimSpace(v); v == "" {
		v, source = def, "default"
	}
	r.settings = append(r.settings, Setting{name, v, source})
	return v
}

func (r *resolver) fail(err error) {
	r.err = cmp.Or(r.err, err)
}

// words reads a comma list. "none" empties a list that may be empty.
func (r *resolver) words(name string, known, def []string, mayBeEmpty bool) []string {
	text := r.text(name, strings.Join(def, ","))
	if text == "" || mayBeEmpty && text == "none" {
		return nil
	}
	var out []string
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(known, word) {
			r.fail(fmt.Errorf("%s: unknown word %q: use a comma list of %s", name, word, strings.Join(known, ", ")))
			return nil
		}
		if slices.Contains(out, word) {
			r.fail(fmt.Errorf("%s: %q is named twice", name, word))
			return nil
		}
		out = append(out, word)
	}
	return out
}

func (r *resolver) positive(name string, def int) int {
	text := r.text(name, strconv.Itoa(def))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		r.fail(fmt.Errorf("%s: %q: want a whole number of at least 1", name, text))
	}
	return n
}

// upTo reads a whole number from 0, which is the default, to highest.
func (r *resolver) upTo(name string, highest int) int {
	text := r.text(name, "0")
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > highest {
		r.fail(fmt.Errorf("%s: %q: want a whole number from 0 to %d", name, text, highest))
	}
	return n
}

func (r *resolver) boolean(name string) bool {
	switch text := r.text(name, "0"); text {
	case "0", "false":
		return false
	case "1", "true":
		return true
	default:
		r.fail(fmt.Errorf("%s: %q: want 1 or 0", name, text))
		return false
	}
}

func (r *resolver) path(name, root, def string) string {
	p := r.text(name, def)
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(root, p)
}

// keyFile is a path as path resolves it. A key in the place of its file's name
// would be printed with the configuration, so what looks like one is refused,
// unprinted.
func (r *resolver) keyFile(name, root string) string {
	file := r.path(name, root, "")
	value, _ := r.get(name)
	if looksLikeSeed(strings.TrimSpace(value)) {
		r.fail(fmt.Errorf("%s: this looks like the key itself: write it to a file and name the file (as ./name where its name looks like that)", name))
	}
	return file
}

// looksLikeSeed: 32 bytes as hex digits or base64, whatever its alphabet.
func looksLikeSeed(value string) bool {
	if raw, err := hex.DecodeString(value); err == nil && len(raw) == 32 {
		return true
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(value))
	return err == nil && len(raw) == 32
}

// runID refuses what would leave the results folder or hide in it.
func (r *resolver) runID() string {
	id := r.text(varRunID, "")
	plain := strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	if !plain || strings.HasPrefix(id, ".") || id == "latest" {
		r.fail(fmt.Errorf("%s: %q: use letters, digits, dots, hyphens and underscores, not starting with a dot, not \"latest\"", varRunID, id))
	}
	return id
}

func (r *resolver) refuseUnknown() {
	for _, source := range []map[string]string{r.env, r.dotenv} {
		for _, name := range slices.Sorted(maps.Keys(source)) {
			if strings.HasPrefix(name, prefix) && !slices.Contains(Variables(), name) {
				r.fail(fmt.Errorf("unknown variable %s: known are %s", name, strings.Join(Variables(), ", ")))
			}
		}
	}
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
