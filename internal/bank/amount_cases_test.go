package bank_test

import (
	"math"
	"strings"

	"vaultbench/internal/bank"
)

// refused stands in a table for an amount that must not parse; no amount of
// money is negative.
const refused bank.Amount = -1

type amountCase struct {
	name, raw string // raw JSON, or what a broken caller may pass for it
	want      bank.Amount
	reason    string
}

var amounts = append(payable, unpayable...)

var payable = []amountCase{
	{"one", `1`, 100, "major units"},
	{"ten", `10`, 1000, "a zero inside is no leading one"},
	{"half", `12.5`, 1250, "one decimal is tenths, not cents"},
	{"cents", `12.34`, 1234, "two decimals"},
	{"cent", `0.01`, 1, "the least that can be paid"},
	{"zero point", `0.5`, 50, "the one leading zero that is allowed"},
	{"thousandths of zero", `1.000`, 100, "trailing zeros say nothing"},
	{"trailing zero", `7.10`, 710, "trailing zeros say nothing"},
	{"third decimal zero", `7.120`, 712, "trailing zeros say nothing"},
	{"many trailing zeros", `7.12` + strings.Repeat("0", 500), 712, "however many there are"},
	{"binary trap", `0.29`, 29, "a float would make 28 of it"},
	{"binary trap 2", `1.15`, 115, "a float would make 114 of it"},
	{"beyond a float", `90071992547409.93`, 9007199254740993, "a float would lose the last cent"},
	{"largest to the cent", `92233720368547758.07`, math.MaxInt64, "the edge of int64"},
	{"largest with zeros", `92233720368547758.0700`, math.MaxInt64, "trailing zeros say nothing"},
	{"largest whole", `92233720368547758`, math.MaxInt64 - 7, "below the edge"},
	{"string", `"12.34"`, 1234, "a string of plain digits counts"},
	{"string whole", `"12"`, 1200, "a string of plain digits counts"},
	{"string largest", `"92233720368547758.07"`, math.MaxInt64, "the edge of int64"},
	{"escaped digit", `"\u0031"`, 100, "the string's value is plain, however it was spelled"},
	{"escaped point", `"1\u002e5"`, 150, "the string's value is plain, however it was spelled"},
}

