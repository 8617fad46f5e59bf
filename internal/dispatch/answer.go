package dispatch

import (
	"encoding/json"
	"fmt"

	"vaultbench/internal/jcs"
)

func toolError(kind, message string) string { return toolTexts("error", kind, "message", message) }

// toolTexts is the object of the given names and texts, by turns, as encoding/json
// writes it. The names are plain.
func toolTexts(pairs ...string) string {
	var buf [256]byte
	b := append(buf[:0], '{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), pairs[i]...), `":`...)
		b = appendText(b, pairs[i+1])
	}
	return string(append(b, '}'))
}

// appendText quotes a text. Few need the library for it, which is careful with what
// HTML would take for its own.
func appendText(b []byte, s string) []byte {
	if !jcs.PlainHTML(s) {
		return append(b, toolJSON(s)...)
	}
	return append(append(append(b, '"'), s...), '"')
}

// toolJSON encodes what a tool answers; only strings and lists of strings go in.
func toolJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode tool answer: %v", err))
	}
	return string(raw)
}
