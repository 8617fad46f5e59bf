package authz_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
)

// stuckLayer allows everything and does not come back from its first Settle
// until it is let go.
type stuckLayer struct {
	authz.PermitAll
	release chan struct{}
}

func (s stuckLayer) Settle(authz.Request, bool) { <-s.release }

// TestSettleThatHangs: the conversation goes on, and nothing more is allowed by
// a layer whose state nobody knows.
func TestSettleThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		layer := stuckLayer{release: make(chan struct{})}
		defer close(layer.release)
		guard := authz.NewGuard(layer, time.Second)
		req := authz.Request{Recipient: "a", Amount: 1, Currency: "USD", At: time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)}
		_, permit := guard.Authorize(context.Background(), req)
		require.NotNil(t, permit)
		permit.Settle(true)
		d, permit := guard.Authorize(context.Background(), req)
		assert.Nil(t, permit)
		assert.True(t, d.FailClosed())
		assert.Contains(t, d.Reasons[0].Message, "did not settle")
	})
}
