package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// maxReplyBytes bounds what is read of one reply, so that a broken server cannot
// fill the memory.
const maxReplyBytes = 32 << 20

// chatClient asks one model over chat completions. It is stateless and safe for
// concurrent use.
type chatClient struct {
	model Model
	host  string // for messages
	key   string // to keep it out of messages
	chat  openai.ChatCompletionService
}

// Chat sends one request. openai-go builds and sends it; the reply is decoded
// here, since its decoder mends what has to stay as the model emitted it.
func (c *chatClient) Chat(ctx context.Context, req Request) (Reply, error) {
	params, err := chatParams(c.model, req)
	if err != nil {
		return Reply{}, c.fail(ErrProvider, 0, "request not sent", err.Error())
	}
	var ex exchange
	start := time.Now()
	_, err = c.chat.New(ctx, params, option.WithMiddleware(ex.capture), option.WithResponseBodyInto(new([]byte)))
	latency := time.Since(start)
	switch {
	case err != nil && ctx.Err() != nil:
		return Reply{}, fmt.Errorf("%s: %w", c.host, ctx.Err())
	case !ex.complete:
		return Reply{}, c.fail(ErrProvider, ex.status, "no complete reply", transportText(err))
	case ex.status < 200 || ex.status > 299:
		return Reply{}, c.fail(errorKind(ex.status, ex.body), ex.status, "", string(ex.body))
	case !isJSON(ex.contentType):
		return Reply{}, c.fail(ErrProvider, ex.status, "content type is not JSON", ex.contentType+": "+string(ex.body))
	}
	reply, f := decodeReply(ex.body)
	if f != nil {
		return Reply{}, c.fail(f.kind, ex.status, f.what, string(ex.body))
	}
	reply.Latency = latency
	c.redactReply(&reply)
	return reply, nil
}

// redactReply keeps the key out of the record, should a server send it back.
func (c *chatClient) redactReply(r *Reply) {
	r.Content, r.ServedModel, r.FinishReason = c.redact(r.Content), ModelID(c.redact(string(r.ServedModel))), FinishReason(c.redact(string(r.FinishReason)))
	for i, call := range r.ToolCalls {
		r.ToolCalls[i] = Call{ID: c.redact(call.ID), Name: c.redact(call.Name), Arguments: c.redact(call.Arguments)}
	}
}

// exchange is what came back, taken before the library reads it: of an error body
// that is no JSON object the library keeps nothing, not even the status.
type exchange struct {
	status      int
	contentType string
	body        []byte
	complete    bool
}

func (e *exchange) capture(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(r)
	if err != nil {
		return nil, err
	}
	e.status, e.contentType = res.StatusCode, res.Header.Get("Content-Type")
	e.body, err = io.ReadAll(io.LimitReader(res.Body, maxReplyBytes+1))
	_ = res.Body.Close() // read to the end or given up: nothing to lose
	if err != nil {
		return nil, err
	}
	if len(e.body) > maxReplyBytes {
		return nil, fmt.Errorf("reply is longer than %d bytes", maxReplyBytes)
	}
	e.complete = true
	res.Body = io.NopCloser(bytes.NewReader(e.body))
	return res, nil
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// transportText leaves out method and URL, which say nothing that the host in
// the message does not.
func transportText(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if err == nil {
		return "no response"
	}
	return err.Error()
}
