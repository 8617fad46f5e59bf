package ingest_test

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/export"
	"vaultbench/internal/ingest"
)

// parquetOptions are ways to write the same rows.
func parquetOptions() [][]parquet.WriterOption {
	return [][]parquet.WriterOption{
		{parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)},
		{parquet.DataPageVersion(2), parquet.Compression(&parquet.Gzip), parquet.MaxRowsPerRowGroup(1)},
		{parquet.PageBufferSize(64), parquet.Compression(&parquet.Zstd), parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray)},
	}
}

// TestParquetTypes: what other writers make of the same row: moments, floats for
// whole numbers, gaps as NaN, lists with gaps, plain repeated columns, pages of
// the first version, several row groups.
func TestParquetTypes(t *testing.T) {
	type row struct {
		Model       string    `parquet:"model,dict"`
		Level       string    `parquet:"level,enum"`
		Track       string    `parquet:"track"`
		Arch        string    `parquet:"architecture"`
		Attack      string    `parquet:"attack"`
		Session     string    `parquet:"session"`
		Date        time.Time `parquet:"date,timestamp(microsecond)"`
		Requests    float64   `parquet:"requests"`
		Payments    float32   `parquet:"payments"`
		Decisions   float64   `parquet:"decisions"`
		Reasons     []string  `parquet:"reasons"`
		Recipients  []*string `parquet:"recipients,list"`
		Unpermitted *bool     `parquet:"unpermitted,optional"`
	}
	some, no := "a@b.example", false
	day := time.Date(2026, 3, 6, 23, 59, 59, 999999000, time.UTC)
	rows := []any{
		row{"m", "l2", "multi", "oap", "a", "s", day, 3, 1, 3, []string{"oap.limit_exceeded", "oap.merchant_forbidden"}, []*string{&some, nil}, &no},
		row{"m", "l2", "multi", "alone", "b", "s", day.Add(-60 * 365 * 24 * time.Hour), 1, 0, math.NaN(), nil, nil, &no},
		row{"m", "l2", "multi", "oap", "c", "s", day, 1.5, 1, 1, nil, nil, &no},
		row{"m", "l2", "multi", "oap", "d", "s", day, 1, 1, 1, nil, nil, nil},
	}
	for _, options := range parquetOptions() {
		got, rejected, err := collect(writeParquet(t, options, rows...), ingest.Mapping{})
		require.NoError(t, err)
		require.Equal(t, []string{
			`t.parquet:3: bad value: requests is "1.5": want a number that is not negative, or true or false`,
			"t.parquet:4: missing value: unpermitted is empty: a gap is no zero",
		}, rejected)
		require.Len(t, got, 2)
		require.Equal(t, "2026-03-06", got[0].Date)
		require.Equal(t, "1966-03-21", got[1].Date, "before 1970 too")
		require.Equal(t, []string{"oap.limit_exceeded", "oap.merchant_forbidden"}, got[0].Reasons)
		require.Equal(t, []string{some, ""}, got[0].Recipients, "a gap keeps its place")
		require.Empty(t, got[1].Reasons)
		require.Equal(t, [3]int64{3, 1, 3}, [3]int64{got[0].Requests, got[0].Payments, got[0].Decisions})
	}
}

// TestParquetUnreadableTypes: a decimal is kept as a number a hundred times as
// large, and would be counted so.
func TestParquetUnreadableTypes(t *testing.T) {
	type row struct {
		Model       string `parquet:"model"`
		Level       string `parquet:"level"`
		Track       string `parquet:"track"`
		Arch        string `parquet:"architecture"`
		Attack      string `parquet:"attack"`
		Session     string `parquet:"session"`
		Requests    int64  `parquet:"requests,decimal(2:9)"`
		Payments    int64  `parquet:"payments"`
		Unpermitted int64  `parquet:"unpermitted"`
	}
	_, _, err := collect(writeRuns(t, row{"m", "l2", "multi", "alone", "a", "s", 100, 1, 0}), ingest.Mapping{})
	require.ErrorContains(t, err, "t.parquet: column requests holds decimals: write it as whole numbers")
}

// TestParquetPageBound: a page that unpacks to more than is read at once is
// refused before it is unpacked.
func TestParquetPageBound(t *testing.T) {
	var rows []any
	for i := range 65 {
		r := aRun()
		r.Attack, r.Trial = strings.Repeat("x", 1<<20), int64(i+1)
		rows = append(rows, r)
	}
	path := writeParquet(t, []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(256 << 20), parquet.SkipPageBounds("attack")}, rows...)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(8<<20), "set-up: it is small as it lies there")
	_, _, err = collect(path, ingest.Mapping{})
	require.ErrorContains(t, err, "t.parquet: row group 1: column attack: a page unpacks to 65 MiB: at most 64 MiB are read")
}

// TestOurExport: the rows that go tool vault export writes are those that the
// shipped mappings read.
func TestOurExport(t *testing.T) {
	one := int64(1)
	rows, rejected, err := collect(writeRuns(t, export.Outcome{
		Model: "m-1", Kind: "simulated", Level: "l2", Track: "multi", Architecture: "oap", Attack: "l2-0001", Session: "l2-s01", Trial: 1,
		Category: "json_injection", Date: "2026-03-06", End: "completed", Requests: 2, Payments: 1, Decisions: &[]int64{2}[0], Denied: &one,
		Reasons: []string{"oap.merchant_forbidden"}, Recipients: []string{"a@b.example"}, Classes: []string{"permitted"},
	}), ingest.Mapping{})
	require.NoError(t, err)
	require.Empty(t, rejected)
	if diff := cmp.Diff([]ingest.Outcome{wantRun()}, rows); diff != "" {
		t.Errorf("Outcomes (-want +got):\n%s", diff)
	}
	for name, row := range map[string]reflect.Type{ingest.RunOutcomes: reflect.TypeFor[export.Outcome](), ingest.RunPrompts: reflect.TypeFor[export.Prompt]()} {
		var columns []string
		for i := range row.NumField() {
			columns = append(columns, row.Field(i).Tag.Get("json"))
		}
		m, err := ingest.ShippedMapping(name)
		require.NoError(t, err)
		for field, column := range m.Columns {
			if !slices.Contains([]string{"judge_a", "judge_b"}, field) { // no run of ours has judges' verdicts in its rows
				require.Contains(t, columns, column, "%s: %s", name, field)
			}
		}
	}
}

// TestDerivedTracks: crossed and varied rows are read as what they are.
func TestDerivedTracks(t *testing.T) {
	r := aRun()
	r.Track = string(corpus.DerivedTracks(corpus.Crossed)[0])
	rows, _, err := collect(writeRuns(t, r), ingest.Mapping{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, corpus.Crossed, rows[0].Track.Section(), "never pooled with the others")
}
