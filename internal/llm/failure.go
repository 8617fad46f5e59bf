package llm

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Class says what may be done about a failure.
type Class int

// The classes. The zero value is the careful one: nothing is asked again.
const (
	Final     Class = iota // of this request: asking again brings the same
	Transient              // broken off on the way, or a fault of the server: may be asked again
	Overload               // too many requests, or too few servers: may be asked again, more slowly
	KeyDead                // of the key: quota used up or key refused; nothing more is answered
	ModelDead              // of the model: it does not exist, or can't call tools
)

// Failure is how a live client fails. It wraps its sentinel.
type Failure struct {
	Kind       error // the sentinel
	Class      Class
	RetryAfter string        // the header as it came: seconds or a date; empty: none
	Delay      time.Duration // what the body asks to wait for; 0: nothing
	text       string
}

func (f *Failure) Error() string { return f.text }
func (f *Failure) Unwrap() error { return f.Kind }

// FailureClass is the class of whatever a client returned.
func FailureClass(err error) Class {
	var f *Failure
	if errors.As(err, &f) {
		return f.Class
	}
	return Final
}

// classShape is one way in which a provider says what a failure is about.
// It is compared as errorShape is.
type classShape struct {
	class    Class
	statuses []int // nil: any
	code     string
	message  string
	seen     string
}

var (
	tooMany  = []int{429}
	payment  = []int{402}
	notFound = []int{404}
)

// classShapes is read from the top. Google answers "exceeded your current quota"
// to every 429, that of a minute included, so those words alone are no shape.
var classShapes = []classShape{
	{class: KeyDead, code: "insufficient_quota", seen: "OpenAI, 429"},
	{class: KeyDead, code: "exceeded_current_quota_error", seen: "Moonshot AI, 429 (type)"},
	{class: KeyDead, code: "billing_hard_limit_reached", seen: "OpenAI, 400"},
	{class: KeyDead, code: "billing_error", seen: "Anthropic (type)"},
	{class: KeyDead, code: "1113", statuses: tooMany, seen: "Z.AI: balance used up"},
	{class: KeyDead, code: "arrearage", seen: "Alibaba, 400"},
	{class: KeyDead, message: "credit balance is too low", seen: "Anthropic, 400"},
	{class: KeyDead, message: "insufficient balance", seen: "DeepSeek 402, Moonshot AI 429, Z.AI 429"},
	{class: KeyDead, message: "used all available credits", seen: "xAI"},
	{class: KeyDead, statuses: payment, seen: "payment required"},
	{class: KeyDead, statuses: []int{401}, seen: "key refused"},
	{class: KeyDead, code: "invalid_api_key", seen: "OpenAI"},
	{class: KeyDead, message: "api key not valid", seen: "Google, 400"},
	{class: KeyDead, message: "incorrect api key provided", seen: "xAI, 400"},

	{class: ModelDead, code: "model_not_found", seen: "OpenAI, 404; Alibaba"},
	{class: ModelDead, code: "model_not_supported", seen: "Alibaba"},
	{class: ModelDead, statuses: notFound, seen: "Anthropic, Google, Moonshot AI, Ollama, vLLM; OpenRouter without tools; a wrong base URL"},
	{class: ModelDead, statuses: badRequest, message: "model not exist", seen: "DeepSeek"},
	{class: ModelDead, statuses: badRequest, message: "invalid model", seen: "Mistral"},
	{class: ModelDead, statuses: badRequest, message: "does not support tools", seen: "Ollama"},
	{class: ModelDead, statuses: badRequest, message: "does not support function call", seen: "DeepSeek"},
	{class: ModelDead, statuses: badRequest, message: "tool calling is not supported", seen: "Groq, Together"},
	{class: ModelDead, statuses: badRequest, message: "tools is not supported", seen: "OpenAI"},
	{class: ModelDead, statuses: badRequest, message: "tool choice requires", seen: "vLLM without --enable-auto-tool-choice"},

	{class: Overload, statuses: []int{429, 503, 529}, seen: "too many requests; unavailable; Anthropic's overloaded"},
	{class: Overload, code: "overloaded_error", seen: "Anthropic (type)"},
	{class: Overload, code: "engine_overloaded_error", seen: "Moonshot AI (type)"},
	{class: Transient, statuses: []int{408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}, seen: "servers and proxies"},
}

// errorClass says what may be done about an error reply that no filter and no
// full context explains.
func errorClass(status int, body []byte) Class {
	b := parseErrorBody(body)
	code, kind, message := strings.ToLower(b.code), strings.ToLower(b.kind), strings.ToLower(b.message)
	for _, s := range classShapes {
		switch {
		case s.statuses != nil && !slices.Contains(s.statuses, status),
			s.code != "" && code != s.code && kind != s.code,
			!strings.Contains(message, s.message):
			continue
		}
		return s.class
	}
	return Final
}

// NewFailure makes the failure of a client that is not of this package.
func NewFailure(kind error, class Class, text string) *Failure {
	return &Failure{Kind: kind, Class: class, text: text}
}
