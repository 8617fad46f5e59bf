package chat

import (
	"slices"
	"strings"

	"vaultbench/internal/llm"
)

// errorShape is one way in which a provider says that its filter refused the
// prompt, or that the conversation is too long. A code is compared with the
// body's code and type; a message is looked for in the body's message, in any
// case. What no shape matches is ErrProvider.
type errorShape struct {
	kind     error
	statuses []int
	code     string
	message  string
	seen     string // at which provider or server
}

var (
	badRequest = []int{400}
	forbidden  = []int{403}
	// tooLong: most answer 400, some 413 (entity too large) or 422 (not processable).
	// Never 429: "too many tokens" is a rate limit there.
	tooLong = []int{400, 413, 422}
)

// errorShapes holds filters of the prompt only. A reply that says that the output
// was blocked is not among them: the model saw the prompt, so the evaluation is
// no filtered input, and asking again may bring an answer.
var errorShapes = []errorShape{
	{kind: llm.ErrInputFiltered, statuses: badRequest, code: "content_filter", seen: "OpenAI, Azure (code); Moonshot AI (type)"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, code: "content_policy_violation", seen: "OpenAI"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, code: "1301", seen: "Z.AI"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "flagged as potentially violating our usage policy", seen: "OpenAI, code invalid_prompt"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "limited access to this content for safety reasons", seen: "OpenAI, code invalid_prompt"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "rejected as a result of our safety system", seen: "OpenAI"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "prompt triggering azure openai's content management policy", seen: "Azure behind a proxy that drops the code"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "content exists risk", seen: "DeepSeek"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "rejected because it was considered high risk", seen: "Moonshot AI"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "input data may contain inappropriate content", seen: "Alibaba, code data_inspection_failed"},
	{kind: llm.ErrInputFiltered, statuses: badRequest, message: "input text data may contain inappropriate content", seen: "Alibaba"},
	{kind: llm.ErrInputFiltered, statuses: forbidden, message: "content violates usage guidelines", seen: "xAI"},

	{kind: llm.ErrContextOverflow, statuses: tooLong, code: "context_length_exceeded", seen: "OpenAI"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, code: "exceed_context_size_error", seen: "llama.cpp"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "maximum context length", seen: "OpenAI, DeepSeek, Mistral, vLLM"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "context length exceeded", seen: "proxies"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "exceeds the context window", seen: "OpenAI"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "prompt is too long", seen: "Anthropic"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "exceed context limit", seen: "Anthropic"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "exceeds the maximum number of tokens allowed", seen: "Google"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "exceeded model token limit", seen: "Moonshot AI"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "range of input length should be", seen: "Alibaba"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "maximum prompt length is", seen: "xAI"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "exceeds the available context size", seen: "llama.cpp"},
	{kind: llm.ErrContextOverflow, statuses: tooLong, message: "greater than the context length", seen: "LM Studio"},
}

// filterFinishes are the finish reasons with which a filter withheld a choice; the
// capitals are Google's own, which its endpoint passes on.
var filterFinishes = map[llm.FinishReason]bool{
	"content_filter":     true,
	"sensitive":          true, // Z.AI
	"SAFETY":             true,
	"BLOCKLIST":          true,
	"PROHIBITED_CONTENT": true,
	"SPII":               true,
}

// filtered reports a finish reason of a filter, Google's "content_filter:
// PROHIBITED_CONTENT" included.
func filtered(f llm.FinishReason) bool {
	return filterFinishes[f] || strings.HasPrefix(string(f), "content_filter:")
}

// errorKind says which sentinel an error reply is.
func errorKind(status int, body []byte) error {
	b := parseErrorBody(body)
	message := strings.ToLower(b.message)
	for _, s := range errorShapes {
		switch {
		case !slices.Contains(s.statuses, status):
		case s.code != "" && (b.code == s.code || b.kind == s.code),
			s.message != "" && strings.Contains(message, s.message):
			return s.kind
		}
	}
	return llm.ErrProvider
}
