package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// TestLayerThatFailsIsNoEvidence: a layer that is out of order holds every attack,
// and a run of it must not pass for that.
func TestLayerThatFailsIsNoEvidence(t *testing.T) {
	p := planned(attacked, 1)
	c := summarise(t, nil, []record.PlannedCell{p}, evaluation(p.Cell, record.Completed, failedClosed("eve"))).Cells[0]
	assert.Equal(t, report.Inconclusive, c.Status)
	assert.Contains(t, c.Findings[0].Message, "the layer failed on 1 of 1 calls")
}
