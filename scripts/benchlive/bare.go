package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"vaultbench/internal/agent"
	"vaultbench/internal/corpus"
)

// bare is what anybody would write with openai-go: the same prompts, tools and
// number of requests as ours, and nothing kept.
func bare(o options) (measured, error) {
	levels, attacks, err := load()
	if err != nil {
		return measured{}, err
	}
	client := openai.NewChatCompletionService(option.WithBaseURL(o.url), option.WithAPIKey("any"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute}}))
	tools, err := bareTools()
	if err != nil {
		return measured{}, err
	}
	var next, sent atomic.Int64
	var failed atomic.Pointer[error]
	start := time.Now()
	var wg sync.WaitGroup
	for range o.workers {
		wg.Go(func() {
			for int(next.Add(2)) <= o.requests+1 && failed.Load() == nil {
				a := attacks[int(next.Load()/2)%len(attacks)]
				if err := bareConversation(&client, levels[corpus.L2], a, tools, &sent); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return measured{}, *err
	}
	return measured{requests: int(sent.Load()), took: time.Since(start)}, nil
}

func bareTools() ([]openai.ChatCompletionToolUnionParam, error) {
	var tools []openai.ChatCompletionToolUnionParam
	for _, t := range agent.Tools() {
		var parameters map[string]any
		if err := json.Unmarshal(t.Parameters, &parameters); err != nil {
			return nil, err
		}
		tools = append(tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: parameters,
		}))
	}
	return tools, nil
}

func bareConversation(client *openai.ChatCompletionService, level corpus.LevelSpec, a corpus.Attack, tools []openai.ChatCompletionToolUnionParam, sent *atomic.Int64) error {
	messages := []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage(level.SystemPrompt), openai.UserMessage(a.Messages[len(a.Messages)-1]),
	}
	for {
		sent.Add(1)
		reply, err := client.New(context.Background(), openai.ChatCompletionNewParams{
			Model: "bench", Messages: messages, Tools: tools,
			Temperature: openai.Float(level.Temperature), MaxTokens: openai.Int(int64(level.MaxOutputTokens)),
		})
		if err != nil {
			return err
		}
		if len(reply.Choices) != 1 {
			return fmt.Errorf("%d choices", len(reply.Choices))
		}
		message := reply.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return nil
		}
		if len(messages) > 2 {
			return errors.New("the server does not come to an end")
		}
		messages = append(messages, message.ToParam())
		for _, call := range message.ToolCalls {
			messages = append(messages, openai.ToolMessage(`{"error":"denied","message":"oap.merchant_forbidden: not on the list"}`, call.ID))
		}
	}
}