var unpayable = append([]amountCase{
	{"zero", `0`, refused, "nothing is paid"},
	{"zero with decimals", `0.00`, refused, "nothing is paid"},
	{"zero string", `"0"`, refused, "nothing is paid"},
	{"less than a cent", `0.001`, refused, "never rounded"},
	{"third decimal", `12.345`, refused, "never rounded"},
	{"third decimal behind zeros", `1.0001`, refused, "never rounded"},
	{"float dust", `0.30000000000000004`, refused, "never rounded"},
	{"leading zero", `01`, refused, "octal elsewhere, and no JSON"},
	{"leading zeros", `007.50`, refused, "octal elsewhere"},
	{"two zeros", `00.5`, refused, "one zero alone may stand before the point"},
	{"no whole part", `.5`, refused, "no JSON"},
	{"no decimals", `5.`, refused, "no JSON"},
	{"point alone", `.`, refused, "no digits"},
	{"two points", `1.2.3`, refused, "no number"},
	{"minus", `-1`, refused, "no sign"},
	{"minus zero", `-0`, refused, "no sign"},
	{"plus", `+1`, refused, "no sign"},
	{"unicode minus", "\u22121", refused, "no sign in any script"},
	{"sign in decimals", `1.-5`, refused, "no sign"},
	{"exponent", `1e3`, refused, "no exponent"},
	{"capital exponent", `1E3`, refused, "no exponent"},
	{"signed exponent", `1e+3`, refused, "no exponent"},
	{"zero exponent", `1e0`, refused, "no exponent, even an idle one"},
	{"hexadecimal", `0x10`, refused, "decimal digits alone"},
	{"underscore", `1_000`, refused, "Go's separator is none here"},
	{"comma for thousands", `1,000`, refused, "one thousand here, one in Europe"},
	{"comma for decimals", `1,50`, refused, "one fifty there, a hundred and fifty here"},
	{"apostrophe", `1'000`, refused, "no separator"},
	{"no-break space", "1\u00a0000", refused, "no separator"},
	{"fullwidth", "\uff11\uff10", refused, "plain digits are ASCII"},
	{"fullwidth point", "1\uff0e5", refused, "the point is ASCII"},
	{"arabic", "\u0661\u0660", refused, "plain digits are ASCII"},
	{"devanagari", "\u0967\u0966", refused, "plain digits are ASCII"},
	{"superscript", "1\u00b2", refused, "plain digits are ASCII"},
	{"arabic decimal separator", "1\u066b5", refused, "the point is ASCII"},
	{"zero-width space", "1\u200b0", refused, "what is unseen is not plain"},
	{"currency sign", `$5`, refused, "digits alone"},
	{"currency code", `5 USD`, refused, "digits alone"},
	{"words", `five`, refused, "digits alone"},
	{"percent", `5%`, refused, "digits alone"},
	{"NaN", `NaN`, refused, "no number"},
	{"infinity", `Infinity`, refused, "no number"},
	{"minus infinity", `-Infinity`, refused, "no number"},
	{"short infinity", `inf`, refused, "strconv would read it"},
	{"true", `true`, refused, "another type"},
	{"null", `null`, refused, "another type"},
	{"array", `[]`, refused, "another type"},
	{"array of one", `[5]`, refused, "another type"},
	{"object", `{}`, refused, "another type"},
	{"nothing", ``, refused, "missing"},
	{"NUL", "1\x00", refused, "digits alone"},
	{"invalid UTF-8", "1\xff", refused, "digits alone"},
	{"leading blank", ` 1`, refused, "no blank"},
	{"trailing blank", `1 `, refused, "no blank"},
	{"trailing line", "1\n", refused, "no blank"},
	{"blank", ` `, refused, "no digits"},
	{"one cent too many", `92233720368547758.08`, refused, "past int64 by a cent"},
	{"one unit too many", `92233720368547759`, refused, "past int64"},
	{"wraps to one", `184467440737095516.17`, refused, "past uint64 by a cent: it must not wrap"},
	{"huge", strings.Repeat("9", 400), refused, "past a float too"},
	{"very huge", "1" + strings.Repeat("0", 1<<20), refused, "a megabyte of digits"},
	{"many decimals", "1." + strings.Repeat("1", 1<<20), refused, "a megabyte of decimals"},
}, unpayableStrings...)

var unpayableStrings = []amountCase{
	{"empty string", `""`, refused, "no digits"},
	{"blank string", `" "`, refused, "no digits"},
	{"blank before string", ` "1"`, refused, "no blank"},
	{"blank behind string", `"1" `, refused, "no blank, as behind a number"},
	{"string in a string", `"\"1\""`, refused, "digits alone"},
	{"open string", `"1`, refused, "no JSON"},
	{"two strings", `"1""2"`, refused, "no JSON"},
	{"single quotes", `'1'`, refused, "no JSON"},
	{"escaped minus", `"\u002d1"`, refused, "the string's value has a sign"},
	{"escaped fullwidth", `"\uff11"`, refused, "plain digits are ASCII"},
	{"escaped NUL", `"1\u0000"`, refused, "digits alone"},
	{"escaped line", `"1\n"`, refused, "digits alone"},
	{"lone surrogate", `"1\ud800"`, refused, "no readable string"},
	{"unknown escape", `"\x31"`, refused, "no JSON"},
	{"broken escape", `"\u003"`, refused, "no JSON"},
	{"invalid UTF-8 string", "\"1\xff\"", refused, "no readable string"},
	{"raw line in string", "\"1\n\"", refused, "no JSON"},
}
