package suite

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vaultbench/internal/agent"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// simulated marks the bankers of package sim; no recording may be taken for one.
const simulated = "sim-"

// written marks conversations that we wrote ourselves: they count as simulated.
const written = "written-"

// Recording is one file of recorded conversations.
type Recording struct {
	File          string
	Slug          plan.ModelSlug
	ToolMap       corpus.ToolMap
	Conversations int
}

// Recordings lists the conversation files of a folder. Each is read whole once,
// so that a broken line stops the run before anything is counted.
func (s *Suite) Recordings(fsys fs.FS) ([]Recording, error) {
	files, err := recorded.Files(fsys)
	if err != nil {
		return nil, err
	}
	var all []Recording
	slugs := map[plan.ModelSlug]string{}
	for _, file := range files {
		r, err := s.inspect(fsys, file)
		if err != nil {
			return nil, err
		}
		if other, twice := slugs[r.Slug]; twice {
			return nil, fmt.Errorf("%s and %s have one name %q: rename one", other, file, r.Slug)
		}
		slugs[r.Slug] = file
		all = append(all, r)
	}
	if short, long := plan.Ambiguous(slices.Collect(maps.Keys(slugs))); short != "" {
		return nil, fmt.Errorf("%s and %s: a pattern for the name %q would select %q too: rename one", slugs[short], slugs[long], short, long)
	}
	return all, nil
}

func (s *Suite) inspect(fsys fs.FS, file string) (Recording, error) {
	r := Recording{File: file, Slug: plan.Slug(recorded.Stem(file))}
	if strings.HasPrefix(string(r.Slug), simulated) {
		return r, fmt.Errorf("%s: names that begin with %s are those of simulated bankers, and this would count as recorded: rename it (%s for conversations of your own making)", file, simulated, written)
	}
	name := ""
	err := recorded.Each(fsys, file, func(c recorded.Conversation) error {
		if r.Conversations > 0 && c.ToolMap != name {
			return fmt.Errorf("%s:%d: %s: tool map %q, the lines before name %q: keep one source a file", c.File, c.Line, c.ID, c.ToolMap, name)
		}
		name = c.ToolMap
		r.Conversations++
		return nil
	})
	if err != nil {
		return r, err
	}
	m, ok := s.ToolMaps[name]
	if !ok {
		return r, fmt.Errorf("%s: no tool map %q: write fixtures/toolmaps/%s.json", file, name, name)
	}
	r.ToolMap = m
	return r, nil
}

// PlannedRecording describes a recorded cell before it runs.
func (s *Suite) PlannedRecording(r Recording, arch plan.Architecture) (record.PlannedCell, error) {
	a, ok := s.Architectures[arch]
	if !ok {
		return record.PlannedCell{}, fmt.Errorf("recording %s: unknown architecture %q", r.File, arch)
	}
	p := record.PlannedCell{
		Cell: plan.Cell{Model: r.Slug, Level: corpus.Level(r.ToolMap.Name), Track: corpus.Recorded, Architecture: arch},
		Kind: plan.Recorded, Layered: a.Layered, Label: r.ToolMap.Label(), Evaluations: r.Conversations,
	}
	if strings.HasPrefix(string(r.Slug), written) {
		p.Kind, p.Label = plan.Simulated, "written by us, counts as simulated"+strings.TrimPrefix(p.Label, "recorded")
	}
	return p, p.Cell.Check()
}

// RunRecording replays a file's conversations through the dispatch path.
func (s *Suite) RunRecording(ctx context.Context, p record.PlannedCell, fsys fs.FS, r Recording) (report.Cell, error) {
	layer, err := s.Architectures[p.Cell.Architecture].Layer(r.ToolMap.Passport)
	if err != nil {
		return report.Cell{}, fmt.Errorf("cell %s: open layer: %w", p.Cell.Name(), err)
	}
	var jobs []job
	err = recorded.Each(fsys, r.File, func(c recorded.Conversation) error {
		jobs = append(jobs, job{record.EvaluationID(p.Cell, corpus.AttackID(c.ID), 1), func(ctx context.Context) record.Evaluation {
			return s.replay(ctx, p, r.ToolMap, c, layer())
		}})
		return nil
	})
	if err != nil {
		return report.Cell{}, err
	}
	return s.runJobs(ctx, p, jobs)
}

// replay sends one conversation's calls through the dispatch path. A run that
// crashed at its source is no evidence: its calls are not replayed.
func (s *Suite) replay(ctx context.Context, p record.PlannedCell, m corpus.ToolMap, c recorded.Conversation, layer authz.Authorizer) record.Evaluation {
	e := record.Evaluation{
		ID: record.EvaluationID(p.Cell, corpus.AttackID(c.ID), 1), Cell: p.Cell, Kind: p.Kind,
		Attack: corpus.AttackID(c.ID), Session: corpus.SessionID(c.Cluster), Trial: 1, Source: fmt.Sprintf("%s:%d", c.File, c.Line),
	}
	if c.SourceError != "" {
		e.End, e.Detail = record.ProviderError, "the recorded run ended in an error: "+c.SourceError
		return e
	}
	d := dispatch.New(dispatch.Config{
		EvaluationID: e.ID, Account: accountOf(m.Directory), Authorizer: layer, Layered: p.Layered,
		Names: transferNames(m), Start: m.ClockStart, Timeout: s.Timeout,
	})
	return understood(finished(e, agent.Replay(ctx, d, c.Messages), d), m)
}

func transferNames(m corpus.ToolMap) dispatch.Names {
	return dispatch.Names{
		Transfer: m.Transfer, Recipient: m.Arguments.Recipient, Amount: m.Arguments.Amount,
		Memo: m.Arguments.Memo, Currency: m.Arguments.Currency,
	}
}

// Unparsed says why a replay can't read the arguments of a call of a tool map's
// transfer tool; nil: it can.
func Unparsed(m corpus.ToolMap, arguments string) error {
	_, err := transferNames(m).Payment(arguments)
	return err
}

// maxUnknown keeps a model's inventions from filling the log.
const maxUnknown = 10

// understood takes a conversation out of the evidence if it calls a tool of which
// the tool map says nothing: it may be how the model paid, and the conversation
// would count as one that held. What was executed stays on the record.
func understood(e record.Evaluation, m corpus.ToolMap) record.Evaluation {
	var unknown []string
	for _, c := range e.Calls {
		if tool := strconv.Quote(c.Tool); !m.Names(c.Tool) && !slices.Contains(unknown, tool) {
			unknown = append(unknown, tool)
		}
	}
	if e.End != record.Completed || len(unknown) == 0 {
		return e
	}
	slices.Sort(unknown)
	more := ""
	if n := len(unknown) - maxUnknown; n > 0 {
		unknown, more = unknown[:maxUnknown], fmt.Sprintf(" and %d more", n)
	}
	e.End, e.SubReason = record.HarnessError, ""
	e.Detail = fmt.Sprintf("it calls %s%s, and fixtures/toolmaps/%s.json does not say whether that moves money: name each there, in harmless if it moves none at the source, else in undecided",
		strings.Join(unknown, ", "), more, m.Name)
	return e
}
