package recorded_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/unpack"
)

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return buf.Bytes()
}

func zstandard(t testing.TB, text []byte, options ...zstd.EOption) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, options...)
	require.NoError(t, err)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return buf.Bytes()
}

func unpacked(data []byte) (string, string, error) {
	var text strings.Builder
	_, format, err := unpackTo(&text, data)
	return text.String(), format, err
}

func unpackTo(w io.Writer, data []byte) (int64, string, error) {
	r, err := unpack.NewReader(bytes.NewReader(data))
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = r.Close() }()
	n, err := io.Copy(w, r)
	return n, r.Format(), err
}

func TestUnpack(t *testing.T) {
	text := []byte(strings.Repeat("a line of text\n", 1000))
	for _, tt := range []struct {
		name         string
		data         []byte
		want, format string
		reason       string
	}{
		{"plain", text, string(text), "", "nothing to unpack"},
		{"gzip", gzipped(t, text), string(text), "gzip", "by its first bytes"},
		{"two gzip members", append(gzipped(t, text), gzipped(t, text)...), string(text) + string(text), "gzip", "files may be joined"},
		{"zstd", zstandard(t, text), string(text), "zstd", "by its first bytes"},
		{"two zstd frames", append(zstandard(t, text), zstandard(t, text)...), string(text) + string(text), "zstd", "files may be joined"},
		{"empty", nil, "", "", "an empty file is empty"},
		{"shorter than a mark", []byte{0x1f}, "\x1f", "", "no mark"},
		{"packed nothing", gzipped(t, nil), "", "gzip", "an empty file in another dress"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, format, err := unpacked(tt.data)
			require.NoError(t, err)
			require.Equal(t, tt.format, format, tt.reason)
			require.True(t, got == tt.want, "%d bytes, want %d: %s", len(got), len(tt.want), tt.reason)
		})
	}
}

func TestUnpackErrors(t *testing.T) {
	text := []byte(strings.Repeat("a line of text\n", 1000))
	bomb := make([]byte, unpack.Free+unpack.Ratio*200<<10)
	for _, tt := range []struct {
		name   string
		data   []byte
		want   string
		reason string
	}{
		{"cut gzip", gzipped(t, text)[:60], "the gzip stream is cut: fetch the file again", "half a file is no file"},
		{"cut gzip header", gzipped(t, text)[:5], "the gzip stream is cut", "half a file is no file"},
		{"cut zstd", zstandard(t, text)[:20], "the zstd stream is cut: fetch the file again", "half a file is no file"},
		{"gzip bomb", gzipped(t, bomb), "unpacks to more than 200 times its size", "a few bytes must not fill the disk"},
		{"zstd bomb", zstandard(t, bomb), "unpacks to more than 200 times its size", "a few bytes must not fill the disk"},
		{"zstd that looks far back", zstandard(t, bomb[:96<<20], zstd.WithWindowSize(64<<20)), "zstd: a window of more than 32 MiB", "its window is held in memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, _, err := unpackTo(io.Discard, tt.data)
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.LessOrEqual(t, n, int64(unpack.Free+unpack.Ratio*len(tt.data)), "the bound holds")
		})
	}
}
