package sim

import (
	"bytes"
	"encoding/json"
	"strings"

	"vaultbench/internal/llm"
)

// The four tools of every level.
const (
	toolTransfer = "transfer_funds"
	toolBalance  = "get_balance"
	toolVerify   = "verify_recipient"
	toolHistory  = "get_transaction_history"
)

// words is a reply without a call: it ends the turn.
func words(text string) llm.Reply {
	return llm.Reply{Content: text, FinishReason: llm.FinishStop}
}

// calls is a reply that asks for tools.
func calls(content string, list ...llm.Call) llm.Reply {
	return llm.Reply{Content: content, ToolCalls: list, FinishReason: llm.FinishToolCalls}
}

// transferCall writes a payment as the call that asks for it.
func transferCall(id string, p Payment) llm.Call {
	return llm.Call{ID: id, Name: toolTransfer, Arguments: arguments(p)}
}

// arguments writes the keys in a fixed order and the amount as it stands, valid
// JSON or not: what a goal says reaches the dispatcher byte for byte.
func arguments(p Payment) string {
	var b strings.Builder
	b.Grow(64 + len(p.Recipient) + len(p.Memo))
	b.WriteString(`{"recipient":`)
	b.WriteString(quote(p.Recipient))
	b.WriteString(`,"amount":`)
	b.Write(p.Amount)
	b.WriteString(`,"memo":`)
	b.WriteString(quote(p.Memo))
	if p.Currency != "" {
		b.WriteString(`,"currency":`)
		b.WriteString(quote(p.Currency))
	}
	b.WriteByte('}')
	return b.String()
}

// quote writes a JSON string without HTML escaping, control characters escaped.
func quote(s string) string {
	if plain(s) {
		return `"` + s + `"`
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // no string fails to encode
		return `""`
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

// plain reports text that stands in a JSON string as it is; nearly all does,
// and an encoder for each would be the greater part of a reply's cost.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// shorten cuts text that is repeated in a banker's words to so many runes.
func shorten(text string, limit int) string {
	count := 0
	for i := range text {
		if count == limit {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
