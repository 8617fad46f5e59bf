package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
)

var errWrite = errors.New("out of ideas")

// long is more than what is buffered, so that some of it reaches the disk early.
var long = strings.Repeat("0123456789abcdef", 1<<18)

func TestWriteFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		write  func(io.Writer) error
		fails  bool
		want   string
		reason string
	}{
		{"short", func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }, false, "new", "replaced whole"},
		{"long", func(w io.Writer) error { _, err := io.WriteString(w, long); return err }, false, long, "replaced whole"},
		{"nothing", func(io.Writer) error { return nil }, false, "", "an empty file is a file"},
		{"error at once", func(io.Writer) error { return errWrite }, true, "old", "the old one stays"},
		{"error later", func(w io.Writer) error { _, _ = io.WriteString(w, long); return errWrite }, true, "old", "what was written before the error is gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "summary.json")
			require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
			err := record.WriteFile(path, func(w io.Writer) error {
				defer func() {
					require.Equal(t, "old", read(t, path), "a reader sees the old file until the new one is whole")
				}()
				return tt.write(w)
			})
			if tt.fails {
				require.ErrorIs(t, err, errWrite)
				require.ErrorContains(t, err, "write "+path)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.want, read(t, path), tt.reason)
			assert.Equal(t, []string{"summary.json"}, files(t, dir), "no temporary file stays")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}

func TestWriteFileElsewhere(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taken", "file"), nil, 0o600))
	nothing := func(io.Writer) error { return nil }
	require.Error(t, record.WriteFile(filepath.Join(dir, "taken"), nothing), "a folder is not replaced")
	require.Error(t, record.WriteFile(filepath.Join(dir, "gone", "file"), nothing), "no folder is made")
	assert.Equal(t, []string{"taken"}, files(t, dir), "no temporary file stays")
	require.NoError(t, record.WriteFile(filepath.Join(dir, "new"), nothing))
	info, err := os.Stat(filepath.Join(dir, "new"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "others may read it, as any file of a build")
}

func TestWriteJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	require.NoError(t, record.WriteJSON(path, map[string]string{"a": "<&>"}))
	assert.Equal(t, "{\n  \"a\": \"<&>\"\n}\n", read(t, path))
	require.Error(t, record.WriteJSON(path, func() {}))
	assert.Equal(t, "{\n  \"a\": \"<&>\"\n}\n", read(t, path), "the old one stays")
}

func line(t *testing.T, e record.Evaluation) string {
	t.Helper()
	raw, err := json.Marshal(e)
	require.NoError(t, err)
	return string(raw) + "\n"
}

func TestReadErrors(t *testing.T) {
	good := line(t, evaluation("l1", "a1", 1))
	for _, tt := range []struct {
		name, text, want, reason string
	}{
		{"cut last line", good + good[:len(good)-5], ":2: line is cut or unreadable", "a writer that was killed"},
		{"no line end", good + strings.TrimSuffix(good, "\n"), ":2: line is cut or unreadable", "whole or not, nobody knows"},
		{"unknown field", strings.Replace(good, `"trial"`, `"mood":1,"trial"`, 1), `:1: at /mood: unknown member`, "a later version, or another tool"},
		{"unknown field inside", strings.Replace(good, `"model"`, `"mood":1,"model"`, 1), `:1: at /cell/mood: unknown member`, "at any depth"},
		{"a list", good + "[" + strings.TrimSuffix(good, "\n") + "]\n", ":2: at /: no record.Evaluation", "one object a line"},
		{"null", good + "null\n", `:2: id is "", its cell, attack and trial make "////`, "no evaluation"},
		{"empty object", "{}\n", `:1: id is ""`, "no evaluation"},
		{"foreign object", `{"name":"x","value":1}` + "\n", `:1: at /name: unknown member`, "somebody else's log"},
		{"id of another cell", strings.Replace(good, `/l1/`, `/l2/`, 1), `:1: id is "sim-a/l2/multi/oap/a1/1", its cell, attack and trial make "sim-a/l1/multi/oap/a1/1"`, "an edited line"},
		{"two on a line", strings.TrimSuffix(good, "\n") + good, ":1: data after the evaluation", "the second would be lost"},
		{"blank line", good + "\n" + good, ":2: EOF", "a lost line"},
		{"text", "hello\n", ":1: jsontext: invalid character", "no JSON"},
		{"member twice", strings.Replace(good, `"trial"`, `"trial":2,"trial"`, 1), `:1: jsontext: duplicate object member name "trial"`, "the readers of a line must not differ"},
		{"member in capitals", strings.Replace(good, `"trial"`, `"Trial"`, 1), `:1: at /Trial: unknown member`, "the readers of a line must not differ"},
		{"lone surrogate", strings.Replace(good, `"session":"s"`, `"session":"\ud800"`, 1), ":1: jsontext: invalid surrogate pair", "no text"},
		{"invalid UTF-8", strings.Replace(good, `"session":"s"`, "\"session\":\"\xff\"", 1), ":1: jsontext: invalid UTF-8", "no text"},
		{"no number", strings.Replace(good, `"trial":1`, `"trial":NaN`, 1), ":1: jsontext: invalid character 'N'", "JSON has none"},
		{"far down", strings.Repeat(good, 5000) + "[]\n" + good, ":5001: at /: no record.Evaluation", "lines are decoded side by side, and the place is right all the same"},
		{"cut far down", strings.Repeat(good, 5000) + good[:9], ":5001: line is cut or unreadable", "lines are decoded side by side, and the place is right all the same"},
		{"cut after a megabyte", good + strings.Repeat("x", 1<<20), ":2: line is cut or unreadable", "a line may be long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), record.EvaluationsFile)
			require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			seen := 0
			err := record.Read(path, func(record.Evaluation) error { seen++; return nil })
			require.ErrorContains(t, err, path+tt.want, tt.reason)
			assert.Contains(t, err.Error(), fmt.Sprintf(":%d: ", seen+1), "all lines before it were read")
		})
	}
}

func TestReadCallbackError(t *testing.T) {
	path := filepath.Join(t.TempDir(), record.EvaluationsFile)
	require.NoError(t, os.WriteFile(path, []byte(line(t, evaluation("l1", "a1", 1))+line(t, evaluation("l1", "\x1b[31m", 1))), 0o600))
	calls := 0
	err := record.Read(path, func(record.Evaluation) error {
		calls++
		return map[int]error{2: errWrite}[calls]
	})
	require.ErrorIs(t, err, errWrite)
	assert.Equal(t, path+`:2: "sim-a/l1/multi/oap/\x1b[31m/1": out of ideas`, err.Error(), "file, line and id, and nothing that a terminal obeys")
	require.ErrorContains(t, record.Read(filepath.Join(t.TempDir(), "gone"), nil), "read evaluations: ")
}
