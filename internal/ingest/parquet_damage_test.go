package ingest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/ingest"
)

// page is a data page as a hostile writer may put it: its body and what its header
// claims of it.
type page struct {
	body     []byte
	claimed  int32 // bytes unpacked; 0 for the body's own length
	values   int32 // 0 for one a row
	encoding format.Encoding
	codec    format.CompressionCodec
}

// plainTexts is a page of the texts.
func plainTexts(texts ...string) page {
	var b []byte
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return page{body: b, values: int32(len(texts))}
}

// rawParquet writes a file of one row group in which each column is one page; a
// column that is not given says the same in each row.
func rawParquet(t testing.TB, rows int64, given map[string]page) string {
	t.Helper()
	var file bytes.Buffer
	file.WriteString("PAR1")
	schema := []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](9)}}
	var chunks []format.ColumnChunk
	for _, c := range [][2]string{
		{"model", "m"}, {"level", "l2"}, {"track", "multi"}, {"architecture", "alone"}, {"attack", "a"}, {"session", "s"},
		{"requests", "1"}, {"payments", "0"}, {"unpermitted", "0"},
	} {
		p, ok := given[c[0]]
		if !ok {
			texts := make([]string, min(rows, 3))
			for i := range texts {
				texts[i] = c[1]
			}
			p = plainTexts(texts...)
		}
		start := int64(file.Len())
		if p.claimed == 0 {
			p.claimed = int32(len(p.body))
		}
		header, err := thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{
			Type: format.DataPage, UncompressedPageSize: p.claimed, CompressedPageSize: int32(len(p.body)),
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: p.values, Encoding: p.encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
		})
		require.NoError(t, err)
		file.Write(header)
		file.Write(p.body)
		schema = append(schema, format.SchemaElement{
			Name: c[0], Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Required), ConvertedType: thrift.New(deprecated.UTF8),
		})
		chunks = append(chunks, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: format.ByteArray, PathInSchema: []string{c[0]}, Codec: p.codec, Encoding: []format.Encoding{p.encoding}, NumValues: int64(p.values),
			DataPageOffset: start, TotalCompressedSize: int64(file.Len()) - start, TotalUncompressedSize: int64(p.claimed),
		}})
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{
		Version: 1, Schema: schema, NumRows: rows, RowGroups: []format.RowGroup{{Columns: chunks, NumRows: rows}},
	})
	require.NoError(t, err)
	file.Write(footer)
	require.NoError(t, binary.Write(&file, binary.LittleEndian, uint32(len(footer))))
	file.WriteString("PAR1")
	path := filepath.Join(t.TempDir(), "t.parquet")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

