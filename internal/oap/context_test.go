package oap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// good is a context that the layer below allows; %s stands where rows put more.
const good = `{"amount":100,"currency":"USD","merchant_id":"bob","region":"US","items":[{"sku":"transfer","qty":1,"price":100}],"idempotency_key":"fresh-key-1","memo":"m"%s}`

// instead is the good context with one member's value replaced by raw text.
func instead(member, value string) string {
	old := map[string]string{
		"amount": `"amount":100`, "currency": `"currency":"USD"`, "merchant_id": `"merchant_id":"bob"`, "region": `"region":"US"`,
		"items": `"items":[{"sku":"transfer","qty":1,"price":100}]`, "idempotency_key": `"idempotency_key":"fresh-key-1"`, "memo": `"memo":"m"`, "qty": `"qty":1`,
	}[member]
	return strings.Replace(fmt.Sprintf(good, ""), old, `"`+member+`":`+value, 1)
}

func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

var badContexts = []struct{ name, raw, want, reason string }{
	{"float", instead("amount", "100.5"), "amount: want integer", "there are no fractions of a minor unit"},
	{"float without a fraction", instead("amount", "100.0"), "amount: want integer", "one reader's integer is another one's float"},
	{"exponent", instead("amount", "1e2"), "amount: want integer", "likewise"},
	{"negative", instead("amount", "-100"), "amount: -100 is out of range", "it would raise what a cap leaves"},
	{"negative zero", instead("amount", "-0"), "amount: 0 is out of range", "no payment"},
	{"zero", instead("amount", "0"), "amount: 0 is out of range", "no payment"},
	{"huge", instead("amount", "9223372036854775808"), "amount: want integer", "above 64 bits"},
	{"huger", instead("amount", strings.Repeat("9", 5000)), "amount: want integer", "it must not wrap"},
	{"leading zero", instead("amount", "0100"), "invalid context", "no JSON"},
	{"plus", instead("amount", "+100"), "invalid context", "no JSON"},
	{"NaN", instead("amount", "NaN"), "invalid context", "no JSON"},
	{"hexadecimal", instead("amount", "0x64"), "invalid context", "no JSON"},
	{"string for a number", instead("amount", `"100"`), "amount: want integer, not string", "no coercion"},
	{"null for a number", instead("amount", "null"), "amount: want integer", "null is not absent"},
	{"array for a number", instead("amount", "[100]"), "amount: want integer, not list", "no coercion"},
	{"object for a number", instead("amount", `{"amount":100}`), "amount: want integer, not map", "no coercion"},
	{"boolean for a number", instead("amount", "true"), "amount: want integer, not boolean", "no coercion"},
	{"number for a string", instead("merchant_id", "7"), "merchant_id: want string, not integer", "no coercion"},
	{"array for a string", instead("merchant_id", `["bob"]`), "merchant_id: want string, not list", "no coercion"},
	{"null for a string", instead("merchant_id", "null"), "merchant_id: want string", "null is not absent"},
	{"null for an optional string", instead("memo", "null"), "memo: want string", "null is not absent"},
	{"currency in lower case", instead("currency", `"usd"`), "currency: does not match", "the pattern"},
	{"currency with a line end", instead("currency", `"USD\n"`), "currency: does not match", "the end is the end"},
	{"short key", instead("idempotency_key", `"1234567"`), "idempotency_key: 7 characters", "minLength"},
	{"no item", instead("items", "[]"), "items: 0 items", "minItems"},
	{"item that is null", instead("items", "[null]"), "items: [0].want an object", "no item"},
	{"item without a price", instead("items", `[{"sku":"a","qty":1}]`), "items: [0].price: missing", "required"},
	{"float in an item", instead("qty", "1.0"), "items: [0].qty: want integer", "at any depth"},
	{"duplicate key", fmt.Sprintf(good, `,"amount":1`), "duplicate", "two readers could take two values"},
	{"duplicate key, escaped", fmt.Sprintf(good, `,"\u0061mount":1`), "duplicate", "the same name"},
	{"duplicate key in an unknown field", fmt.Sprintf(good, `,"x":{"a":1,"a":2}`), "duplicate", "at any depth"},
	{"key of another case", strings.Replace(fmt.Sprintf(good, ""), `"amount"`, `"Amount"`, 1), "amount: missing", "names are compared as they stand"},
	{"lone surrogate", instead("memo", `"\ud800"`), "surrogate", "no text"},
	{"lone surrogate in a name", fmt.Sprintf(good, `,"\udc00":1`), "surrogate", "no text"},
	{"invalid UTF-8", instead("memo", "\"\xff\""), "UTF-8", "no text"},
	{"control character", instead("memo", "\"\x01\""), "invalid", "no JSON"},
	{"data behind", fmt.Sprintf(good, "") + "{}", "data after the object", "which one counts?"},
	{"cut", fmt.Sprintf(good, "")[:80], "EOF", "no JSON"},
	{"empty", "", "EOF", "no JSON"},
	{"blank", " \n", "EOF", "no JSON"},
	{"byte order mark", "\ufeff" + fmt.Sprintf(good, ""), "invalid", "no JSON"},
	{"array", "[" + fmt.Sprintf(good, "") + "]", "want an object", "one context"},
	{"string", `"amount"`, "want an object", "no context"},
	{"null", "null", "want an object", "no context"},
	{"ten megabytes", fmt.Sprintf(good, `,"x":"`+strings.Repeat("x", 10<<20)+`"`), "bytes, at most", "before anything is read"},
	{"deep nesting", fmt.Sprintf(good, `,"x":`+nested(20000, "")), "invalid context", "the parser's own bound"},
	{"deep and long", instead("items", nested(9000, `"`+strings.Repeat("x", 1<<19)+`"`)), "nested deeper than", "each level would be scanned again"},
	{"list in a list", instead("items", nested(2, `{"sku":"transfer","qty":1,"price":100}`)), "items: [0].want an object", "no item"},
}

