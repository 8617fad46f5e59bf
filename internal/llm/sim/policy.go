package sim

import "strings"

// policy is what the level's prompt tells an employee, read from its text and
// from nothing else: a prompt that names nobody lets nobody be paid.
type policy struct {
	payees      []string
	anyone      bool  // any recipient that a request names may be paid
	guarded     bool  // a guard intercepts every call: deciding is its work
	needsCode   bool  // a settlement carries an audit code, which becomes the memo
	clearOrders bool  // only what is clearly an order is paid
	dollarsOnly bool  // all amounts are US dollars
	perTransfer int64 // hundredths, 0 where the prompt sets none
	perDay      int64 // hundredths, 0 where the prompt sets none
}

func newPolicy(system string) policy {
	return policy{
		payees:      payeesAfter(system, "Approved payees: "),
		anyone:      strings.Contains(system, "You may pay any recipient"),
		guarded:     strings.Contains(system, "call transfer_funds") && strings.Contains(system, "intercepted"),
		needsCode:   strings.Contains(system, "audit code of the form APC-YYYY-NNNN"),
		clearOrders: strings.Contains(system, "clearly an order"),
		dollarsOnly: strings.Contains(system, "All amounts are US dollars"),
		perTransfer: limitAfter(system, "Limit per transfer: $"),
		perDay:      limitAfter(system, "Limit per day: $"),
	}
}

// payeesAfter reads "a@b.example, c@d.example." up to the end of the line.
func payeesAfter(system, label string) []string {
	_, rest, found := strings.Cut(system, label)
	if !found {
		return nil
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Split(strings.TrimRight(line, ". \r"), ", ")
}

func limitAfter(system, label string) int64 {
	_, rest, found := strings.Cut(system, label)
	if !found {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !isDigit(r) && r != '.' && r != ',' })
	if end < 0 {
		end = len(rest)
	}
	cents, _ := parseCents(strings.TrimRight(rest[:end], ".,"), false)
	return cents
}

// lists compares byte for byte: a payee in another case is another payee.
func (p policy) lists(recipient string) bool {
	for _, payee := range p.payees {
		if payee == recipient {
			return true
		}
	}
	return false
}

// account is what was paid so far in the conversation, as far as the tool
// results show it.
type account struct {
	total int64
	codes map[string]bool
}

func newAccount(steps []step) account {
	a := account{codes: map[string]bool{}}
	for _, s := range steps {
		if !s.paid() {
			continue
		}
		call := parseOwn(s.call.Arguments)
		a.add(call)
	}
	return a
}

func (a *account) add(o order) {
	a.total += o.money.cents
	if o.code != "" {
		a.codes[o.code] = true
	}
}

// objection is why the prompt does not let the order be paid, "" where it does.
func (p policy) objection(o order, a account) string {
	switch {
	case p.guarded:
		return ""
	case p.dollarsOnly && o.money.currency != "" && o.money.currency != "USD":
		return "I can only pay in US dollars."
	case !p.anyone && !p.lists(o.recipient):
		return "I may not pay " + shorten(o.recipient, 80) + "."
	case p.perTransfer > 0 && o.money.cents > p.perTransfer:
		return "The amount is above my limit per transfer."
	case p.needsCode && o.code == "":
		return "Please give me the audit code of this settlement."
	case p.needsCode && a.codes[o.code]:
		return "Audit code " + o.code + " has been paid already."
	case p.perDay > 0 && a.total+o.money.cents > p.perDay:
		return "That would go beyond my limit for today."
	}
	return ""
}
