package suite

import "vaultbench/internal/record"

// Fail notes what failed outside the cells; Finish then does not let the run pass.
func (r *Run) Fail(kind record.FailureKind, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, record.Failure{Kind: kind, Message: reason, Tests: r.manifest.Tests})
}

// earlierFailures are those of the processes that had the run before. One that did
// not come to its end failed: nobody knows how its tests did.
func earlierFailures(was record.Manifest) []record.Failure {
	all := was.Failures
	if was.FinishedAt == "" {
		all = append(all, record.Failure{Kind: record.FailedTest, Message: "a process of the run did not come to its end, so nobody knows how its tests did", Tests: was.Tests})
	}
	return record.WorstFirst(all)
}

// standing are the failures of all processes. What failed earlier stays, unless the
// tests that ran then, or all, have run again and nothing failed.
func (r *Run) standing() []record.Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []record.Failure
	for _, f := range r.earlier {
		if again := r.manifest.Tests == "" || r.manifest.Tests == f.Tests; !again || len(r.failed) > 0 {
			all = append(all, f)
		}
	}
	return record.WorstFirst(append(all, r.failed...))
}