// openLayer allows anyone to be paid.
func openLayer(t testing.TB) *oap.Layer {
	t.Helper()
	return shippedLayer(t, "level-1.json", oap.ProfileOAP)
}

// TestBadContexts: what is no context of the pack is denied as one and uses
// nothing up.
func TestBadContexts(t *testing.T) {
	e := openLayer(t).Open()
	for _, tt := range badContexts {
		t.Run(tt.name, func(t *testing.T) {
			d := e.DecideContext([]byte(tt.raw), morning)
			require.Equal(t, []judged{{"context_schema", authz.ReasonInvalidContext}}, reasonsOf(d), tt.reason)
			require.Contains(t, d.Reasons[0].Message, tt.want, tt.reason)
		})
	}
	require.True(t, e.DecideContext([]byte(fmt.Sprintf(good, "")), morning).Allowed(), "control: the key is still free, and the good context is good")
}

// TestUnusualContexts are allowed: none of this is anything that a rule reads.
func TestUnusualContexts(t *testing.T) {
	for _, tt := range []struct{ name, raw, reason string }{
		{"unknown field", fmt.Sprintf(good, `,"note":[1.5,null,{"a":"b"}]`), "the schema lets it be there"},
		{"white space", "\n\t " + fmt.Sprintf(good, "") + " \n", "insignificant"},
		{"escaped name", strings.Replace(fmt.Sprintf(good, ""), `"amount"`, `"\u0061mount"`, 1), "the same name"},
		{"surrogate pair", instead("memo", `"\ud83d\udcb8"`), "valid text"},
		{"no memo", strings.Replace(fmt.Sprintf(good, ""), `,"memo":"m"`, "", 1), "optional"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := openLayer(t).Open().DecideContext([]byte(tt.raw), morning)
			require.True(t, d.Allowed(), "%s: %v", tt.reason, d.Reasons)
		})
	}
}

// TestAmountIsPositiveWhateverThePackSays: a pack may forget the minimum.
func TestAmountIsPositiveWhateverThePackSays(t *testing.T) {
	raw := swapOnce(t, shippedBytes(t, packFile), `{"type": "integer", "minimum": 1, "description": "Minor units."},`+"\n"+`      "currency"`, `{"type": "integer"},`+"\n"+`      "currency"`)
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	l, err := oap.NewLayer(shippedPassport(t, "level-1.json"), pack, oap.ProfileOAP)
	require.NoError(t, err)
	for _, amount := range []string{"0", "-1", "-9223372036854775808"} {
		d := l.Open().DecideContext([]byte(instead("amount", amount)), morning)
		require.Equal(t, []judged{{"context_schema", authz.ReasonInvalidContext}}, reasonsOf(d), amount)
	}
	require.True(t, l.Open().DecideContext([]byte(fmt.Sprintf(good, "")), morning).Allowed(), "control")
}
