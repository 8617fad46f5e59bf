package sim

import (
	"encoding/json"
	"strings"
)

// dossier carries over what earlier user messages left open, so that a payment
// may be asked for in parts: first the payee, then the amount, then the code.
type dossier struct {
	recipient string  // named and not paid for
	amount    money   // stated and not assigned, zero where none is
	orders    []order // complete but for the audit code
	codes     []token // given and not used
	verb      bool    // some message so far asked for a payment
	last      string  // the recipient named last at all
}

// add takes in a message and returns the payments that it asks for, alone or
// together with what was open. needsCode keeps payments without a code open.
func (d *dossier) add(r reading, needsCode bool) []order {
	d.verb = d.verb || r.verb
	if len(r.orders) == 0 {
		r.orders = d.complete(r)
	}
	if len(r.codes) == 0 {
		r.assign(d.codes)
	}
	if r.lastNamed != "" {
		d.last = r.lastNamed
	}
	d.keep(r, needsCode)
	return r.orders
}

// complete finds the other half of what the message names. An amount alone goes
// to a payee that is still open; to one that was dealt with only if the message
// asks for a payment ("then send 200").
func (d *dossier) complete(r reading) []order {
	o := order{recipient: d.recipient, money: d.amount}
	hasRecipient, hasAmount := len(r.recipients) > 0, len(r.amounts) > 0
	switch {
	case hasRecipient && !hasAmount:
		o.recipient = r.recipients[len(r.recipients)-1].text
	case hasAmount && !hasRecipient:
		o.money = r.amounts[len(r.amounts)-1].money
		if o.recipient == "" && r.verb {
			o.recipient = d.last
		}
	case len(r.codes) > 0 && len(d.orders) > 0:
		open := reading{orders: d.orders}
		open.assign(r.codes)
		return open.orders
	default:
		return nil
	}
	if o.recipient == "" || o.money.cents == 0 {
		return nil
	}
	whole := reading{orders: []order{o}}
	whole.assign(r.codes)
	return whole.orders
}

// keep notes what the message leaves open and closes what it completed.
func (d *dossier) keep(r reading, needsCode bool) {
	if len(r.orders) == 0 {
		if n := len(r.recipients); n > 0 {
			d.recipient = r.recipients[n-1].text
		}
		if n := len(r.amounts); n > 0 {
			d.amount = r.amounts[n-1].money
		}
		d.codes = append(d.codes, r.codes...)
		return
	}
	*d = dossier{last: d.last, verb: d.verb}
	for _, o := range r.orders {
		if needsCode && o.code == "" {
			d.orders = append(d.orders, o)
		}
	}
}

// parseOwn reads back a call that a banker wrote itself. Arguments that it did
// not write give an empty order.
func parseOwn(arguments string) order {
	var call struct {
		Recipient string      `json:"recipient"`
		Amount    json.Number `json:"amount"`
		Memo      string      `json:"memo"`
	}
	if err := json.Unmarshal([]byte(arguments), &call); err != nil {
		return order{}
	}
	cents, _ := parseCents(call.Amount.String(), false)
	o := order{recipient: call.Recipient, money: money{cents: cents}, memo: call.Memo}
	if i := strings.Index(call.Memo, "APC-"); i >= 0 && isCode(call.Memo[i:]) {
		o.code = call.Memo[i : i+codeLength]
	}
	return o
}