// packed packs zeros.
func packed(t testing.TB, codec format.CompressionCodec, n int) []byte {
	t.Helper()
	switch zeros := make([]byte, n); codec {
	case format.Snappy:
		return snappy.Encode(nil, zeros)
	case format.Zstd:
		enc, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		return enc.EncodeAll(zeros, nil)
	default:
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(zeros)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
}

// TestParquetDamage: what a file says of its own sizes is held against the bytes
// before the decoder, which trusts it, sees them.
func TestParquetDamage(t *testing.T) {
	const big = 40 << 20
	run := binary.AppendUvarint([]byte{1}, 300_000_000<<1) // bits a value, then a run
	counts := func(values uint64) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), values)
	}
	lengths := append(counts(1), binary.AppendVarint(nil, 100<<20)...) // one text of 100 MiB
	for _, tt := range []struct {
		name   string
		rows   int64
		page   page
		want   string
		reason string
	}{
		{"gzip", 1, page{body: packed(t, format.Gzip, big), claimed: 5, values: 1, codec: format.Gzip}, "page 1: its header gives it 5 bytes, and it unpacks to more", "a megabyte became gigabytes"},
		{"zstd", 1, page{body: packed(t, format.Zstd, big), claimed: 5, values: 1, codec: format.Zstd}, "page 1: its header gives it 5 bytes, and it unpacks to more", "likewise"},
		{"snappy", 1, page{body: packed(t, format.Snappy, big), claimed: 5, values: 1, codec: format.Snappy}, "page 1: its header gives it 5 bytes, and it unpacks to more", "likewise"},
		{"an unbounded codec", 1, page{body: []byte{1}, claimed: 5, values: 1, codec: format.Brotli}, "packed with BROTLI: snappy, gzip and zstd are read", "its decoder takes what it is told"},
		{"claimed values", 1, page{body: []byte{1}, values: 300_000_000}, "a page says that it holds 300000000 values", "four bytes each are reserved"},
		{"a run", 1, page{body: append(run, 0), values: 1, encoding: format.RLEDictionary}, "a page says that it holds 300000000 values", "a run costs no bytes, whatever the header says"},
		{"differences", 1, page{body: append(counts(300_000_000), 0), values: 1, encoding: format.DeltaLengthByteArray}, "a page says that it holds 300000000 values", "so does a step"},
		{"lengths", 1, page{body: lengths, values: 1, encoding: format.DeltaLengthByteArray}, "its texts come to 100 MiB", "the length is reserved before the text is looked for"},
		{"prefixes", 1, page{body: append(bytes.Clone(lengths), lengths...), values: 1, encoding: format.DeltaByteArray}, "its texts come to 200 MiB", "a prefix of the text before costs no bytes"},
		{"values behind the last row", 2, plainTexts("a", "b", "c"), "more values than the row group's 2 rows", "the third would be lost in silence"},
		{"too few values", 3, plainTexts("a", "b"), "unexpected EOF", "the third row has no attack"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := rawParquet(t, tt.rows, map[string]page{"attack": tt.page})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := collect(path, ingest.Mapping{})
			runtime.ReadMemStats(&after)
			require.Error(t, err, tt.reason)
			assert.Contains(t, err.Error(), "t.parquet: row group 1: column attack: ", "where it is")
			assert.Contains(t, err.Error(), tt.want, tt.reason)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "bytes that it took to find out")
		})
	}
	rows, rejected, err := collect(rawParquet(t, 3, map[string]page{"attack": plainTexts("a", "b", "c")}), ingest.Mapping{})
	require.NoError(t, err, "set-up: without damage it is a file")
	require.Empty(t, rejected)
	require.Len(t, rows, 3)
	_, _, err = collect(rawParquet(t, 5_000_000, nil), ingest.Mapping{})
	require.ErrorContains(t, err, "t.parquet: 5000000 rows in ", "each of them would be a line of the rejects")
}

// TestParquetEncodings: the walk before the decoder lets pass what honest writers
// write, of either page version.
func TestParquetEncodings(t *testing.T) {
	type row struct {
		Model       string   `parquet:"model,dict"`
		Level       string   `parquet:"level,delta"`
		Track       string   `parquet:"track,plain"`
		Arch        string   `parquet:"architecture,dict"`
		Attack      string   `parquet:"attack"`
		Session     string   `parquet:"session,delta"`
		Requests    int64    `parquet:"requests,delta"`
		Payments    int32    `parquet:"payments,delta"`
		Unpermitted bool     `parquet:"unpermitted"`
		Reasons     []string `parquet:"reasons,list"`
	}
	var rows []any
	for i := range 300 {
		rows = append(rows, row{Model: "m", Level: "l2", Track: "multi", Arch: "oap", Attack: fmt.Sprintf("l2-%04d", i), Session: "s", Requests: int64(i), Payments: int32(min(i, 1))})
	}
	for _, options := range parquetOptions() {
		got, rejected, err := collect(writeParquet(t, options, rows...), ingest.Mapping{})
		require.NoError(t, err)
		require.Empty(t, rejected)
		require.Len(t, got, len(rows))
		for i, o := range got {
			if want := rows[i].(row); string(o.Attack) != want.Attack || o.Requests != want.Requests {
				t.Fatalf("row %d is %s with %d requests, want %s with %d", i+1, o.Attack, o.Requests, want.Attack, want.Requests)
			}
		}
	}
}
