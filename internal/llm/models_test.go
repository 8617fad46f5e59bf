package llm_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/llm"
	"vaultbench/internal/price"
)

func TestLoadModelsReadsThePaperAndLocal(t *testing.T) {
	c, err := llm.LoadModels(fixtures.FS)
	require.NoError(t, err)
	var targets, judges []string
	var confirmed []llm.ModelID
	for _, m := range c.Models {
		_, p, err := c.Find(m.Slug)
		require.NoError(t, err)
		switch {
		case m.Slug == "local":
			require.NotNil(t, m.ID)
			require.Equal(t, llm.ModelID("local"), *m.ID)
			require.Equal(t, "VAULT_LOCAL_URL", p.BaseURLEnv)
			continue
		case m.Role == llm.RoleJudge:
			judges = append(judges, m.Name)
		default:
			targets = append(targets, m.Name)
		}
		if m.ID != nil {
			confirmed = append(confirmed, *m.ID)
		}
		if (m.ID == nil || m.Price == nil) && !strings.Contains(m.Note, "confirm") {
			t.Errorf("model %s: id or price is null and the note does not say that nobody could confirm it", m.Slug)
		}
	}
	if diff := cmp.Diff([]llm.ModelID{"deepseek-v4-pro", "deepseek-v4-flash"}, confirmed); diff != "" {
		t.Errorf("ids that a provider's documentation gives (-want +got):\n%s", diff)
	}
	want := [][]string{
		{
			"Claude Fable 5.1", "Claude Sonnet 5", "Claude Haiku 4.5", "GPT-6 Astra", "GPT-5.6 Terra", "GPT-5.6 Luna",
			"Gemini 3.5 Flash", "Gemini 3.8 Flash", "DeepSeek V4 Pro", "DeepSeek V4 Flash", "Kimi K3", "GLM-5.3",
			"Qwen3.8 Max", "Muse Spark 1.3",
		},
		{"Mistral Medium 3.5", "Grok 4.6"},
	}
	if diff := cmp.Diff(want, [][]string{targets, judges}); diff != "" {
		t.Errorf("models of the paper (-want +got):\n%s", diff)
	}
}

const goodModels = `{
  "providers": [{"name": "acme", "base_url": "https://api.acme.example/v1", "key_env": "ACME_API_KEY", "lists": "ids"}],
  "models": [
    {"slug": "acme-one", "name": "One", "lab": "Acme", "provider": "acme", "role": "target", "id": "one-2026",
     "quirks": {"omit_temperature": false, "use_max_completion_tokens": true, "reasoning_effort": "low", "extra_body": {"seed": 7}, "carry_back": ["thoughts"]},
     "price": {"input": 1.25, "output": 10, "cache_read": null, "date": "2026-03-01"}},
    {"slug": "acme-two", "name": "Two", "lab": "Acme", "provider": "acme", "role": "judge", "id": null,
     "quirks": {"omit_temperature": true, "use_max_completion_tokens": false, "reasoning_effort": null, "extra_body": null, "carry_back": null},
     "price": null, "note": "id unconfirmed"}
  ]
}`

func modelsFS(text string) fs.FS { return fstest.MapFS{"models.json": {Data: []byte(text)}} }

func TestLoadModelsDecodesEveryField(t *testing.T) {
	c, err := llm.LoadModels(modelsFS(goodModels))
	require.NoError(t, err)
	m, p, err := c.Find("acme-one")
	require.NoError(t, err)
	id, effort, url := llm.ModelID("one-2026"), "low", "https://api.acme.example/v1"
	wantModel := llm.Model{
		Slug: "acme-one", Name: "One", Lab: "Acme", Provider: "acme", Role: llm.RoleTarget, ID: &id,
		Price: &price.Price{Input: 1.25, Output: 10, Date: "2026-03-01"},
	}
	wantModel.Quirks.UseMaxCompletionTokens = true
	wantModel.Quirks.ReasoningEffort = &effort
	wantModel.Quirks.ExtraBody = map[string]json.RawMessage{"seed": json.RawMessage("7")}
	wantModel.Quirks.CarryBack = []string{"thoughts"}
	wantProvider := llm.Provider{Name: "acme", BaseURL: &url, KeyEnv: "ACME_API_KEY", Lists: llm.ListsIDs}
	if diff := cmp.Diff(wantModel, m); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantProvider, p); diff != "" {
		t.Errorf("provider (-want +got):\n%s", diff)
	}
}

