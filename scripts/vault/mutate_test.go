package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/mutation"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// TestMutateCommand breaks one passport; .ci/run breaks every file.
// The figures are those of the files that this test was written with: of edited ones
// a mutant may survive, which go tool vault mutate says.
func TestMutateCommand(t *testing.T) {
	status, out, errs := vault("mutate", "--only", "level-3.json", "--json")
	var r mutation.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r), errs)
	require.Equal(t, len(r.Faults) > 0, status == 1, errs)
	if !asWritten(t, "level-3.json", "level-5.json", pinned.PackFile) {
		t.Skip("the policy was edited")
	}
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

// asWritten says whether files below passports/ are the copies that stay as they are.
func asWritten(t *testing.T, files ...string) bool {
	t.Helper()
	for _, file := range files {
		now, err := fs.ReadFile(passports.FS, file)
		require.NoError(t, err)
		then, err := fs.ReadFile(oaptest.Fixed(), file)
		require.NoError(t, err)
		if !bytes.Equal(now, then) {
			return false
		}
	}
	return true
}
