package recorded_test

import (
	"bytes"
	"testing"

	"vaultbench/internal/unpack"
)

// FuzzUnpack: nothing panics, what is not packed comes out as it is, and no more
// comes out than the bound lets.
func FuzzUnpack(f *testing.F) {
	for _, text := range []string{"", "a line\n", string(bytes.Repeat([]byte("again "), 1000))} {
		f.Add([]byte(text))
		f.Add(gzipped(f, []byte(text)))
		f.Add(zstandard(f, []byte(text)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, format, err := unpacked(data)
		if format == "" && err == nil && got != string(data) && !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
			t.Errorf("%q came out as %q", data, got)
		}
		if len(got) > unpack.Free+unpack.Ratio*len(data) {
			t.Errorf("%d bytes became %d", len(data), len(got))
		}
	})
}
