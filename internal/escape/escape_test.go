package escape_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/escape"
)

var lines = []struct{ name, text, want, reason string }{
	{"empty", "", "", "nothing stays nothing"},
	{"plain", "pay 12.50 to rent@oakhall.example", "pay 12.50 to rent@oakhall.example", "what is harmless stays"},
	{"blanks", "  two  blanks  ", "  two  blanks  ", "blanks stay"},
	{"letters of other scripts", "Überweisung 振込 платёж", "Überweisung 振込 платёж", "attacks come in many languages"},
	{"emoji", "paid 💸✅", "paid 💸✅", "emoji are printable"},
	{"emoji of several parts", "👩\u200d💻", `👩\u200d💻`, "the joiner is invisible"},
	{"colour", "\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`, "no escape sequence gets through"},
	{"window title", "\x1b]0;owned\a", `\u001b]0;owned\u0007`, "no escape sequence gets through"},
	{"C1", "\u009b31m", `\u009b31m`, "the one-character escape sequence"},
	{"C1 as a byte", "\x9b31m", `\x9b31m`, "some terminals read it as one"},
	{"delete", "a\x7f", `a\u007f`, "a control character"},
	{"backspace", "ok\b\bno", `ok\u0008\u0008no`, "it would overwrite"},
	{"newline", "a\nb", `a\u000ab`, "one line"},
	{"carriage return", "safe\rowned", `safe\u000downed`, "it would overwrite"},
	{"CRLF", "a\r\nb", `a\u000d\u000ab`, "one line"},
	{"tab", "a\tb", `a\u0009b`, "a column of its own in a table"},
	{"NUL", "a\x00b", `a\u0000b`, "it ends a string elsewhere"},
	{"vertical tab and form feed", "a\v\fb", `a\u000b\u000cb`, "line ends to some"},
	{"next line", "a\u0085b", `a\u0085b`, "a line end to some"},
	{"line separator", "a\u2028b", `a\u2028b`, "a line end to some"},
	{"paragraph separator", "a\u2029b", `a\u2029b`, "a line end to some"},
	{"no-break space", "a\u00a0b", `a\u00a0b`, "it looks like a blank and is none"},
	{"zero-width space", "re\u200bnt", `re\u200bnt`, "it would hide in a recipient"},
	{"byte order mark", "\ufeffa", `\ufeffa`, "invisible"},
	{"soft hyphen", "a\u00adb", `a\u00adb`, "invisible"},
	{"right-to-left override", "\u202egpj.exe", `\u202egpj.exe`, "it would turn the text round"},
	{"isolates", "\u2066a\u2069", `\u2066a\u2069`, "they would turn the text round"},
	{"tag characters", "a\U000e0041", `a\U000e0041`, "an invisible alphabet"},
	{"private use", "a\ue000", `a\ue000`, "every terminal shows another"},
	{"lone invalid byte", "a\xffb", `a\xffb`, "no invalid UTF-8 gets through"},
	{"cut character", "a\xe2\x82", `a\xe2\x82`, "no invalid UTF-8 gets through"},
	{"surrogate in bytes", "\xed\xa0\x80", `\xed\xa0\x80`, "no invalid UTF-8 gets through"},
	{"replacement character", "a\ufffdb", "a\ufffdb", "valid as it stands"},
	{"backslash", `a\nb`, `a\nb`, "what looks escaped is not touched"},
}

var commands = []struct{ name, text, want, reason string }{
	{"GitHub", "::error::owned", `\::error::owned`, "a command at the start of a line"},
	{"GitHub with properties", "::set-output name=x::1", `\::set-output name=x::1`, "a command at the start of a line"},
	{"blanks before", "   ::stop-commands::x", `\::stop-commands::x`, "runners skip leading blanks"},
	{"tab before", "\t::error::x", `\u0009::error::x`, "the escaped tab stands before it"},
	{"line end before", "hello\n::error::x", `hello\u000a::error::x`, "the escaped line end keeps it in the line"},
	{"other blank before", "\u3000::error::x", `\u3000::error::x`, "runners skip every kind of blank"},
	{"colons alone", "::", `\::`, "it might be completed by what follows"},
	{"one colon", ":error:", ":error:", "no command"},
	{"colons in the text", "std::string", "std::string", "a command only at the start"},
	{"old form", "##[error]owned", `##\[error]owned`, "Azure and old GitHub runners"},
	{"old form, blanks before", "  ##[group]x", `  ##\[group]x`, "a command wherever it stands"},
	{"old form in the text", "see ##[add-mask]the", `see ##\[add-mask]the`, "runners look for it in the whole line"},
	{"old form twice", "##[a]##[b]", `##\[a]##\[b]`, "each of them"},
	{"old form with hashes before", "###[error]x", `###\[error]x`, "the last two count"},
	{"Azure", "x ##vso[task.setvariable variable=a]b", `x ##vso\[task.setvariable variable=a]b`, "read in the whole line"},
	{"TeamCity", "##teamcity[testFailed name='a']", `##teamcity\[testFailed name='a']`, "a service message"},
	{"in capitals", "##VSO[x]", `##VSO\[x]`, "names have no case there"},
	{"heading", "## Terms [1]", "## Terms [1]", "Markdown is no command"},
	{"both", "::error::##[error]x", `\::error::##\[error]x`, "both forms"},
}

func TestLine(t *testing.T) {
	for _, tt := range append(lines, commands...) {
		t.Run(tt.name, func(t *testing.T) {
			got := escape.Line(tt.text)
			if got != tt.want {
				t.Errorf("Line(%q) = %s, want %s: %s", tt.text, got, tt.want, tt.reason)
			}
			checkSafe(t, tt.text, got)
		})
	}
}

// TestBlock: what Line makes of the text between the line feeds, but for CI
// commands.
func TestBlock(t *testing.T) {
	for _, tt := range lines {
		want := strings.ReplaceAll(tt.want, `\u000a`, "\n")
		if got := escape.Block(tt.text); got != want {
			t.Errorf("%s: Block(%q) = %q, want %q", tt.name, tt.text, got, want)
		}
	}
	require.Equal(t, "::error::x\n##[a]", escape.Block("::error::x\n##[a]"))
}

func TestShort(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		n          int
		want       string
		reason     string
	}{
		{"shorter", "abc", 4, "abc", "it fits"},
		{"just fits", "abcd", 4, "abcd", "at most n"},
		{"longer", "abcde", 4, "abc…", "the mark counts"},
		{"characters, not bytes", "äöüß", 4, "äöüß", "four characters"},
		{"cut between characters", "äöüßx", 4, "äöü…", "no character is cut in two"},
		{"escapes count as written", "\x1b[31m", 4, `\u0…`, "what is shown is counted"},
		{"command", "::error::x", 4, `\::…`, "the cut makes no command of it"},
		{"one", "abc", 1, "…", "the mark alone"},
		{"one, fits", "a", 1, "a", "it fits"},
		{"none", "abc", 0, "", "no room, no mark"},
		{"negative", "abc", -3, "", "no room, no mark"},
		{"empty", "", 0, "", "nothing stays nothing"},
		{"very long", strings.Repeat("\x1b", 1<<20), 8, `\u001b\…`, "a megabyte of escapes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := escape.Short(tt.text, tt.n)
			if got != tt.want {
				t.Errorf("Short(%.20q, %d) = %s, want %s: %s", tt.text, tt.n, got, tt.want, tt.reason)
			}
		})
	}
}

