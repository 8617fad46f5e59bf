package dispatch

import (
	"encoding/json"
	"fmt"
	"strings"
)

func toolError(kind, message string) string { return toolTexts("error", kind, "message", message) }

// toolTexts is the object of the given names and texts, by turns, as encoding/json
// writes it. The names are plain.
func toolTexts(pairs ...string) string {
	size := 2
	for _, s := range pairs {
		size += len(s) + len(`"":`)
	}
	var b strings.Builder
	b.Grow(size)
	for i := 0; i < len(pairs); i += 2 {
		if i == 0 {
			b.WriteString(`{"`)
		} else {
			b.WriteString(`,"`)
		}
		b.WriteString(pairs[i])
		b.WriteString(`":`)
		writeText(&b, pairs[i+1])
	}
	b.WriteByte('}')
	return b.String()
}

// copied are the bytes that stand in JSON as they are; encoding/json is careful
// with what HTML would take for its own.
var copied = func() (table [256]bool) {
	for c := ' '; c < 0x80; c++ {
		table[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return table
}()

// writeText quotes a text. Few need the library for it.
func writeText(b *strings.Builder, s string) {
	for i := range len(s) {
		if !copied[s[i]] {
			b.WriteString(toolJSON(s))
			return
		}
	}
	b.WriteByte('"')
	b.WriteString(s)
	b.WriteByte('"')
}

// toolJSON encodes what a tool answers; only strings and lists of strings go in.
func toolJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode tool answer: %v", err))
	}
	return string(raw)
}
