package publishtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/publish/publishtest"
)

// TestRun: the hostile run is one that the suite could have recorded, and can be
// reported.
func TestRun(t *testing.T) {
	run := publishtest.Run(t)
	_, err := run.Write()
	require.NoError(t, err)
}
