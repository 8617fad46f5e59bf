// Package recorded reads recorded conversations of models with their tools, one
// at a time, for replay call by call. What the model emitted is evidence: its
// argument bytes are kept as they stand in the file, and whatever can't be read
// whole is an error with file and line, since a line that is skipped would count
// as a model that didn't pay.
package recorded

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vaultbench/internal/llm"
)

// Conversation is one recorded conversation of a model with its tools.
type Conversation struct {
	ID          string        // unique in its file
	Cluster     string        // what near-duplicates share: the unit of clustering
	Model       string        // as the source names it
	ToolMap     string        // name of the tool map
	Messages    []llm.Message // as recorded; llm.Call.Arguments holds the bytes that the model emitted
	SourceError string        // not empty: the source run crashed; its calls are no evidence
	File        string
	Line        int // from 1
}

// ErrNone: a folder holds no conversation file. It may hold cassettes.
var ErrNone = errors.New("the folder holds no conversation file")

// Files lists the conversation files of a folder, sorted. Everything is one but
// *.json, *.md, LICENSE*, dotfiles, cassettes (*.cassette.jsonl) and subfolders.
func Files(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var names []string
	stems := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !isConversationFile(name) {
			continue
		}
		// Stat follows a symbolic link, which the entry itself doesn't.
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("list recordings: %w", err)
		}
		if info.IsDir() {
			continue
		}
		if other, taken := stems[Stem(name)]; taken {
			return nil, fmt.Errorf("list recordings: %s and %s have one stem, %q, and their cells would have one name: rename one",
				other, name, Stem(name))
		}
		stems[Stem(name)] = name
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("list recordings: %w: want *.jsonl or *.jsonl.gz, one conversation a line (docs/recordings.md)", ErrNone)
	}
	slices.Sort(names)
	return names, nil
}

func isConversationFile(name string) bool {
	for _, pattern := range []string{".*", "*.json", "*.md", "LICENSE*", "*.cassette.jsonl"} {
		if other, _ := path.Match(pattern, name); other { // the patterns are well-formed: no error
			return false
		}
	}
	return true
}

// Stem is the file name without .gz or .zst, and .jsonl: the first part of a
// cell's name.
func Stem(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".zst"), ".gz"), ".jsonl")
}

// LogStem names a log of another tool after its file: Stem without .json too.
func LogStem(name string) string { return strings.TrimSuffix(Stem(name), ".json") }
