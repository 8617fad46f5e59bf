package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/ingest"
)

// TestLongRow: a row that is too long costs itself alone where its end can be told, and
// is named by file and row either way.
func TestLongRow(t *testing.T) {
	long := strings.Repeat("x", 64<<20)
	row := func(id string) string {
		return fmt.Sprintf(`{"session_id":"x","level":2,"prompt_id":"%s","messages":["%s"]}`, id, strings.Repeat(id, 9)) + "\n"
	}
	tooLong := func(end string) string { return `{"session_id":"` + long + `"}` + end }
	for _, tt := range []struct {
		name, file, text string
		read             string   // entries' reasons, up to their rows
		rejected         []string // places
		err              string
		reason           string
	}{
		{"in the middle", "p.jsonl", row("ape") + tooLong("\n") + row("bee"), "1, ape;3, bee", []string{`"row":2,`}, "", "the others are read"},
		{"first", "p.jsonl", tooLong("\n") + row("bee"), "2, bee", []string{`"row":1,`}, "", "it shows no columns"},
		{"last, without an end", "p.jsonl", row("ape") + tooLong(""), "1, ape", []string{`"row":2,`}, "", "its end is the file's"},
		{"long by its end alone", "p.jsonl", row("ape") + `{"a":"` + long[:64<<20-8] + `"}` + "\n" + row("bee"), "1, ape;3, bee", []string{`"row":2,`}, "", "the next line is another row"},
		{"CSV", "p.csv", "session_id,level,messages\nx,2,a\nx,2," + long + "\n", "", nil, "p.csv:3: the row is longer than 64 MiB", "a quote in it may hold lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entries, _, rejected, err := importAttacks(t, tt.file, tt.text, ingest.Mapping{})
			if tt.err != "" {
				require.EqualError(t, err, tt.err, tt.reason)
				return
			}
			require.NoError(t, err)
			var read []string
			for _, a := range entries {
				read = append(read, strings.TrimSuffix(strings.TrimPrefix(a.Reason, "Imported from p.jsonl, row "), ": what its author wanted paid is not known."))
			}
			if diff := cmp.Diff(tt.read, strings.Join(read, ";")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			lines := strings.Split(strings.TrimSpace(rejected), "\n")
			require.Len(t, lines, len(tt.rejected))
			for i, want := range tt.rejected {
				require.Contains(t, lines[i], want+`"reason":"unreadable","detail":"the row is longer than 64 MiB","raw":"{\"`, tt.reason)
				require.Less(t, len(lines[i]), 2000, "its beginning alone")
			}
		})
	}
}

// TestConvertLongRow: the same of logs.
func TestConvertLongRow(t *testing.T) {
	tooLong := `{"id":"` + strings.Repeat("x", 64<<20) + `"}`
	for _, tt := range []struct {
		name, text string
		row        int
		reason     string
	}{
		{"in the middle", chat + "\n" + tooLong + "\n" + strings.Replace(chat, `"a"`, `"b"`, 1), 2, "the others are read"},
		{"first", tooLong + "\n" + chat + "\n" + strings.Replace(chat, `"a"`, `"b"`, 1), 1, "it shows the form: one object a line"},
		{"last", chat + "\n" + strings.Replace(chat, `"a"`, `"b"`, 1) + "\n" + tooLong, 3, "its end is the file's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := logs(t)
			counts, rejects, err := l.Convert(t.Context(), writeText(t, "x.jsonl", tt.text))
			require.NoError(t, err)
			require.Equal(t, int64(2), counts.Imported, tt.reason)
			require.Equal(t, filepath.Join(l.Out, "rejects", "x.jsonl"), rejects)
			raw, err := os.ReadFile(rejects)
			require.NoError(t, err)
			require.Contains(t, string(raw), fmt.Sprintf(`"row":%d,"reason":"unreadable","detail":"the row is longer than 64 MiB","raw":"{\"id\":\"xxx`, tt.row), tt.reason)
			require.Less(t, len(raw), 2000, "its beginning alone")
		})
	}
	l := logs(t)
	_, _, err := l.Convert(t.Context(), writeText(t, "x.json", "["+chat+",\n"+strings.Replace(tooLong, "x", strings.Repeat("x", 1<<20), 1)+"]"))
	require.ErrorContains(t, err, "x.json:2: ")
	require.ErrorContains(t, err, "the row is longer than 64 MiB")
	require.ErrorContains(t, err, "what lies behind can't be read", "nobody can tell where it ends")
}
