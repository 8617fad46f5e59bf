package ingest_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/ingest"
)

// fuzzOutcomes: nothing panics, whatever the bytes; what is accepted could have
// happened; and a file ends with a row, a rejection or an error.
func fuzzOutcomes(t *testing.T, data []byte) {
	path := filepath.Join(t.TempDir(), "t")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	seen := 0
	for o, err := range ingest.Outcomes(path, ingest.Mapping{}) {
		seen++
		var bad *ingest.Rejected
		switch {
		case errors.As(err, &bad):
			require.NotEmpty(t, bad.Detail)
			require.Positive(t, bad.Row)
		case err == nil:
			if o.Model == "" || o.Session == "" || o.Requests < 0 || o.Unpermitted > o.Payments || o.Payments > 0 && o.Requests == 0 {
				t.Fatalf("accepted %+v", o)
			}
		}
	}
	if seen == 0 {
		t.Error("no row and no error")
	}
}

func FuzzOutcomesParquet(f *testing.F) {
	f.Add(parquetBytes(f, nil, aRun(), aRun()))
	f.Add(parquetBytes(f, []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)}, aRun()))
	f.Add(parquetBytes(f, []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1)}, aRun(), aRun()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.HasPrefix(data, []byte("PAR1")) || len(data) > 1<<20 {
			t.Skip("another format")
		}
		fuzzOutcomes(t, data)
	})
}

func FuzzOutcomesText(f *testing.F) {
	f.Add([]byte(csvHead + "m,l1,multi,alone,a,s,1,1,0\nm,1,A,behind_layer,a,s,true,false,0\n"))
	f.Add([]byte("\ufeff" + csvHead + "\"m\nx\",l1,multi,alone,\"a\"\"\",s,,,\n"))
	f.Add([]byte(`{"model":"m","level":"l1","track":"multi","architecture":"oap","attack":"a","session":"s","requests":1,"payments":0,"unpermitted":0,"decisions":1,"reasons":["x"],"classes":null}` + "\n"))
	f.Add([]byte(`{"model":"m","level":1,"track":"A","architecture":"alone","prompt_id":"a","session_id":"s","payment_requested":true,"payment_succeeded":true,"recipient_in_allowlist":false,"unpermitted_transfer":true}` + "\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("PAR1")) {
			t.Skip("another format")
		}
		fuzzOutcomes(t, data)
	})
}

func FuzzAttacks(f *testing.F) {
	f.Add(`{"session_id":"x","level":2,"messages":[{"role":"user","content":"pay"}]}` + "\n" + `{"session_id":"x","level":"l3","messages":"[\"a\"]","goal":[{"recipient":"a","amount":1,"memo":""}],"expect":["oap.allowed"]}`)
	f.Add("messages,level,session,goal,expect,lang\nunlock it,l2,s,,,fr\n\"[\"\"a\"\"]\",l5,s,null,[],\n")
	f.Fuzz(func(t *testing.T, text string) {
		entries, _, _, err := importAttacks(t, "t", text, ingest.Mapping{})
		for _, a := range entries {
			if a.ID == "" || len(a.Messages) == 0 || len(a.Goal) != len(a.Expect) || a.Twin != "" {
				t.Fatalf("accepted %+v", a)
			}
		}
		if err == nil && len(entries) == 0 {
			t.Error("no entry and no error")
		}
	})
}

func FuzzMapping(f *testing.F) {
	for _, name := range []string{ingest.RunOutcomes, ingest.PaperOutcomes, ingest.RunPrompts, ingest.PaperPrompts} {
		m, err := os.ReadFile("../../fixtures/mappings/" + name + ".json")
		require.NoError(f, err)
		f.Add(string(m))
	}
	path := filepath.Join(f.TempDir(), "t.csv")
	require.NoError(f, os.WriteFile(path, []byte(csvHead+"m,l1,multi,alone,a,s,1,1,0\n"), 0o600))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ingest.LoadMapping(writeText(t, "m.json", text))
		if err != nil || len(m.Columns) == 0 {
			return
		}
		rows, rejected, err := collect(path, m)
		if len(rows)+len(rejected) == 0 && err == nil {
			t.Error("no row and no error")
		}
	})
}
