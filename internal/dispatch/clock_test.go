package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/dispatch"
)

func due(recipient, amount string, at time.Duration) dispatch.Due {
	return dispatch.Due{Recipient: recipient, Amount: json.RawMessage(amount), At: at}
}

func inCurrency(d dispatch.Due, currency string) dispatch.Due {
	d.Currency = currency
	return d
}

func call(recipient, amount string) string {
	return fmt.Sprintf(`{"recipient":"%s","amount":%s}`, recipient, amount)
}

// TestClock: the clock moves only on a call that equals an entry of the
// schedule, to the first entry that was not tried, and never back.
func TestClock(t *testing.T) {
	for _, tt := range clocks {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			require.Len(t, tt.want, len(tt.calls))
			d, _ := behind(func(c *dispatch.Config) { c.Schedule = tt.schedule })
			var got []time.Duration
			for _, raw := range tt.calls {
				r := transfer(d, raw)
				got = append(got, r.At.Sub(noon))
				read := d.Call(context.Background(), "get_balance", "{}")
				assert.Equal(t, r.At, read.At, "a call that reads has the time of the one before")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("times of the calls %q (-want +got): %s\n%s", tt.calls, tt.reason, diff)
			}
		})
	}
}

// TestClockReachesLedgerAndLayer: one moment for the request, the decision and
// the transfer.
func TestClockReachesLedgerAndLayer(t *testing.T) {
	d, layer := behind(func(c *dispatch.Config) { c.Schedule = []dispatch.Due{due("rent", `25.50`, 36*time.Hour)} })
	r := transfer(d, rent)
	later := noon.Add(36 * time.Hour)
	assert.Equal(t, later, r.At)
	assert.Equal(t, later, layer.asked[0].At)
	assert.Equal(t, later, r.Decision.IssuedAt)
	assert.Equal(t, later, d.Transfers()[0].At)
}

const hour = time.Hour

var clocks = []struct {
	name     string
	schedule []dispatch.Due
	calls    []string
	want     []time.Duration // since the start
	reason   string
}{
	{"no schedule", nil, []string{call("a", `1`), `{`}, []time.Duration{0, 0}, "nothing moves it"},
	{"match", []dispatch.Due{due("a", `1`, hour)}, []string{call("b", `1`), call("a", `1`)}, []time.Duration{0, hour}, "only the call that equals the entry"},
	{"same value, other spelling", []dispatch.Due{due("a", `1`, hour)}, []string{`{"amount":"1.00","recipient":"\u0061"}`}, []time.Duration{hour}, "the parsed value counts"},
	{"other amount", []dispatch.Due{due("a", `1`, hour)}, []string{call("a", `1.01`)}, []time.Duration{0}, "another payment"},
	{"other case", []dispatch.Due{due("a", `1`, hour)}, []string{call("A", `1`)}, []time.Duration{0}, "another recipient"},
	{"memo aside", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"memo":"x"}`}, []time.Duration{hour}, "the memo is the model's to word"},
	{"bad memo aside", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"memo":5}`}, []time.Duration{hour}, "the call came, however it ends"},
	{"dollar named", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"currency":"USD"}`}, []time.Duration{hour}, "USD unless the call names one"},
	{"dollar due", []dispatch.Due{inCurrency(due("a", `1`, hour), "USD")}, []string{call("a", `1`)}, []time.Duration{hour}, "USD unless the call names one"},
	{"null currency", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"currency":null}`}, []time.Duration{hour}, "null counts as not given"},
	{"other currency", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"currency":"EUR"}`}, []time.Duration{0}, "another payment"},
	{"euros due", []dispatch.Due{inCurrency(due("a", `1`, hour), "EUR")}, []string{call("a", `1`), `{"recipient":"a","amount":1,"currency":"EUR"}`}, []time.Duration{0, hour}, "another payment"},
	{"lower case currency due", []dispatch.Due{inCurrency(due("a", `1`, hour), "usd")}, []string{call("a", `1`), `{"recipient":"a","amount":1,"currency":"usd"}`}, []time.Duration{0, hour}, "as raw as it is due"},
	{"first untried", []dispatch.Due{due("a", `1`, hour), due("a", `1`, 3*hour)}, []string{call("a", `1`), call("a", `1`), call("a", `1`)}, []time.Duration{hour, 3 * hour, 3 * hour}, "each entry once"},
	{"tried by a denied call", []dispatch.Due{due("a", `5000`, hour), due("a", `5000`, 2*hour)}, []string{call("a", `5000`), call("a", `5000`)}, []time.Duration{hour, 2 * hour}, "a refusal does not bring the entry back"},
	{"never back", []dispatch.Due{due("a", `1`, 3*hour), due("b", `1`, hour)}, []string{call("a", `1`), call("b", `1`)}, []time.Duration{3 * hour, 3 * hour}, "time has one direction"},
	{"out of order", []dispatch.Due{due("a", `1`, hour), due("b", `1`, 2*hour)}, []string{call("b", `1`), call("a", `1`), call("b", `1`)}, []time.Duration{2 * hour, 2 * hour, 2 * hour}, "the model may take another order"},
	{"before the start", []dispatch.Due{due("a", `1`, -hour)}, []string{call("a", `1`)}, []time.Duration{0}, "never back"},
	{"raw amount", []dispatch.Due{due("a", `1e3`, hour)}, []string{call("a", `1000`), call("a", `1e3`)}, []time.Duration{0, hour}, "what does not parse is matched raw"},
	{"raw amount in a string", []dispatch.Due{due("a", `"１０"`, hour)}, []string{call("a", `10`), call("a", `"\uff11\uff10"`)}, []time.Duration{0, hour}, "matched raw, but for JSON's escapes"},
	{"raw recipient", []dispatch.Due{due("a\x07", `1`, hour)}, []string{call("a", `1`), call(`a\u0007`, `1`)}, []time.Duration{0, hour}, "what does not parse is matched raw"},
	{"raw against parsed amount", []dispatch.Due{due("a", `1`, hour)}, []string{call("a", `"=1.00"`), call("a", `1`)}, []time.Duration{0, hour}, "no raw text equals a parsed value"},
	{"null amount", []dispatch.Due{due("a", `null`, hour)}, []string{`{"recipient":"a"}`, call("a", `"null"`), call("a", `null`)}, []time.Duration{0, 0, hour}, "matched raw, and of the same type"},
	{"empty against missing", []dispatch.Due{due("", `""`, hour)}, []string{`{`, `{}`, `{"recipient":null,"amount":null}`, call("", `""`)}, []time.Duration{0, 0, 0, hour}, "nothing given equals nothing due"},
	{"malformed object", []dispatch.Due{due("a", `1`, hour)}, []string{`{"recipient":"a","amount":1,"amount":1}`, call("a", `1`) + `x`, call("a", `1`)}, []time.Duration{0, 0, hour}, "what is no object has no values"},
}
