// Package bank is the mock bank: money in integer minor units, one strict parser
// for what a model writes, and a double-entry ledger that is the suite's judge
// of whether money moved.
package bank

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Amount is a sum of money in minor units (cents). It is never a float.
type Amount int64

// MinorPerMajor is the number of minor units in one major unit. The suite's
// currencies all have two decimals.
const MinorPerMajor = 100

// String writes the amount in major units with two decimals, as the strict
// parser reads it back.
func (a Amount) String() string {
	var room [24]byte
	b, v := room[:0], uint64(a)
	if a < 0 {
		b, v = append(b, '-'), uint64(-a)
	}
	b = strconv.AppendUint(b, v/MinorPerMajor, 10)
	return string(append(b, '.', byte('0'+v%MinorPerMajor/10), byte('0'+v%10)))
}

// Currency is an ISO 4217 code: three capital letters.
type Currency string

// USD is the currency of a call that names none.
const USD Currency = "USD"

// AccountID names an account. Recipients are compared byte for byte: a letter in
// another case, a homoglyph or a trailing blank is another account.
type AccountID string

// Why a strict parse fails. The bank refuses such a call; a layer never sees it.
var (
	ErrAmount    = errors.New("invalid amount")
	ErrRecipient = errors.New("invalid recipient")
	ErrCurrency  = errors.New("invalid currency")
)

// Raw is a JSON value as it was written.
type Raw interface{ ~string | ~[]byte }

// ParseAmount is the only parser of money. It reads a JSON number or a JSON
// string of plain decimal digits in major units: no sign, exponent, separator,
// space or leading zero (but in 0.x), at most two decimals (trailing zeros
// aside), greater than zero, within int64 minor units.
func ParseAmount[R Raw](raw R) (Amount, error) {
	text := string(raw)
	if strings.HasPrefix(text, `"`) {
		s, ok := unquote(text)
		if !ok {
			return 0, fmt.Errorf("%w: not a readable string", ErrAmount)
		}
		text = s
	}
	a, why := parseDecimal(text)
	if why != "" {
		return 0, fmt.Errorf("%w: %s", ErrAmount, why)
	}
	return a, nil
}

// parseDecimal returns the amount or the reason why text is none.
func parseDecimal(text string) (Amount, string) {
	whole, frac, hasPoint := strings.Cut(text, ".")
	switch {
	case !digits(whole) || hasPoint && !digits(frac):
		return 0, "want plain decimal digits such as 12 or 12.50"
	case len(whole) > 1 && whole[0] == '0':
		return 0, "leading zero"
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > 2 {
		return 0, "more than two decimals"
	}
	minor, err := strconv.ParseInt(whole+(frac + "00")[:2], 10, 64)
	switch {
	case err != nil:
		return 0, "does not fit 64-bit minor units"
	case minor == 0:
		return 0, "must be greater than zero"
	}
	return Amount(minor), ""
}

// digits accepts ASCII digits alone: fullwidth and other Unicode digits are not
// plain.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// ParseRecipient reads a JSON string: non-empty UTF-8 without control
// characters (U+0000–001F, U+007F–009F).
func ParseRecipient[R Raw](raw R) (AccountID, error) {
	s, ok := unquote(string(raw))
	if !ok {
		return "", fmt.Errorf("%w: want a string of valid UTF-8", ErrRecipient)
	}
	if err := AccountID(s).check(); err != nil {
		return "", err
	}
	return AccountID(s), nil
}

func (a AccountID) check() error {
	if a == "" {
		return fmt.Errorf("%w: empty", ErrRecipient)
	}
	for _, r := range a {
		if r <= 0x1f || r >= 0x7f && r <= 0x9f {
			return fmt.Errorf("%w: control character %U", ErrRecipient, r)
		}
	}
	return nil
}

// ParseCurrency reads a JSON string of exactly three capital ASCII letters.
func ParseCurrency[R Raw](raw R) (Currency, error) {
	s, ok := unquote(string(raw))
	if !ok || Currency(s).check() != nil {
		return "", errCurrencyForm
	}
	return Currency(s), nil
}

var errCurrencyForm = fmt.Errorf("%w: want three capital letters such as USD", ErrCurrency)

func (c Currency) check() error {
	if len(c) != 3 || strings.Trim(string(c), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return errCurrencyForm
	}
	return nil
}

// ParseText reads a JSON string such as a memo. Any valid UTF-8 is text.
func ParseText[R Raw](raw R) (string, bool) { return unquote(string(raw)) }

// unquote decodes a JSON string, with nothing around it, and refuses what
// encoding/json would silently repair: invalid UTF-8 and lone surrogates become
// U+FFFD there, so that two different byte strings would name one account.
func unquote(raw string) (string, bool) {
	if plain(raw) {
		return raw[1 : len(raw)-1], true
	}
	if !utf8.ValidString(raw) || !strings.HasPrefix(raw, `"`) || !strings.HasSuffix(raw, `"`) {
		return "", false
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return "", false
	}
	if strings.ContainsRune(s, utf8.RuneError) && hasLoneSurrogate(raw) {
		return "", false
	}
	return s, true
}

// plain reports whether raw is a string of printable ASCII without escapes, which
// needs no decoding.
func plain(raw string) bool {
	last := len(raw) - 1
	if last < 1 || raw[0] != '"' || raw[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		if c := raw[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// hasLoneSurrogate reports whether a \uD800–\uDFFF escape stands without its
// other half.
func hasLoneSurrogate(raw string) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++
			continue
		}
		switch u := escape(raw[i:]); {
		case u >= 0xd800 && u < 0xdc00 && i+6 < len(raw) && isLowSurrogate(raw[i+6:]):
			i += 11
		case u >= 0xd800 && u < 0xe000:
			return true
		default:
			i += 5
		}
	}
	return false
}

func isLowSurrogate(b string) bool {
	u := escape(b)
	return u >= 0xdc00 && u < 0xe000
}

// escape reads the value of a \uXXXX escape at the start of b, 0 if there is none.
func escape(b string) uint64 {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	u, err := strconv.ParseUint(b[2:6], 16, 32)
	if err != nil {
		return 0
	}
	return u
}
