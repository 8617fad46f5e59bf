package vault_test

import (
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/plan"
	"vaultbench/internal/progress"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// bench is the suite as the environment asks for it, with the run that it
// writes. The run begins with the first test that needs it.
type bench struct {
	*settings.Bench
	run *suite.Run

	progress *progress.Tracker

	budget   *budget.Budget
	limiters map[string]*limit.Limiter // by the variable of the key
}

var (
	current   *bench
	openBench = sync.OnceValues(func() (*bench, error) { return newBench() })
)

// theBench opens the suite and begins the run, once per process.
func theBench(t *testing.T) *bench {
	t.Helper()
	b, err := openBench()
	if err != nil {
		t.Fatal(noted.unopened(t.Name(), err))
	}
	watchDeadline(t)
	return b
}

func newBench() (*bench, error) {
	opened, err := settings.OpenBench()
	if err != nil {
		return nil, err
	}
	b := &bench{Bench: opened}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: b.Options.Log})))
	if !b.Suite.Shard.Whole() {
		fmt.Printf("golden/%s: not compared: VAULT_SHARD runs a part; go tool vault merge compares the whole\n", report.EventsFile)
	}
	if b.Suite.Corpus.Own {
		fmt.Printf("golden/: not compared: %s\n", notShipped)
	}
	if *update {
		b.Suite.Golden = nil // it is about to be rewritten
	}
	if err := b.addLive(); err != nil {
		return nil, err
	}
	manifest, err := b.Manifest()
	if err != nil {
		return nil, err
	}
	manifest.Tests = selection()
	b.print()
	if b.run, err = suite.Start(b.Suite, b.Options.Root, b.Options.Results, b.Options.RunID, manifest); err != nil {
		return nil, err
	}
	slog.Info("run begins", "folder", b.run.Dir(), "shard", b.Options.Shard, "models", b.Options.Models, "concurrency", b.Options.Concurrency)
	if recorded, final, torn := b.run.Resumed(); recorded > 0 {
		fmt.Printf("resumed: %d evaluations recorded, %d of them final and not asked again; %d bytes of a torn line dropped\n", recorded, final, torn)
	}
	if err := b.chargeEarlier(); err != nil {
		return nil, err
	}
	b.watch()
	current = b
	return b, nil
}

// cells are the cells that the environment selects.
func (b *bench) cells() ([]plan.Cell, error) {
	return b.cellsOn(b.Tracks(corpus.Native))
}

func (b *bench) cellsOn(tracks []corpus.Track) ([]plan.Cell, error) {
	return b.Cells(b.Models(), tracks)
}

// print shows the resolved configuration once. It holds no secret.
func (b *bench) print() {
	for _, s := range b.Options.Settings() {
		fmt.Printf("config: %s=%s (%s)\n", s.Name, escape.Line(s.Value), s.Source)
	}
}

func typed[T ~string](ws []string) []T {
	var out []T
	for _, w := range ws {
		out = append(out, T(w))
	}
	return out
}
