// Package llmtest serves any llm.Client as an OpenAI-compatible endpoint on the
// own machine: tests of the live client talk real HTTP to it, and a command can
// offer a simulated banker to other tools. The wire format is written here a
// second time on purpose, so that a slip of the client does not cancel out;
// only the quoting of raw argument bytes is shared, and has literal tests of its own.
package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vaultbench/internal/llm"
)

// BasePath is where the endpoint stands below the server's address.
const BasePath = "/v1"

// maxRequestBytes bounds one request body.
const maxRequestBytes = 32 << 20

// ClientFunc is a function as llm.Client.
type ClientFunc func(ctx context.Context, req llm.Request) (llm.Reply, error)

// Chat calls f.
func (f ClientFunc) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) { return f(ctx, req) }

// Options of a server; the zero value asks for no key and keeps nothing.
type Options struct {
	// Key, where not empty, is the bearer key that every request must carry.
	Key string
	// ServedModel, where not empty, is the model that replies name; otherwise the asked one.
	ServedModel llm.ModelID
	// KeepRequests makes Requests return what was asked.
	KeepRequests bool
	// Intercept may answer the n-th completion request (from 1) itself, before any
	// check, and then returns true. A panic with http.ErrAbortHandler resets the connection.
	Intercept func(w http.ResponseWriter, r *http.Request, n int) bool
	// Fault may name a fault for the n-th completion request (from 1), of those that
	// are well formed.
	Fault func(n int, got Received) (Fault, bool)
	// Delay is how long an answer of the client takes at least.
	Delay time.Duration
}

// Received is one decoded completion request.
type Received struct {
	Model   llm.ModelID
	Request llm.Request
	Header  http.Header
	Body    []byte // as it came
}

// Server is a running endpoint. Its client must be safe for concurrent use.
type Server struct {
	client llm.Client
	opts   Options
	url    string
	http   *http.Server
	done   chan struct{} // closed when the accept loop has ended

	closing   chan struct{} // closed by Close
	closeOnce sync.Once

	mu       sync.Mutex
	arrived  int
	served   int
	faults   map[string]int
	requests []Received
}

// New starts a server on a free port of 127.0.0.1. It panics where none can be
// had, as net/http/httptest does; a command uses Listen.
func New(client llm.Client, opts Options) *Server {
	s, err := Listen("127.0.0.1:0", client, opts)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return s
}

// Listen starts a server on addr (host:port).
func Listen(addr string, client llm.Client, opts Options) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{client: client, opts: opts, url: "http://" + l.Addr().String() + BasePath, done: make(chan struct{}), closing: make(chan struct{})}
	s.http = &http.Server{Handler: http.HandlerFunc(s.route), ReadHeaderTimeout: 30 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // always ends with an error: ErrServerClosed after Close
	}()
	return s, nil
}

// URL is the base URL to open a client with.
func (s *Server) URL() string { return s.url }

// Close stops the server and drops its connections.
func (s *Server) Close() {
	s.closeOnce.Do(func() { close(s.closing) })
	_ = s.http.Close() // its error is the listener's, which is gone either way
	<-s.done
}

// Served counts the completions that the client answered and that were sent;
// refused, failed and intercepted requests are not among them.
func (s *Server) Served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

// Arrived counts the completion requests that came, answered or not.
func (s *Server) Arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// FaultsServed counts the faults by name.
func (s *Server) FaultsServed() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.faults)
}

// Requests returns the well-formed completion requests in the order in which they
// were decoded; none unless Options.KeepRequests is set.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	want, handle := http.MethodPost, s.completion
	switch r.URL.Path {
	case BasePath + "/chat/completions":
	case BasePath + "/models":
		want, handle = http.MethodGet, s.models
	default:
		writeError(w, http.StatusNotFound, "not_found", "unknown path "+r.URL.Path)
		return
	}
	if r.Method != want {
		w.Header().Set("Allow", want)
		writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", "want "+want)
		return
	}
	handle(w, r)
}

func (s *Server) authorized(w http.ResponseWriter, r *http.Request) bool {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.opts.Key == "" || bearer && subtle.ConstantTimeCompare([]byte(key), []byte(s.opts.Key)) == 1 {
		return true
	}
	writeError(w, http.StatusUnauthorized, "invalid_api_key", "missing or wrong bearer key")
	return false
}

func (s *Server) completion(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "request_too_large", fmt.Sprintf("request is longer than %d bytes", maxRequestBytes))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body)) // Intercept may read it as well
	n := s.arrive()
	if s.opts.Intercept != nil && s.opts.Intercept(w, r, n) {
		return
	}
	if !s.authorized(w, r) {
		return
	}
	got, err := decodeRequest(body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	got.Header = r.Header.Clone()
	served, done := s.fault(w, r, n, got)
	if done {
		return
	}
	s.keep(got)
	reply, err := s.client.Chat(r.Context(), got.Request)
	if err != nil {
		writeClientError(w, err)
		return
	}
	if s.opts.Delay > 0 {
		time.Sleep(time.Until(start.Add(s.opts.Delay)))
	}
	writeJSON(w, http.StatusOK, completionBody(got, reply, cmp.Or(served, s.opts.ServedModel, got.Model), s.serve()))
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if s.authorized(w, r) {
		writeJSON(w, http.StatusOK, modelsBody(cmp.Or(s.opts.ServedModel, "local")))
	}
}

func (s *Server) arrive() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	return s.arrived
}

func (s *Server) serve() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served++
	return s.served
}

func (s *Server) keep(got Received) {
	if !s.opts.KeepRequests {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, got)
}

// writeClientError maps the sentinels to what a provider would answer.
func writeClientError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, llm.ErrInputFiltered):
		writeError(w, http.StatusBadRequest, "content_filter", err.Error())
	case errors.Is(err, llm.ErrContextOverflow):
		writeError(w, http.StatusBadRequest, "context_length_exceeded", err.Error())
	default:
		writeError(w, http.StatusInternalServerError, "server_error", err.Error())
	}
}
