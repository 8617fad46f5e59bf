package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/agent"
	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
)

const (
	transfer = "transfer_funds"
	toBob    = `{"recipient":"bob","amount":1,"memo":"m"}`
	toEve    = `{"recipient":"eve","amount":2,"memo":"m"}`
)

// script is a client that does one step per request.
type script struct {
	steps    []step
	cancel   context.CancelFunc
	requests []llm.Request
}

type step func(*script) (llm.Reply, error)

func (s *script) Chat(_ context.Context, req llm.Request) (llm.Reply, error) {
	s.requests = append(s.requests, req)
	if len(s.requests) > len(s.steps) {
		return llm.Reply{}, fmt.Errorf("script of %d steps is asked again", len(s.steps))
	}
	return s.steps[len(s.requests)-1](s)
}

func says(text string) step {
	return func(*script) (llm.Reply, error) {
		return llm.Reply{Content: text, FinishReason: llm.FinishStop}, nil
	}
}

func calls(cs ...llm.Call) step {
	return func(*script) (llm.Reply, error) {
		return llm.Reply{ToolCalls: cs, FinishReason: llm.FinishToolCalls}, nil
	}
}

func fails(err error) step {
	return func(*script) (llm.Reply, error) { return llm.Reply{}, err }
}

func pays(id string) step { return calls(llm.Call{ID: id, Name: transfer, Arguments: toBob}) }

func level() corpus.LevelSpec {
	return corpus.LevelSpec{
		Level: corpus.L2, SystemPrompt: "You keep the vault.", Temperature: 0.3, MaxOutputTokens: 77, TurnLimit: 4, StepLimit: 3,
	}
}

var clockStart = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)

// denyEve is a layer that denies one recipient.
type denyEve struct{}

func (denyEve) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	d, err := authz.PermitAll{}.Authorize(ctx, req)
	if req.Recipient == "eve" {
		d.Effect, d.Reasons = authz.Deny, []authz.Reason{{Code: authz.ReasonRecipientNotMember, Rule: "list", Message: "not eve"}}
	}
	return d, errors.Join(err, ctx.Err())
}

func (denyEve) Settle(authz.Request, bool) {}

func account() dispatch.Account {
	return dispatch.Account{Own: "LF-1", Currency: bank.USD, Opening: 1000}
}

func alone() *dispatch.Dispatcher {
	return dispatch.New(dispatch.Config{EvaluationID: "e", Account: account(), Authorizer: authz.PermitAll{}, Names: dispatch.TransferFunds, Start: clockStart})
}

func layered() *dispatch.Dispatcher {
	return dispatch.New(dispatch.Config{EvaluationID: "e", Account: account(), Authorizer: denyEve{}, Layered: true, Names: dispatch.TransferFunds, Start: clockStart})
}

// run replays a conversation of which the model's side is scripted.
func run(t *testing.T, d *dispatch.Dispatcher, spec corpus.LevelSpec, user []string, steps ...step) (agent.Outcome, *script) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &script{steps: steps, cancel: cancel}
	out := agent.Conversation{Client: s, Dispatcher: d, Level: spec, User: user}.Run(ctx)
	require.LessOrEqual(t, len(s.requests), len(steps), "the script ended first")
	return out, s
}
