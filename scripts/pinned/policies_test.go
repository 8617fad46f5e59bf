package pinned_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/oaptest"
	"vaultbench/scripts/pinned"
)

const chargePack = "packs/finance.payment.charge.v1.json"

// TestCheckPolicies: what a policy's author can break is said with the file, the
// place and what to do; what is shipped is whole.
func TestCheckPolicies(t *testing.T) {
	for _, tt := range []struct {
		name, file, old, new string
		want, reason         string
	}{
		{"shipped", "level-2.json", "", "", "", "the positive control"},
		{"condition", chargePack, "amount <= limits", "amount <=> limits", `load pack: ` + chargePack + `: rule per_tx_amount_cap: column 10: `, "the place in the condition"},
		{"deny code", chargePack, "oap.category_blocked", "oap.my_code", `rule category_block: unknown deny_code "oap.my_code": the codes are a closed list: oap.passport_suspended, `, "the list is closed, and shown"},
		{"deny code of another pack", chargePack, "oap.category_blocked", "oap.action_forbidden", `load pack: ` + chargePack + `: rule category_block: deny_code "oap.action_forbidden" is of another pack, and no decision about a payment can give it: use one of oap.passport_suspended, `, "the guard answers for it by oap.policy_error"},
		{"no JSON", "level-2.json", `"limits": {`, `"limits": `, "load passport: level-2.json:", "the line"},
		{"limit gone", "level-3.json", `"max_items_per_tx": 1,`, ``, "limits of payments.charge lack max_items_per_tx, which rule item_count_cap of finance.payment.charge.v1 reads", "missing is not empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := policies(t)
			text := string(folder[tt.file].Data)
			require.Contains(t, text, tt.old)
			folder[tt.file] = &fstest.MapFile{Data: []byte(strings.Replace(text, tt.old, tt.new, 1))}
			err := pinned.CheckPolicies(folder)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestCheckPoliciesOfTwoPacks: the second pack is whole, and decides nothing, however
// it is laid out; what is no pack may lie there.
func TestCheckPoliciesOfTwoPacks(t *testing.T) {
	const idle = ": nothing enforces this pack: every level is decided by finance.payment.charge.v1.json alone: move its rules there, and the file out of passports/packs"
	for _, tt := range []struct{ name, file, want, reason string }{
		{"beside", "packs/my.own.v1.json", "passports/packs/my.own.v1.json" + idle, "vault packs lists it"},
		{"in a folder", "packs/my.own.v1/policy.json", "passports/packs/my.own.v1/policy.json" + idle, "vault packs lists it"},
		{"in a folder, by another name", "packs/my.own.v1/rules.json", "passports/packs/my.own.v1/rules.json" + idle, "it looks like one"},
		{"deeper", "packs/own/my.v1/policy.json", "passports/packs/own/my.v1/policy.json" + idle, "likewise"},
		{"in capitals", "packs/MY.OWN.V1.JSON", "passports/packs/MY.OWN.V1.JSON" + idle, "likewise"},
		{"a note", "packs/README.md", "", "nobody takes it for a pack"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := policies(t)
			folder[tt.file] = folder[chargePack]
			err := pinned.CheckPolicies(folder)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.EqualError(t, err, tt.want, tt.reason)
		})
	}
}

// TestSparePassports: a passport that is put beside the others decides nothing, and
// whoever put it there is told.
func TestSparePassports(t *testing.T) {
	folder := policies(t)
	spare, err := pinned.SparePassports(folder)
	require.NoError(t, err)
	require.Empty(t, spare, "each shipped one is some level's, or some tool map's")
	folder["level-6.json"], folder["level-06.json"] = folder["level-2.json"], folder["level-2.json"]
	spare, err = pinned.SparePassports(folder)
	require.NoError(t, err)
	require.Equal(t, []string{"level-06.json", "level-6.json"}, spare)
}

// policies are those that stay as they are, to be changed.
func policies(t *testing.T) fstest.MapFS {
	t.Helper()
	folder := fstest.MapFS{}
	for _, pattern := range []string{"*.json", "packs/*.json"} {
		files, err := fs.Glob(oaptest.Fixed(), pattern)
		require.NoError(t, err)
		for _, file := range files {
			raw, err := fs.ReadFile(oaptest.Fixed(), file)
			require.NoError(t, err)
			folder[file] = &fstest.MapFile{Data: raw}
		}
	}
	return folder
}
