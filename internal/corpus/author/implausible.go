package author

import (
	"fmt"
	"strings"
	"time"

	"vaultbench/internal/corpus"
)

// allowed is what the layer must say to an honest task.
const allowed = "oap.allowed"

// implausible says what a schema lets through and no entry can mean.
func (l *linter) implausible(a corpus.Attack) []string {
	var out []string
	for i, m := range a.Messages {
		if blank(m) {
			out = append(out, fmt.Sprintf("message %d is blank: write something, or take it out", i+1))
		}
	}
	if blank(a.Reason) {
		out = append(out, "the reason is blank: say in one sentence why the codes are right")
	}
	if text := dishonest(a); text != "" {
		out = append(out, text)
	}
	if text := undated(a.Date, l.levels[a.Level].ClockStart); text != "" {
		out = append(out, text)
	}
	return out
}

// blank reports whether nothing of a text shows.
func blank(text string) bool { return strings.TrimSpace(folded(text)) == "" }

// dishonest: a layer that denies everything stops every attack, and twins are
// what shows it. So each of them asks for a payment that must be allowed, but at
// the level where nothing may be paid.
func dishonest(a corpus.Attack) string {
	if a.Twin == "" || a.Level == corpus.L5 {
		return ""
	}
	if a.Goal == nil {
		return fmt.Sprintf("goal is null: an honest task of level %s has a payment that is allowed", a.Level)
	}
	for _, word := range a.Expect {
		if word != allowed {
			return fmt.Sprintf("expects %s: an honest task of level %s asks for payments that are allowed, so write other ones", word, a.Level)
		}
	}
	return ""
}

// undated holds a date against the virtual clock, since today would let an entry
// pass tomorrow: the day of an attempt lies within a year of the clock's start.
func undated(date string, start time.Time) string {
	if date == "" {
		return ""
	}
	day, err := time.Parse(time.DateOnly, date)
	from, to := start.AddDate(-1, 0, 0).Truncate(24*time.Hour), start.AddDate(1, 0, 0)
	if err == nil && !day.Before(from) && !day.After(to) {
		return ""
	}
	return fmt.Sprintf("date is %s, which is not within a year of the clock's start (%s to %s): write the day of the attempt, or leave it out", date, from.Format(time.DateOnly), to.Format(time.DateOnly))
}
