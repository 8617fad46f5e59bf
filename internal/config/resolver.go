package config

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
		Corpus:        r.path(varCorpus, root, ""),
		Recordings:    r.path(varRecordings, root, ""),
		Record:        r.path(varRecord, root, ""),
		Trials:        r.positive(varTrials, 1),
		Shard:         r.text(varShard, ""), // package plan reads it
		RunID:         r.runID(),
		Results:       r.path(varResults, root, "results"),
		Concurrency:   r.positive(varConcurrency, ConcurrencyPerProcessor*runtime.GOMAXPROCS(0)),
		Attempt:       r.seconds(varAttempt, 10*time.Minute),
		Gate:          r.path(varGate, root, ""),
		BudgetUSD:     r.dollars(varBudgetUSD),
		BudgetTokens:  r.tokens(varBudgetTokens),
		SigningKey:    r.keyFile(varSigningKey, root),
		Cross:         r.boolean(varCross),
		Variants:      r.upTo(varVariants, v.Variants),
		Log:           r.level(varLog),
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

// seconds reads a time in whole seconds, an hour at most: a request that takes
// longer hangs.
func (r *resolver) seconds(name string, def time.Duration) time.Duration {
	text := r.text(name, strconv.Itoa(int(def/time.Second)))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 3600 {
		r.fail(fmt.Errorf("%s: %q: want whole seconds from 1 to 3600", name, text))
	}
	return time.Duration(n) * time.Second
}

// level reads a level of log/slog.
func (r *resolver) level(name string) slog.Level {
	var l slog.Level
	switch text := r.text(name, "warn"); text {
	case "debug", "info", "warn", "error":
		_ = l.UnmarshalText([]byte(text)) // knows each of these
	default:
		r.fail(fmt.Errorf("%s: %q: want debug, info, warn or error", name, text))
	}
	return l
}

// dollars reads a budget in US dollars: plain digits with a decimal point at most.
func (r *resolver) dollars(name string) float64 {
	text := r.text(name, "")
	if text == "" {
		return 0
	}
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.") != "" || usd <= 0 || usd > 1e6 {
		r.fail(fmt.Errorf("%s: %q: want US dollars above 0 and at most 1000000, such as 25 or 7.50", name, text))
	}
	return usd
}

// tokens reads a budget in tokens.
func (r *resolver) tokens(name string) int64 {
	text := r.text(name, "")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		r.fail(fmt.Errorf("%s: %q: want a whole number of tokens of at least 1", name, text))
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
