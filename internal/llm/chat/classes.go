package chat

import (
	"slices"
	"strings"

	"vaultbench/internal/llm"
)

// classShape is one way in which a provider says what a failure is about.
// It is compared as errorShape is.
type classShape struct {
	class    llm.Class
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
	{class: llm.KeyDead, code: "insufficient_quota", seen: "OpenAI, 429"},
	{class: llm.KeyDead, code: "exceeded_current_quota_error", seen: "Moonshot AI, 429 (type)"},
	{class: llm.KeyDead, code: "billing_hard_limit_reached", seen: "OpenAI, 400"},
	{class: llm.KeyDead, code: "billing_error", seen: "Anthropic (type)"},
	{class: llm.KeyDead, code: "1113", statuses: tooMany, seen: "Z.AI: balance used up"},
	{class: llm.KeyDead, code: "arrearage", seen: "Alibaba, 400"},
	{class: llm.KeyDead, message: "credit balance is too low", seen: "Anthropic, 400"},
	{class: llm.KeyDead, message: "insufficient balance", seen: "DeepSeek 402, Moonshot AI 429, Z.AI 429"},
	{class: llm.KeyDead, message: "used all available credits", seen: "xAI"},
	{class: llm.KeyDead, statuses: payment, seen: "payment required"},
	{class: llm.KeyDead, statuses: []int{401}, seen: "key refused"},
	{class: llm.KeyDead, code: "invalid_api_key", seen: "OpenAI"},
	{class: llm.KeyDead, message: "api key not valid", seen: "Google, 400"},
	{class: llm.KeyDead, message: "incorrect api key provided", seen: "xAI, 400"},

	{class: llm.ModelDead, code: "model_not_found", seen: "OpenAI, 404; Alibaba"},
	{class: llm.ModelDead, code: "model_not_supported", seen: "Alibaba"},
	{class: llm.ModelDead, statuses: notFound, seen: "Anthropic, Google, Moonshot AI, Ollama, vLLM; OpenRouter without tools; a wrong base URL"},
	{class: llm.ModelDead, statuses: badRequest, message: "model not exist", seen: "DeepSeek"},
	{class: llm.ModelDead, statuses: badRequest, message: "invalid model", seen: "Mistral"},
	{class: llm.ModelDead, statuses: badRequest, message: "does not support tools", seen: "Ollama"},
	{class: llm.ModelDead, statuses: badRequest, message: "does not support function call", seen: "DeepSeek"},
	{class: llm.ModelDead, statuses: badRequest, message: "tool calling is not supported", seen: "Groq, Together"},
	{class: llm.ModelDead, statuses: badRequest, message: "tools is not supported", seen: "OpenAI"},
	{class: llm.ModelDead, statuses: badRequest, message: "tool choice requires", seen: "vLLM without --enable-auto-tool-choice"},

	{class: llm.Overload, statuses: []int{429, 503, 529}, seen: "too many requests; unavailable; Anthropic's overloaded"},
	{class: llm.Overload, code: "overloaded_error", seen: "Anthropic (type)"},
	{class: llm.Overload, code: "engine_overloaded_error", seen: "Moonshot AI (type)"},
	{class: llm.Transient, statuses: []int{408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}, seen: "servers and proxies"},
}

// errorClass says what may be done about an error reply that no filter and no
// full context explains.
func errorClass(status int, body []byte) llm.Class {
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
	return llm.Final
}
