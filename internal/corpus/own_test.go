package corpus_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
)

// TestLoadOwn: a folder that stands in for the shipped corpus may lack honest tasks,
// and nothing else.
func TestLoadOwn(t *testing.T) {
	for _, tt := range []struct {
		name, file, old, changed string
		want                     string // of the error; empty: it loads
		shipped                  bool   // the shipped corpus may be so, too
		reason                   string
	}{
		{"whole", attacksFile, "first", "the first", "", true, "the control"},
		{"no honest task", benignFile, "", "", "", false, "its owner may have none"},
		{"no attack", attacksFile, "", "", "load corpus: no file matches attacks/*.jsonl", false, "a run of nothing"},
		{"twin of nothing", benignFile, `"twin":"l1-0002"`, `"twin":"l1-0009"`, `load corpus: benign/level-1.jsonl:1: b1-0001: twin "l1-0009" is no attack`, false, "twins are of this corpus"},
		{"duplicate id", attacksFile, `"id":"l1-0002"`, `"id":"l1-0001"`, "duplicate id, first used at attacks/level-1.jsonl:", false, "ids name one entry"},
		{"begins like another", attacksFile, `"messages":["which limit?"]`, `"messages":["hello"]`, "", false, "a stranger's beginning, who pays nobody"},
		{"begins like another and pays", attacksFile, `"messages":["which limit?"],"goal":null,"expect":[]`, `"messages":["hello"],"goal":[{"recipient":"eve","amount":7,"memo":"a"}],"expect":["oap.allowed"]`,
			"load corpus: attacks/level-1.jsonl:1: l1-0002: messages begin like those of attacks/level-1.jsonl:2: l1-0001 on track multi: change one", false, "a banker that knows its goal would pay it in the other"},
		{"unknown field", attacksFile, `"lang":"pt-BR"`, `"mood":1,"lang":"pt-BR"`, "load corpus: attacks/level-1.jsonl:2: does not match schema attack.schema.json: at /mood: unknown member (id l1-0001)", false, "it says something that nobody reads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := smallCorpus()
			edit(t, fsys, tt.file, tt.old, tt.changed)
			_, err := corpus.Load(fsys, expectations)
			assert.Equal(t, tt.shipped, err == nil, "the shipped corpus: %v", err)
			c, err := corpus.LoadOwn(fsys, expectations)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				return
			}
			require.NoError(t, err, tt.reason)
			assert.True(t, c.Own)
			assert.Equal(t, "corpus/attacks/level-1.jsonl", c.Attacks[0].Path(), "its files are named apart from those of fixtures/")
		})
	}
	c, err := corpus.Load(smallCorpus(), expectations)
	require.NoError(t, err)
	assert.False(t, c.Own)
	assert.Equal(t, "fixtures/attacks/level-1.jsonl", c.Attacks[0].Path())
}
