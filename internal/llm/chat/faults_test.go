package chat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
)

// TestScriptedFaults: the client makes of each fault what the fault says, and the
// next request on the same connection pool is answered.
func TestScriptedFaults(t *testing.T) {
	for _, f := range llmtest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			c, server := dial(t, answer(llm.Reply{Content: "ok"}), llm.Quirks{}, llmtest.Options{
				Fault: func(n int, _ llmtest.Received) (llmtest.Fault, bool) { return f, n == 1 },
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if f.Name == "hang" || f.Name == "drip" {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			reply, err := c.Chat(ctx, hello())
			switch {
			case ctx.Err() != nil:
				require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's own time-out")
			case f.Kind == nil:
				require.NoError(t, err)
				assert.Equal(t, llm.ModelID("another-model-0301"), reply.ServedModel, "what was served is what is said")
			default:
				require.ErrorIs(t, err, f.Kind)
				assert.Equal(t, f.Class, llm.FailureClass(err), "%v", err)
				assert.Less(t, len(err.Error()), 1000, "a message shows the start of a body alone")
				assert.False(t, errors.Is(err, context.DeadlineExceeded))
			}
			reply, err = c.Chat(t.Context(), hello())
			require.NoError(t, err)
			assert.Equal(t, "ok", reply.Content)
			assert.Equal(t, map[string]int{f.Name: 1}, server.FaultsServed())
			assert.Equal(t, 2, server.Arrived())
		})
	}
	_, err := llmtest.FaultNamed("none")
	require.ErrorContains(t, err, `unknown fault "none": known are 429, `)
	f, err := llmtest.FaultNamed("drip")
	require.NoError(t, err)
	assert.Equal(t, "drip", f.Name)
}
