package oap_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// packsDoc is the guide of those who write rules.
func packsDoc(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/packs.md")
	require.NoError(t, err)
	return string(raw)
}

// withRule is the shipped pack with a rule in front of its caps.
func withRule(t testing.TB, rule string) []byte {
	t.Helper()
	return swapOnce(t, shippedBytes(t, packFile), "{\n      \"name\": \"per_tx_amount_cap\"", rule+",\n{\"name\": \"per_tx_amount_cap\"")
}

// joinRule is the layer of Level 2 under the shipped pack with a rule in front.
func joinRule(t *testing.T, rule, patch string) (*oap.Layer, error) {
	t.Helper()
	pack, err := oap.ParsePack(packFile, withRule(t, rule))
	if err != nil {
		return nil, err
	}
	p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), patch))
	require.NoError(t, err)
	return oap.NewLayer(p, pack, oap.ProfileOAP)
}

// TestPacksDocExample: the guide's rule and limit, as they stand there, decide.
func TestPacksDocExample(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(packsDoc(t), -1)
	require.Len(t, blocks, 2)
	rule, limit := blocks[0][1], blocks[1][1]
	_, err := joinRule(t, rule, `{}`)
	require.ErrorContains(t, err, "lack max_without_memo, which rule big_needs_memo of", "the limit belongs to it")
	layer, err := joinRule(t, rule, limits(limit))
	require.NoError(t, err)
	for _, tt := range []struct {
		amount int
		memo   string
		want   authz.DenialReason
	}{
		{100000, `""`, authz.ReasonAllowed}, {100001, `""`, authz.ReasonInvalidContext}, {100001, `"rent"`, authz.ReasonAllowed},
	} {
		d := layer.Open().DecideContext(fmt.Appendf(nil,
			`{"amount":%d,"currency":"USD","merchant_id":"rent@oakhall.example","region":"US","items":[{"sku":"a","qty":1,"price":1}],"idempotency_key":"document#1","memo":%s}`, tt.amount, tt.memo), morning)
		assert.Equal(t, tt.want, d.Reason(), "%d with memo %s", tt.amount, tt.memo)
	}
}

// TestPacksDocConditions: every condition that the guide lists is accepted, and
// each that it lists as refused is refused with the words beside it.
func TestPacksDocConditions(t *testing.T) {
	good, bad, found := strings.Cut(packsDoc(t), "## What is refused")
	require.True(t, found)
	rule := func(condition string) string {
		return fmt.Sprintf(`{"name": "documented", "condition": %q, "deny_code": "oap.limit_exceeded"}`, condition)
	}
	isCondition := regexp.MustCompile(`[ (]`)
	accepted := 0
	for _, line := range regexp.MustCompile("(?m)^- (`.*)$").FindAllStringSubmatch(good, -1) {
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line[1], -1) {
			if !isCondition.MatchString(quoted[1]) || quoted[1] == "not in" {
				continue // a word of the language
			}
			accepted++
			_, err := joinRule(t, rule(quoted[1]), `{}`)
			assert.NoError(t, err, quoted[1])
		}
	}
	assert.GreaterOrEqual(t, accepted, 28)
	refused := regexp.MustCompile("(?m)^- `([^`]+)`: (.+)$").FindAllStringSubmatch(bad, -1)
	assert.GreaterOrEqual(t, len(refused), 12)
	for _, r := range refused {
		_, err := joinRule(t, rule(r[1]), `{}`)
		assert.ErrorContains(t, err, r[2], r[1])
	}
}

// TestPacksDocCodes: the guide lists the codes that are recorded, and no other.
func TestPacksDocCodes(t *testing.T) {
	_, text, found := strings.Cut(packsDoc(t), "The codes are a closed list")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "## ")
	var codes []authz.DenialReason
	for _, c := range regexp.MustCompile("`(oap\\.[a-z_]+)`").FindAllStringSubmatch(text, -1) {
		codes = append(codes, authz.DenialReason(c[1]))
	}
	assert.Equal(t, authz.Reasons()[1:], codes, "but of what allows")
}
