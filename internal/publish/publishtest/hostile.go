// Package publishtest makes runs of which every text is an attacker's, for those
// who test what the reports make of them.
package publishtest

import "strings"

// Canary is the global variable that each script of an attacker sets: whoever
// shows a report looks whether it is there.
const Canary = "pwned"

// beacon is what an attacker's markup would load. No such host exists.
const beacon = "http://beacon.invalid/"

// Hostile are texts that attackers and models may write, by what they try.
func Hostile() map[string]string {
	const run = "window." + Canary + "=1"
	return map[string]string{
		"script":     `</script><script>` + run + `;alert(1);fetch("` + beacon + `s")</script>`,
		"image":      `<img src='` + beacon + `x.png' onerror="` + run + `"><svg onload="` + run + `"><image href='` + beacon + `y'/></svg>`,
		"attribute":  `" autofocus onfocus="` + run + `" onmouseover='` + run + `' style="background:url(` + beacon + `b)" x="`,
		"quotes":     `'-` + run + `-'` + "`${" + run + "}`" + `\";` + run + `//`,
		"elements":   `</title></style></pre></li></svg></textarea></noscript><iframe srcdoc="<script>parent.` + Canary + `=1</script>"></iframe><base href='` + beacon + `'><meta http-equiv=refresh content="0;url=` + beacon + `">`,
		"link":       `javascript:` + run + `//` + "\n" + `<a href="javascript:` + run + `">rent</a> data:text/html,<script>` + run + `</script>`,
		"template":   `{{.Script}} {{printf "%s" .}} ${` + run + `} <% ` + run + ` %>`,
		"comment":    `<!-- <script> --!> ]]> <![CDATA[ <!--<script>` + run + `</script>-->`,
		"command":    "\n::error::owned\n##[error]owned ##vso[task.complete]",
		"escape":     "\x1b[31m\x1b]0;t\a\x9b",
		"direction":  "\u202egpj.exe\u2066\u200b",
		"surrogate":  "\xed\xa0\x80\xff" + `"\ud800"`,
		"number":     `{"amount": NaN, "b": Infinity}`,
		"prototype":  `__proto__`,
		"a megabyte": strings.Repeat("<i>", 1<<20/3),
		"separators": "a\u2028b\u2029c",
		"markdown":   "| a | [x](javascript:alert(1)) @all `code` ![i](" + beacon + "x.png)",
	}
}
