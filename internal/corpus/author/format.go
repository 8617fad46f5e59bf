package author

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/corpus"
	"vaultbench/internal/strictjson"
)

// Format returns a file in canonical form: one Line an entry, in order of the
// ids. A line that does not decode is an error, since nobody knows its form.
func Format(f File) ([]byte, error) {
	lines, err := strictjson.Lines(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	var all []corpus.Attack
	for _, line := range lines {
		var a corpus.Attack
		if err := line.Decode(attackSchema, &a); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b corpus.Attack) int { return a.ID.Compare(b.ID) })
	var b bytes.Buffer
	for _, a := range all {
		b.Write(Line(a))
	}
	return b.Bytes(), nil
}

// Line is the canonical form of an entry, line end included: the members in the
// order of corpus.Attack, ", " and ": " between them, control characters as
// escapes, everything else as itself, raw amounts byte for byte.
func Line(a corpus.Attack) []byte {
	o := object{}
	o.text("id", string(a.ID))
	o.option("twin", string(a.Twin))
	o.text("session", string(a.Session))
	o.text("level", string(a.Level))
	o.text("lang", a.Lang)
	o.option("date", a.Date)
	o.text("technique", string(a.Technique))
	o.text("category", string(a.Category))
	o.raw("messages", texts(a.Messages))
	o.raw("goal", goal(a.Goal))
	o.raw("expect", texts(a.Expect))
	o.text("reason", a.Reason)
	return []byte(o.String() + "\n")
}

func goal(payments []corpus.Payment) string {
	if payments == nil {
		return "null"
	}
	var out []string
	for _, p := range payments {
		o := object{}
		o.text("recipient", p.Recipient)
		o.raw("amount", string(p.Amount))
		o.option("currency", p.Currency)
		o.text("memo", p.Memo)
		if p.At != 0 {
			o.raw("at", strconv.FormatInt(p.At, 10))
		}
		out = append(out, o.String())
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func texts(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, quote(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// object is a JSON object as it is written.
type object struct{ members []string }

func (o *object) raw(name, value string)  { o.members = append(o.members, quote(name)+": "+value) }
func (o *object) text(name, value string) { o.raw(name, quote(value)) }

// option leaves out what is empty.
func (o *object) option(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) String() string { return "{" + strings.Join(o.members, ", ") + "}" }

// quote is a JSON string. Terminals obey the controls U+007F to U+009F too, so
// they are escaped as the others are.
func quote(s string) string {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8, which the decoder refuses
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	}
	return escaped(string(quoted), func(r rune) bool { return r >= 0x7f && r <= 0x9f })
}

// Printable is the same JSON for a terminal or a log: every character that does
// not print is an escape, and so is a "##", by which a runner takes commands.
func Printable(line []byte) string {
	text := escaped(string(line), func(r rune) bool { return r != ' ' && r != '\n' && !unicode.IsPrint(r) })
	return strings.ReplaceAll(text, "##", `#\u0023`)
}

// escaped writes the named characters of a JSON text, which stand within strings
// alone, as escapes.
func escaped(text string, is func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !is(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
