package vault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/publish"
	"vaultbench/internal/report/page"
	"vaultbench/scripts/shipped"
)

// reportsAsked: whatever corpus the environment asks for, also one of as many attacks
// and honest tasks as the sample run has, its page is the same to the byte.
func reportsAsked(t *testing.T, run publish.Run) {
	shown := func(run publish.Run) string {
		p, err := run.Read()
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, page.Write(&b, fixed(p)))
		return b.String()
	}
	c, err := shipped.Corpus()
	require.NoError(t, err)
	want := shown(run)
	for _, tt := range []struct {
		name            string
		attacks, benign int // of each level
		reason          string
	}{
		{"one", 1, 0, "less than the run replayed"},
		{"as many", 3, 2, "its grid would be whole, and another condition of the claim fail"},
		{"more", 4, 3, "more than the run replayed"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			dir := t.TempDir()
			honest := firstOfLevels(c.Benign, tt.benign, corpus.Levels()...)
			paired := slices.Clone(c.Attacks) // with those first that an honest task is the twin of
			slices.SortStableFunc(paired, func(a, b corpus.Attack) int { return twins(honest, b) - twins(honest, a) })
			for folder, part := range map[string][]corpus.Attack{"attacks": firstOfLevels(paired, tt.attacks, corpus.Levels()...), "benign": honest} {
				require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
				var lines []byte
				for _, a := range part {
					lines = append(lines, author.Line(a)...)
				}
				if len(lines) > 0 {
					writeFile(t, filepath.Join(dir, folder), "some.jsonl", lines)
				}
			}
			t.Setenv("VAULT_CORPUS", dir)
			if was, is, line := firstDifference(want, shown(sampled(t, run.Folder, c))); line > 0 {
				t.Errorf("%s: line %d\n- %s\n+ %s", tt.reason, line, was, is)
			}
		})
	}
}

// twins counts those of an attack.
func twins(honest []corpus.Attack, a corpus.Attack) int {
	return len(slices.DeleteFunc(slices.Clone(honest), func(b corpus.Attack) bool { return b.Twin != a.ID }))
}

// firstOfLevels are the first n attacks of each of the levels.
func firstOfLevels(all []corpus.Attack, n int, levels ...corpus.Level) (out []corpus.Attack) {
	left := map[corpus.Level]int{}
	for _, l := range levels {
		left[l] = n
	}
	for _, a := range all {
		if left[a.Level]--; left[a.Level] >= 0 {
			out = append(out, a)
		}
	}
	return out
}
