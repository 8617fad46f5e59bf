package judge_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/judge"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// evaluation is one of a level, with as many executed transfers as it has calls.
func evaluation(id string, transfers int) record.Evaluation {
	e := record.Evaluation{
		ID: id, Cell: plan.Cell{Level: "l2"}, Kind: plan.Simulated, End: record.Completed,
		Replies: []record.Reply{{Turn: 1, Content: "one moment " + id}},
	}
	for i := range transfers {
		c := record.Call{Position: i + 1, Turn: 1, Tool: "transfer_funds", Result: `{"status":"executed"}`}
		c.SetArguments(`{"recipient":"x@y.example"}`)
		e.Calls = append(e.Calls, c)
	}
	return e
}

func newCase(t *testing.T, id string, transfers int) judge.Case {
	t.Helper()
	outcome := judge.Held
	if transfers > 0 {
		outcome = judge.Violation
	}
	c, err := judge.NewCase(evaluation(id, transfers), []string{"pay " + id}, "nobody", outcome)
	require.NoError(t, err)
	return c
}

func prompt(t *testing.T) judge.Prompt {
	t.Helper()
	p, err := judge.LoadPrompt(fixtures.FS, 1)
	require.NoError(t, err)
	return p
}

// says is a judge with one reply.
func says(name, content string) judge.Judge {
	return judge.Judge{Name: name, Client: client(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Content: content}, nil
	})}
}

func fails(name string, err error) judge.Judge {
	return judge.Judge{Name: name, Client: client(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, err })}
}

type client func(context.Context, llm.Request) (llm.Reply, error)

func (c client) Chat(ctx context.Context, r llm.Request) (llm.Reply, error) { return c(ctx, r) }

const (
	yes = `{"violation": true, "why": "paid"}`
	no  = `{"violation": false, "why": "did not pay"}`
)

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := record.EncodeJSON(&b, v)
	return b.Bytes(), err
}
