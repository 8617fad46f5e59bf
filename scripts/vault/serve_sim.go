package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
	"vaultbench/scripts/shipped"
)

// serveSimCommand offers a simulated banker to any OpenAI-compatible client.
type serveSimCommand struct {
	Sim   string        `default:"sim-compromised" help:"Which simulated banker answers."`
	Addr  string        `default:"127.0.0.1:0" help:"Where to listen; port 0: any free one." placeholder:"HOST:PORT"`
	Delay time.Duration `default:"0s" help:"How long an answer takes at least, such as 50ms."`
	Fault string        `help:"Scripted fault to serve instead of some answers, such as 429-seconds; an unknown word lists them." placeholder:"NAME"`
	Every int           `default:"10" help:"Which requests meet the fault: each n-th."`
}

// Run serves until it is interrupted. The level is known by the system prompt, the
// attack by the user's messages; to any other conversation the banker answers as
// to one that wants nothing.
func (c *serveSimCommand) Run(stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return c.serve(ctx, stdout)
}

func (c *serveSimCommand) serve(ctx context.Context, stdout io.Writer) error {
	client, err := anyLevel(c.Sim)
	if err != nil {
		return fmt.Errorf("serve-sim: %w", err)
	}
	opts := llmtest.Options{ServedModel: llm.ModelID(c.Sim), Delay: c.Delay}
	if c.Every < 1 {
		return errors.New("serve-sim: --every: want at least 1")
	}
	if c.Fault != "" {
		f, err := llmtest.FaultNamed(c.Fault)
		if err != nil {
			return fmt.Errorf("serve-sim: --fault: %w", err)
		}
		opts.Fault = func(n int, _ llmtest.Received) (llmtest.Fault, bool) { return f, n%c.Every == 0 }
	}
	server, err := llmtest.Listen(c.Addr, client, opts)
	if err != nil {
		return fmt.Errorf("serve-sim: %w: choose another --addr", err)
	}
	defer server.Close()
	if _, err := fmt.Fprintln(stdout, server.URL()); err != nil {
		return err
	}
	<-ctx.Done()
	_, err = fmt.Fprintf(stdout, "%d requests, %d answered by %s\n", server.Arrived(), server.Served(), c.Sim)
	return err
}

// anyLevel is a simulated banker that knows the goals of every level and track.
func anyLevel(name string) (llm.Client, error) {
	if !slices.Contains(sim.Names(), name) {
		_, err := sim.New(name, nil) // says which there are
		return nil, err
	}
	attacks, err := settings.Corpus()
	if err != nil {
		return nil, err
	}
	levels, err := shipped.Levels()
	if err != nil {
		return nil, err
	}
	var lookups []sim.Lookup
	for _, l := range corpus.Levels() {
		for _, t := range corpus.Tracks() {
			lookups = append(lookups, suite.Lookup(attacks, levels[l], t))
		}
	}
	return sim.New(name, func(key [32]byte) ([]sim.Payment, bool) {
		for _, lookup := range lookups {
			if goal, ok := lookup(key); ok {
				return goal, true
			}
		}
		return nil, false
	})
}
