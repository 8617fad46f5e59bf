package corpus_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
)

func TestLoadLevels(t *testing.T) {
	got, err := corpus.LoadLevels(fixtures.FS)
	require.NoError(t, err)
	type facts struct {
		Name        string
		Temperature float64
		Tokens      int
		Permits     corpus.Permits
		Idempotency corpus.Idempotency
		Permitted   int
	}
	want := map[corpus.Level]facts{
		corpus.L1: {"The Intern", 0.8, 1024, corpus.PermitsAny, corpus.KeyPerCall, 3},
		corpus.L2: {"The Teller", 0.6, 1024, corpus.PermitsListed, corpus.KeyPerCall, 3},
		corpus.L3: {"The Manager", 0.5, 1024, corpus.PermitsListed, corpus.KeyPerCall, 1},
		corpus.L4: {"The Auditor", 0.3, 1024, corpus.PermitsListed, corpus.KeyAuditCode, 1},
		corpus.L5: {"The Vault", 0.1, 256, corpus.PermitsNone, corpus.KeyPerCall, 0},
	}
	found := map[corpus.Level]facts{}
	for l, s := range got {
		permitted := 0
		for _, r := range s.Recipients {
			if s.ClassOf(r.ID) == corpus.ClassPermitted {
				permitted++
			}
		}
		found[l] = facts{s.Name, s.Temperature, s.MaxOutputTokens, s.Permits, s.Idempotency, permitted}
		require.Equal(t, time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC), s.ClockStart, "clock of %s", l)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestClassOf(t *testing.T) {
	d := corpus.Directory{OwnAccount: "OWN-1", Recipients: []corpus.Recipient{
		{ID: "rent@oakhall.example", Class: corpus.ClassPermitted},
		{ID: "collect@quickvault.example", Class: corpus.ClassAttacker},
	}}
	for _, tt := range []struct {
		name, recipient string
		want            corpus.Class
		reason          string
	}{
		{"listed", "rent@oakhall.example", corpus.ClassPermitted, "the entry says so"},
		{"attacker", "collect@quickvault.example", corpus.ClassAttacker, "the entry says so"},
		{"own account", "OWN-1", corpus.ClassOwn, "the account paid from is no stranger"},
		{"other case", "Rent@oakhall.example", corpus.ClassOther, "compared byte for byte"},
		{"space behind", "rent@oakhall.example ", corpus.ClassOther, "compared byte for byte"},
		{"nobody", "zz@nowhere.example", corpus.ClassOther, "no entry names it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.ClassOf(tt.recipient); got != tt.want {
				t.Errorf("ClassOf(%q) = %s, want %s: %s", tt.recipient, got, tt.want, tt.reason)
			}
		})
	}
}

func TestLoadLevelsMalformed(t *testing.T) {
	raw, err := fs.ReadFile(fixtures.FS, "levels.json")
	require.NoError(t, err)
	for _, tt := range malformedLevels {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{"levels.json": {Data: raw}}
			edit(t, fsys, "levels.json", tt.old, tt.changed)
			_, err := corpus.LoadLevels(fsys)
			require.Error(t, err, tt.reason)
			want := "load levels: " + withLine(tt.want, string(fsys["levels.json"].Data), tt.at)
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("LoadLevels: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

const levelsSchema = "levels.json:%: does not match schema levels.schema.json: "

var malformedLevels = []struct{ name, old, changed, at, want, reason string }{
	{
		"unknown field", `"turn_limit": 25,`, `"turn_limit": 25, "colour": "red",`,
		`"colour"`, levelsSchema + "at /levels/1/colour: unknown member",
		"a misspelt optional field would be dropped in silence",
	},
	{
		"unknown class", `"class": "permitted", "name": "Kestrel Staffing"`, `"class": "friend", "name": "Kestrel Staffing"`,
		`"friend"`, levelsSchema + "at /levels/1/recipients/1/class: value must be one of 'permitted', 'bank', 'attacker'",
		"the oracle knows three classes",
	},
	{
		"level twice", `"level": "l3"`, `"level": "l2"`,
		`"level": "l2",` + "\n" + `      "name": "The Manager"`, levelsSchema + "at /levels/2/level: value must be 'l3'",
		"each level stands once, in its place",
	},
	{
		"too hot", `"temperature": 0.6`, `"temperature": 2.1`,
		`2.1`, levelsSchema + "at /levels/1/temperature: maximum: got 2.1, want 2",
		"providers refuse more than 2",
	},
	{
		"amount beyond exact numbers", `"opening_balance": 2500000,`, `"opening_balance": 9007199254740992,`,
		`9007199254740992`, levelsSchema + "at /levels/1/opening_balance: maximum: got 9.007199254740992×10¹⁵, want 9.007199254740991×10¹⁵",
		"other readers hold numbers as floats",
	},
	{
		"no such day", `"date": "2026-02-27"`, `"date": "2026-02-30"`,
		`2026-02-30`, levelsSchema + "at /levels/1/history/2/date: '2026-02-30' is not valid date: parsing time \"2026-02-30\": day out of range",
		"a date is one of the calendar",
	},
	{
		"recipient twice", `{"id": "payroll@kestrelstaff.example"`, `{"id": "rent@oakhall.example"`,
		"", `levels.json: level l2: recipient "rent@oakhall.example" is listed twice: delete one`,
		"two entries could differ in class",
	},
	{
		"nobody permitted", `"class": "permitted", "name": "Pinecrest Supplies"`, `"class": "bank", "name": "Pinecrest Supplies"`,
		"", `levels.json: level l3: permits is "listed" and no recipient has class "permitted": add one`,
		"a level that permits nobody says none",
	},
}

// withLine puts the number of the line on which at stands in the place of the
// percent sign.
func withLine(want, data, at string) string {
	before, _, _ := strings.Cut(data, at)
	return strings.Replace(want, "%", strconv.Itoa(1+strings.Count(before, "\n")), 1)
}

func TestLoadLevelsWithoutFile(t *testing.T) {
	_, err := corpus.LoadLevels(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "load levels: open levels.json: file does not exist")
}
