package receipt

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse: whatever a line holds, it is refused with its place, or it is the one
// canonical writing of a receipt.
func FuzzParse(f *testing.F) {
	for _, r := range []Receipt{{}, {Reasons: []Reason{{}}}, {Reasons: []Reason{{"c", "\x00\"é😀"}}, Payment: &Payment{"a", "1", "USD"}, Allow: true, Sequence: maxInteger}} {
		line, err := r.appendLine(nil)
		require.NoError(f, err)
		f.Add(line)
		f.Add(line[:len(line)/2])
		f.Add(bytes.ReplaceAll(line, []byte(":"), []byte(": ")))
		f.Add(bytes.Replace(line, []byte("{"), []byte(`{"agent_id":null,"Allow":true,`), 1))
	}
	f.Add([]byte("null"))
	f.Add([]byte(`{"sequence":1.0,"call":1e3,"expires_in":9007199254740993}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		line, _, _ = bytes.Cut(line, []byte("\n")) // as lines.next does
		v := &verifier{lines: &lines{path: "d.jsonl", n: 3}}
		r, err := v.parse(line)
		if err != nil {
			require.ErrorContains(t, err, "d.jsonl:3: ")
			return
		}
		again, err := r.appendLine(nil)
		require.NoError(t, err)
		require.Equal(t, string(line), string(again))
		require.Equal(t, canonical(t, r, ""), string(line))
	})
}
