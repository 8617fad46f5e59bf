package record

import (
	"cmp"
	"slices"
)

// FailureKind says what sort of thing failed outside the cells.
type FailureKind string

// The kinds.
const (
	FailedUnpermitted FailureKind = "unpermitted" // a layer let a payment through that its level forbids
	FailedGolden      FailureKind = "golden"      // a golden decision changed, or one is missing or left over
	FailedTest        FailureKind = "test"        // another test: see its log
)

// FailureKinds lists the kinds, the worst first.
func FailureKinds() []FailureKind {
	return []FailureKind{FailedUnpermitted, FailedGolden, FailedTest}
}

// Violates says whether a failure is a broken promise; any other leaves the run
// inconclusive.
func (k FailureKind) Violates() bool { return k == FailedUnpermitted || k == FailedGolden }

// Failure is what failed outside the cells, or the sentence that sums up what all of
// them let through.
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
