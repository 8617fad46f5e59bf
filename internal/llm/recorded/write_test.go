package recorded_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
)

// rewrite writes a conversation and reads it back.
func rewrite(c recorded.Conversation) (recorded.Conversation, error) {
	var buf bytes.Buffer
	if err := recorded.Write(&buf, c); err != nil {
		return recorded.Conversation{}, err
	}
	if n := bytes.Count(buf.Bytes(), []byte("\n")); n != 1 || !bytes.HasSuffix(buf.Bytes(), []byte("\n")) {
		return recorded.Conversation{}, errors.New("Write wrote more or less than one line")
	}
	all, err := read(fstest.MapFS{"f.jsonl": {Data: buf.Bytes()}}, "f.jsonl")
	if err != nil {
		return recorded.Conversation{}, err
	}
	return all[0], nil
}

var exceptPlace = cmpopts.IgnoreFields(recorded.Conversation{}, "File", "Line")

func conversation(arguments string) recorded.Conversation {
	return recorded.Conversation{ID: "a", Cluster: "c", Model: "m", ToolMap: "t", Messages: []llm.Message{
		{Role: llm.RoleUser, Content: "hello"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.Call{{ID: "i", Name: "transfer_funds", Arguments: arguments}}},
		{Role: llm.RoleTool, Content: "done", ToolCallID: "i"},
		{Role: llm.RoleAssistant, Content: "It is done."},
	}}
}

func TestWriteReadsBack(t *testing.T) {
	crashed := conversation("{}")
	crashed.SourceError = "503: \"busy\"\nlater"
	hostile := conversation("{}")
	hostile.Messages[0].Content = "\x00\x1b[31m<b>&\u2028\u0085\ufffd😀]]>"
	for _, tt := range []struct {
		name, reason string
		in           recorded.Conversation
	}{
		{name: "plain", in: conversation(`{"amount":1.0}`), reason: "1.0 stays 1.0"},
		{name: "duplicate keys", in: conversation(`{"amount":1,"amount":2}`), reason: "both are evidence"},
		{name: "lone surrogate escape", in: conversation(`{"memo":"\ud800"}`), reason: "the escape is ASCII"},
		{name: "spaces and line breaks", in: conversation("{ \n\t\"a\" : 1 }\r\n "), reason: "bytes, not values"},
		{name: "no JSON", in: conversation(`{}""`), reason: "a model may emit anything"},
		{name: "empty", in: conversation(""), reason: "a model may emit nothing"},
		{name: "crashed", in: crashed, reason: "the source's error survives"},
		{name: "hostile content", in: hostile, reason: "text is text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := rewrite(tt.in)
			require.NoError(t, err)
			if diff := cmp.Diff(tt.in, got, exceptPlace); diff != "" {
				t.Errorf("read back (-want +got):\n%s%s", diff, tt.reason)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	edit := func(f func(*recorded.Conversation)) recorded.Conversation {
		c := conversation("{}")
		f(&c)
		return c
	}
	for _, tt := range []struct {
		name, want, reason string
		in                 recorded.Conversation
	}{
		{name: "invalid UTF-8 in content", in: edit(func(c *recorded.Conversation) { c.Messages[0].Content = "\xff" }), want: "invalid UTF-8",
			reason: "JSON can't hold it, and a replacement would change it silently"},
		{name: "invalid UTF-8 in arguments", in: conversation("{\"memo\":\"\xff\"}"), want: "invalid UTF-8", reason: "the same"},
		{name: "no messages", in: edit(func(c *recorded.Conversation) { c.Messages = nil }), want: "no messages", reason: "Next refuses it"},
		{name: "no id", in: edit(func(c *recorded.Conversation) { c.ID = "" }), want: "id is empty", reason: "Next refuses it"},
		{name: "unknown role", in: edit(func(c *recorded.Conversation) { c.Messages[0].Role = "banker" }), want: `unknown role "banker"`, reason: "Next refuses it"},
		{name: "too long", in: conversation(strings.Repeat("x", 64<<20)), want: "longer than 64 MiB", reason: "Next refuses it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			err := recorded.Write(&buf, tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) || buf.Len() > 0 {
				t.Errorf("Write = %v and %d bytes, want an error with %q and none: %s", err, buf.Len(), tt.want, tt.reason)
			}
		})
	}
}
