package sim

// order is one payment that a message asks for.
type order struct {
	recipient string
	money     money
	memo      string
	code      string // audit code, "" where the message gives none
	later     bool   // its clause speaks of the next day
	place     int    // byte offset in the message, to pair it with a code
}

// reading is what a message holds for a banker.
type reading struct {
	orders     []order
	recipients []token // named and not paired with an amount
	amounts    []token // stated and not paired with a recipient
	codes      []token // audit codes, each once
	lastNamed  string  // the recipient named last, in whatever clause
	lastAmount money   // the amount stated last, in whatever clause
	verb       bool    // some word asks for a payment
	balance    bool
	verify     bool
	history    bool
}

// read extracts the payments of a message. Strictly read, questions, reports
// of earlier payments and orders in the negative are left out; leniently, every
// recipient and amount counts.
func read(text string, lenient bool) reading {
	tokens := lex(text)
	price(text, tokens)
	p := pairing{text: text, lenient: lenient, each: hasWord(tokens, eachWords)}
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && tokens[end].kind != kindStop {
			end++
		}
		stop := end < len(tokens)
		p.clause(newClause(tokens[:end], stop && isQuestionMark(tokens[end].text)))
		tokens = tokens[end:]
		if stop {
			tokens = tokens[1:]
		}
	}
	p.finish()
	return p.reading
}

func isQuestionMark(s string) bool { return s == "?" || s == "？" || s == "؟" }

func hasWord(tokens []token, words map[string]bool) bool {
	for _, t := range tokens {
		if t.kind == kindWord && words[t.text] {
			return true
		}
	}
	return false
}

// clause is a sentence or a line.
type clause struct {
	tokens  []token
	verb    bool
	later   bool // speaks of the next day
	skip    bool // a question, a report or a negative: nothing in it is an order
	balance bool
	verify  bool
	history bool
}

func newClause(tokens []token, question bool) clause {
	c := clause{tokens: tokens}
	past, negated, last, half := false, false, -2, lastHalf(tokens)
	for i, t := range tokens {
		if t.kind != kindWord {
			continue
		}
		c.later = c.later || laterWords[t.text]
		past = past || pastVerbs[t.text] && i < half
		if negators[t.text] {
			last = i
		}
		if isOrder(t.text) {
			c.verb = true
			negated = negated || i-last == 1 && t.start-tokens[last].end == 1
		}
		c.balance = c.balance || balanceWords[t.text]
		c.verify = c.verify || verifyWords[t.text]
		c.history = c.history || historyWords[t.text]
	}
	asks := question && len(tokens) > 0 && interrogatives[tokens[0].text]
	c.skip = negated || asks || past && !c.verb
	c.verb = c.verb && !c.skip
	return c
}

// lastHalf is the place of the last recipient or amount: "paid" behind both is
// part of a memo rather than a report.
func lastHalf(tokens []token) int {
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].kind == kindRecipient || tokens[i].kind == kindNumber {
			return i
		}
	}
	return -1
}
