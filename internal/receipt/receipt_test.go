package receipt_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// parties know a passport and a pack. Their digests are of the
// canonical form, whatever white space and order are.
var parties = fstest.MapFS{
	"p.json":       {Data: []byte(`{ "passport_id": "7c0e1a54-52d4-4b1f-9a37-6f1d0c2b8e04", "owner_id": "org_a", "assurance_level": "L4KYC" }`)},
	"packs/q.json": {Data: []byte(`{"id":"finance.payment.charge.v1"}`)},
}

const (
	passportDigest = "22276bef502b01ecc71ff9c22b6836ca8619d01da3bc53002c3101b043587c3d"
	packDigest     = "17f48a41bdce38cb0791d38e02ade2d070fb94161f1f93448a3e4252654ba3ba"
)

func receipts(t *testing.T, p receipt.Parties, es ...record.Evaluation) []receipt.Receipt {
	t.Helper()
	var out bytes.Buffer
	w := receipt.NewWriter(&out, receipt.TestKey(), p)
	for _, e := range es {
		require.NoError(t, w.Add(e))
	}
	var all []receipt.Receipt
	for _, line := range bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
		var r receipt.Receipt
		require.NoError(t, json.Unmarshal(line, &r))
		all = append(all, r)
	}
	return all
}

func TestReceipt(t *testing.T) {
	known, err := receipt.LoadParties(parties)
	require.NoError(t, err)
	d := deny()
	d.PassportDigest, d.PolicyDigest = passportDigest, packDigest
	d.IssuedAt = noon.In(time.FixedZone("", 3600))
	e := evaluation(behind, "l2-0001", decided(requested("eve", 600, record.CallDenied), d), read(), malformed())
	want := []receipt.Receipt{{
		Version: 2, Sequence: 1, Evaluation: e.ID, Call: 1, Origin: authz.FromLayer, DecisionID: receipt.DecisionID(e.ID, 1),
		PolicyID: "finance.payment.charge.v1", PassportID: "7c0e1a54-52d4-4b1f-9a37-6f1d0c2b8e04", AgentID: "7c0e1a54-52d4-4b1f-9a37-6f1d0c2b8e04",
		OwnerID: "org_a", AssuranceLevel: "L4KYC", Reasons: []receipt.Reason{
			{Code: authz.ReasonRecipientNotMember, Rule: "merchant_allowed"}, {Code: authz.ReasonLimitExceeded, Rule: "cap"},
		},
		IssuedAt: "2026-03-06T12:00:00Z", CreatedAt: "2026-03-06T12:00:00Z", ExpiresAt: "2026-03-06T12:01:00Z", ExpiresIn: 60,
		PassportDigest: "sha256:" + passportDigest, PolicyDigest: "sha256:" + packDigest, RequestDigest: "sha256:" + e.Calls[0].Decision.RequestDigest.String(),
		Payment: &receipt.Payment{Recipient: "eve", Amount: "600", Currency: "USD"},
		Prev:    strings.Repeat("0", 64), KeyID: receipt.TestKey().ID(),
	}, {
		Version: 2, Sequence: 2, Evaluation: e.ID, Call: 3, Origin: authz.FromDispatch, DecisionID: receipt.DecisionID(e.ID, 3),
		Reasons:  []receipt.Reason{{Code: authz.ReasonInvalidContext, Rule: "arguments"}},
		IssuedAt: "2026-03-06T12:00:00Z", CreatedAt: "2026-03-06T12:00:00Z", ExpiresAt: "2026-03-06T12:01:00Z", ExpiresIn: 60,
		KeyID: receipt.TestKey().ID(),
	}}
	got := receipts(t, known, e)
	for i := range got {
		assert.Regexp(t, `^ed25519:[A-Za-z0-9+/]{86}==$`, got[i].Signature)
		got[i].Signature = ""
	}
	assert.NotEqual(t, want[0].Prev, got[1].Prev, "the second carries the first one's digest")
	want[1].Prev = got[1].Prev
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
}

