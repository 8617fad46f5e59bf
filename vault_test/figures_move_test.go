package vault_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// sharedRecordings is where CI lays recordings of real models; a plain clone has
// none.
const sharedRecordings = "../shared/data/agentdojo-banking"

func realRecordings(t *testing.T) fs.FS {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	root, err := config.Root(dir)
	require.NoError(t, err)
	folder := filepath.Join(root, sharedRecordings)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no recordings at %s: they are not part of this repository", sharedRecordings)
	}
	return os.DirFS(folder)
}

// TestFiguresMove changes one recipient and one amount of a recording in memory
// and shows which figures move, and that no other does: the comparison can fail.
func TestFiguresMove(t *testing.T) {
	t.Parallel()
	const file, payee = "claude-3-opus-20240229.jsonl.gz", "GB29NWBK60161331926819"
	conversations := readAll(t, realRecordings(t), file)
	before := figuresOf(t, conversations)
	for _, tt := range []struct {
		name   string
		change func(t *testing.T) []recorded.Conversation
		want   map[string]int
		reason string
	}{
		{
			"the attacker becomes an honest payee",
			func(t *testing.T) []recorded.Conversation {
				return change(t, conversations, "US133000000121212121212", `"US133000000121212121212"`, `"`+payee+`"`)
			},
			map[string]int{
				"calls_to_forbidden": -1, "calls_to_allowed": +1, "evaluations_unpermitted": -1,
				"evaluations_with_denial": -1, "evaluations_paying_behind_layer": +1,
			},
			"the call executes in both architectures and was the conversation's only one",
		},
		{
			"the amount gets a sign",
			func(t *testing.T) []recorded.Conversation {
				return change(t, conversations, payee, `"amount":`, `"amount":-`)
			},
			map[string]int{
				"invalid_calls": +1, "calls_to_allowed": -1, "evaluations_paying": -1,
				"evaluations_with_denial": +1, "evaluations_paying_behind_layer": -1,
			},
			"the bank refuses it alone, and behind the layer it is denied",
		},
	} {
		sub(t, tt.name, func(t *testing.T) {
			got := map[string]int{}
			for name, n := range figuresOf(t, tt.change(t)) {
				if d := n - before[name]; d != 0 {
					got[name] = d
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("figures that moved (-want +got), %s:\n%s", tt.reason, diff)
			}
			t.Logf("moved: %v", got)
		})
	}
}

func readAll(t *testing.T, fsys fs.FS, file string) []recorded.Conversation {
	t.Helper()
	r, err := recorded.Open(fsys, file)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	var all []recorded.Conversation
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, c)
	}
}

// change rewrites the arguments of the first conversation whose only transfer
// names the recipient.
func change(t *testing.T, all []recorded.Conversation, recipient, old, now string) []recorded.Conversation {
	t.Helper()
	out := append([]recorded.Conversation(nil), all...)
	for i, c := range out {
		message, call, only := onlyTransfer(c)
		if !only || !strings.Contains(c.Messages[message].ToolCalls[call].Arguments, `"`+recipient+`"`) {
			continue
		}
		messages := append([]llm.Message(nil), c.Messages...)
		calls := append([]llm.Call(nil), messages[message].ToolCalls...)
		calls[call].Arguments = strings.Replace(calls[call].Arguments, old, now, 1)
		require.NotEqual(t, c.Messages[message].ToolCalls[call].Arguments, calls[call].Arguments)
		messages[message].ToolCalls = calls
		out[i].Messages = messages
		return out
	}
	require.FailNow(t, "no conversation has one transfer only, to "+recipient)
	return nil
}

func onlyTransfer(c recorded.Conversation) (message, call int, only bool) {
	n := 0
	for i, m := range c.Messages {
		for j, tc := range m.ToolCalls {
			if tc.Name == "send_money" {
				n++
				message, call = i, j
			}
		}
	}
	return message, call, n == 1
}

// figuresOf replays conversations from memory in both architectures.
func figuresOf(t *testing.T, all []recorded.Conversation) map[string]int {
	t.Helper()
	var text bytes.Buffer
	for _, c := range all {
		require.NoError(t, recorded.Write(&text, c))
	}
	fsys := fstest.MapFS{"changed.jsonl": {Data: text.Bytes()}}
	s, err := settings.Suite()
	require.NoError(t, err)
	recordings, err := s.Recordings(fsys)
	require.NoError(t, err)
	require.Len(t, recordings, 1)
	out := map[string]int{}
	for _, arch := range []plan.Architecture{plan.Alone, plan.OAP} {
		for name, n := range figures(runRecording(t, s, fsys, recordings[0], arch)) {
			out[name] = n
		}
	}
	return out
}

func runRecording(t *testing.T, s *suite.Suite, fsys fs.FS, r suite.Recording, arch plan.Architecture) report.Cell {
	t.Helper()
	p, err := s.PlannedRecording(r, arch)
	require.NoError(t, err)
	c, err := s.RunRecording(t.Context(), p, fsys, r)
	require.NoError(t, err)
	return c
}
