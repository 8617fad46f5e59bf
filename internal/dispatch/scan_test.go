package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// decoded takes the arguments apart with json.Decoder, token by token: what the
// scanner is held equal to.
func (n Names) decoded(raw string) (arguments, error) {
	var a arguments
	seen := map[string]bool{}
	dec := json.NewDecoder(strings.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return arguments{}, fmt.Errorf("%w: not a JSON object", errArguments)
	}
	for dec.More() {
		t, err := dec.Token()
		name, isName := t.(string)
		if err != nil || !isName {
			return arguments{}, fmt.Errorf("%w: not a JSON object", errArguments)
		}
		if seen[name] {
			return arguments{}, fmt.Errorf("%w: duplicate key %q", errArguments, name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return arguments{}, fmt.Errorf("%w: not a JSON object", errArguments)
		}
		if field := a.field(n, name); field != nil {
			*field = string(value)
		}
	}
	if _, err := dec.Token(); err != nil {
		return arguments{}, fmt.Errorf("%w: the JSON object is cut", errArguments)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return arguments{}, fmt.Errorf("%w: data after the JSON object", errArguments)
	}
	return a, nil
}

type bothReaders interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameAsDecoder compares what is read, and the error to the letter.
func sameAsDecoder(t bothReaders, raw string) {
	t.Helper()
	want, wantErr := TransferFunds.decoded(raw)
	got, err := TransferFunds.readArguments(raw)
	if want != got || fmt.Sprint(wantErr) != fmt.Sprint(err) {
		t.Fatalf("readArguments(%q) = %+v, %v\njson.Decoder reads %+v, %v", raw, got, err, want, wantErr)
	}
}

// scanned are texts in which the two readers could differ: each is read whole, cut
// at each byte, and with each byte left out or replaced.
var scanned = []string{
	`{"recipient":"rent","amount":25.5,"memo":"May"}`,
	" \t\r\n{ \"recipient\" : \"re\\u006et\" , \"amount\" : -0.10e+05 ,\n\"x\":[{\"a\":[]},\"]}\\\"\"],\"y\":{\"b\":{\"c\":null}} , \"currency\":null} \t\r\n",
	`{"am\u006funt":1,"\ud83d\ude00":true,"\ud800":false,"�":1,"":0,"recipient":"\"\\\/\b\f\n\r\t"}`,
	"{\"\xff\":1,\"\xfe\":2,\"memo\":\"\xff\",\"é\":\"é\"}",
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"a":11}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"i":11}`,
	`{}{}`, `{} ]`, `{]`, `{"a":1]`, `{,}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":+1}`, `{"a":1e}`, `{"a":truey}`, `{"a":nul}`, `{"a":NaN}`,
	`{"a":[1,]}`, `{"a":{"b":1,}}`, `{"a":[}]}`, `{"a":{]}`, `{'a':1}`, `{"a":'b'}`, `{a:1}`, `{"a" 1}`, `{"a"::1}`, `{"a":1,,"b":2}`, `{"a":1 "b":2}`, `{"a":1;"b":2}`,
	"{\"a\":\"\x00\"}", "{\"a\x1f\":1}", `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"\u12"}`, "\ufeff{}", "{\u00a0}", "{\v}", "[]", `"{}"`, "null", "1", "",
	`{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`,
	`{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
	`{"a":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001) + `}`,
	`{"a":` + strings.Repeat(`{"b":`, 10000) + "1" + strings.Repeat("}", 10000) + `}`,
}

func TestScannerReadsAsTheDecoderDoes(t *testing.T) {
	bytes := []byte{0, '\t', '\n', ' ', '"', '\\', '/', ',', ':', '{', '}', '[', ']', '0', '9', '.', '-', '+', 'e', 'u', 'a', 'n', 0x7f, 0x80, 0xff}
	for _, text := range scanned {
		sameAsDecoder(t, text)
		if len(text) > 200 {
			continue
		}
		for at := range len(text) {
			sameAsDecoder(t, text[:at])
			sameAsDecoder(t, text[:at]+text[at+1:])
			for _, b := range bytes {
				sameAsDecoder(t, text[:at]+string([]byte{b})+text[at+1:])
				sameAsDecoder(t, text[:at]+string([]byte{b})+text[at:])
			}
		}
	}
}

// TestScannerOnRandomTexts puts pieces of JSON together in any order: 200,000 texts
// under VAULT_LONG=1, else 50,000.
func TestScannerOnRandomTexts(t *testing.T) {
	const seed = 8259
	texts := 50_000
	if os.Getenv("VAULT_LONG") == "1" {
		texts = 200_000
	}
	t.Logf("%d texts, seed %d", texts, seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{`{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n", `"a"`, `"amount"`, `"recipient"`, `"\u0061"`, `1`, `0`, `-1.5e3`, `true`, `null`, `"x`, `\`, `"`, `{}`, `[]`, `{"a":1}`, `"a":1`, `"b":[1]`, `,"c":"d"`}
	for range texts {
		var b strings.Builder
		b.WriteByte('{')
		for range rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if rng.IntN(2) == 0 {
			b.WriteByte('}')
		}
		sameAsDecoder(t, b.String())
	}
}

// FuzzReadArguments holds the scanner and json.Decoder equal.
func FuzzReadArguments(f *testing.F) {
	for _, text := range scanned {
		if len(text) < 200 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) { sameAsDecoder(t, raw) })
}

// TestToolTexts: an answer is what encoding/json would make of it, for each byte
// alone and for what only some need the library for.
func TestToolTexts(t *testing.T) {
	texts := []string{"", "plain", "a\u2028b", "é😀", "\xff", `</script>&"\`, "\x7f"}
	for c := range 256 {
		texts = append(texts, "x"+string([]byte{byte(c)})+"y")
	}
	for _, s := range texts {
		want, err := json.Marshal(struct {
			Error   string `json:"error"`
			Message string `json:"message"`
		}{"denied", s})
		require.NoError(t, err)
		if diff := cmp.Diff(string(want), toolError("denied", s)); diff != "" {
			t.Errorf("toolError(%q) (-want +got):\n%s", s, diff)
		}
	}
}
