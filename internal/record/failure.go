package record

import (
	"cmp"
	"slices"
)

// FailureKind says what sort of thing failed outside the cells.
type FailureKind string

// The kinds.
const (
	FailedGolden FailureKind = "golden" // a golden decision changed
	FailedTest   FailureKind = "test"   // another test: see its log
)

// FailureKinds lists the kinds, the worst first.
func FailureKinds() []FailureKind { return []FailureKind{FailedGolden, FailedTest} }

// Failure is what failed outside the cells.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	Tests   string      `json:"tests,omitempty"` // which tests the process was asked for; empty: all
}

// String words a failure; a process that was asked for a part of the tests is named
// by it, since only the same part or all of them can clear the failure.
func (f Failure) String() string {
	if f.Tests == "" {
		return f.Message
	}
	return f.Message + " (go test " + f.Tests + ")"
}

// WorstFirst are failures, each once, the worst first and else in their order.
func WorstFirst(all []Failure) []Failure {
	var out []Failure
	for _, f := range all {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Failure) int {
		return cmp.Compare(slices.Index(FailureKinds(), a.Kind), slices.Index(FailureKinds(), b.Kind))
	})
	return out
}
