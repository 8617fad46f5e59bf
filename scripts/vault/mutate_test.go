package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/mutation"
)

// TestMutateCommand breaks one passport; .ci/run breaks every file.
func TestMutateCommand(t *testing.T) {
	status, out, errs := vault("mutate", "--only", "level-3.json", "--json")
	require.Zero(t, status, errs)
	var r mutation.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Empty(t, r.Faults)
	assert.Greater(t, r.Mutants, 50)
	assert.Positive(t, r.Refused, "a passport without a limit does not load")
	assert.Equal(t, 2, r.Equivalent, "idempotency_required is read by no rule")
	assert.Zero(t, r.Survived)
	assert.Equal(t, r.Mutants, r.Killed+r.Refused+r.Equivalent)
	noticed := map[mutation.By]bool{}
	for _, m := range r.Results {
		assert.Equal(t, "level-3.json", m.File)
		assert.NotEmpty(t, m.Change, m.ID)
		for _, k := range m.Kills {
			noticed[k.By] = true
			assert.Positive(t, k.Count, m.ID)
			assert.NotEmpty(t, k.First, m.ID)
		}
	}
	for _, by := range mutation.Noticers() {
		assert.True(t, noticed[by], "no mutant is noticed by the %s", by)
	}
	status, out, _ = vault("mutate", "--only", "level-5.json")
	assert.Zero(t, status)
	assert.Contains(t, out, "mutation score ")
}

func TestMutateCommandErrors(t *testing.T) {
	status, _, errs := vault("mutate", "--only", "level-6.json")
	assert.Equal(t, 1, status)
	assert.Contains(t, errs, "--only level-6.json: no such file", "nothing broken is nothing proven")
}
