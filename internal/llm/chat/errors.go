package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaultbench/internal/llm"
)

// maxExcerpt bounds what a message shows of a body, in characters.
const maxExcerpt = 300

// fail makes the one form that all errors of a provider have: sentinel, host,
// status (0: none), what is wrong, and the start of what came.
func (c *chatClient) fail(kind error, class llm.Class, status int, what, body string) *llm.Failure {
	where := c.host
	if status != 0 {
		where += fmt.Sprintf(": HTTP %d", status)
	}
	if what != "" {
		where += ": " + excerpt(c.redact(what))
	}
	if body == "" {
		body = "empty body"
	}
	text := fmt.Sprintf("%v: %s: %s", kind, where, excerpt(c.redact(body)))
	switch class {
	case llm.KeyDead:
		text += fmt.Sprintf(" (model %s: check the account and the key in variable %s)", c.model.Slug, c.keyEnv)
	case llm.ModelDead:
		text += fmt.Sprintf(" (%s: model %s: check id %q, the base_url, and that the model can call tools)", llm.ModelsFile, c.model.Slug, *c.model.ID)
	}
	return llm.NewFailure(kind, class, text)
}

// refused is the failure of a reply without success.
func (c *chatClient) refused(ex exchange) *llm.Failure {
	kind, class := errorKind(ex.status, ex.body), llm.Final
	if kind == llm.ErrProvider {
		class = errorClass(ex.status, ex.body)
	}
	f := c.fail(kind, class, ex.status, "", string(ex.body))
	f.RetryAfter, f.Delay = ex.retryAfter, retryDelay(ex.body)
	return f
}

// retryDelay is Google's way to say how long to wait: an entry of the details.
func retryDelay(body []byte) time.Duration {
	at := bytes.Index(body, []byte(`"retryDelay"`))
	if at < 0 {
		return 0
	}
	parts := bytes.SplitN(body[at:], []byte(`"`), 5) // "", retryDelay, ":", 34s, …
	if len(parts) < 5 {
		return 0
	}
	d, err := time.ParseDuration(string(parts[3]))
	if err != nil {
		return 0
	}
	return d
}

// redact removes the key, which some providers echo, in the forms that JSON and
// URLs give it. It runs before a text is cut, so that no half of a key remains.
func (c *chatClient) redact(text string) string {
	quoted := string(llm.QuoteWire(c.key))
	forms := []string{
		c.key, quoted[1 : len(quoted)-1], strings.ReplaceAll(c.key, "/", `\/`),
		url.QueryEscape(c.key), url.PathEscape(c.key),
	}
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, "[key]")
	}
	return text
}

// excerpt is the start of a hostile text on one line: whatever is not printable
// is escaped, so that it can neither steer a terminal nor start a CI command.
func excerpt(text string) string {
	var out strings.Builder
	length := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		shown := text[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1:
			shown = fmt.Sprintf(`\x%02x`, text[i])
		case !unicode.IsPrint(r):
			shown = strings.Trim(strconv.QuoteRune(r), "'")
		}
		if length += utf8.RuneCountInString(shown); length > maxExcerpt-1 {
			return out.String() + "…"
		}
		out.WriteString(shown)
		i += size
	}
	return out.String()
}

// errorBody is what an error reply says of itself.
type errorBody struct{ code, kind, message string }

// parseErrorBody knows the forms that are about: {"error":{…}} of OpenAI, the
// same in an array (Google), {"error":"text","code":…} (xAI), {"detail":"text"}
// and a bare {"message":…,"type":…,"code":…} (Mistral). Of any other nothing is known.
func parseErrorBody(body []byte) errorBody {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return errorBody{}
	}
	if list, ok := doc.([]any); ok && len(list) > 0 {
		doc = list[0]
	}
	top, _ := doc.(map[string]any)
	if inner, ok := top["error"].(map[string]any); ok {
		top = inner
	}
	b := errorBody{code: scalar(top["code"]), kind: scalar(top["type"])}
	for _, name := range []string{"message", "error", "detail"} {
		if b.message == "" {
			b.message = scalar(top[name])
		}
	}
	return b
}

// scalar reads a text or a number: codes come as either.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