var badModels = []struct{ name, old, new, want, reason string }{
	{"unknown provider", `"provider": "acme", "role": "judge"`, `"provider": "acne", "role": "judge"`,
		`fixtures/models.json: model acme-two: unknown provider "acne"`, "a typing error would surface in the live run only"},
	{"slug twice", `"acme-two"`, `"acme-one"`,
		"fixtures/models.json: model acme-one: slug occurs twice", "two models would share their cells"},
	{"slug contains another", `"acme-two"`, `"acme-one-b"`,
		"fixtures/models.json: model acme-one-b: slug contains the slug acme-one", "-run acme-one would select both"},
	{"slug inside another", `"acme-two"`, `"one"`,
		"fixtures/models.json: model one: slug is contained in the slug acme-one", "the same, the other way round"},
	{"name of a simulated banker", `"acme-two"`, `"sim-two"`,
		"fixtures/models.json: model sim-two: the prefixes sim- and written- belong", "simulated and live never share a row"},
	{"provider twice", `"providers": [`, `"providers": [{"name": "acme", "base_url": null, "key_env": "A"},`,
		"fixtures/models.json: provider acme: occurs twice", "which key would be sent where?"},
	{"upper case slug", `"acme-two"`, `"Acme-Two"`, "/models/1/slug", "cells are lower case"},
	{"slash in slug", `"acme-two"`, `"acme/two"`, "/models/1/slug", "a slash adds a level to the cell's name"},
	{"unknown member", `"lab": "Acme", "provider": "acme", "role": "judge"`, `"lap": "Acme", "lab": "Acme", "provider": "acme", "role": "judge"`,
		"lap", "nothing is ignored"},
	{"unknown quirk", `"omit_temperature": true`, `"omit_temperature": true, "omit_top_p": true`, "omit_top_p", "nothing is ignored"},
	{"missing id", `"role": "judge", "id": null`, `"role": "judge"`, "/models/1", "an id is null on purpose or there"},
	{"unknown role", `"judge"`, `"jury"`, "/models/1/role", "closed vocabulary"},
	{"extra body sets the model", `{"seed": 7}`, `{"model": "other"}`, "model acme-one: extra_body must not set model", "the record would name a model that was not asked"},
	{"extra body asks for a stream", `{"seed": 7}`, `{"stream": true}`, "model acme-one: extra_body must not set stream", "the reply would not be one JSON document"},
	{"content carried back", `["thoughts"]`, `["content"]`, "model acme-one: carry_back must not name content", "it would be sent twice"},
	{"calls carried back", `["thoughts"]`, `["toolCalls"]`, "model acme-one: carry_back must not name toolCalls", "a call must not pass as a thought"},
	{"nothing carried back", `["thoughts"]`, `[]`, "/models/0/quirks/carry_back", "null says so"},
	{"negative price", `"output": 10`, `"output": -10`, "/models/0/price/output", "a budget would grow"},
	{"price without a day", `, "date": "2026-03-01"`, ``, "/models/0/price", "prices change"},
	{"day that is none", `2026-03-01`, `2026-02-30`, "/models/0/price/date", "prices change"},
	{"URL with a query", `/v1"`, `/v1?key=x"`, "/providers/0/base_url", "keys stand in variables only"},
	{"key in place of its variable", `"ACME_API_KEY"`, `"sk-123"`, "/providers/0/key_env", "a key must not stand in a file"},
	{"list that tells something else", `"lists": "ids"`, `"lists": "all"`, "/providers/0/lists", "closed vocabulary"},
	{"repeated member", `"lab": "Acme", "provider": "acme", "role": "judge"`, `"lab": "A", "lab": "B", "provider": "acme", "role": "judge"`,
		"fixtures/models.json:7:", "the line, and no silent last one wins"},
	{"no models", goodModels, `{"providers": [{"name": "a", "base_url": null, "key_env": "A"}], "models": []}`, "/models", "an empty catalog is a lost one"},
	{"no JSON", goodModels, `providers:`, "fixtures/models.json:1:", "the file is named"},
}

func TestLoadModelsRefuses(t *testing.T) {
	for _, row := range badModels {
		t.Run(row.name, func(t *testing.T) {
			require.Contains(t, goodModels, row.old)
			_, err := llm.LoadModels(modelsFS(strings.Replace(goodModels, row.old, row.new, 1)))
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "fixtures/models.json") {
				t.Errorf("LoadModels() = %v, want fixtures/models.json… %q: %s", err, row.want, row.reason)
			}
		})
	}
}

func TestLoadModelsNamesTheMissingFile(t *testing.T) {
	_, err := llm.LoadModels(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "fixtures/models.json")
}

func TestFindListsTheKnownSlugs(t *testing.T) {
	c, err := llm.LoadModels(modelsFS(goodModels))
	require.NoError(t, err)
	_, _, err = c.Find("acme-three")
	require.EqualError(t, err, `fixtures/models.json: unknown model "acme-three": known are acme-one, acme-two`)
}
