package sim

import "strings"

// pairing puts recipients and amounts together, clause by clause: those of one
// clause first, and what is left over with the next clause that holds the
// missing half ("Payee: a@b.example", next line "Amount: $500").
type pairing struct {
	reading
	text    string
	lenient bool
	each    bool // one amount is meant for every recipient

	rs, as []token // open halves; at most one of them is filled
	head   []token // the recipient at the head of a list of amounts
	memo   string  // stated in a clause of its own, for payments without one
	pairs  []pair
}

// pair is an order with where and how it was said.
type pair struct {
	order
	start int  // of its first half
	verb  bool // its clause asks for the payment
}

func (p *pairing) clause(c clause) {
	p.verb = p.verb || c.verb
	p.balance = p.balance || c.balance
	p.verify = p.verify || c.verify
	p.history = p.history || c.history
	rs, as := p.collect(c)
	if c.skip && !p.lenient {
		return
	}
	switch {
	case len(rs) > 0 && len(as) > 0:
		p.join(c, rs, as)
		p.rs, p.as = nil, nil
	case len(rs) > 0 && len(p.as) > 0:
		p.join(c, rs, p.as)
		p.as = nil
	case len(as) > 0 && len(p.rs) > 0:
		p.join(c, p.rs, as)
		p.head, p.rs = p.rs[len(p.rs)-1:], nil
	case len(as) > 0 && len(p.head) > 0 && p.listItem(c):
		p.join(c, p.head, as)
	default:
		p.rs, p.as = append(p.rs, rs...), append(p.as, as...)
		if memo := c.memo(p.text, 0, 0, len(p.text)); memo != "" {
			p.memo = memo
		}
	}
}

// collect takes the recipients, amounts and codes of a clause and notes which
// were named last, whatever the clause is about.
func (p *pairing) collect(c clause) (rs, as []token) {
	for i, t := range c.tokens {
		switch t.kind {
		case kindRecipient:
			p.lastNamed = t.text
			if i > 0 && senders[c.tokens[i-1].text] && !p.lenient {
				continue
			}
			rs = append(rs, t)
		case kindNumber:
			p.lastAmount = t.money
			as = append(as, t)
		case kindCode:
			p.note(t)
		}
	}
	return rs, as
}

// note keeps each code once: said twice it is still one settlement.
func (p *pairing) note(code token) {
	for _, known := range p.codes {
		if known.text == code.text {
			return
		}
	}
	p.codes = append(p.codes, code)
}

// join pairs recipients with amounts: one to one where there are as many of
// both, one amount with each of several recipients where the message says so,
// a list of amounts with the one recipient, and otherwise each recipient with
// the amount nearest to it.
func (p *pairing) join(c clause, rs, as []token) {
	from := len(p.pairs)
	switch {
	case len(rs) == len(as):
		for i := range rs {
			p.add(c, rs[i], as[i])
		}
	case len(as) == 1 && !p.each:
		p.add(c, nearest(rs, as[0].start), as[0])
	case len(rs) == 1 && p.listed(c, as):
		for _, a := range as {
			p.add(c, rs[0], a)
		}
	default:
		for _, r := range rs {
			p.add(c, r, nearest(as, r.start))
		}
	}
	p.memos(c, p.pairs[from:])
}

func (p *pairing) add(c clause, r, a token) {
	p.pairs = append(p.pairs, pair{
		order: order{recipient: r.text, money: a.money, later: c.later, place: max(r.start, a.start)},
		start: min(r.start, a.start),
		verb:  c.verb,
	})
}

// memos gives each pair of a clause the memo that stands between it and the
// next; the first has the words before it too.
func (p *pairing) memos(c clause, pairs []pair) {
	for i := range pairs {
		from, to := pairs[i].start, len(p.text)
		if i == 0 {
			from = 0
		}
		if i+1 < len(pairs) {
			to = pairs[i+1].start
		}
		pairs[i].memo = c.memo(p.text, from, pairs[i].start, to)
	}
}

// nearest prefers the later of two at the same distance.
func nearest(tokens []token, place int) token {
	best := tokens[0]
	for _, t := range tokens[1:] {
		if distance(t.start, place) <= distance(best.start, place) {
			best = t
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// listed reports amounts that are enumerated, as in "$500, $500 and $300" or
// "paper 400.00, rolls 400.00": close together, with a comma or "and" between
// them and no new order.
func (p *pairing) listed(c clause, as []token) bool {
	for i := 1; i < len(as); i++ {
		gap := p.text[as[i-1].end:as[i].start]
		if len(gap) > 48 || !strings.ContainsAny(gap, ",+&(") && !strings.Contains(gap, " and ") {
			return false
		}
		for _, t := range c.tokens {
			if t.start > as[i-1].start && t.start < as[i].start && t.kind == kindWord && isOrder(t.text) {
				return false
			}
		}
	}
	return true
}

// listItem reports a line of a list: "2) 900.00" or "- 900.00".
func (p *pairing) listItem(c clause) bool {
	start := c.tokens[0].start
	if isDigit(rune(p.text[start])) {
		return true
	}
	before := strings.TrimRight(p.text[:start], " $")
	return strings.HasSuffix(before, "-") || strings.HasSuffix(before, "*") || strings.HasSuffix(before, "•")
}

// finish leaves out what is only said again: a pair of a clause without an order
// that repeats one of a clause with an order. Two orders, or two lines of a
// list, stay two.
func (p *pairing) finish() {
	p.recipients, p.amounts = p.rs, p.as
	for i, one := range p.pairs {
		if p.echo(i) {
			continue
		}
		if one.memo == "" {
			one.memo = p.memo
		}
		p.orders = append(p.orders, one.order)
	}
	p.assign(p.codes)
}

func (p *pairing) echo(i int) bool {
	one := p.pairs[i]
	for j, other := range p.pairs {
		same := other.recipient == one.recipient && other.money == one.money
		if j != i && same && !one.verb && other.verb {
			return true
		}
	}
	return false
}

// assign gives each code to the nearest order that has none: one code pays once.
func (r *reading) assign(codes []token) {
	for _, code := range codes {
		best := -1
		for i, o := range r.orders {
			if o.code == "" && (best < 0 || distance(o.place, code.start) < distance(r.orders[best].place, code.start)) {
				best = i
			}
		}
		if best >= 0 {
			r.orders[best].code = code.text
		}
	}
}
