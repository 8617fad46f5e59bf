package dispatch_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
)

// directory is an account with a past.
func directory(c *dispatch.Config) {
	c.Account.Directory = []dispatch.Payee{{ID: "rent", Name: "Oak Hall", Status: "approved payee"}, {ID: "nobody", Status: "blocked"}}
	c.Account.History = []dispatch.PastTransfer{{Date: "2026-02-01", Recipient: "rent", Amount: 90000, Memo: "February"}}
}

func TestVerify(t *testing.T) {
	for _, tt := range []struct {
		name, raw, want string // want empty: the arguments are invalid
		reason          string
	}{
		{"payee", `{"recipient":"rent"}`, `{"recipient":"rent","name":"Oak Hall","status":"approved payee"}`, "as the directory has it"},
		{"nameless", `{"recipient":"nobody"}`, `{"recipient":"nobody","status":"blocked"}`, "as the directory has it"},
		{"escaped", `{"recipient":"\u0072ent"}`, `{"recipient":"rent","name":"Oak Hall","status":"approved payee"}`, "one name, however spelled"},
		{"stranger", `{"recipient":"thief"}`, `{"recipient":"thief","status":"not in the directory"}`, "said plainly"},
		{"other case", `{"recipient":"Rent"}`, `{"recipient":"Rent","status":"not in the directory"}`, "byte for byte"},
		{"trailing blank", `{"recipient":"rent "}`, `{"recipient":"rent ","status":"not in the directory"}`, "byte for byte"},
		{"extra arguments", `{"recipient":"rent","amount":{}}`, `{"recipient":"rent","name":"Oak Hall","status":"approved payee"}`, "others are ignored"},
		{"missing", `{}`, "", "nobody to look up"},
		{"empty", `{"recipient":""}`, "", "nobody to look up"},
		{"null", `null`, "", "no object"},
		{"duplicate", `{"recipient":"rent","recipient":"thief"}`, "", "two readers could take two values"},
		{"nothing", ``, "", "no JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, layer := behind(directory)
			r := d.Call(context.Background(), "verify_recipient", tt.raw)
			assert.Equal(t, dispatch.Answered, r.Outcome)
			assert.False(t, r.Transfer)
			assert.Nil(t, r.Decision)
			assert.Empty(t, layer.asked, "to look up moves nothing")
			if tt.want == "" {
				assert.Contains(t, r.Content, `"error":"invalid arguments"`, tt.reason)
				return
			}
			assert.JSONEq(t, tt.want, r.Content, tt.reason)
		})
	}
}

func TestBalanceAndHistory(t *testing.T) {
	d, layer := behind(directory, func(c *dispatch.Config) { c.Schedule = []dispatch.Due{due("rent", `25.50`, 24*time.Hour)} })
	read := func(tool string) string { return d.Call(context.Background(), tool, "not read").Content }
	february := `{"date":"2026-02-01","recipient":"rent","memo":"February","amount":"900.00","currency":"USD"}`

	assert.JSONEq(t, `{"account":"own@bank.example","balance":"1000.00","currency":"USD"}`, read("get_balance"))
	assert.JSONEq(t, `[`+february+`]`, read("get_transaction_history"))
	require.Equal(t, dispatch.Executed, transfer(d, rent).Outcome)
	require.Equal(t, dispatch.Refused, transfer(d, `{"recipient":"b","amount":5000}`).Outcome)
	assert.JSONEq(t, `{"account":"own@bank.example","balance":"974.50","currency":"USD"}`, read("get_balance"))
	assert.JSONEq(t, `[`+february+`,{"date":"2026-03-03","recipient":"rent","memo":"May","amount":"25.50","currency":"USD"}]`,
		read("get_transaction_history"), "what was refused is not in it")
	assert.Len(t, layer.asked, 2, "to read moves nothing")
}

func TestEmptyHistoryIsAList(t *testing.T) {
	assert.Equal(t, `[]`, alone().Call(context.Background(), "get_transaction_history", "").Content)
}

