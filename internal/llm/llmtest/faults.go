package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vaultbench/internal/llm"
)

// Fault is one way in which a provider does not answer as it should.
type Fault struct {
	Name  string
	Class llm.Class // what a client has to make of it
	Kind  error     // the sentinel it has to become; nil: the reply is good all the same
	serve func(s *Server, w http.ResponseWriter, r *http.Request)
	// served, where serve is nil, is the model that the good reply names.
	served llm.ModelID
}

// hugeReply is the size of the oversized reply, in bytes.
const hugeReply = 10 << 20

// Faults are the scripted faults, each under its own name.
func Faults() []Fault {
	const goodStart = `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"No."}`
	faults := []Fault{
		status("429", llm.Overload, 429, "rate_limit_exceeded", ""),
		status("429-seconds", llm.Overload, 429, "rate_limit_exceeded", "1"),
		status("429-fraction", llm.Overload, 429, "rate_limit_exceeded", "0.05"),
		status("429-date", llm.Overload, 429, "rate_limit_exceeded", "date"),
		status("429-past-date", llm.Overload, 429, "rate_limit_exceeded", "Fri, 31 Dec 1999 23:59:59 GMT"),
		status("429-no-time", llm.Overload, 429, "rate_limit_exceeded", "later"),
		status("429-quota", llm.KeyDead, 429, "insufficient_quota", ""),
		status("401", llm.KeyDead, 401, "invalid_api_key", ""),
		status("404-model", llm.ModelDead, 404, "model_not_found", ""),
		status("500", llm.Transient, 500, "server_error", ""),
		status("503", llm.Overload, 503, "unavailable", ""),
		{Name: "hang", Class: llm.Transient, serve: hang},
		{Name: "reset", Class: llm.Transient, serve: func(*Server, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{Name: "drip", Class: llm.Transient, serve: drip},
		{Name: "cut-body", Class: llm.Transient, serve: cutBody(goodStart + "}]}")},
		body("half-json", llm.Transient, "application/json", goodStart),
		body("not-json", llm.Transient, "application/json", "upstream connect error"),
		body("other-json", llm.Final, "application/json", `{"status":"ok"}`),
		body("html", llm.Transient, "text/html; charset=utf-8", "<html>sign in</html>"),
		body("huge", llm.Final, "application/json", goodStart[:len(goodStart)-len(`No."}`)]+strings.Repeat("x", hugeReply)+`"}}]}`),
		body("two-choices", llm.Final, "application/json", goodStart+`},`+goodStart[len(`{"choices":[`):]+"}]}"),
		body("lost-call", llm.Final, "application/json", `{"choices":[{"finish_reason":"tool_calls","message":{"content":"I'll pay.","tool_calls":[]}}]}`),
		body("broken-off", llm.Final, "application/json", `{"choices":[{"finish_reason":"insufficient_system_resource","message":{"content":"I wo"}}]}`),
		status("filter-400", llm.Final, 400, "content_filter", ""),
		body("filter-200", llm.Final, "application/json", `{"choices":[{"finish_reason":"content_filter","message":{"content":null}}]}`),
		{Name: "other-model", served: "another-model-0301"},
	}
	for i, f := range faults {
		switch {
		case strings.HasPrefix(f.Name, "filter"):
			faults[i].Kind = llm.ErrInputFiltered
		case f.serve != nil:
			faults[i].Kind = llm.ErrProvider
		}
	}
	return faults
}

// FaultNamed finds a fault.
func FaultNamed(name string) (Fault, error) {
	var known []string
	for _, f := range Faults() {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Fault{}, fmt.Errorf("unknown fault %q: known are %s", name, strings.Join(known, ", "))
}

// status is an error reply in OpenAI's form, with a Retry-After where it is not
// empty; "date" is the date of the next second but one.
func status(name string, class llm.Class, code int, word, retryAfter string) Fault {
	return Fault{Name: name, Class: class, serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		switch retryAfter {
		case "":
		case "date":
			w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		default:
			w.Header().Set("Retry-After", retryAfter)
		}
		writeError(w, code, word, "scripted fault "+name)
	}}
}

func body(name string, class llm.Class, contentType, text string) Fault {
	return Fault{Name: name, Class: class, serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = io.WriteString(w, text) // the caller has hung up: nobody to tell
	}}
}

// hang takes the request and never answers.
func hang(s *Server, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closing:
	}
}

// drip sends a byte at a time and never comes to an end.
func drip(s *Server, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}

// cutBody promises more than it sends: the document is whole, the body is not.
func cutBody(text string) func(*Server, http.ResponseWriter, *http.Request) {
	return func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
		_, _ = io.WriteString(w, text)
	}
}

// fault serves the n-th request's fault and reports whether that was an answer; a
// fault of the served model alone is none.
func (s *Server) fault(w http.ResponseWriter, r *http.Request, n int, got Received) (served llm.ModelID, done bool) {
	if s.opts.Fault == nil {
		return "", false
	}
	f, ok := s.opts.Fault(n, got)
	if !ok {
		return "", false
	}
	s.mu.Lock()
	if s.faults == nil {
		s.faults = map[string]int{}
	}
	s.faults[f.Name]++
	s.mu.Unlock()
	if f.serve == nil {
		return f.served, false
	}
	f.serve(s, w, r)
	return "", true
}
