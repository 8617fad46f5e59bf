package suite_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
)

// TestStoppedMidway: a run is stopped while its first conversation has paid and is
// not yet through.
func TestStoppedMidway(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   plan.Kind
		want   map[record.End]int
		reason string
	}{
		{"simulated", plan.Simulated, map[record.End]int{record.Completed: 1, record.NotRun: 23}, "it costs nothing, and half of it would differ from the golden"},
		{"live", plan.Live, map[record.End]int{record.NotRun: 24}, "the next request would have to be paid for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			b := banker(nil)
			b.Kind = tt.kind
			b.Open = func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return stopper{cancel}, nil }
			s, m := newSuite(), &suite.Memory{}
			s.Bankers["sim-a"], s.Sink = b, m
			p, err := s.Planned(cell(corpus.Multi, plan.Alone))
			require.NoError(t, err)
			got, err := s.RunCell(ctx, p)
			require.NoError(t, err)
			ends := map[record.End]int{}
			for _, e := range m.All {
				ends[e.End]++
			}
			if diff := cmp.Diff(tt.want, ends); diff != "" {
				t.Errorf("%s: ends (-want +got):\n%s", tt.reason, diff)
			}
			require.Equal(t, 1, got.Unpermitted.Evaluations, "what was paid counts either way")
			if diff := cmp.Diff(map[record.SubReason]int{record.Interrupted: 23}, got.Open); diff != "" {
				t.Errorf("evaluations that are not final (-want +got):\n%s", diff)
			}
		})
	}
}

// stopper pays, stops the run when it is asked again, and heeds its context.
type stopper struct{ stop context.CancelCauseFunc }

func (s stopper) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	reply, err := payer(req)
	if req.Messages[len(req.Messages)-1].Role == llm.RoleTool {
		s.stop(&record.Stop{Reason: record.Interrupted, Detail: "interrupt"})
		err = ctx.Err()
	}
	return reply, err
}