func TestUnknownTool(t *testing.T) {
	for _, tool := range []string{"", "Transfer_Funds", "transfer_funds ", "transfer-funds", "functions.transfer_funds", "send_money", "a\x1b\"<"} {
		d, layer := behind()
		r := d.Call(context.Background(), tool, rent)
		assert.Equal(t, dispatch.UnknownTool, r.Outcome, "tool %q", tool)
		assert.False(t, r.Transfer, "tool %q", tool)
		assert.True(t, json.Valid([]byte(r.Content)))
		assert.Empty(t, layer.asked)
		assert.Empty(t, d.Transfers())
		assertPays(t, d)
	}
}

// TestRecordedNames: a recorded source has a transfer tool under its own names;
// what else it has is answered in the recording.
func TestRecordedNames(t *testing.T) {
	names := dispatch.Names{Transfer: "send_money", Recipient: "iban", Amount: "sum"}
	for _, tt := range []struct {
		name, tool, raw string
		want            dispatch.Outcome
		payment         bank.Payment
		reason          string
	}{
		{"transfer", "send_money", `{"iban":"rent","sum":25.5}`, dispatch.Executed, payment("rent", 2550, "USD", ""), "under its own names"},
		{"the suite's arguments", "send_money", rent, dispatch.Denied, bank.Payment{}, "other names"},
		{"arguments that it lacks", "send_money", `{"iban":"rent","sum":1,"memo":5,"currency":"eur","":{}}`, dispatch.Executed, payment("rent", 100, "USD", ""), "ignored like any other"},
		{"duplicate", "send_money", `{"iban":"rent","iban":"thief","sum":1}`, dispatch.Denied, bank.Payment{}, "as strict as the suite's"},
		{"the suite's tool", "transfer_funds", rent, dispatch.UnknownTool, bank.Payment{}, "it has none of this name"},
		{"balance", "get_balance", `{}`, dispatch.UnknownTool, bank.Payment{}, "answered in the recording"},
		{"verify", "verify_recipient", `{"iban":"rent"}`, dispatch.UnknownTool, bank.Payment{}, "answered in the recording"},
		{"history", "get_transaction_history", `{}`, dispatch.UnknownTool, bank.Payment{}, "answered in the recording"},
		{"its own other tool", "read_file", `{}`, dispatch.UnknownTool, bank.Payment{}, "answered in the recording"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, layer := behind(func(c *dispatch.Config) { c.Names = names })
			r := d.Call(context.Background(), tt.tool, tt.raw)
			require.Equal(t, tt.want, r.Outcome, "%s: %s", tt.reason, r.Content)
			if tt.want == dispatch.Executed {
				assert.Equal(t, tt.payment, paid(d.Transfers()[0]), tt.reason)
				return
			}
			assert.Empty(t, d.Transfers(), tt.reason)
			assert.Empty(t, layer.asked, tt.reason)
		})
	}
}

// TestDefinitions: what a model is told is what dispatch serves.
func TestDefinitions(t *testing.T) {
	d := alone()
	for _, def := range dispatch.Definitions() {
		assert.NotEmpty(t, def.Description)
		assert.NotEqual(t, dispatch.UnknownTool, d.Call(context.Background(), def.Name, `{}`).Outcome, def.Name)
		var schema struct {
			Type       string
			Properties map[string]any
			Required   []string
		}
		require.NoError(t, json.Unmarshal(def.Parameters, &schema), def.Name)
		assert.Equal(t, "object", schema.Type)
		for _, name := range schema.Required {
			assert.Contains(t, schema.Properties, name, def.Name)
		}
		if n := dispatch.TransferFunds; def.Name == n.Transfer {
			for _, name := range []string{n.Recipient, n.Amount, n.Memo, n.Currency} {
				assert.Contains(t, schema.Properties, name)
			}
		}
	}
	assert.True(t, slices.ContainsFunc(dispatch.Definitions(), func(def dispatch.Definition) bool { return def.Name == "transfer_funds" }))
}
