// Package oaptest generates passports and requests that lie on the charge pack's
// boundaries, counts what they came to, and runs properties over them. It imports
// no engine: whoever has one holds it against package reference.
package oaptest

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"vaultbench/internal/oap/reference"
)

// shortSeed makes a short run the same each time. A long one takes a fresh seed;
// -rapid.seed=N repeats it.
const shortSeed = 20260306

// Steps is how many requests one conversation has.
const Steps = 20

// Check runs a property over conversations of Steps requests each, until at least
// requests were made, and prints the seed.
func Check(t *testing.T, requests int, long bool, property func(*rapid.T)) {
	t.Helper()
	checks := (requests + Steps - 1) / Steps
	made := checks
	if testing.Short() {
		made *= 5 // rapid makes a fifth of them
	}
	seed := uint64(shortSeed)
	given := flag.Lookup("rapid.seed").Value.String()
	if n, err := strconv.ParseUint(given, 10, 64); err == nil && n != 0 {
		seed = n
	} else if long {
		seed = rand.Uint64N(1<<32) + 1
	}
	set(t, "rapid.seed", strconv.FormatUint(seed, 10))
	set(t, "rapid.checks", strconv.Itoa(made))
	set(t, "rapid.nofailfile", "true") // the seed is enough
	t.Logf("%d requests, -rapid.seed=%d", checks*Steps, seed)
	done := 0
	rapid.Check(t, func(rt *rapid.T) {
		property(rt)
		done++
	})
	if done < checks {
		t.Fatalf("the time ran out after %d of %d requests: raise -timeout", done*Steps, checks*Steps)
	}
}

// set changes a flag of rapid for the length of the test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	before := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatalf("set -%s=%s: %v", name, value, err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) })
}

// pick draws one of a few options. The first is what a failing case shrinks to.
func pick[V any](t *rapid.T, label string, options ...V) V {
	return rapid.SampledFrom(options).Draw(t, label)
}

// chance is true about n times out of 16.
func chance(t *rapid.T, label string, n int) bool {
	return rapid.SampledFrom(sixteen).Draw(t, label) >= len(sixteen)-n
}

var sixteen = func() []int {
	out := make([]int, 16)
	for i := range out {
		out[i] = i
	}
	return out
}()

// Policy reads a passport for the reference; a drawn passport is well-formed.
func Policy(t *rapid.T, raw []byte, published bool) *reference.Policy {
	p, err := reference.Read(raw, published)
	if err != nil {
		t.Fatalf("Read: %v\n%s", err, raw)
	}
	return p
}
