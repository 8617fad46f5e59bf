package chat

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"vaultbench/internal/llm"
)

// maxReplyBytes bounds what is read of one reply, so that a broken server cannot
// fill the memory.
const maxReplyBytes = 4 << 20

// chatClient asks one model over chat completions. It is stateless and safe for
// concurrent use.
type chatClient struct {
	model  llm.Model
	base   string // URL
	host   string // for messages
	key    string // to keep it out of messages
	keyEnv string // for messages
	post   postFunc
}

// Chat sends one request through openai-go. Request and reply are written and read
// here: the library's encoder and decoder mend what has to stay as the model emitted it.
func (c *chatClient) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	body, err := requestBody(c.model, req)
	if err != nil {
		return llm.Reply{}, c.fail(llm.ErrProvider, llm.Final, 0, "request not sent", err.Error())
	}
	var ex exchange
	start := time.Now()
	err = c.post(ctx, body, option.WithMiddleware(ex.capture))
	latency := time.Since(start)
	switch {
	case err != nil && ctx.Err() != nil:
		return llm.Reply{}, fmt.Errorf("%s: %w", c.host, ctx.Err())
	case ex.tooLong:
		return llm.Reply{}, c.fail(llm.ErrProvider, llm.Final, ex.status, fmt.Sprintf("reply is longer than %d bytes", maxReplyBytes), string(ex.body))
	case !ex.complete:
		return llm.Reply{}, c.fail(llm.ErrProvider, transportClass(err), ex.status, "no complete reply", transportText(err))
	case ex.status < 200 || ex.status > 299:
		return llm.Reply{}, c.refused(ex)
	case !isJSON(ex.contentType):
		return llm.Reply{}, c.fail(llm.ErrProvider, llm.Transient, ex.status, "content type is not JSON", ex.contentType+": "+string(ex.body))
	}
	reply, f := decodeReply(ex.body, c.model.Quirks.CarryBack)
	if f != nil {
		return llm.Reply{}, c.fail(f.kind, f.class, ex.status, f.what, string(ex.body))
	}
	reply.Latency = latency
	c.redactReply(&reply)
	return reply, nil
}

// redactReply keeps the key out of the record, should a server send it back.
func (c *chatClient) redactReply(r *llm.Reply) {
	r.Content, r.ServedModel, r.FinishReason = c.redact(r.Content), llm.ModelID(c.redact(string(r.ServedModel))), llm.FinishReason(c.redact(string(r.FinishReason)))
	r.Opaque = c.redact(r.Opaque)
	for i, call := range r.ToolCalls {
		r.ToolCalls[i] = llm.Call{ID: c.redact(call.ID), Name: c.redact(call.Name), Arguments: c.redact(call.Arguments), Opaque: c.redact(call.Opaque)}
	}
}

// exchange is what came back, taken before the library reads it: of an error body
// that is no JSON object the library keeps nothing, not even the status.
type exchange struct {
	status      int
	contentType string
	retryAfter  string
	body        []byte
	complete    bool
	tooLong     bool
}

func (e *exchange) capture(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(r)
	if err != nil {
		return nil, err
	}
	e.status, e.contentType, e.retryAfter = res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Retry-After")
	e.body, err = io.ReadAll(io.LimitReader(res.Body, maxReplyBytes+1))
	_ = res.Body.Close() // read to the end or given up: nothing to lose
	if err != nil {
		return nil, err
	}
	if e.tooLong = len(e.body) > maxReplyBytes; e.tooLong {
		return nil, fmt.Errorf("reply is longer than %d bytes", maxReplyBytes)
	}
	e.complete = true
	res.Body = io.NopCloser(bytes.NewReader(e.body))
	return res, nil
}

// transportClass: a certificate that is not trusted stays so; whatever else breaks
// a connection may pass.
func transportClass(err error) llm.Class {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return llm.Final
	}
	return llm.Transient
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
