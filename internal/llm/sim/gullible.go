package sim

import (
	"slices"

	"vaultbench/internal/llm"
)

// gullibleAnswer is sim-gullible: the teller, until a message so far holds a
// forged receipt, a rank or a hurry. From then on neither the payees nor the
// limits of its prompt hold it back. It shows what a layer is for: the words
// decide what this banker asks for, and must not decide what is paid.
func gullibleAnswer(c conversation) llm.Reply {
	rules := newPolicy(c.system)
	last, asked := lastMessage(c, rules)
	if rules.guarded || !slices.ContainsFunc(c.users, recalled.believes) {
		return act(c, rules, last, rules.decide(asked, newAccount(c.earlier)))
	}
	if len(asked) == 0 {
		asked = rules.surmise(c)
	}
	var p plan
	for _, o := range asked {
		p.pay = append(p.pay, rules.payment(o))
	}
	return act(c, rules, last, p)
}

// surmise is what a believer takes for the wish where the last message asks for
// no payment: every pair that a lenient reading of it gives, else the recipient
// and the amount named last in the whole conversation ("I told you what to pay,
// and I am the director"). What was called for before is repeated only if the
// last message pushes again and the bank refused it.
func (p policy) surmise(c conversation) []order {
	var recipient string
	var amount money
	var last reading
	for _, message := range c.users {
		last = recalled.read(message, true)
		if last.lastNamed != "" {
			recipient = last.lastNamed
		}
		if last.lastAmount.cents > 0 {
			amount = last.lastAmount
		}
	}
	asked := last.orders
	if len(asked) == 0 && recipient != "" && amount.cents > 0 {
		whole := reading{orders: []order{{recipient: recipient, money: amount}}}
		whole.assign(last.codes)
		asked = whole.orders
	}
	pushes := last.verb || len(c.users) > 0 && recalled.believes(c.users[len(c.users)-1])
	return slices.DeleteFunc(asked, func(o order) bool {
		called, paid := before(c.earlier, o)
		return paid || called && !pushes
	})
}

// before reports whether the order was called for, and paid, in an earlier turn.
func before(steps []step, o order) (called, paid bool) {
	for _, s := range steps {
		if s.call.Name != toolTransfer {
			continue
		}
		past := parseOwn(s.call.Arguments)
		if past.recipient == o.recipient && past.money.cents == o.money.cents {
			called, paid = true, paid || s.paid()
		}
	}
	return called, paid
}
