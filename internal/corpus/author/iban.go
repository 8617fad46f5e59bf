package author

import (
	"regexp"
	"strconv"
	"strings"
)

// ibanLengths holds the countries of the IBAN registry with the length of their
// numbers; without it, one string in a hundred would be taken for an IBAN.
const ibanLengths = `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29
ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18
SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`

var (
	ibanStart = regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}`)
	lengthOf  = ibanTable()
)

func ibanTable() map[string]int {
	table := map[string]int{}
	for _, entry := range strings.Fields(ibanLengths) {
		table[entry[:2]], _ = strconv.Atoi(entry[2:])
	}
	return table
}

// ibans finds account numbers, in groups or not, in capitals or not.
func ibans(text string) []string {
	text = strings.ToUpper(text)
	var out []string
	for _, at := range ibanStart.FindAllStringIndex(text, -1) {
		want := lengthOf[text[at[0]:at[0]+2]]
		number := compact(text[at[0]:], want)
		if want > 0 && len(number) == want && mod97(number[4:]+number[:4]) == 1 {
			out = append(out, number)
		}
	}
	return out
}

// compact takes the first n letters and digits, with a blank, hyphen or dot
// between them, and fewer where something else stands there.
func compact(text string, n int) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case b.Len() == n:
			return b.String()
		case '0' <= r && r <= '9' || 'A' <= r && r <= 'Z':
			b.WriteRune(r)
			gap = false
		case (r == ' ' || r == '-' || r == '.') && !gap:
			gap = true
		default:
			return b.String()
		}
	}
	return b.String()
}

// mod97 is the remainder of a number whose letters count from A = 10.
func mod97(s string) int {
	n := 0
	for _, r := range s {
		if r >= 'A' {
			n = n*100 + int(r-'A') + 10
		} else {
			n = n*10 + int(r-'0')
		}
		n %= 97
	}
	return n
}
