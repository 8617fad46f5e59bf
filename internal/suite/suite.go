// Package suite runs cells: each attack of a level against one banker in one
// architecture, every evaluation on a fresh ledger and a fresh layer state. It is
// ordinary code, so that the tests can run it against layers and bankers that
// are known to be bad and see it turn red.
package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/agent"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Architecture is what stands between a call and the tool.
type Architecture struct {
	Name    plan.Architecture
	Layered bool // a layer decides: decisions count, and its invariants are promised
	// Layer prepares the layer for a passport (its name without .json). The
	// function that it returns starts the state of one conversation.
	Layer func(passport string) (func() authz.Authorizer, error)
}

// Alone is the architecture without a layer.
func Alone() Architecture {
	return Architecture{Name: plan.Alone, Layer: func(string) (func() authz.Authorizer, error) {
		return func() authz.Authorizer { return authz.PermitAll{} }, nil
	}}
}

// Banker is the model side of a cell.
type Banker struct {
	Slug plan.ModelSlug
	Kind plan.Kind
	Skip string // why it can't be run; empty if it can
	// Label is what its figures must be read with; empty: nothing.
	Label string
	// Open returns the client for a level and track. It is called once per cell.
	Open func(level corpus.LevelSpec, track corpus.Track) (llm.Client, error)
}

// Sink takes evaluations as they end.
type Sink interface {
	Append(record.Evaluation) error
}

// Resumer is a sink that may hold evaluations of an earlier process.
type Resumer interface {
	Sink
	Prior(id string) record.Prior
	Load(id string) (record.Evaluation, error)
	Err() error // why nothing can be recorded any more
}

// Suite is everything that cells share.
type Suite struct {
	Corpus        corpus.Corpus
	Levels        map[corpus.Level]corpus.LevelSpec
	ToolMaps      map[string]corpus.ToolMap
	Architectures map[plan.Architecture]Architecture
	Bankers       map[plan.ModelSlug]Banker
	Golden        map[string]report.Counts // by cell name; nil: nothing is compared
	Shard         plan.Shard               // what of the attacks this process runs
	Gate          report.Gate              // the zero gate: the default one
	Trials        int
	Concurrency   int              // evaluations at a time
	Timeout       time.Duration    // wall clock per decision; 0: authz.DefaultTimeout
	Judge         oracle.JudgeFunc // nil: oracle.Judge
	Sink          Sink             // nil: evaluations are counted and dropped
	Key           receipt.Key      // signs decisions and manifest; the zero key: receipt.TestKey
	Parties       receipt.Parties  // passports and packs that receipts name beside their digests
}

// PassportOf names the passport of a level.
func PassportOf(l corpus.Level) string { return "level-" + strings.TrimPrefix(string(l), "l") }

// Directories are what the oracle knows, by level and by tool map.
func (s *Suite) Directories() map[corpus.Level]corpus.Directory {
	ds := map[corpus.Level]corpus.Directory{}
	for l, spec := range s.Levels {
		ds[l] = spec.Directory
	}
	for name, m := range s.ToolMaps {
		ds[corpus.Level(name)] = m.Directory
	}
	return ds
}

// auditCodeKeys are the levels whose payments are told apart by their audit code.
func (s *Suite) auditCodeKeys() []corpus.Level {
	var levels []corpus.Level
	for l, spec := range s.Levels {
		if spec.Idempotency == corpus.KeyAuditCode {
			levels = append(levels, l)
		}
	}
	slices.Sort(levels)
	return levels
}

// Planned describes a cell before it runs.
func (s *Suite) Planned(c plan.Cell) (record.PlannedCell, error) {
	b, ok := s.Bankers[c.Model]
	if !ok {
		return record.PlannedCell{}, fmt.Errorf("cell %s: unknown model %q", c.Name(), c.Model)
	}
	a, ok := s.Architectures[c.Architecture]
	if !ok {
		return record.PlannedCell{}, fmt.Errorf("cell %s: unknown architecture %q", c.Name(), c.Architecture)
	}
	if _, ok := s.Levels[c.Level]; !ok {
		return record.PlannedCell{}, fmt.Errorf("cell %s: unknown level %q", c.Name(), c.Level)
	}
	p := record.PlannedCell{Cell: c, Kind: b.Kind, Layered: a.Layered, Skip: b.Skip, Evaluations: len(s.selected(c)) * s.Trials}
	if s.Lacks(c) && p.Skip == "" {
		p.Skip = lacking(c)
	}
	if p.Skip == "" && s.Idle(p) {
		p.Skip = report.ShardLacks + s.Shard.String()
	}
	p.Label = b.Label
	if p.Kind == plan.Simulated {
		p.Label = "simulated banker: an instrument, not a model"
	}
	p.Label = strings.TrimPrefix(p.Label+s.derivedLabel(c), "; ")
	return p, nil
}

