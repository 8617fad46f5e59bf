package recorded_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm/recorded"
)

func folder(names ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, name := range names {
		fsys[name] = &fstest.MapFile{Data: []byte("x")}
	}
	return fsys
}

func TestFiles(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		in           fstest.MapFS
		want         []string
	}{
		{name: "sorted", in: folder("b.jsonl", "a.jsonl.gz", "C.jsonl"), want: []string{"C.jsonl", "a.jsonl.gz", "b.jsonl"},
			reason: "runs must not depend on the order of a folder"},
		{name: "everything else is left out", in: folder("a.jsonl", "expected.json", "README.md", "LICENSE", "LICENSE.txt", ".hidden.jsonl",
			"gpt-4o.cassette.jsonl", "environment/environment.yaml", "environment/deep.jsonl"), want: []string{"a.jsonl"},
			reason: "a data folder carries its notes and counts beside the conversations"},
		{name: "unusual names stay", in: folder("runs", "notes.txt", "MYLICENSE", "a.json.gz"), want: []string{"MYLICENSE", "a.json.gz", "notes.txt", "runs"},
			reason: "a file that is left out by its name would be skipped silently; reading it says what is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := recorded.Files(tt.in)
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Files (-want +got):\n%s%s", diff, tt.reason)
			}
		})
	}
}

func TestFilesErrors(t *testing.T) {
	for _, tt := range []struct {
		name, want, reason string
		in                 fstest.MapFS
	}{
		{name: "nothing", in: folder("README.md", "sub/a.jsonl"), want: "holds no conversation file: want *.jsonl",
			reason: "an empty folder is mostly the wrong folder"},
		{name: "one stem twice", in: folder("a.jsonl", "a.jsonl.gz"), want: "a.jsonl and a.jsonl.gz have one stem",
			reason: "cells are named by the stem: two would have one name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := recorded.Files(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Files = %v, want an error with %q: %s", err, tt.want, tt.reason)
			}
		})
	}
}

func TestStem(t *testing.T) {
	for _, tt := range []struct{ name, want, reason string }{
		{"gpt-4o-2024-05-13.jsonl.gz", "gpt-4o-2024-05-13", "both endings go"},
		{"gpt-4o-2024-05-13.jsonl", "gpt-4o-2024-05-13", "one ending"},
		{"gemini-1.5-pro-002", "gemini-1.5-pro-002", "a dot in a model's name is no ending"},
		{"gpt-4o.jsonl.zst", "gpt-4o", "packed the other way"},
		{"runs.gz", "runs", "packed without another ending"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := recorded.Stem(tt.name); got != tt.want {
				t.Errorf("Stem(%q) = %q, want %q: %s", tt.name, got, tt.want, tt.reason)
			}
		})
	}
}
