package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHelp: whoever asks for nothing, or for help, gets the list of commands.
func TestHelp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
		reason string
	}{
		{"bare", nil, 2, "Commands:\n  plan [flags]\n", "no command is wrong usage, and these are they"},
		{"help", []string{"help"}, 0, "Commands:\n  plan [flags]\n", "as other tools have it"},
		{"help of a command", []string{"help", "plan"}, 0, "Usage: vault plan [flags]\n", "its flags"},
		{"flag", []string{"--help"}, 0, "Commands:\n  plan [flags]\n", "the same list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, tt.reason)
			assert.Contains(t, stdout, tt.want, tt.reason)
			assert.Empty(t, stderr, tt.reason)
		})
	}
}
