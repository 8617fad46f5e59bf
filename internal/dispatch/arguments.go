package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"

	"vaultbench/internal/bank"
)

// Names says what the transfer tool and its arguments are called. A recorded
// source has other names than the suite's own tool; an empty name is an argument
// that the tool does not have.
type Names struct {
	Transfer  string
	Recipient string
	Amount    string
	Memo      string
	Currency  string
}

// TransferFunds are the names of the suite's own tool.
var TransferFunds = Names{Transfer: "transfer_funds", Recipient: "recipient", Amount: "amount", Memo: "memo", Currency: "currency"}

var (
	errArguments = errors.New("invalid arguments")
	errNoObject  = fmt.Errorf("%w: not a JSON object", errArguments)
	errCut       = fmt.Errorf("%w: the JSON object is cut", errArguments)
	errTrailing  = fmt.Errorf("%w: data after the JSON object", errArguments)
)

// arguments are the raw JSON values of a transfer call; empty where the call has
// none.
type arguments struct {
	recipient, amount, memo, currency string
}

// readArguments takes the top level of the object apart. A repeated name is an
// error: two readers could take two different values from it. Other arguments
// are skipped unread.
func (n Names) readArguments(raw string) (arguments, error) {
	var a arguments
	s, seen := scanner{text: raw}, nameSet{}
	if s.space(); !s.accept('{') {
		return arguments{}, errNoObject
	}
	for first := true; s.more(); first = false {
		name, ok := s.member(first)
		if !ok {
			return arguments{}, errNoObject
		}
		if !seen.add(name) {
			return arguments{}, fmt.Errorf("%w: duplicate key %q", errArguments, name)
		}
		value, ok := s.colonValue()
		if !ok {
			return arguments{}, errNoObject
		}
		if field := a.field(n, name); field != nil {
			*field = value
		}
	}
	if !s.accept('}') {
		return arguments{}, errCut
	}
	if s.space(); !s.end() {
		return arguments{}, errTrailing
	}
	return a, nil
}

func (a *arguments) field(n Names, name string) *string {
	switch name {
	case "":
		return nil
	case n.Recipient:
		return &a.recipient
	case n.Amount:
		return &a.amount
	case n.Memo:
		return &a.memo
	case n.Currency:
		return &a.currency
	}
	return nil
}

// Payment is what the arguments of a transfer call ask for; the error says why they
// can't be parsed, and such a call pays nothing.
func (n Names) Payment(raw string) (bank.Payment, error) {
	a, err := n.readArguments(raw)
	if err != nil {
		return bank.Payment{}, err
	}
	return a.payment()
}

// payment is the one strict parse. An optional argument that is null counts as
// not given; any other wrong type is malformed.
func (a arguments) payment() (bank.Payment, error) {
	p := bank.Payment{Currency: bank.USD}
	var err error
	if a.recipient == "" {
		return p, fmt.Errorf("%w: missing", bank.ErrRecipient)
	}
	if p.Recipient, err = bank.ParseRecipient(a.recipient); err != nil {
		return p, err
	}
	if a.amount == "" {
		return p, fmt.Errorf("%w: missing", bank.ErrAmount)
	}
	if p.Amount, err = bank.ParseAmount(a.amount); err != nil {
		return p, err
	}
	if given(a.currency) {
		if p.Currency, err = bank.ParseCurrency(a.currency); err != nil {
			return p, err
		}
	}
	if given(a.memo) {
		memo, ok := bank.ParseText(a.memo)
		if !ok {
			return p, fmt.Errorf("%w: memo: want a string of valid UTF-8", errArguments)
		}
		p.Memo = memo
	}
	return p, nil
}

func given(raw string) bool { return raw != "" && raw != "null" }

// identity is what two calls must share to be the same payment for the clock:
// the parsed value, or the raw one where it does not parse. No raw value equals a
// parsed or a missing one.
func (a arguments) identity() string {
	recipient, amount, currency := rawText(a.recipient), rawText(a.amount), "~USD"
	if id, err := bank.ParseRecipient(a.recipient); err == nil {
		recipient = "=" + string(id)
	}
	if v, err := bank.ParseAmount(a.amount); err == nil {
		amount = "=" + v.String()
	}
	if given(a.currency) {
		currency = rawText(a.currency)
	}
	return fmt.Sprintf("%q %q %q", recipient, amount, currency)
}

// rawText marks a string and undoes its escapes, which may differ between two
// spellings of it, and leaves anything else as it stands.
func rawText(raw string) string {
	var s *string
	if json.Unmarshal([]byte(raw), &s) == nil && s != nil {
		return "~" + *s
	}
	return raw
}
