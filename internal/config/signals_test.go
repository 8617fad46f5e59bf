//go:build unix

package config_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
)

// TestInterruptible: either signal ends the context, and the process goes on.
func TestInterruptible(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	for name, s := range map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := config.Interruptible()
			defer stop()
			require.NoError(t, ctx.Err())
			require.NoError(t, self.Signal(s))
			<-ctx.Done()
		})
	}
}
