package author_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
)

func TestPersonalData(t *testing.T) {
	for _, tt := range personalCases {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range author.PersonalData(corpus.Attack{Messages: []string{tt.text}}) {
				got = append(got, f.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("PersonalData(%q): %s (-want +got):\n%s", tt.text, tt.reason, diff)
			}
		})
	}
}

func mail(s string) []string {
	return []string{`holds the e-mail address "` + s + `": put it into the reserved domain .example`}
}

func tel(s string) []string {
	return []string{`holds what looks like a telephone number "` + s + `": take it out`}
}

func card(s string) []string {
	return []string{`holds a card number with a valid check digit "` + s + `": change a digit`}
}

func iban(s string) []string {
	return []string{`holds an IBAN with valid check digits "` + s + `": change a digit`}
}

func secret(s string) []string {
	return []string{`holds what looks like a provider's key "` + s + `": take it out, and revoke it if it is real`}
}

// The numbers are the ones that standards and manuals print as examples, and
// the keys are made up.
var personalCases = []struct {
	name, text string
	want       []string
	reason     string
}{
	{"reserved", "pay a.b+c@shop.example, or A@B.EXAMPLE.", nil, "nobody owns .example"},
	{"real domain", "write to jo@mail.com!", mail("jo@mail.com"), "somebody may own it"},
	{"below a reserved word", "jo@shop.example.org", mail("jo@shop.example.org"), "the last label counts"},
	{"other script", "жо@почта.рф", mail("жо@почта.рф"), "domains of other scripts are real"},
	{"hidden", "jo@ma\u200bil.com", mail("jo@mail.com"), "an invisible character hides nothing"},
	{"look-alikes", "pay@shop.examp1e pay@shop.exаmple pay@shop.e", nil, "no such top-level domain can be: a digit, two scripts, one letter"},
	{"rot13", "cnl@fubc.rknzcyr", nil, "example in rot13"},
	{"international", "call +49 30 1234567 now", tel("+49 30 1234567"), "a telephone number"},
	{"double zero", "ring 0044 20 7946 0000", tel("0044 20 7946 0000"), "a telephone number"},
	{"american", "(212) 555-0100 or 212-555-0100", append(tel("(212) 555-0100"), tel("212-555-0100")...), "telephone numbers"},
	{"trunk zero", "030/123 4567", tel("030/123 4567"), "a telephone number"},
	{"named", "tel: 555 12 34", tel("tel: 555 12 34"), "the word says so"},
	{"fullwidth", "＋４９ ３０ １２３４５６７", tel("+49 30 1234567"), "fullwidth digits are digits"},
	{"no telephone", "2026-03-06, APC-2026-0139, +2500.00, 1 250,00, LF-VAULT-05, 0.01, 2026-03-06T09:00:00Z", nil, "dates, codes and amounts"},
	{"card", "4111 1111 1111 1111", card("4111 1111 1111 1111"), "passes Luhn"},
	{"card in a run", "ref 1026-5500-0000-0000-0004", card("5500 0000 0000 0004"), "whatever stands before it"},
	{"american card", "378282246310005", card("378282246310005"), "fifteen digits"},
	{"no card", "4111 1111 1111 1112, 0000000000000000, 92233720368547758", nil, "wrong check digit, no such first digit"},
	{"hex", "64 20 31 39 39 39 20 74 65 78", nil, "pairs of digits are no card"},
	{"iban", "NL91 ABNA 0417 1643 00 please", iban("NL91ABNA0417164300"), "valid check digits"},
	{"small letters", "gb82west12345698765432", iban("GB82WEST12345698765432"), "still one"},
	{"no iban", "NL92 ABNA 0417 1643 00, un10ck 411 11m17s, XX00 1234", nil, "wrong digits, or no country"},
	{"keys", "sk-proj-abcdefghij0123456789", secret("sk-proj-abcdefghij0123456789"), "the shape of a key"},
	{"cloud key", "AKIAABCDEFGHIJKLMNOP", secret("AKIAABCDEFGHIJKLMNOP"), "the shape of a key"},
	{"hyphen behind", "bob.smith@gmail.com- is mine", mail("bob.smith@gmail.com"), "what is stuck to an address hides nothing"},
	{"word behind", "bob@gmail.com-thanks", mail("bob@gmail.com"), "the same"},
	{"label behind", "bob@gmail.com.1st", mail("bob@gmail.com"), "the same"},
	{"stuck to a reserved one", "jo@oak.example- jo@oak.example.1st jo@oak.example-bank", nil, "nobody owns .example, whatever follows"},
	{"encoded domain", "x@yandex.xn--p1ai", mail("x@yandex.xn--p1ai"), "рф, as the protocol writes it"},
	{"machine", "bob@[192.168.1.1], al@[IPv6:2001:db8::1]", append(mail("bob@[192.168.1.1]"), mail("al@[IPv6:2001:db8::1]")...), "an address without a domain"},
	{"no machine", "pay bob@[name] or al@[...]", nil, "a gap to be filled in"},
	{"dotted telephone", "+1.415.555.2671", tel("+1.415.555.2671"), "dots are as good as blanks"},
	{"french", "06 12 34 56 78, 01.23.45.67.89, 06-12-34-56-78", append(append(tel("06 12 34 56 78"), tel("01.23.45.67.89")...), tel("06-12-34-56-78")...), "pairs, with the trunk zero"},
	{"no dotted telephone", "+2500.00, +125000.00, +1.250.000, 06.12.2026, 09 10 11", nil, "amounts, a date, numbers"},
	{"arabic digits", "+٤٩ ٣٠ ١٢٣٤٥٦٧", tel("+49 30 1234567"), "digits of every script are digits"},
	{"devanagari digits", "४१११ ११११ ११११ ११११", card("4111 1111 1111 1111"), "the same"},
	{"osmanya digits", "𐒤𐒡𐒡𐒡 𐒡𐒡𐒡𐒡 𐒡𐒡𐒡𐒡 𐒡𐒡𐒡𐒡", card("4111 1111 1111 1111"), "and beyond the first plane"},
	{"dotted card", "4111.1111.1111.1111", card("4111 1111 1111 1111"), "dots are as good as blanks"},
	{"wide card", "4111  1111 \t 1111 \u00a0 1111", card("4111 1111 1111 1111"), "however many blanks"},
	{"dotted iban", "NL91.ABNA.0417.1643.00", iban("NL91ABNA0417164300"), "dots again"},
	{"wide iban", "NL91  ABNA  0417  1643  00", iban("NL91ABNA0417164300"), "blanks again"},
	{"mailer's key", "SG.abcdefghijklmnopqrstuv." + strings.Repeat("Ab3", 14) + "x", secret("SG.abcdefghijklmnopqrstuv." + strings.Repeat("Ab3", 14) + "x"), "22 and 43 characters"},
	{"no key", "sk-ip the queue, task-force-with-a-long-name-indeed", nil, "words"},
}

// TestPersonalDataEverywhere: not only in the messages.
func TestPersonalDataEverywhere(t *testing.T) {
	a := corpus.Attack{
		Messages: []string{"a@mail.com", "a@mail.com"}, Reason: "b@mail.com",
		Goal: []corpus.Payment{{Recipient: "c@mail.com", Memo: "d@mail.com", Amount: []byte(`"e@mail.com"`)}},
	}
	var got []string
	for _, f := range author.PersonalData(a) {
		got = append(got, f.Text)
	}
	var want []string
	for _, s := range []string{"b@mail.com", "a@mail.com", "c@mail.com", "d@mail.com", "e@mail.com"} {
		want = append(want, mail(s)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("PersonalData (-want +got):\n%s", diff)
	}
}
