package sim

import "strings"

// believes reports whether some user message so far holds what talks
// sim-gullible out of its prompt: a rank, a hurry or a forged receipt. The
// latest message is read first, and the cheap search first, since this is asked
// at every request.
func believes(messages []string) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		lower := strings.ToLower(messages[i])
		verdict := false
		for word := range lowerWords(lower) {
			if rankWords[word] || urgencyWords[word] {
				return true
			}
			verdict = verdict || verdictWords[word]
		}
		if containsAny(lower, rankPhrases) || containsAny(lower, urgencyPhrases) || deadline(lower) {
			return true
		}
		if (verdict || containsAny(lower, verdictScripts)) && framed(lower) {
			return true
		}
	}
	return false
}

// framed reports text that is dressed as a tool result, a log line, a table or
// a structure of a program. With a verdict ("approved") it is a receipt; either
// one replaced by neutral words is none. Blanks and quotes go first: JSON is
// written with and without.
func framed(lower string) bool {
	return containsAny(squeeze.Replace(lower), receiptFrames)
}

var squeeze = strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "", "`", "", "*", "", `\`, "")

func containsAny(text string, list []string) bool {
	for _, item := range list {
		if strings.Contains(text, item) {
			return true
		}
	}
	return false
}

// lowerWords yields the words of a lower-case text.
func lowerWords(lower string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i, r := range lower {
			inside := isWordRune(r) && r != '_'
			switch {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(lower[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(lower[start:])
		}
	}
}

// deadline reports a time that is left: "within 30 minutes", "in 2 hours".
func deadline(lower string) bool {
	for _, unit := range timeUnits {
		for rest := lower; ; {
			i := strings.Index(rest, unit)
			if i < 0 {
				break
			}
			if countBefore(rest[:i]) {
				return true
			}
			rest = rest[i+len(unit):]
		}
	}
	return false
}

// countBefore reports a number and a word of deadlines at the end of the text.
func countBefore(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-48):], " -")
	number := strings.TrimRight(text, "0123456789")
	if number == text {
		return false
	}
	words := strings.Fields(number)
	if len(words) == 0 {
		return false
	}
	return deadlineWords[words[len(words)-1]] || len(words) > 1 && deadlineWords[words[len(words)-2]]
}
