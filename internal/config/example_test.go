package config_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/config"
)

// TestExampleNamesEveryVariable holds .env.example equal to what is read: the
// suite's variables in their order, then the providers' keys, each with a
// comment above its block.
func TestExampleNamesEveryVariable(t *testing.T) {
	raw, err := os.ReadFile("../../.env.example")
	require.NoError(t, err)
	var suite, keys []string
	lines := bufio.NewScanner(bytes.NewReader(raw))
	commented := false
	for lines.Scan() {
		line := lines.Text()
		name, value, isVariable := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "#"):
			commented = true
		case line == "":
			commented = false
		case isVariable:
			require.True(t, commented, "%s has no comment", name)
			require.Empty(t, value, "%s: the example sets nothing", name)
			if strings.HasPrefix(name, "VAULT_") {
				suite = append(suite, name)
			} else {
				keys = append(keys, name)
			}
		}
	}
	if diff := cmp.Diff(config.Variables(), suite); diff != "" {
		t.Errorf("variables of .env.example (-read +named):\n%s", diff)
	}
	if diff := cmp.Diff(keyVariables(t), keys); diff != "" {
		t.Errorf("keys of .env.example (-fixtures/models.json +named):\n%s", diff)
	}
}

func keyVariables(t *testing.T) []string {
	t.Helper()
	raw, err := fixtures.FS.ReadFile("models.json")
	require.NoError(t, err)
	var file struct {
		Providers []struct {
			KeyEnv string `json:"key_env"`
		} `json:"providers"`
	}
	require.NoError(t, json.Unmarshal(raw, &file))
	var names []string
	for _, p := range file.Providers {
		names = append(names, p.KeyEnv)
	}
	return names
}
