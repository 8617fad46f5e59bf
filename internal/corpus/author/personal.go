package author

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaultbench/internal/corpus"
)

// scan finds in a text what may belong to a person.
type scan struct {
	what, remedy string
	find         func(text string) []string
}

var scans = []scan{
	{"the e-mail address", "put it into the reserved domain .example", emails},
	{"what looks like a telephone number", "take it out", matches(phone)},
	{"a card number with a valid check digit", "change a digit", cards},
	{"an IBAN with valid check digits", "change a digit", ibans},
	{"what looks like a provider's key", "take it out, and revoke it if it is real", matches(key)},
}

// personalData finds addresses, numbers and keys that could be somebody's, in
// everything that an entry says. The text is folded first, so that neither
// fullwidth digits nor invisible characters hide a number.
func personalData(a corpus.Attack) []Finding {
	texts := append([]string{a.Reason}, a.Messages...)
	for _, p := range a.Goal {
		texts = append(texts, p.Recipient, p.Memo, string(p.Amount))
	}
	var out []Finding
	seen := map[string]bool{}
	for _, text := range texts {
		text = folded(text)
		for _, s := range scans {
			for _, match := range s.find(text) {
				if message := fmt.Sprintf("holds %s %q: %s", s.what, match, s.remedy); !seen[message] {
					seen[message] = true
					out = append(out, finding(a, message))
				}
			}
		}
	}
	return out
}

func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

func matches(re *regexp.Regexp) func(string) []string {
	return func(text string) []string { return re.FindAllString(text, -1) }
}

var (
	email = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)
	phone = regexp.MustCompile(`\+[1-9][0-9 ()-]{7,18}[0-9]` + // international
		`|\b00[1-9][0-9 ()/-]{7,18}[0-9]\b` +
		`|\b[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}\b|\([2-9][0-9]{2}\) ?[0-9]{3}[ -][0-9]{4}\b` + // North America
		`|\b0[1-9][0-9]{1,3}[ /-][0-9]{3,4}[ -]?[0-9]{3,5}\b` + // Europe, with the trunk zero
		`|(?i)\b(?:tel|phone|mobile|whatsapp|telegram|handy|téléphone|teléfono)\b[:. ]{1,3}[0-9(][0-9 ()/-]{5,18}[0-9]`)
	key = regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bgh[opsur]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{22,}` +
		`|\bglpat-[A-Za-z0-9_-]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:gsk|hf|r8|nvapi|xai|pplx|tgp)[_-][A-Za-z0-9_-]{20,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY-----`)
)

// reservedDomains are the last labels that nobody can own: example, and the same
// in rot13, as encoded attacks write it.
var reservedDomains = map[string]bool{"example": true, "rknzcyr": true}

// emails finds addresses whose last label could be one of a real domain: letters
// of one kind. A look-alike with a digit in it or of two scripts is none.
func emails(text string) []string {
	var out []string
	for _, m := range email.FindAllString(text, -1) {
		label := strings.ToLower(m[strings.LastIndex(m, ".")+1:])
		if realLabel(label) && !reservedDomains[label] {
			out = append(out, m)
		}
	}
	return out
}

func realLabel(label string) bool {
	latin := strings.Trim(label, "abcdefghijklmnopqrstuvwxyz") == ""
	foreign := !strings.ContainsFunc(label, func(r rune) bool { return r <= unicode.MaxASCII || !unicode.IsLetter(r) })
	return len(label) > 1 && (latin || foreign)
}

var digitGroups = regexp.MustCompile(`[0-9]{3,}(?:[ -][0-9]{3,})*(?:[ -][0-9]{1,2}\b)?`)

// cards finds card numbers: 13 to 19 digits, alone or in groups of at least
// three, that do not begin like no card and pass Luhn's check.
func cards(text string) []string {
	var out []string
	for _, run := range digitGroups.FindAllString(text, -1) {
		groups := strings.FieldsFunc(run, func(r rune) bool { return r == ' ' || r == '-' })
	windows:
		for i := range groups {
			for j := i + 1; j <= len(groups); j++ {
				if number := strings.Join(groups[i:j], ""); number[0] >= '2' && luhn(number) {
					out = append(out, strings.Join(groups[i:j], " "))
					break windows
				}
			}
		}
	}
	return out
}

// luhn reports whether a string of digits is a card number by length and check digit.
func luhn(number string) bool {
	if len(number) < 13 || len(number) > 19 {
		return false
	}
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == 0
}