// ciCommand is what a runner takes for a command, in a line by itself or inside
// a longer one.
var ciCommand = regexp.MustCompile(`^\s*::|##[A-Za-z]*\[`)

// checkSafe holds what is promised of every line, whatever it was made of.
func checkSafe(t *testing.T, text, line string) {
	t.Helper()
	require.True(t, utf8.ValidString(line), "%q: valid UTF-8", text)
	for _, r := range line {
		require.True(t, unicode.IsPrint(r), "%q: %q holds %U, which is not printable", text, line, r)
	}
	require.NotRegexp(t, ciCommand, line, "%q: no CI command", text)
	require.NotRegexp(t, ciCommand, "vault: "+line, "%q: no CI command behind a prefix", text)
	require.Equal(t, line, escape.Line(line), "%q: a safe line stays", text)
}

func checkShort(t *testing.T, text string, n int) {
	t.Helper()
	short := escape.Short(text, n)
	require.LessOrEqual(t, utf8.RuneCountInString(short), max(n, 0), "Short(%q, %d)", text, n)
	checkSafe(t, text, short)
	line := escape.Line(text)
	require.True(t, short == line || strings.HasPrefix(line, strings.TrimSuffix(short, "…")), "Short(%q, %d) = %q", text, n, short)
}

// TestRandomText puts hostile pieces together at random.
func TestRandomText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"::", ":", "#", "##", "[", "]", "vso", "error", " ", "\t", "\n", "\r", "\x1b[", "\x00", "\u200b", "\u202e", "\u2028", "\u0085", "\xff", "\xe2\x82", "é", "💸", "\\", "…", "a"}
	for range 4000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkSafe(t, b.String(), escape.Line(b.String()))
		checkShort(t, b.String(), rng.IntN(12))
	}
}

// FuzzLine holds the same of any bytes.
func FuzzLine(f *testing.F) {
	for _, tt := range append(lines, commands...) {
		f.Add(tt.text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		checkSafe(t, text, escape.Line(text))
		checkShort(t, text, n)
	})
}
