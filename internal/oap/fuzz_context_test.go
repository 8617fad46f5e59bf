package oap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
)

// contextOracle is a pack's required_context in a library of its own.
func contextOracle(t testing.TB, pack oap.PolicyPack) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(pack.RequiredContext))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("context.json", doc))
	schema, err := c.Compile("context.json")
	require.NoError(t, err)
	return schema
}

// plain is how an amount is written.
var plain = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)

// FuzzDecideContext: whatever the bytes, there is a decision and no panic, and
// nothing is allowed whose context another reader of the schema refuses, or whose
// amount is not plain digits.
func FuzzDecideContext(f *testing.F) {
	f.Add(fmt.Appendf(nil, good, ""))
	for _, tt := range badContexts {
		if len(tt.raw) < 10_000 {
			f.Add([]byte(tt.raw))
		}
	}
	for _, field := range []string{
		`"score":99.5`, `"score":1e2`, `"score":-5e-1`, `"score":100.0000001`, `"urgent":true`, `"method":"wire"`, `"tags":["a","b"]`,
		`"loose":[1,null,[2]]`, `"home":{"zip":"12345","floor":9}`, `"shipping_country":"US"`, `"note":{"a":[1.5]}`,
	} {
		f.Add(fmt.Appendf(nil, good, ","+field))
	}
	type subject struct {
		layer  *oap.Layer
		oracle *jsonschema.Schema
	}
	subjects := []subject{{openLayer(f), contextOracle(f, shippedPack(f))}, {richLayer(f), contextOracle(f, richPack(f))}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, s := range subjects {
			d, steps := s.layer.Open().ExplainContext(raw, morning)
			require.NotEmpty(t, d.Reasons)
			require.NotEmpty(t, steps)
			if !d.Allowed() {
				continue
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			require.NoError(t, err, "allowed, and no JSON")
			require.NoError(t, s.oracle.Validate(doc), "allowed, and the schema refuses it")
			var members map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(raw, &members))
			require.Regexp(t, plain, string(members["amount"]))
		}
	})
}
