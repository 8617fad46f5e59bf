package sim

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// money is an amount as a person wrote it: hundredths and a currency code.
type money struct {
	cents    int64
	currency string // "" where none was named
}

// currencySign is what a sign or word says about the number beside it.
type currencySign struct {
	code        string
	continental bool // the writer most likely writes 1.234,56
}

// currencyWords are the names of currencies in the languages of the attacks,
// lower case.
var currencyWords = map[string]currencySign{
	"$": {"USD", false}, "usd": {"USD", false}, "us$": {"USD", false},
	"dollars": {"USD", false}, "bucks": {"USD", false}, "buck": {"USD", false},
	"dollar": {"USD", true}, "dólar": {"USD", true}, "dólares": {"USD", true}, "dolares": {"USD", true},
	"dollari": {"USD", true}, "dolarów": {"USD", true}, "dolar": {"USD", true}, "dolari": {"USD", true},
	"dolarů": {"USD", true}, "доллар": {"USD", true}, "доллара": {"USD", true}, "долларов": {"USD", true},
	"доларів": {"USD", true}, "долари": {"USD", true}, "דולר": {"USD", false}, "دولار": {"USD", false},
	"δολάρια": {"USD", true}, "डॉलर": {"USD", false}, "đô": {"USD", true},
	"€": {"EUR", true}, "eur": {"EUR", true}, "euro": {"EUR", true}, "euros": {"EUR", true}, "евро": {"EUR", true},
	"£": {"GBP", false}, "gbp": {"GBP", false}, "pounds": {"GBP", false}, "quid": {"GBP", false},
	"¥": {"JPY", false}, "jpy": {"JPY", false}, "yen": {"JPY", false},
	"chf": {"CHF", false}, "franken": {"CHF", false}, "cad": {"CAD", false}, "aud": {"AUD", false},
	"mxn": {"MXN", false}, "pesos": {"MXN", true}, "brl": {"BRL", true}, "reais": {"BRL", true},
	"rub": {"RUB", true}, "рублей": {"RUB", true}, "uah": {"UAH", true}, "pln": {"PLN", true}, "czk": {"CZK", true},
	"sek": {"SEK", true}, "nok": {"NOK", true}, "dkk": {"DKK", true}, "huf": {"HUF", true}, "inr": {"INR", false}, "रुपये": {"INR", false}, "يورو": {"EUR", false},
	"cny": {"CNY", false}, "rmb": {"CNY", false}, "krw": {"KRW", false}, "sgd": {"SGD", false}, "hkd": {"HKD", false},
	"nzd": {"NZD", false}, "zar": {"ZAR", false}, "aed": {"AED", false}, "vnd": {"VND", true}, "idr": {"IDR", true},
}

// scriptCurrencies stand before other words without a space.
var scriptCurrencies = []struct {
	word string
	sign currencySign
}{
	{"美元", currencySign{"USD", false}}, {"美金", currencySign{"USD", false}}, {"ドル", currencySign{"USD", false}},
	{"米ドル", currencySign{"USD", false}}, {"달러", currencySign{"USD", false}}, {"欧元", currencySign{"EUR", false}},
	{"ユーロ", currencySign{"EUR", false}}, {"유로", currencySign{"EUR", false}},
}

func currencyOf(word string) (currencySign, bool) {
	if sign, ok := currencyWords[word]; ok {
		return sign, true
	}
	if word == "" || word[0] < utf8.RuneSelf {
		return currencySign{}, false
	}
	for _, s := range scriptCurrencies {
		if strings.HasPrefix(word, s.word) {
			return s.sign, true
		}
	}
	return currencySign{}, false
}

// parseCents reads the digits and separators of a number, for example 1,234.56,
// 1.234,56, 1'234.50, 1 234,56, 500 or 19.99. A lone point before three digits
// is a group for a continental writer and unreadable otherwise: 2.500 may be
// meant either way, and a teller asks rather than guesses.
func parseCents(text string, continental bool) (int64, bool) {
	text = groupBlanks.Replace(text)
	point, comma := strings.LastIndexByte(text, '.'), strings.LastIndexByte(text, ',')
	mark := max(point, comma)
	if mark < 0 {
		return cents(text, "")
	}
	whole, tail, sep := text[:mark], text[mark+1:], text[mark:mark+1]
	other := strings.IndexAny(whole, ".,")
	switch {
	case other < 0 && len(tail) == 3 && (sep == "," || continental):
		return cents(groups(text, sep), "")
	case strings.Contains(whole, sep): // more than one of a kind: all are groups
		return cents(groups(text, sep), "")
	case len(tail) > 2:
		return 0, false
	case other < 0:
		return cents(whole, tail)
	}
	return cents(groups(whole, whole[other:other+1]), tail)
}

var groupBlanks = strings.NewReplacer("'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "", "\u2009", "")

// groups joins groups of three digits; "" where they are of another length.
func groups(text, sep string) string {
	parts := strings.Split(text, sep)
	if len(parts[0]) == 0 || len(parts[0]) > 3 {
		return ""
	}
	for _, part := range parts[1:] {
		if len(part) != 3 {
			return ""
		}
	}
	return strings.Join(parts, "")
}

// cents refuses what is no amount: zero, a leading zero (an account or invoice
// number), and more digits than any bank holds.
func cents(whole, fraction string) (int64, bool) {
	if whole == "" || len(whole) > 13 || len(whole) > 1 && whole[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt((whole + fraction + "00")[:len(whole)+2], 10, 64)
	return n, err == nil && n > 0
}

// rawAmount writes hundredths as the JSON number of a call: 500 or 19.99.
func rawAmount(cents int64) json.RawMessage {
	text := strconv.AppendInt(nil, cents/100, 10)
	if rest := cents % 100; rest != 0 {
		text = append(text, '.', byte('0'+rest/10), byte('0'+rest%10))
	}
	return text
}
