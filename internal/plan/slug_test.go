package plan_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/plan"
)

var slugs = []struct {
	name, stem string
	want       plan.ModelSlug
	reason     string
}{
	{"as it is", "gpt-5.6-luna", "gpt-5.6-luna", "a slug stays"},
	{"capitals", "GPT-4o", "gpt-4o", "lower case"},
	{"underscores", "gpt_4o_run_2", "gpt-4o-run-2", "go test writes blanks so"},
	{"blanks", "front desk  2026", "front-desk--2026", "each character for itself, so that two stems rarely meet"},
	{"slash", "openai/gpt-4o", "openai-gpt-4o", "a slash would add a level"},
	{"colon", "llama3:70b", "llama3-70b", "what models of own machines are named with"},
	{"dots and hyphens at the ends", "..-gpt-.", "gpt", "no hidden file, no flag"},
	{"accents", "café", "caf", "ASCII alone, and no hyphen at the end"},
	{"other letters between", "a漢字b", "a--b", "ASCII alone"},
	{"letter that is plain in lower case", "\u212aimi", "kimi", "the Kelvin sign is a k"},
	{"control", "a\nb\x1b", "a-b", "no line end in a name"},
	{"invalid bytes", "a\xffb", "a-b", "no stem breaks a name"},
	{"nothing left", "漢字", "", "Check refuses the cell"},
	{"empty", "", "", "Check refuses the cell"},
}

func TestSlug(t *testing.T) {
	for _, tt := range slugs {
		t.Run(tt.name, func(t *testing.T) {
			if got := plan.Slug(tt.stem); got != tt.want {
				t.Errorf("Slug(%q) = %q, want %q: %s", tt.stem, got, tt.want, tt.reason)
			}
		})
	}
}

// FuzzSlug: whatever the stem, the slug is a valid part of a name or empty, and
// is its own slug.
func FuzzSlug(f *testing.F) {
	for _, tt := range slugs {
		f.Add(tt.stem)
	}
	f.Fuzz(func(t *testing.T, stem string) {
		slug := plan.Slug(stem)
		require.Equal(t, slug, plan.Slug(string(slug)))
		require.True(t, utf8.ValidString(string(slug)))
		if slug != "" {
			require.NoError(t, plan.Cell{Model: slug, Level: "l1", Track: "multi", Architecture: "oap"}.Check())
		}
	})
}

func TestAmbiguous(t *testing.T) {
	for _, tt := range []struct {
		name        string
		models      []plan.ModelSlug
		short, long plan.ModelSlug
		reason      string
	}{
		{"none", []plan.ModelSlug{"sim-teller", "sim-gullible"}, "", "", "each pattern selects one"},
		{"empty", nil, "", "", "nothing to confuse"},
		{"one", []plan.ModelSlug{"a"}, "", "", "nothing to confuse"},
		{"prefix", []plan.ModelSlug{"gpt-5", "gpt-5.6"}, "gpt-5", "gpt-5.6", "-run gpt-5 selects both"},
		{"prefix, other order", []plan.ModelSlug{"gpt-5.6", "gpt-5"}, "gpt-5", "gpt-5.6", "the order does not matter"},
		{"suffix", []plan.ModelSlug{"old-glm", "glm"}, "glm", "old-glm", "-run takes a substring"},
		{"inside", []plan.ModelSlug{"x-glm-y", "glm"}, "glm", "x-glm-y", "-run takes a substring"},
		{"several", []plan.ModelSlug{"c", "b-c", "b"}, "b", "b-c", "the first in order, each time the same"},
		{"the same twice", []plan.ModelSlug{"a", "a"}, "", "", "one model, however often it is named"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.models)
			short, long := plan.Ambiguous(tt.models)
			require.Equal(t, [2]plan.ModelSlug{tt.short, tt.long}, [2]plan.ModelSlug{short, long}, tt.reason)
			require.Equal(t, before, tt.models, "the caller's order stays")
		})
	}
}

// knownModels are the simulated bankers, the catalog's models and the recorded
// sources: all that a cell's first part may be.
func knownModels(t *testing.T) []plan.ModelSlug {
	t.Helper()
	var models []plan.ModelSlug
	for _, name := range sim.Names() {
		models = append(models, plan.ModelSlug(name))
	}
	catalog, err := llm.LoadModels(fixtures.FS)
	require.NoError(t, err)
	require.NotEmpty(t, catalog.Models)
	for _, m := range catalog.Models {
		models = append(models, plan.ModelSlug(m.Slug))
	}
	entries, err := fs.ReadDir(fixtures.FS, "recordings")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cassette.jsonl") {
			models = append(models, plan.Slug(recorded.Stem(e.Name())))
		}
	}
	return models
}

// TestNoNameContainsAnother: a -run pattern for one selects no other.
func TestNoNameContainsAnother(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []plan.ModelSlug
	}{
		{"models", knownModels(t)},
		{"levels", as(corpus.Levels())},
		{"tracks", as(append(corpus.Tracks(), corpus.Recorded))},
		{"architectures", as(plan.Architectures())},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(tt.names))), len(tt.names), "no name stands twice")
			if short, long := plan.Ambiguous(tt.names); short != "" {
				t.Errorf("%q is part of %q: -run for the one would select both", short, long)
			}
		})
	}
}

func as[T ~string](names []T) []plan.ModelSlug {
	var out []plan.ModelSlug
	for _, n := range names {
		out = append(out, plan.ModelSlug(n))
	}
	return out
}
