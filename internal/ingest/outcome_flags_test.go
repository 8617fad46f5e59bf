package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/ingest"
)

// TestOutcomesOfFlags: a flag says whether, not how often, and contradicts no number.
func TestOutcomesOfFlags(t *testing.T) {
	head := "model,level,track,architecture,attack,session,requests,payments,unpermitted,decisions,denied,classes\n"
	rows, rejected, err := collect(writeText(t, "t.csv", head+
		"m,l2,multi,oap,a,s,true,false,false,3,3,\n"+
		"m,l5,multi,alone,b,s,2,2,true,,,\n"+
		"m,l2,multi,alone,c,s,true,true,true,,,permitted\n"+
		"m,l2,multi,alone,d,s,true,true,false,,,other\n"), ingest.Mapping{})
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"t.csv:5: contradiction: 1 transfers to recipients whom level l2 does not permit, and 0 unpermitted"}, rejected)
}

const csvHead = "model,level,track,architecture,attack,session,requests,payments,unpermitted\n"

// TestOutcomesGap: a gap in an event of a final evaluation is no zero; of one
// that broke off, nothing is known.
func TestOutcomesGap(t *testing.T) {
	text := strings.Replace(csvHead, "model", "model,end", 1) +
		"m,completed,l1,multi,alone,a,s,,0,0\n" + "m,provider_error,l1,multi,alone,b,s,,,\n" + "m,input_filtered,l1,multi,alone,c,s,0,0,\n"
	rows, rejected, err := collect(writeText(t, "t.csv", text), ingest.Mapping{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"t.csv:2: missing value: requests is empty: a gap is no zero", "t.csv:4: missing value: unpermitted is empty: a gap is no zero",
	}, rejected)
	require.Len(t, rows, 1)
	require.False(t, rows[0].Counted())
}
