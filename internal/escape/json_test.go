package escape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/escape"
)

// TestJSON: whatever Line would escape is safe in JSON too, and its value stays.
func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, raw, want, reason string }{
		{"plain", "{\n  \"a\": \"12.50 an rent@oakhall.example für 💸\"\n}\n", "{\n  \"a\": \"12.50 an rent@oakhall.example für 💸\"\n}\n", "what is harmless stays"},
		{"turned round", "\"\u202egpj.exe\"", `"\u202egpj.exe"`, "it would turn the text round"},
		{"C1", "\"\u009b31m\"", `"\u009b31m"`, "an escape sequence of one character"},
		{"tag character", "\"\U000e0041\"", `"\udb40\udc41"`, "above the first plane, as a pair"},
		{"command of a runner", `"##[error]x ##vso[task]y"`, `"#\u0023[error]x #\u0023vso[task]y"`, "it would be taken wherever it stands"},
		{"line end", `"a\n::error::x"`, `"a\n::error::x"`, "no line starts within a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(escape.JSON([]byte(tt.raw)))
			require.Equal(t, tt.want, got, tt.reason)
			requireSameValue(t, tt.raw, got)
		})
	}
	for _, tt := range lines {
		raw, err := json.Marshal(tt.text)
		require.NoError(t, err)
		got := string(escape.JSON(raw))
		requireSameValue(t, string(raw), got)
		require.Equal(t, escape.Line(got), got, "%s: nothing is left to escape", tt.name)
	}
	for _, tt := range commands {
		raw, err := json.Marshal(tt.text)
		require.NoError(t, err)
		got := string(escape.JSON(raw))
		requireSameValue(t, string(raw), got)
		require.False(t, strings.HasPrefix(got, "::"), tt.name)
		require.Equal(t, escape.Line(got), got, "%s: no command is left", tt.name)
	}
}

func requireSameValue(t *testing.T, a, b string) {
	t.Helper()
	var x, y any
	require.NoError(t, json.Unmarshal([]byte(a), &x), a)
	require.NoError(t, json.Unmarshal([]byte(b), &y), b)
	require.Equal(t, x, y)
}
