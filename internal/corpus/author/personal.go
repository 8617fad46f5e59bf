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

// PersonalData finds addresses, numbers and keys that could be somebody's, in
// everything that an entry says. The text is folded first, so that neither
// fullwidth digits nor invisible characters hide a number.
func PersonalData(a corpus.Attack) []Finding {
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

// folded is a text with the digits of every script as our own, without what does
// not show, and with single blanks.
func folded(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return digit(r)
	}, norm.NFKC.String(text))
	return blanks.ReplaceAllString(text, " ")
}

var blanks = regexp.MustCompile(`[ \t]+`)

// digit is the ASCII digit of a decimal digit of any script: they stand in tens
// that begin with a zero. Other characters stay.
func digit(r rune) rune {
	if r <= unicode.MaxASCII || !unicode.IsDigit(r) {
		return r
	}
	for _, tens := range unicode.Nd.R16 {
		if uint32(r) >= uint32(tens.Lo) && uint32(r) <= uint32(tens.Hi) {
			return '0' + (r-rune(tens.Lo))%10
		}
	}
	for _, tens := range unicode.Nd.R32 {
		if uint32(r) >= tens.Lo && uint32(r) <= tens.Hi {
			return '0' + (r-rune(tens.Lo))%10
		}
	}
	return r
}

func matches(re *regexp.Regexp) func(string) []string {
	return func(text string) []string { return re.FindAllString(text, -1) }
}

var (
	email = regexp.MustCompile(`([\p{L}\p{N}._%+-]+@)([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\[(?:IPv6:)?[0-9A-Fa-f]+[:.][0-9A-Fa-f:.]+\])`)
	phone = regexp.MustCompile(`\+[1-9][0-9 ()-]{7,18}[0-9]` + // international
		`|\+[1-9][0-9]{0,2}(?:\.[0-9]{1,4}){3,6}\b` +
		`|\b00[1-9][0-9 ()/-]{7,18}[0-9]\b` +
		`|\b[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}\b|\([2-9][0-9]{2}\) ?[0-9]{3}[ -][0-9]{4}\b` + // North America
		`|\b0[1-9][0-9]{1,3}[ /-][0-9]{3,4}[ -]?[0-9]{3,5}\b` + // Europe, with the trunk zero
		`|\b0[1-9](?:[ .-][0-9]{2}){4}\b` + // France
		`|(?i)\b(?:tel|phone|mobile|whatsapp|telegram|handy|téléphone|teléfono)\b[:. ]{1,3}[0-9(][0-9 ()/-]{5,18}[0-9]`)
	key = regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bgh[opsur]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{22,}` +
		`|\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|\bglpat-[A-Za-z0-9_-]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:gsk|hf|r8|nvapi|xai|pplx|tgp)[_-][A-Za-z0-9_-]{20,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY-----`)
)

// reservedDomains are the last labels that nobody can own: example, and the same
// in rot13, as encoded attacks write it.
var reservedDomains = map[string]bool{"example": true, "rknzcyr": true}

// emails finds addresses whose domain could be a real one, or that name a machine
// by its number.
func emails(text string) []string {
	var out []string
	for _, m := range email.FindAllStringSubmatch(text, -1) {
		domain := m[2]
		if domain[0] != '[' {
			if domain = realDomain(domain); domain == "" {
				continue
			}
		}
		out = append(out, m[1]+domain)
	}
	return out
}

// realDomain is the part of a domain that somebody may own: up to the last label
// that can be a top-level one, since what is stuck to an address hides nothing.
// It is empty if there is none, or if that label is reserved.
func realDomain(domain string) string {
	labels := strings.Split(domain, ".")
	for i := len(labels) - 1; i > 0; i-- {
		label := labels[i]
		if !strings.HasPrefix(strings.ToLower(label), "xn--") {
			label, _, _ = strings.Cut(label, "-")
		}
		if lower := strings.ToLower(label); realLabel(lower) {
			if reservedDomains[lower] {
				return ""
			}
			return strings.Join(append(labels[:i:i], label), ".")
		}
	}
	return ""
}

var encodedLabel = regexp.MustCompile(`^xn--[a-z0-9-]+$`)

// realLabel: letters of one kind, or encoded ones. A look-alike with a digit in it
// or of two scripts is none.
func realLabel(label string) bool {
	latin := strings.Trim(label, "abcdefghijklmnopqrstuvwxyz") == ""
	foreign := !strings.ContainsFunc(label, func(r rune) bool { return r <= unicode.MaxASCII || !unicode.IsLetter(r) })
	return len(label) > 1 && (latin || foreign) || encodedLabel.MatchString(label)
}

var digitGroups = regexp.MustCompile(`[0-9]{3,}(?:[ .-][0-9]{3,})*(?:[ .-][0-9]{1,2}\b)?`)

// cards finds card numbers: 13 to 19 digits, alone or in groups of at least
// three, that do not begin like no card and pass Luhn's check.
func cards(text string) []string {
	var out []string
	for _, run := range digitGroups.FindAllString(text, -1) {
		groups := strings.FieldsFunc(run, func(r rune) bool { return r == ' ' || r == '-' || r == '.' })
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
