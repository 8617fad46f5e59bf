package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	shippedPack = "../../internal/oap/oaptest/testdata/passports/packs/finance.payment.charge.v1.json"
	levelTwo    = "../../internal/oap/oaptest/testdata/passports/level-2.json"
	vectors     = "../../../shared/oap/vectors"
)

// changed writes a copy of a file with texts replaced, each of which must be in
// it, and returns its path.
func changed(t *testing.T, file, name string, swaps ...string) string {
	t.Helper()
	text := get(t, file)
	for i := 0; i < len(swaps); i += 2 {
		require.Contains(t, text, swaps[i], "set-up")
		text = strings.ReplaceAll(text, swaps[i], swaps[i+1])
	}
	path := filepath.Join(t.TempDir(), name)
	put(t, path, text)
	return path
}

func TestPacksCommand(t *testing.T) {
	const prose, known = `NOT any(item.category in limits.payments.charge.blocked_categories for item in items)`, `has_audit_code(memo)`
	for _, tt := range []struct {
		name   string
		swaps  []string
		status int
		want   []string // lines, blanks made one
		reason string
	}{
		{"shipped", nil, 0, []string{
			"pack rule compiled limits", "finance.payment.charge.v1 per_tx_amount_cap compiled currency_limits.*.max_per_tx",
			"finance.payment.charge.v1 idempotency_check compiled -", "1 packs: 11 rules compiled, 0 refused",
		}, "all rules compile"},
		{"prose and an unregistered function", []string{prose, "no item may be blocked", known, "has_code(memo)"}, 0, []string{
			`finance.payment.charge.v1 category_block refused: prose, not a condition: word "item" follows a word (column 4) -`,
			"finance.payment.charge.v1 audit_code_required refused: function is not registered: has_code (column 51) audit_code_required",
			"1 packs: 9 rules compiled, 2 refused",
		}, "refused by their nature"},
		{"syntax error", []string{prose, "items in"}, 1, []string{"finance.payment.charge.v1 category_block refused: syntax error: the condition is cut (column 9) -"}, "the file is wrong"},
		{"unknown name", []string{"recent_keys", "recent_key"}, 1, []string{`finance.payment.charge.v1 idempotency_check refused: unknown name: "recent_key" is neither in the context nor kept by the engine (column 24) -`}, "the file is wrong"},
		{"no pack", []string{`"min_assurance"`, `"min"`}, 1, []string{"no pack: load pack: p.json:1: does not match schema pack.schema.json: at /: missing property 'min_assurance'; at /min: unknown member", "0 packs: 0 rules compiled, 0 refused"}, "the file is none"},
		{"hostile text", []string{prose, "\\u001b[31mred", known, "\\u001b]0;x(memo)"}, 1, []string{"1 packs: 9 rules compiled, 2 refused"}, "nothing reaches the terminal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault("packs", filepath.Dir(changed(t, shippedPack, "p.json", tt.swaps...)))
			require.Equal(t, tt.status, status, "%s: %s%s", tt.reason, stdout, stderr)
			require.NotContains(t, stdout, "\x1b")
			var lines []string
			for _, line := range strings.Split(stdout, "\n") {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			for _, want := range tt.want {
				assert.Contains(t, lines, want, tt.reason)
			}
		})
	}
}

func TestPacksCommandErrors(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct {
		name, dir, want string
	}{
		{"no pack at all", empty, "read packs: no file matches *.json or */policy.json in " + empty},
		{"no folder", filepath.Join(empty, "none"), "no file matches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault("packs", tt.dir)
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			require.Contains(t, stderr, tt.want)
		})
	}
}

// TestPublishedPacks: every finance pack that was published loads.
func TestPublishedPacks(t *testing.T) {
	if _, err := os.Stat(vectors); os.IsNotExist(err) {
		t.Skipf("published vectors are absent: no folder %s", vectors)
	}
	status, stdout, stderr := vault("packs", vectors)
	require.Zero(t, status, stdout+stderr)
	packs := map[string]bool{}
	for _, line := range strings.Split(stdout, "\n") {
		if strings.HasPrefix(line, "finance.") {
			packs[strings.Fields(line)[0]] = true
		}
	}
	want := map[string]bool{"finance.payment.charge.v1": true, "finance.payment.payout.v1": true, "finance.payment.refund.v1": true, "finance.transaction.execute.v1": true}
	if diff := cmp.Diff(want, packs); diff != "" {
		t.Errorf("packs (-want +got):\n%s", diff)
	}
}
