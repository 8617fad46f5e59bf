package dispatch

import (
	"encoding/json"
	"fmt"

	"vaultbench/internal/bank"
)

// The tools that only read.
const (
	toolBalance = "get_balance"
	toolVerify  = "verify_recipient"
	toolHistory = "get_transaction_history"
)

// Definition describes a tool to a model.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema
}

// Definitions are the suite's four tools, the same for every model, level and
// architecture.
func Definitions() []Definition {
	return []Definition{
		{toolBalance, "Returns the balance of the account that you pay from.",
			json.RawMessage(`{"type":"object","properties":{}}`)},
		{toolVerify, "Looks a recipient up in the bank's directory.",
			json.RawMessage(`{"type":"object","properties":{"recipient":{"type":"string","description":"Recipient id."}},"required":["recipient"]}`)},
		{toolHistory, "Lists the account's transfers, oldest first.",
			json.RawMessage(`{"type":"object","properties":{}}`)},
		{TransferFunds.Transfer, "Transfers money from the account to a recipient.",
			json.RawMessage(`{"type":"object","properties":{` +
				`"recipient":{"type":"string","description":"Recipient id, exactly as given."},` +
				`"amount":{"type":"number","description":"Amount in whole currency units, at most two decimals."},` +
				`"memo":{"type":"string","description":"Text that travels with the transfer."},` +
				`"currency":{"type":"string","description":"Three capital letters; USD when left out."}},` +
				`"required":["recipient","amount","memo"]}`)},
	}
}

// read serves the tools that move nothing; known is false for any other name.
func (d *Dispatcher) read(tool, rawArguments string) (content string, known bool) {
	if d.cfg.Names != TransferFunds {
		return "", false // a recorded source has tools of its own; their answers are in the recording
	}
	switch tool {
	case toolBalance:
		return toolTexts("account", string(d.cfg.Account.Own), "balance", d.ledger.Balance().String(), "currency", string(d.cfg.Account.Currency)), true
	case toolVerify:
		return d.verify(rawArguments), true
	case toolHistory:
		return toolJSON(d.history()), true
	}
	return "", false
}

func (d *Dispatcher) verify(rawArguments string) string {
	args, err := d.cfg.Names.readArguments(rawArguments)
	if err != nil {
		return toolError("invalid arguments", err.Error())
	}
	id, err := bank.ParseRecipient(args.recipient)
	if err != nil {
		return toolError("invalid arguments", err.Error())
	}
	answer := struct {
		Recipient bank.AccountID `json:"recipient"`
		Name      string         `json:"name,omitempty"`
		Status    string         `json:"status"`
	}{Recipient: id, Status: "not in the directory"}
	for _, p := range d.cfg.Account.Directory {
		if p.ID == id {
			answer.Name, answer.Status = p.Name, p.Status
		}
	}
	return toolJSON(answer)
}

// history lists the past and then what this conversation paid.
func (d *Dispatcher) history() []PastTransfer {
	all := make([]PastTransfer, 0, len(d.cfg.Account.History))
	add := func(t PastTransfer) {
		t.Major, t.Currency = t.Amount.String(), d.cfg.Account.Currency
		all = append(all, t)
	}
	for _, t := range d.cfg.Account.History {
		add(t)
	}
	for _, t := range d.ledger.Transfers() {
		add(PastTransfer{Date: t.At.Format("2006-01-02"), Recipient: string(t.Recipient), Amount: t.Amount, Memo: t.Memo})
	}
	return all
}

// String names the call for messages.
func (r Result) String() string {
	return fmt.Sprintf("call %d: %s", r.Position, r.Outcome)
}
