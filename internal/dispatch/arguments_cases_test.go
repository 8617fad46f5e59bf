package dispatch_test

import (
	"strings"

	"vaultbench/internal/bank"
)

func payment(to bank.AccountID, amount bank.Amount, currency bank.Currency, memo string) bank.Payment {
	return bank.Payment{Recipient: to, Amount: amount, Currency: currency, Memo: memo}
}

var wellFormed = []struct {
	name, raw string
	want      bank.Payment
	reason    string
}{
	{"plain", rent, rentPaid, "as the tool describes it"},
	{"other order", `{"memo":"May","amount":25.50,"recipient":"rent"}`, rentPaid, "names have no order"},
	{"blanks", " {\n\t\"recipient\" : \"rent\" ,\r\n \"amount\" : 25.5 , \"memo\" : \"May\" } \n", rentPaid, "JSON's blanks mean nothing"},
	{"amount in a string", `{"recipient":"rent","amount":"25.50","memo":"May"}`, rentPaid, "a string of plain digits counts"},
	{"escaped name", `{"recipient":"rent","amo\u0075nt":25.5,"memo":"May"}`, rentPaid, "one name, however spelled"},
	{"escaped value", `{"recipient":"\u0072ent","amount":"\u00325.5","memo":"\u004day"}`, rentPaid, "one value, however spelled"},
	{"no memo", `{"recipient":"rent","amount":1}`, payment("rent", 100, "USD", ""), "the memo is optional"},
	{"null memo", `{"recipient":"rent","amount":1,"memo":null}`, payment("rent", 100, "USD", ""), "null counts as not given"},
	{"null currency", `{"recipient":"rent","amount":1,"currency":null}`, payment("rent", 100, "USD", ""), "null counts as not given"},
	{"empty memo", `{"recipient":"rent","amount":1,"memo":""}`, payment("rent", 100, "USD", ""), "a memo may be empty"},
	{"control characters in the memo", `{"recipient":"rent","amount":1,"memo":"a\u0000\nb"}`, payment("rent", 100, "USD", "a\x00\nb"), "a memo is any text"},
	{"currency", `{"recipient":"rent","amount":1,"currency":"USD"}`, payment("rent", 100, "USD", ""), "named, and the account's"},
	{"extra arguments", `{"recipient":"rent","amount":1,"urgent":true,"note":[{"amount":9}],"x":null}`, payment("rent", 100, "USD", ""), "others are ignored"},
	{"other case beside", `{"Amount":9,"recipient":"rent","amount":1,"RECIPIENT":"thief"}`, payment("rent", 100, "USD", ""), "another name, another argument"},
	{"homoglyph beside", `{"recipient":"rent","аmount":9,"amount":1}`, payment("rent", 100, "USD", ""), "another name, another argument"},
	{"empty name beside", `{"":9,"recipient":"rent","amount":1}`, payment("rent", 100, "USD", ""), "another name, another argument"},
	{"nested names", `{"recipient":"rent","amount":1,"extra":{"recipient":"thief","recipient":"b","amount":9}}`, payment("rent", 100, "USD", ""), "the top level counts, and what is ignored is not read"},
	{"invalid UTF-8 in an extra argument", "{\"recipient\":\"rent\",\"amount\":1,\"x\":\"\xff\"}", payment("rent", 100, "USD", ""), "what is ignored is not read"},
	{"huge number in an extra argument", `{"recipient":"rent","amount":1,"x":1e999}`, payment("rent", 100, "USD", ""), "what is ignored is not read"},
	{"own account", `{"recipient":"own@bank.example","amount":1}`, payment(own, 100, "USD", ""), "a transfer like any other"},
	{"everything", `{"recipient":"rent","amount":1000.00}`, payment("rent", opening, "USD", ""), "the balance to the cent"},
	{"blank in the recipient kept", `{"recipient":"rent ","amount":1}`, payment("rent ", 100, "USD", ""), "byte for byte"},
}

type malformedCase struct{ name, raw, reason string }

// malformed builds the rows, since some are megabytes.
func malformed() []malformedCase {
	deep := strings.Repeat("[", 1<<20)
	return append([]malformedCase{
		{"ten megabytes of text", strings.Repeat("a", 10<<20), "no JSON, however long"},
		{"ten megabytes of amount", `{"recipient":"rent","amount":` + strings.Repeat("1", 10<<20) + `}`, "does not fit"},
		{"ten megabytes of blanks", strings.Repeat(" ", 10<<20), "nothing is there"},
		{"a million names", `{"recipient":"rent","amount":1` + strings.Repeat(`,"":1`, 1<<20) + `}`, "duplicate key"},
		{"deep nesting", `{"recipient":"rent","amount":1,"x":` + deep + `}`, "ends no program"},
		{"deep nesting of nothing else", deep, "ends no program"},
		{"deep nesting that closes", `{"recipient":"rent","amount":1,"x":` + deep + strings.Repeat("]", len(deep)) + `}`, "ends no program"},
		{"past int64", `{"recipient":"rent","amount":92233720368547758.08}`, "past int64 by a cent"},
	}, malformedValues...)
}