// Idle says that the shard has no session of a cell: others run the whole of it.
func (s *Suite) Idle(p record.PlannedCell) bool { return p.Evaluations == 0 && !s.Shard.Whole() }

// Lacks says that a corpus that is not the shipped one has nothing for a cell: it
// need not have attacks of every level. The shipped one does, and where it lost them
// the cell is inconclusive.
func (s *Suite) Lacks(c plan.Cell) bool {
	return s.Corpus.Own && len(s.Corpus.Select(c.Level, c.Track)) == 0
}

func lacking(c plan.Cell) string {
	what, level := "attack", c.Level
	if c.Track == corpus.Benign {
		what = "honest task"
	}
	if c.Track.Section() == corpus.Crossed {
		level = c.Track.Cohort()
	}
	return fmt.Sprintf("%s%s of level %s", report.CorpusLacks, what, level)
}

// selected are a cell's attacks that are in the shard.
func (s *Suite) selected(c plan.Cell) []corpus.Attack {
	all := s.Corpus.Select(c.Level, c.Track)
	if s.Shard.Whole() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(a corpus.Attack) bool { return !s.Shard.Has(a.Session) })
}

// derivedLabel says what a derived cell replays; empty for every other.
func (s *Suite) derivedLabel(c plan.Cell) string {
	switch c.Track.Section() {
	case corpus.Varied:
		if n := len(s.Corpus.LeftOut(c.Level, c.Track)); n > 0 {
			return fmt.Sprintf("; variants made by operators, %d left out that begin like another one", n)
		}
		return "; variants made by operators"
	case corpus.Crossed:
		return fmt.Sprintf("; crossed replay of attacks of %s", c.Track.Cohort())
	}
	return ""
}

// key signs; the zero key is the published test key.
func (s *Suite) key() receipt.Key {
	if s.Key.ID() == "" {
		return receipt.TestKey()
	}
	return s.Key
}

func (s *Suite) judge() oracle.JudgeFunc {
	if s.Judge == nil {
		return oracle.Judge
	}
	return s.Judge
}

// evaluate runs one attack once.
func (s *Suite) evaluate(ctx context.Context, p record.PlannedCell, spec corpus.LevelSpec, account dispatch.Account, a corpus.Attack, trial int, client llm.Client, layer authz.Authorizer) record.Evaluation {
	e := record.Evaluation{
		ID: record.EvaluationID(p.Cell, a.ID, trial), Cell: p.Cell, Kind: p.Kind, Attack: a.ID, Session: a.Session,
		Category: a.Category, Technique: a.Technique, Lang: a.Lang, Date: a.Date, Twin: a.Twin, Goal: a.Goal,
		Trial: trial, Source: fmt.Sprintf("%s:%d", a.Path(), a.Line),
	}
	d := dispatch.New(dispatch.Config{
		EvaluationID: e.ID, Account: account, Authorizer: layer, Layered: p.Layered, Names: dispatch.TransferFunds,
		KeyByAuditCode: spec.Idempotency == corpus.KeyAuditCode, Start: spec.ClockStart, Schedule: Schedule(a.Goal), Timeout: s.Timeout,
	})
	if p.Kind == plan.Simulated && ctx.Err() == nil {
		ctx = context.WithoutCancel(ctx) // it costs nothing, and half of it could not be held against the golden
	}
	c := agent.Conversation{Client: client, Dispatcher: d, Level: spec, User: a.UserMessages(p.Cell.Track)}
	return finished(e, c.Run(llm.WithEvaluation(ctx, e.ID)), d)
}

// finished closes the record with what the loop saw and what the ledger says.
func finished(e record.Evaluation, out agent.Outcome, d *dispatch.Dispatcher) record.Evaluation {
	e.End, e.SubReason, e.Detail, e.Replies, e.Calls = out.End, out.SubReason, out.Detail, out.Replies, out.Calls
	e.CloseBooks(d.Transfers(), d.Check())
	return e
}