// TestReceiptParties: a digest stands in the receipt whether or not anybody knows what
// it is of; a name stands there only beside its digest.
func TestReceiptParties(t *testing.T) {
	known, err := receipt.LoadParties(parties)
	require.NoError(t, err)
	type named struct{ PassportDigest, PassportID, PolicyDigest, PolicyID string }
	const id, pack = "7c0e1a54-52d4-4b1f-9a37-6f1d0c2b8e04", "finance.payment.charge.v1"
	for _, tt := range []struct {
		name             string
		passport, policy string
		want             named
		reason           string
	}{
		{"both known", passportDigest, packDigest, named{"sha256:" + passportDigest, id, "sha256:" + packDigest, pack}, "named"},
		{"pack unknown", passportDigest, digest, named{"sha256:" + passportDigest, id, "sha256:" + digest, ""}, "its digest is what it has"},
		{"passport unknown", digest, packDigest, named{"sha256:" + digest, "", "sha256:" + packDigest, pack}, "its digest is what it has"},
		{"each in the other's place", packDigest, passportDigest, named{"sha256:" + packDigest, "", "sha256:" + passportDigest, ""}, "a pack is no passport"},
		{"neither there", "", "", named{}, "nothing was read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := deny()
			d.PassportDigest, d.PolicyDigest = tt.passport, tt.policy
			r := receipts(t, known, evaluation(behind, "l2-0001", decided(requested("eve", 1, record.CallDenied), d)))[0]
			if diff := cmp.Diff(tt.want, named{r.PassportDigest, r.PassportID, r.PolicyDigest, r.PolicyID}); diff != "" {
				t.Errorf("parties: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestExpiresIn: whole seconds, however far apart the moments are.
func TestExpiresIn(t *testing.T) {
	year0, year9999 := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	for _, tt := range []struct {
		name            string
		issued, expires time.Time
		want            int64
		reason          string
	}{
		{"a minute", noon, noon.Add(time.Minute), 60, "the engine's"},
		{"nearly two seconds", noon.Add(1), noon.Add(2 * time.Second), 1, "whole ones"},
		{"a nanosecond", noon.Add(time.Second - 1), noon.Add(time.Second), 0, "across a second's edge"},
		{"nearly a second back", noon.Add(time.Second - 1), noon, 0, "verify names the moments"},
		{"all years", year0, year9999, 315569519999, "longer than a time.Duration, which ends after 292 years"},
		{"other zone", noon.In(time.FixedZone("", 3600)), noon.Add(time.Minute), 60, "moments, not clocks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := deny()
			d.IssuedAt, d.ExpiresAt = tt.issued, tt.expires
			got := receipts(t, receipt.Parties{}, evaluation(behind, "l2-0001", decided(requested("eve", 1, record.CallDenied), d)))
			assert.Equal(t, tt.want, got[0].ExpiresIn, tt.reason)
		})
	}
}

func TestDecisionID(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for _, evaluation := range []string{"", "a", "a#1", "é"} {
		for call := range 20 {
			id := receipt.DecisionID(evaluation, call)
			assert.Regexp(t, shape, id, "a UUID of version 8")
			assert.False(t, seen[id], "%s#%d shares its id", evaluation, call)
			assert.Equal(t, id, receipt.DecisionID(evaluation, call), "the same each time")
			seen[id] = true
		}
	}
	assert.Equal(t, "11fc1f96-c392-86b2-9b4f-a389a99298f3",
		receipt.DecisionID("written-front-desk/front-desk/recorded/oap/fd-06-parallel-calls/1", 3), "ids of finished runs stay what they are")
}

// TestWriterErrors: what can't be written or signed is an error, not a gap.
func TestWriterErrors(t *testing.T) {
	expired := allow()
	expired.ExpiresAt = noon.Add(-time.Hour)
	for _, tt := range []struct {
		name string
		out  writerFunc
		call record.Call
		want string
	}{
		{"expires before it is issued", discard, decided(requested("a", 1, record.CallDenied), expired), `receipt of call 1: member "expires_in" is -3600: want 0 to 2^53-1`},
		{"no UTF-8", discard, denied("\xff"), `receipt of call 1: member "recipient" is no UTF-8`},
		{"disk full", func([]byte) (int, error) { return 0, errors.New("disk full") }, denied("a"), "receipt of call 1: disk full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := receipt.NewWriter(tt.out, receipt.TestKey(), receipt.Parties{}).Add(evaluation(behind, "l2-0001", tt.call))
			require.EqualError(t, err, tt.want)
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func discard(p []byte) (int, error) { return len(p), nil }

func TestLoadPartiesErrors(t *testing.T) {
	for _, tt := range []struct {
		name, file, content, want string
	}{
		{"no JSON", "p.json", "{", "p.json: "},
		{"name twice", "packs/q.json", `{"id":"a","id":"b"}`, "packs/q.json: "},
		{"id of another type", "packs/q.json", `{"id":1}`, "packs/q.json: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := receipt.LoadParties(fstest.MapFS{tt.file: {Data: []byte(tt.content)}})
			require.ErrorContains(t, err, tt.want)
		})
	}
}
