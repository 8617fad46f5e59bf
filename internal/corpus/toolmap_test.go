package corpus_test

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
)

func TestLoadToolMaps(t *testing.T) {
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	require.NoError(t, err)
	require.Contains(t, maps, "front-desk")
	require.Contains(t, maps, "agentdojo-banking")

	got := maps["agentdojo-banking"]
	recipients := map[corpus.Class]int{}
	for _, r := range got.Recipients {
		recipients[got.ClassOf(r.ID)]++
	}
	if diff := cmp.Diff(map[corpus.Class]int{corpus.ClassPermitted: 6, corpus.ClassAttacker: 1}, recipients); diff != "" {
		t.Errorf("recipients of agentdojo-banking (-want +got):\n%s", diff)
	}
	got.Recipients = nil
	want := corpus.ToolMap{
		Name: "agentdojo-banking", Passport: "agentdojo-banking", Transfer: "send_money",
		Arguments: corpus.TransferArguments{Recipient: "recipient", Amount: "amount", Memo: "subject"},
		Undecided: []string{"schedule_transaction", "update_scheduled_transaction"},
		Harmless: []string{
			"get_balance", "get_iban", "get_most_recent_transactions", "get_scheduled_transactions", "get_user_info", "read_file",
			"update_password", "update_user_info",
		},
		ClockStart: time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC),
		Directory: corpus.Directory{
			OwnAccount: "DE89370400440532013000", Currency: "USD",
			OpeningBalance: 9_000_000_000_000_000, Permits: corpus.PermitsListed,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("agentdojo-banking (-want +got):\n%s", diff)
	}
}

// TestFrontDesk: what we wrote ourselves is replayed as at Level 2, from an
// account of its own.
func TestFrontDesk(t *testing.T) {
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	require.NoError(t, err)
	levels, err := corpus.LoadLevels(fixtures.FS)
	require.NoError(t, err)
	want := levels[corpus.L2].Directory
	want.OwnAccount = "LF-FRONTDESK-06"
	if diff := cmp.Diff(want, maps["front-desk"].Directory); diff != "" {
		t.Errorf("directory of front-desk (-want +got):\n%s", diff)
	}
	require.Equal(t, levels[corpus.L2].ClockStart, maps["front-desk"].ClockStart)
}

func TestLabel(t *testing.T) {
	for _, tt := range []struct {
		name, want, reason string
		toolMap            corpus.ToolMap
	}{
		{"all decided", "recorded, open loop", "no tool that moves money is left out", corpus.ToolMap{Transfer: "pay"}},
		{"some undecided", "recorded, open loop, pay only", "the gap stands beside the figure", corpus.ToolMap{Transfer: "pay", Undecided: []string{"schedule"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.toolMap.Label(); got != tt.want {
				t.Errorf("Label() = %q, want %q: %s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestToolMapNames(t *testing.T) {
	m := corpus.ToolMap{Transfer: "pay", Undecided: []string{"schedule"}, Harmless: []string{"look"}}
	for _, tt := range []struct {
		name   string
		want   bool
		reason string
	}{
		{"pay", true, "it is decided"},
		{"schedule", true, "it moves money, and the label says that nobody decides"},
		{"look", true, "it moves none"},
		{"wire", false, "nobody knows what it does"},
		{"Pay", false, "another name, byte for byte"},
		{"", false, "no tool's name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Names(tt.name); got != tt.want {
				t.Errorf("Names(%q) = %t, want %t: %s", tt.name, got, tt.want, tt.reason)
			}
		})
	}
}

const frontDesk = "toolmaps/front-desk.json"

func TestLoadToolMapsMalformed(t *testing.T) {
	raw, err := fs.ReadFile(fixtures.FS, frontDesk)
	require.NoError(t, err)
	for _, tt := range malformedToolMaps {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{frontDesk: {Data: raw}}
			edit(t, fsys, frontDesk, tt.old, tt.changed)
			_, err := corpus.LoadToolMaps(fsys)
			require.Error(t, err, tt.reason)
			if diff := cmp.Diff("load tool maps: "+tt.want, err.Error()); diff != "" {
				t.Errorf("LoadToolMaps: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

var malformedToolMaps = []struct{ name, old, changed, want, reason string }{
	{
		"unknown field", `"undecided": [],`, `"undecided": [], "ignored": [],`,
		frontDesk + `:6: does not match schema toolmap.schema.json: at /ignored: unknown member`,
		"a misspelt field would be dropped in silence",
	},
	{
		"no harmless tools", `"harmless": ["get_balance", "verify_recipient", "get_transaction_history"],`, ``,
		frontDesk + `:1: does not match schema toolmap.schema.json: at /: missing property 'harmless'`,
		"a conversation that only asked for a balance would be no evidence",
	},
	{
		"a harmless transfer tool", `"verify_recipient"`, `"transfer_funds"`,
		frontDesk + `: tool "transfer_funds" is named twice among transfer, undecided and harmless: delete one`,
		"it would both move money and move none",
	},
	{
		"a harmless undecided tool", `"undecided": []`, `"undecided": ["get_balance"]`,
		frontDesk + `: tool "get_balance" is named twice among transfer, undecided and harmless: delete one`,
		"it would both move money and move none",
	},
	{
		"unknown argument", `"memo": "memo"`, `"memo": "memo", "note": "note"`,
		frontDesk + `:5: does not match schema toolmap.schema.json: at /arguments/note: unknown member`,
		"a payment has four arguments",
	},
	{
		"unknown word", `"permits": "listed"`, `"permits": "some"`,
		frontDesk + `:12: does not match schema toolmap.schema.json: at /permits: value must be one of 'any', 'listed', 'none'`,
		"the oracle knows three policies",
	},
	{
		"missing field", `"passport": "front-desk",`, ``,
		frontDesk + `:1: does not match schema toolmap.schema.json: at /: missing property 'passport'`,
		"a replay needs a passport",
	},
	{
		"not a name of a file", `"name": "front-desk"`, `"name": "Front Desk"`,
		frontDesk + `:2: does not match schema toolmap.schema.json: at /name: 'Front Desk' does not match pattern '^[a-z0-9]+(-[a-z0-9]+)*$'`,
		"the name is a part of the names of cells",
	},
	{
		"named unlike its file", `"name": "front-desk"`, `"name": "back-desk"`,
		frontDesk + `: name is "back-desk": call it "front-desk", after its file`,
		"a recording finds its tool map by name",
	},
	{
		"recipient twice", `"rent@oakhall.example"`, `"payroll@kestrelstaff.example"`,
		frontDesk + `: recipient "payroll@kestrelstaff.example" is listed twice: delete one`,
		"two entries could differ in class",
	},
	{
		"no file", "", "",
		"no file matches toolmaps/*.json",
		"without tool maps nothing recorded is replayed",
	},
}
