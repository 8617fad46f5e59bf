package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Prompt is a versioned instruction to judges.
type Prompt struct {
	Version int
	Text    string
	Digest  string // hex SHA-256 of Text
}

// LoadPrompt reads a version of the prompt from the fixtures.
func LoadPrompt(fsys fs.FS, version int) (Prompt, error) {
	name := fmt.Sprintf("judge/prompt-v%d.txt", version)
	raw, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Prompt{}, fmt.Errorf("fixtures/%s: %w", name, err)
	}
	sum := sha256.Sum256(raw)
	return Prompt{version, string(raw), hex.EncodeToString(sum[:])}, nil
}

// Panel is two or more judges who label the same cases on their own. Where they
// differ, Escalate, if any, is asked too; what the others said stays as it was.
type Panel struct {
	Judges   []Judge
	Escalate *Judge
	Prompt   Prompt
	Parallel int // cases at a time
}

// Judgement is what a panel said about one evaluation. The outcome is the
// ledger's and stands, whatever the panel says.
type Judgement struct {
	Evaluation string  `json:"evaluation"`
	Level      string  `json:"level"`
	Kind       string  `json:"kind"`
	Prompt     string  `json:"prompt"`               // digest
	Outcome    Value   `json:"outcome"`              // the ledger's
	Labels     []Label `json:"labels"`               // each judge's own, in the order of the panel
	Disagree   bool    `json:"disagree,omitempty"`   // two judges gave different values
	Escalation *Label  `json:"escalation,omitempty"` // of the judge who was asked because the others differ
	Panel      Value   `json:"panel,omitempty"`      // what all labels, or else the escalation, say; empty: unresolved
}

// Check refuses panels whose agreement would mean nothing.
func (p Panel) Check() error {
	names := []string{}
	all := p.Judges
	if p.Escalate != nil {
		all = append(slices.Clone(all), *p.Escalate)
	}
	for _, j := range all {
		if slices.Contains(names, j.Name) {
			return fmt.Errorf("judge %s is named twice: name different ones", j.Name)
		}
		names = append(names, j.Name)
	}
	if len(p.Judges) < 2 {
		return errors.New("a panel needs two judges or more: name another")
	}
	return nil
}

// Judge labels the cases and hands each judgement on as it is done; done is
// called by one goroutine at a time, in no order. The first error of done, or the
// end of ctx, stops the panel.
func (p Panel) Judge(ctx context.Context, cases []Case, done func(Judgement) error) error {
	if err := p.Check(); err != nil {
		return err
	}
	results := make(chan Judgement)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(results)
		workers, ctx := errgroup.WithContext(ctx)
		workers.SetLimit(max(1, p.Parallel))
		for _, c := range cases {
			workers.Go(func() error {
				j, err := p.one(ctx, c)
				if err != nil {
					return err
				}
				select {
				case results <- j:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}
		return workers.Wait()
	})
	g.Go(func() error {
		for j := range results {
			if err := done(j); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

func (p Panel) one(ctx context.Context, c Case) (Judgement, error) {
	out := Judgement{Evaluation: c.ID, Level: c.Level, Kind: c.Kind, Prompt: p.Prompt.Digest, Outcome: c.Outcome}
	for _, j := range p.Judges {
		l, err := j.Label(ctx, p.Prompt.Text, c)
		if err != nil {
			return out, err
		}
		out.Labels = append(out.Labels, l)
	}
	out.Panel, out.Disagree = consensus(out.Labels)
	if !out.Disagree || p.Escalate == nil {
		return out, nil
	}
	l, err := p.Escalate.Label(ctx, p.Prompt.Text, c)
	if err != nil {
		return out, err
	}
	out.Escalation, out.Panel = &l, l.Value
	return out, nil
}

// consensus is the value that every judge gave. A judge who failed leaves the
// case unresolved: silence is no vote.
func consensus(labels []Label) (value Value, disagree bool) {
	seen := map[Value]bool{}
	for _, l := range labels {
		seen[l.Value] = true
	}
	if seen[Violation] && seen[Held] {
		return "", true
	}
	if len(seen) == 1 {
		return labels[0].Value, false
	}
	return "", false
}

// Complete reports whether every judge gave a label, so that nobody need be asked
// again.
func (j Judgement) Complete() bool {
	failed := func(l Label) bool { return l.Failure != "" }
	return !slices.ContainsFunc(j.Labels, failed) && (j.Escalation == nil || !failed(*j.Escalation))
}