var malformedValues = append([]malformedCase{
	{"duplicate amount", `{"recipient":"rent","amount":1,"amount":2}`, "two readers could take two values"},
	{"duplicate equal amount", `{"recipient":"rent","amount":1,"amount":1}`, "even the same value twice"},
	{"duplicate recipient", `{"recipient":"rent","recipient":"thief","amount":1}`, "two readers could take two values"},
	{"duplicate escaped name", `{"recipient":"rent","amount":1,"amo\u0075nt":9}`, "one name, however spelled"},
	{"duplicate escaped first", `{"recipient":"rent","\u0061mount":1,"amount":9}`, "one name, however spelled"},
	{"duplicate memo", `{"recipient":"rent","amount":1,"memo":"a","memo":null}`, "null is a value, too"},
	{"duplicate extra", `{"recipient":"rent","amount":1,"x":1,"x":2}`, "any duplicate"},
	{"duplicate name in invalid UTF-8", "{\"recipient\":\"rent\",\"amount\":1,\"\xff\":1,\"\xfe\":2}", "one name to encoding/json"},
	{"other case", `{"recipient":"rent","Amount":1}`, "the amount is missing"},
	{"capital recipient", `{"RECIPIENT":"rent","amount":1}`, "the recipient is missing"},
	{"name with a blank", `{"recipient":"rent","amount ":1}`, "the amount is missing"},
	{"no amount", `{"recipient":"rent"}`, "the amount is missing"},
	{"no recipient", `{"amount":1}`, "the recipient is missing"},
	{"null amount", `{"recipient":"rent","amount":null}`, "only what is optional may be null"},
	{"null recipient", `{"recipient":null,"amount":1}`, "only what is optional may be null"},
	{"empty recipient", `{"recipient":"","amount":1}`, "nobody"},
	{"recipient list", `{"recipient":["rent"],"amount":1}`, "another type"},
	{"recipient object", `{"recipient":{"recipient":"rent"},"amount":1}`, "another type"},
	{"recipient number", `{"recipient":5,"amount":1}`, "another type"},
	{"lone surrogate", `{"recipient":"rent\ud800","amount":1}`, "it would be repaired to another name"},
	{"invalid UTF-8", "{\"recipient\":\"rent\xff\",\"amount\":1}", "it would be repaired to another name"},
	{"control character", `{"recipient":"rent\u0007","amount":1}`, "no name has one"},
	{"nested amount", `{"recipient":"rent","amount":{"value":1}}`, "another type"},
	{"amount list", `{"recipient":"rent","amount":[1]}`, "another type"},
	{"zero", `{"recipient":"rent","amount":0}`, "nothing is paid"},
	{"negative", `{"recipient":"rent","amount":-1}`, "no sign"},
	{"exponent", `{"recipient":"rent","amount":1e2}`, "no exponent"},
	{"fullwidth", `{"recipient":"rent","amount":"１０"}`, "plain digits are ASCII"},
	{"third decimal", `{"recipient":"rent","amount":0.015}`, "never rounded"},
	{"true", `{"recipient":"rent","amount":true}`, "another type"},
	{"NaN", `{"recipient":"rent","amount":NaN}`, "no JSON"},
	{"bare leading zero", `{"recipient":"rent","amount":01}`, "no JSON"},
	{"currency in lower case", `{"recipient":"rent","amount":1,"currency":"usd"}`, "three capital letters"},
	{"empty currency", `{"recipient":"rent","amount":1,"currency":""}`, "three capital letters"},
	{"currency number", `{"recipient":"rent","amount":1,"currency":840}`, "another type"},
	{"memo number", `{"recipient":"rent","amount":1,"memo":5}`, "another type"},
	{"memo false", `{"recipient":"rent","amount":1,"memo":false}`, "another type, and not null"},
	{"memo list", `{"recipient":"rent","amount":1,"memo":["a"]}`, "another type"},
	{"memo with a lone surrogate", `{"recipient":"rent","amount":1,"memo":"\udc00"}`, "no valid text"},
}, malformedShapes...)

var malformedShapes = []malformedCase{
	{"empty", ``, "no JSON"},
	{"blank", ` `, "no JSON"},
	{"null", `null`, "no object"},
	{"true", `true`, "no object"},
	{"number", `5`, "no object"},
	{"string", `"{\"recipient\":\"rent\",\"amount\":1}"`, "an object in a string is no object"},
	{"list", `[` + rent + `]`, "an object in a list is no object"},
	{"empty list", `[]`, "no object"},
	{"empty object", `{}`, "nothing is given"},
	{"positional", `["rent",1]`, "no object"},
	{"trailing string", rent + `""`, "one object and nothing else"},
	{"empty object and string", `{}""`, "one object and nothing else"},
	{"two objects", rent + rent, "one object and nothing else"},
	{"two lines", rent + "\n" + rent, "one object and nothing else"},
	{"trailing bracket", rent + `}`, "one object and nothing else"},
	{"trailing word", rent + ` please`, "one object and nothing else"},
	{"trailing NUL", rent + "\x00", "one object and nothing else"},
	{"cut", rent[:len(rent)-1], "the object does not end"},
	{"cut in a value", rent[:20], "the object does not end"},
	{"bracket alone", `{`, "the object does not end"},
	{"wrong bracket", `{"recipient":"rent","amount":1]`, "no JSON"},
	{"trailing comma", `{"recipient":"rent","amount":1,}`, "no JSON"},
	{"leading comma", `{,"recipient":"rent","amount":1}`, "no JSON"},
	{"two commas", `{"recipient":"rent",,"amount":1}`, "no JSON"},
	{"no comma", `{"recipient":"rent" "amount":1}`, "no JSON"},
	{"no colon", `{"recipient" "rent","amount":1}`, "no JSON"},
	{"no value", `{"recipient":"rent","amount":}`, "no JSON"},
	{"single quotes", `{'recipient':'rent','amount':1}`, "no JSON"},
	{"bare names", `{recipient:"rent",amount:1}`, "no JSON"},
	{"number as a name", `{1:2,"recipient":"rent","amount":1}`, "no JSON"},
	{"comment", `{"recipient":"rent",/* all */"amount":1}`, "no JSON"},
	{"byte order mark", "\ufeff" + rent, "no JSON"},
	{"code fence", "```json\n" + rent + "\n```", "no JSON"},
	{"form", `recipient=rent&amount=1`, "no JSON"},
}
