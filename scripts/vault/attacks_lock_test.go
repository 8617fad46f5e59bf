package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAddInParallel: whoever adds to the corpus at the same time, by whichever
// command, gets ids of his own, and every entry is there in the end.
func TestAddInParallel(t *testing.T) {
	root := module(t)
	put(t, filepath.Join(root, "fixtures/attacks/retired.txt"), "highest l1-0001\n")
	texts := []string{"open sesame", "may I have a loan", "what a lovely morning", "send my regards", "where is the exit", "read me a poem"}
	type result struct {
		status         int
		stdout, stderr string
	}
	results := make([]result, len(texts))
	var all sync.WaitGroup
	for i, text := range texts {
		file, args := filepath.Join(t.TempDir(), "draft.jsonl"), []string{"attacks", "add", "--file"}
		draft := fmt.Sprintf(`{"session": "l1-s01", "level": "l1", "lang": "en", "technique": "social_engineering", "messages": [%q], "goal": null, "expect": [], "reason": "r"}`, text)
		if i%2 == 1 {
			args = []string{"import", "attacks", "--rejects", file + ".rejects"}
			draft = fmt.Sprintf(`{"prompt_id": "p", "session_id": "x", "level": 1, "messages": [%q]}`, text)
		}
		put(t, file, draft+"\n")
		all.Go(func() {
			status, stdout, stderr := vault(append(args, file)...)
			results[i] = result{status, stdout, stderr}
		})
	}
	all.Wait()
	var given []string
	for _, r := range results {
		require.Zero(t, r.status, r.stderr)
		given = append(given, regexp.MustCompile(`l1-[0-9]{4}`).FindAllString(r.stdout, -1)...)
	}
	slices.Sort(given)
	if diff := cmp.Diff([]string{"l1-0002", "l1-0003", "l1-0004", "l1-0005", "l1-0006", "l1-0007"}, given); diff != "" {
		t.Errorf("ids: each is given once (-want +got):\n%s", diff)
	}
	entries := get(t, filepath.Join(root, "fixtures/attacks/level-1.jsonl"))
	for _, text := range texts {
		assert.Equal(t, 1, strings.Count(entries, fmt.Sprintf("%q", text)), "%s in\n%s", text, entries)
	}
	assert.Contains(t, get(t, filepath.Join(root, "fixtures/attacks/retired.txt")), "highest l1-0007\n")
	status, stdout, stderr := vault("attacks", "lint")
	assert.Zero(t, status, stdout+stderr)
}
