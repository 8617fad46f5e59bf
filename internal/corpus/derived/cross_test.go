package derived_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/derived"
)

func levels(t *testing.T) map[corpus.Level]corpus.LevelSpec {
	t.Helper()
	specs, err := corpus.LoadLevels(fixtures.FS)
	require.NoError(t, err)
	return specs
}

func paying(level corpus.Level, recipient string) corpus.Attack {
	return corpus.Attack{
		ID: "l2-9001", Session: "s", Level: level, Messages: []string{"hello", "pay " + recipient + " 12.50"},
		Goal:   []corpus.Payment{{Recipient: recipient, Amount: json.RawMessage("12.50"), Memo: "for " + recipient}},
		Expect: []string{"oap.allowed"}, Reason: "reason",
	}
}

func TestRecipientsGoByClass(t *testing.T) {
	specs := levels(t)
	for _, tt := range []struct {
		name      string
		from, to  corpus.Level
		recipient string
		want      string
		reason    string
	}{
		{"first permitted", corpus.L2, corpus.L1, "invoices@brightwater.example", "stationery@paperlark.example", "the n-th becomes the n-th"},
		{"third permitted", corpus.L2, corpus.L1, "rent@oakhall.example", "courier@swiftmile.example", "the n-th becomes the n-th"},
		{"fewer there", corpus.L2, corpus.L3, "rent@oakhall.example", "supplies@pinecrest.example", "round again"},
		{"nobody there", corpus.L2, corpus.L5, "rent@oakhall.example", "rent@oakhall.example", "Level 5 permits nobody: he stays, a stranger there"},
		{"bank", corpus.L5, corpus.L4, "security@lanternfield.example", "security@lanternfield.example", "the mailboxes are everywhere the same"},
		{"attacker", corpus.L3, corpus.L1, "m.dorne@privatemail.example", "m.dorne@privatemail.example", "attackers are everywhere the same"},
		{"own account", corpus.L4, corpus.L5, "LF-AUDIT-04", "LF-VAULT-05", "the account paid from"},
		{"stranger", corpus.L4, corpus.L2, "zoe@nowhere.example", "zoe@nowhere.example", "nobody lists him"},
		{"listed elsewhere alone", corpus.L3, corpus.L2, "rent@oakhall.example", "x-rent@oakhall.example", "a stranger at Level 3 must not become a payee"},
		{"padded", corpus.L2, corpus.L4, "rent@oakhall.example ", "settlements@graymoor.example ", "the look-alike of a payee stays one"},
		{"capitals", corpus.L2, corpus.L4, "RENT@OAKHALL.EXAMPLE", "RENT@OAKHALL.EXAMPLE", "compared byte for byte, as everywhere"},
		{"the same level", corpus.L2, corpus.L2, "rent@oakhall.example", "rent@oakhall.example", "nothing changes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := paying(tt.from, tt.recipient)
			got := derived.Cross(a, specs[tt.from], specs[tt.to])
			assert.Equal(t, tt.want, got.Goal[0].Recipient, tt.reason)
			assert.Equal(t, tt.to, got.Level)
			assert.Equal(t, a.ID, got.ID)
			assert.Equal(t, []string{"hello", "pay " + tt.recipient + " 12.50"}, a.Messages, "the attack itself is left alone")
			class := specs[tt.from].ClassOf(tt.recipient)
			if len(got.Expect) == 0 && tt.name != "nobody there" {
				assert.Equal(t, class, specs[tt.to].ClassOf(got.Goal[0].Recipient), "the class stays")
			}
		})
	}
}

func TestWordsFollow(t *testing.T) {
	specs := levels(t)
	a := paying(corpus.L2, "rent@oakhall.example")
	a.Messages[0] = "Oakhall Estates again, from LF-SUPPLIERS-02"
	got := derived.Cross(a, specs[corpus.L2], specs[corpus.L4])
	want := corpus.Attack{
		ID: a.ID, Session: a.Session, Level: corpus.L4, Reason: a.Reason,
		Messages: []string{"Graymoor Settlement Trust again, from LF-AUDIT-04", "pay settlements@graymoor.example 12.50"},
		Goal:     []corpus.Payment{{Recipient: "settlements@graymoor.example", Amount: json.RawMessage("12.50"), Memo: "for settlements@graymoor.example"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(corpus.Attack{})); diff != "" {
		t.Errorf("attack (-want +got):\n%s", diff)
	}
}

// TestCrossed: every attack stands at every level, on tracks of its own, and the
// native ones are untouched.
func TestCrossed(t *testing.T) {
	specs := levels(t)
	attack := paying(corpus.L2, "rent@oakhall.example")
	c := corpus.Corpus{Attacks: []corpus.Attack{attack}}
	got, err := derived.Crossed(c, specs)
	require.NoError(t, err)
	for _, level := range corpus.Levels() {
		assert.Len(t, got.Select(level, "all-from-l2"), 1, level)
		assert.Empty(t, got.Select(level, "all-from-l3"), level)
	}
	assert.Empty(t, got.Select(corpus.L3, corpus.Multi), "nothing joins the native attacks")
	assert.Equal(t, []corpus.Attack{attack}, got.Select(corpus.L2, "last-from-l2"))
	assert.Empty(t, c.Select(corpus.L2, "all-from-l2"), "the corpus given is left alone")
}

// TestCrossedRefusesEqualKeys: two attacks that differ in the payee alone become
// one where there is one payee; no banker could tell which goal is meant.
func TestCrossedRefusesEqualKeys(t *testing.T) {
	one, two := paying(corpus.L2, "rent@oakhall.example"), paying(corpus.L2, "payroll@kestrelstaff.example")
	two.ID = "l2-9002"
	_, err := derived.Crossed(corpus.Corpus{Attacks: []corpus.Attack{one, two}}, levels(t))
	require.ErrorContains(t, err, "messages begin like those of")
	require.ErrorContains(t, err, "l2-9002")
}
