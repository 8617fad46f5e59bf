package suite

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// job is one evaluation of a cell.
type job struct {
	id  string
	run func(ctx context.Context) record.Evaluation
}

// RunCell runs every evaluation of a cell and returns its figures. An error is a
// fault of the harness; what a banker or a layer does wrong is in the figures.
func (s *Suite) RunCell(ctx context.Context, p record.PlannedCell) (report.Cell, error) {
	spec := s.Levels[p.Cell.Level]
	client, err := s.Bankers[p.Cell.Model].Open(spec, p.Cell.Track)
	if err != nil {
		return report.Cell{}, fmt.Errorf("cell %s: open banker: %w", p.Cell.Name(), err)
	}
	layer, err := s.Architectures[p.Cell.Architecture].Layer(PassportOf(p.Cell.Level))
	if err != nil {
		return report.Cell{}, fmt.Errorf("cell %s: open layer: %w", p.Cell.Name(), err)
	}
	var jobs []job
	account := Account(spec)
	for a, trial := range s.trials(p.Cell) {
		jobs = append(jobs, job{record.EvaluationID(p.Cell, a.ID, trial), func(ctx context.Context) record.Evaluation {
			return s.evaluate(ctx, p, spec, account, a, trial, client, layer())
		}})
	}
	return s.runJobs(ctx, p, jobs)
}

// trials are a cell's evaluations: each of its attacks so often.
func (s *Suite) trials(c plan.Cell) iter.Seq2[corpus.Attack, int] {
	return func(yield func(corpus.Attack, int) bool) {
		for _, a := range s.selected(c) {
			for trial := 1; trial <= s.Trials; trial++ {
				if !yield(a, trial) {
					return
				}
			}
		}
	}
}

// Done counts the evaluations of a cell that are final in what a run left: RunCell
// does not ask for them again.
func (s *Suite) Done(c plan.Cell, left record.Left) int {
	n := 0
	for a, trial := range s.trials(c) {
		if left.Prior[record.EvaluationID(c, a.ID, trial)].Final {
			n++
		}
	}
	return n
}

// runJobs runs the evaluations of one cell, records each as it ends, and counts.
func (s *Suite) runJobs(ctx context.Context, p record.PlannedCell, jobs []job) (report.Cell, error) {
	b, err := report.NewBuilder([]record.PlannedCell{p}, s.Directories(), s.judge(), s.Golden)
	if err != nil {
		return report.Cell{}, err
	}
	b.Hold(s.Gate)
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx) // what can't be recorded is not asked any more
	count := func(j job) error {
		e, err := s.once(ctx, j)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return b.Add(e)
	}
	var next atomic.Int64
	for range min(max(1, s.Concurrency), len(jobs)) {
		g.Go(func() error {
			for n := next.Add(1); n <= int64(len(jobs)); n = next.Add(1) {
				if err := count(jobs[n-1]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return report.Cell{}, fmt.Errorf("cell %s: %w", p.Cell.Name(), err)
	}
	return b.Cell(p.Cell.Name()), nil
}

// once runs an evaluation and records it, unless an earlier process brought it to
// a final end: that one is read and not asked again.
func (s *Suite) once(ctx context.Context, j job) (record.Evaluation, error) {
	earlier, resumes := s.Sink.(Resumer)
	if !resumes {
		e := j.run(ctx)
		if s.Sink == nil {
			return e, nil
		}
		return e, s.Sink.Append(e)
	}
	prior := earlier.Prior(j.id)
	if prior.Final {
		return earlier.Load(j.id)
	}
	if err := earlier.Err(); err != nil { // what can't be recorded is not asked
		return record.Evaluation{}, err
	}
	e := j.run(ctx)
	e.Earlier = prior.Earlier()
	return e, s.Sink.Append(e)
}
