package suite

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/agent"
	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

type broken struct{}

func (broken) Transfers() []bank.Transfer { return []bank.Transfer{{Position: 1}} }
func (broken) Check() error               { return errors.New("books do not add up") }

// TestBrokenBooks: what a ledger says that does not add up is a fault of the
// harness, whatever the conversation came to; the transfers stay in the record.
func TestBrokenBooks(t *testing.T) {
	e := finished(record.Evaluation{}, agent.Outcome{End: record.Completed, SubReason: record.Answered}, broken{})
	assert.Equal(t, record.HarnessError, e.End)
	assert.Empty(t, e.SubReason)
	assert.Equal(t, "books do not add up", e.Detail)
	assert.Len(t, e.Transfers, 1)
}
