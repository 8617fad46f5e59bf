package strictjson_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/strictjson"
)

// TestFaults lists every place, each by itself.
func TestFaults(t *testing.T) {
	faults, err := strictjson.Faults(attackSchema, []byte(document))
	require.NoError(t, err)
	require.Empty(t, faults, "a good document has none")

	bad := strings.Replace(document, `"lang": "en"`, `"lang": 7, "mo/od": 1`, 1)
	faults, err = strictjson.Faults(attackSchema, []byte(bad))
	require.NoError(t, err)
	var got []string
	for _, f := range faults {
		got = append(got, string(f.Pointer)+" "+f.Reason)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"/lang got number, want string", "/mo~1od " + strictjson.Unknown}, got); diff != "" {
		t.Errorf("Faults (-want +got):\n%s", diff)
	}
}

// TestFaultsOfNoJSON: the line is named, since there is no place.
func TestFaultsOfNoJSON(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "line 1: file is empty"},
		{"cut", "{\n\"a\":\n", "line 3: "},
		{"duplicate name", "{\"a\":1,\n\"a\":2}", "line 2: "},
		{"two values", "{}\n{}", "line 2: data after the end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := strictjson.Faults(attackSchema, []byte(tt.data))
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := strictjson.Faults("nobody.schema.json", []byte("{}"))
	require.ErrorContains(t, err, "nobody.schema.json")
}
