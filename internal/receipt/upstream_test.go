package receipt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// upstream is where CI lays the published schema; a plain clone has none.
const upstream = "../../../shared/oap/schemas/decision-schema.json"

func upstreamSchema(t *testing.T) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(upstream)
	if err != nil {
		t.Skipf("no published schema at %s: it is not part of this repository", upstream)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	return doc.(map[string]any)
}

func compiled(t *testing.T, doc map[string]any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("decision.json", doc))
	s, err := c.Compile("decision.json")
	require.NoError(t, err)
	return s
}

// ours is a receipt with the names of passport and pack, as JSON, with the
// members that the published schema knows and some besides.
func ours(t *testing.T, members []string) map[string]any {
	t.Helper()
	known, err := receipt.LoadParties(parties)
	require.NoError(t, err)
	d := allow()
	d.PassportDigest, d.PolicyDigest = passportDigest, packDigest
	r := receipts(t, known, evaluation(behind, "l2-0001", decided(requested("bob", 600, record.CallExecuted), d)))[0]
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	object := doc.(map[string]any)
	for name := range object {
		if !slices.Contains(members, name) {
			delete(object, name)
		}
	}
	return object
}

// TestUpstreamSchemaIsUnsatisfiable: it requires members that it forbids, so it
// can't be what receipts are held against.
func TestUpstreamSchemaIsUnsatisfiable(t *testing.T) {
	doc := upstreamSchema(t)
	properties := doc["properties"].(map[string]any)
	require.Equal(t, false, doc["additionalProperties"])
	var contradictions, declared []string
	for _, name := range doc["required"].([]any) {
		if properties[name.(string)] == nil {
			contradictions = append(contradictions, name.(string))
		}
	}
	for name := range properties {
		declared = append(declared, name)
	}
	assert.Equal(t, []string{"passport_id", "issued_at", "expires_at"}, contradictions, "required, and forbidden by additionalProperties")

	schema := compiled(t, doc)
	require.ErrorContains(t, schema.Validate(ours(t, declared)), "missing properties 'passport_id', 'issued_at', 'expires_at'")
	require.ErrorContains(t, schema.Validate(ours(t, append(declared, contradictions...))), "additional properties")
	require.Error(t, schema.Validate(map[string]any{}))
}

// TestUpstreamSchemaCorrected: with its two faults mended it takes our receipts.
// What the receipts add stands beside it.
func TestUpstreamSchemaCorrected(t *testing.T) {
	doc := upstreamSchema(t)
	properties := doc["properties"].(map[string]any)
	members := []string{"passport_id", "issued_at", "expires_at"}
	for name := range properties {
		members = append(members, name)
	}
	doc["additionalProperties"] = true
	object := ours(t, members)
	require.ErrorContains(t, compiled(t, doc).Validate(object), "at '/kid'", "its pattern forbids the documented oap:owner:<domain>:<key id>")
	properties["kid"].(map[string]any)["pattern"] = `^oap:(registry|owner)(:[a-zA-Z0-9._-]+)+$`
	require.NoError(t, compiled(t, doc).Validate(object))
	for _, name := range doc["required"].([]any) {
		assert.Contains(t, object, name)
	}
	for _, name := range []string{"agent_id", "created_at", "expires_in"} {
		assert.Contains(t, object, name, "the other naming set")
	}
}
