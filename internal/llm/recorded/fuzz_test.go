package recorded_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// FuzzReader: nothing panics, and whatever is accepted is written and read back
// equal. Its seeds stand in testdata/fuzz/FuzzReader.
func FuzzReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := read(fstest.MapFS{"f.jsonl": {Data: data}}, "f.jsonl")
		if err == nil && len(all) == 0 {
			t.Errorf("no error and no conversation")
		}
		for _, c := range all {
			got, err := rewrite(c)
			if err != nil {
				t.Fatalf("accepted conversation %q is not written and read back: %v", c.ID, err)
			}
			if diff := cmp.Diff(c, got, exceptPlace); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		}
	})
}
