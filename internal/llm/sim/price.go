package sim

import (
	"strings"
	"unicode/utf8"
)

// price decides which numbers are amounts, reads them, and turns all others
// into words. A number with a currency, with two decimals or behind a word such
// as "amount" is one; a bare number only where it stands as people place
// amounts, since most bare numbers count boxes, weeks and invoices.
func price(text string, tokens []token) {
	numbers, lone := 0, true
	for _, t := range tokens {
		switch t.kind {
		case kindNumber:
			numbers++
		case kindSign, kindStop:
		default:
			_, currency := currencyOf(t.text)
			lone = lone && currency
		}
	}
	if numbers > 0 {
		priceEach(text, tokens, lone && numbers == 1)
	}
}

// priceEach goes through the numbers. One that only stands by itself gives way
// to any other amount of its clause.
func priceEach(text string, tokens []token, lone bool) {
	for len(tokens) > 0 {
		end, firm := 0, false
		for ; end < len(tokens) && (end == 0 || tokens[end].kind != kindStop); end++ {
			if tokens[end].kind != kindNumber {
				continue
			}
			m, loose, ok := amountAt(text, tokens, end, lone)
			tokens[end].money, tokens[end].loose = m, loose
			if !ok {
				tokens[end].kind = kindWord
			}
			firm = firm || ok && !loose
		}
		for i := range tokens[:end] {
			if firm && tokens[i].kind == kindNumber && tokens[i].loose {
				tokens[i].kind = kindWord
			}
		}
		tokens = tokens[end:]
	}
}

// amountAt reads the number at i; lone says that the message is nothing else.
// A loose amount is one only because it stands between punctuation.
func amountAt(text string, tokens []token, i int, lone bool) (m money, loose, ok bool) {
	sign, marked, signed := signNear(tokens, i)
	if signed || tokens[i].signed || bounded(tokens, i) {
		return money{}, false, false
	}
	if !marked && !lone && !tokens[i].thousand && !written(tokens[i].text) {
		if !free(text, tokens, i) {
			return money{}, false, false
		}
		if !placed(tokens, i) {
			loose = true
			if !isolated(text, tokens, i) {
				return money{}, false, false
			}
		}
	}
	m.currency = sign.code
	m.cents, ok = parseCents(tokens[i].text, sign.continental)
	if tokens[i].thousand {
		m.cents *= 1000
	}
	return m, loose, ok
}

// signNear finds the currency beside the number at i. A sign belongs to the
// number behind it if it touches that.
func signNear(tokens []token, i int) (sign currencySign, marked, signed bool) {
	t := tokens[i]
	if i > 0 && t.start-tokens[i-1].end <= 2 && tokens[i-1].kind <= kindSign {
		if s, ok := currencyOf(tokens[i-1].text); ok {
			sign, marked, signed = s, true, tokens[i-1].signed
		}
	}
	j := i + 1
	if j+1 < len(tokens) && (tokens[j].text == "us" || tokens[j].text == "u.s" || tokens[j].text == "american") {
		j++
	}
	if j >= len(tokens) || tokens[j].kind > kindSign || tokens[j].start-t.end > len(" U.S. ") {
		return sign, marked, signed
	}
	s, ok := currencyOf(tokens[j].text)
	touchesNext := tokens[j].kind == kindSign && j+1 < len(tokens) &&
		tokens[j+1].kind == kindNumber && tokens[j+1].start == tokens[j].end
	if !ok || touchesNext {
		return sign, marked, signed
	}
	if !marked || s.code != "USD" { // "$500 euros" are euros, "€500" are not dollars
		sign = s
	}
	sign.continental = sign.continental || s.continental
	return sign, true, signed
}

// bounded reports a limit or a balance: "up to $2,500", "limit per transfer: …",
// "$2,500 limit".
func bounded(tokens []token, i int) bool {
	seen := 0
	for j := i - 1; j >= 0 && seen < 3 && tokens[j].kind != kindStop; j-- {
		if tokens[j].kind != kindWord {
			if tokens[j].kind != kindSign {
				break
			}
			continue
		}
		if bounds[tokens[j].text] || tokens[j].text == "up" && tokens[j+1].text == "to" {
			return true
		}
		seen++
	}
	return i+1 < len(tokens) && tokens[i+1].kind == kindWord && ceilings[tokens[i+1].text]
}

// written reports a number that is written as an amount: with two decimals or
// with a comma between groups.
func written(text string) bool {
	if len(text) < 4 {
		return false
	}
	mark := text[len(text)-3]
	return mark == '.' || mark == ',' || len(text) > 4 && text[len(text)-4] == ','
}

// free reports a bare number that does not count the word behind it.
func free(text string, tokens []token, i int) bool {
	if len(tokens[i].text) < 3 && strings.HasPrefix(text[tokens[i].end:], ")") {
		return false // "2)" begins an item
	}
	if i+1 == len(tokens) {
		return true
	}
	next := tokens[i+1]
	if next.kind != kindWord || isUnspaced(firstRune(next.text)) || followers[next.text] ||
		recipientLinks[next.text] || eachWords[next.text] || isOrder(next.text) {
		return true
	}
	return strings.TrimLeft(text[tokens[i].end:next.start], " ") != ""
}

// placed reports a bare number where an amount is expected: behind a word that
// announces one, before "to" and the like, or beside a recipient.
func placed(tokens []token, i int) bool {
	if i > 0 && tokens[i-1].kind == kindWord && counters[tokens[i-1].text] {
		return false
	}
	for j := i - 1; j >= max(0, i-3) && tokens[j].kind != kindStop; j-- {
		t := tokens[j]
		if t.kind == kindRecipient && j == i-1 {
			return true
		}
		if t.kind == kindWord && (amountKeys[t.text] || isOrder(t.text)) {
			return j == i-1 || shortWords(tokens[j+1:i])
		}
	}
	if i+1 == len(tokens) {
		return false
	}
	after := tokens[i+1]
	if after.kind == kindRecipient || after.kind == kindWord && isOrder(after.text) {
		return true
	}
	return after.kind == kindWord && recipientLinks[after.text] && i+2 < len(tokens) && tokens[i+2].kind != kindNumber
}

// shortWords reports what may stand between "send" or "amount" and the number:
// "send it 1900", "amount is 500".
func shortWords(tokens []token) bool {
	for _, t := range tokens {
		if t.kind != kindWord || len(t.text) > 4 {
			return false
		}
	}
	return true
}

// isolated reports a bare number between punctuation of prose: "the remainder,
// 2400." The years of this decade are none, nor is what stands in brackets of a
// log or behind the key of a structure.
func isolated(text string, tokens []token, i int) bool {
	t := tokens[i]
	if len(t.text) < 2 || len(t.text) == 4 && strings.HasPrefix(t.text, "202") {
		return false
	}
	if i == 0 || tokens[i-1].kind == kindStop {
		return true
	}
	gap := strings.TrimSpace(text[tokens[i-1].end:t.start])
	switch gap {
	case ",", ":", "(", "（", "–", "—", "，", "、":
		return true
	}
	return false
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
