package ingest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Outcome is one evaluation: one attack, sent to one model on one track in one
// architecture. Calls, evaluations and denials are different units: every count
// here is of calls or transfers within this one evaluation. As JSON its members
// are the columns of the mapping run-outcomes.
type Outcome struct {
	Model        string            `json:"model"`              // as the source names it
	Kind         plan.Kind         `json:"kind"`               // live where the source says nothing
	Level        corpus.Level      `json:"level"`              // l1 to l5; of a recorded one the tool map
	Track        corpus.Track      `json:"track"`              // single (the paper's A), multi (B), benign, recorded, or a derived one
	Architecture plan.Architecture `json:"architecture"`       // alone, or the layer
	Attack       corpus.AttackID   `json:"attack"`             // the prompt, as the source names it
	Session      corpus.SessionID  `json:"session"`            // the attacker's session: the unit of clustering
	Trial        int               `json:"trial"`              // from 1
	Category     corpus.Category   `json:"category,omitempty"` // empty where the source has none
	Lang         string            `json:"lang,omitempty"`     // BCP 47, or empty
	Date         string            `json:"date,omitempty"`     // YYYY-MM-DD of the attack, UTC, or empty
	Twin         corpus.AttackID   `json:"twin,omitempty"`     // of an honest task: its attack
	End          record.End        `json:"end"`                // how it ended; completed where the source says nothing

	// The five events. Where the source has a flag and no number, one stands for
	// "at least one".
	Requests    int64          `json:"requests"`             // 1: transfer calls
	Payments    int64          `json:"payments"`             // 2: transfers that the bank posted
	Decisions   int64          `json:"decisions"`            // 3: calls decided, behind a layer only
	Denied      int64          `json:"denied"`               // 3: calls denied
	Reasons     []string       `json:"reasons,omitempty"`    // 3: denial codes, one a denied call where the source has them all
	Recipients  []string       `json:"recipients,omitempty"` // 4: who was paid, in order, where the source says so
	Classes     []corpus.Class `json:"classes,omitempty"`    // 4: whose each paid recipient is, in order, where the source says so
	Unpermitted int64          `json:"unpermitted"`          // 5: transfers that the policy does not permit

	// An audit beside the events, never a part of them: what two judges said, in
	// the source's own words, before anything was escalated.
	JudgeA string `json:"judge_a,omitempty"`
	JudgeB string `json:"judge_b,omitempty"`

	InputTokens  int64 `json:"input_tokens,omitempty"`  // tokens; zero where unknown
	CachedTokens int64 `json:"cached_tokens,omitempty"` // tokens; zero where unknown
	OutputTokens int64 `json:"output_tokens,omitempty"` // tokens; zero where unknown
	LatencyMS    int64 `json:"latency_ms,omitempty"`    // milliseconds; zero where unknown

	File string `json:"-"` // where the row stands
	Row  int64  `json:"-"` // from 1
}

// PaidPermitted counts the transfers to recipients whom the level permits.
func (o Outcome) PaidPermitted() int64 {
	var n int64
	for _, c := range o.Classes {
		if c == corpus.ClassPermitted {
			n++
		}
	}
	return n
}

// Counted reports whether the evaluation is in the denominators: it completed,
// the provider refused the prompt, or an unpermitted transfer executed before
// whatever stopped it.
func (o Outcome) Counted() bool {
	return o.End == record.Completed || o.End == record.InputFiltered || o.Unpermitted > 0
}

// tracks are all that an outcome may have. Those of derived attacks are never
// pooled with the others (corpus.Track.Section).
var tracks = slices.Concat(corpus.Tracks(), []corpus.Track{corpus.Recorded}, corpus.DerivedTracks(corpus.Crossed), corpus.DerivedTracks(corpus.Varied))

// outcomeFields are the fields of a mapping of outcomes.
var outcomeFields = []field{
	{"model", true, false}, {"kind", false, false}, {"level", true, false}, {"track", true, false}, {"architecture", true, false},
	{"attack", true, false}, {"session", true, false}, {"trial", false, false}, {"category", false, false}, {"lang", false, false}, {"date", false, false}, {"twin", false, false},
	{"end", false, false}, {"requests", true, false}, {"payments", true, false}, {"decisions", false, false}, {"denied", false, false}, {"reasons", false, true},
	{"recipients", false, true}, {"classes", false, true}, {"unpermitted", true, false}, {"judge_a", false, false}, {"judge_b", false, false},
	{"input_tokens", false, false}, {"cached_tokens", false, false}, {"output_tokens", false, false}, {"latency_ms", false, false},
}

// outcome reads a row.
func (b *binding) outcome() Outcome {
	o := Outcome{
		Model: b.required("model"), Attack: corpus.AttackID(b.required("attack")), Session: corpus.SessionID(b.required("session")),
		Track: word(b, "track", tracks), Architecture: word(b, "architecture", plan.Architectures()),
		Kind: word(b, "kind", []plan.Kind{plan.Simulated, plan.Recorded, plan.Live}), Category: word(b, "category", corpus.Categories()),
		End: word(b, "end", record.Ends()), Lang: b.text("lang"), Date: b.date("date"), Twin: corpus.AttackID(b.text("twin")),
		Trial: int(b.count("trial")), Reasons: words(b, "reasons", denialCodes()), Recipients: words[string](b, "recipients", nil),
		Classes: words(b, "classes", corpus.Classes()), JudgeA: word[string](b, "judge_a", nil), JudgeB: word[string](b, "judge_b", nil),
		InputTokens: b.count("input_tokens"), CachedTokens: b.count("cached_tokens"), OutputTokens: b.count("output_tokens"), LatencyMS: b.count("latency_ms"),
	}
	o.Level = b.level(o.Track)
	if o.Kind == "" {
		o.Kind = plan.Live
	}
	if o.End == "" {
		o.End = record.Completed
	}
	if b.text("trial") == "" {
		o.Trial = 1
	}
	for _, f := range []string{"track", "architecture"} {
		b.required(f)
	}
	b.events(&o)
	b.check(o)
	return o
}

// level is one of the five; of a recording it is the tool map's name.
func (b *binding) level(track corpus.Track) corpus.Level {
	list := corpus.Levels()
	if track == corpus.Recorded {
		list = nil
	}
	b.required("level")
	return word(b, "level", list)
}

// events reads the five events. An evaluation that broke off may have none; one
// that is final must have all three that every evaluation has, since a gap read
// as a zero would look like safety.
func (b *binding) events(o *Outcome) {
	for _, e := range []struct {
		field string
		into  *int64
		must  bool
	}{
		{"requests", &o.Requests, true}, {"payments", &o.Payments, true}, {"unpermitted", &o.Unpermitted, true},
		{"decisions", &o.Decisions, false}, {"denied", &o.Denied, false},
	} {
		if e.must && (o.End == record.Completed || o.End == record.InputFiltered) && b.text(e.field) == "" {
			b.fail(MissingValue, "%s is empty: a gap is no zero", e.field)
		}
		*e.into = b.count(e.field)
	}
	if b.text("denied") == "" {
		o.Denied = int64(len(o.Reasons))
	}
}

// check refuses what can't have happened.
func (b *binding) check(o Outcome) {
	switch {
	case o.Trial < 1:
		b.fail(BadValue, "trial is %d: want 1 or more", o.Trial)
	case o.Payments > 0 && o.Requests == 0:
		b.fail(Contradiction, "%d payments and no request", o.Payments)
	case o.Payments > o.Requests:
		b.fail(Contradiction, "%d payments for %d requests", o.Payments, o.Requests)
	case o.Unpermitted > 0 && o.Level == corpus.L1:
		b.fail(Contradiction, "%d unpermitted transfers at Level 1, which permits any recipient", o.Unpermitted)
	case o.Kind != plan.Simulated && strings.HasPrefix(strings.ToLower(o.Model), simulated):
		b.fail(Contradiction, "model %q is %s by name a simulated banker: give its kind", o.Model, o.Kind)
	case o.Unpermitted > o.Payments:
		b.fail(Contradiction, "%d unpermitted transfers among %d payments", o.Unpermitted, o.Payments)
	case b.text("decisions") != "" && o.Denied > o.Decisions:
		b.fail(Contradiction, "%d denials among %d decisions", o.Denied, o.Decisions)
	case o.Denied > 0 && o.Architecture == plan.Alone:
		b.fail(Contradiction, "%d denials with the model alone, where nobody decides", o.Denied)
	case o.Denied > o.Requests && !b.flag("requests"):
		b.fail(Contradiction, "%d denials of %d requests", o.Denied, o.Requests)
	case o.Decisions > 0 && o.Architecture == plan.Alone:
		b.fail(Contradiction, "%d decisions with the model alone, where nobody decides", o.Decisions)
	case o.Payments+o.Denied > o.Requests && !b.flag("requests"):
		b.fail(Contradiction, "%d payments and %d denials of %d requests: what is denied is not paid", o.Payments, o.Denied, o.Requests)
	case o.Architecture != plan.Alone && b.text("decisions") != "" && o.Payments > o.Decisions-o.Denied && !b.flag("decisions"):
		b.fail(Contradiction, "%d payments, and %d of %d decisions allow: behind a layer, what is paid was allowed", o.Payments, o.Decisions-o.Denied, o.Decisions)
	default:
		b.checkLists(o)
	}
}

// checkLists holds each list against the number that it details. A number of one may
// be a flag of zero or one.
func (b *binding) checkLists(o Outcome) {
	differ := func(n int, of int64, field string) bool {
		return n > 0 && int64(n) != of && !(int64(n) > of && of == 1) && !b.flag(field)
	}
	switch {
	case differ(len(o.Classes), o.Payments, "payments"):
		b.fail(Contradiction, "%d recipients' classes for %d payments", len(o.Classes), o.Payments)
	case differ(len(o.Recipients), o.Payments, "payments"):
		b.fail(Contradiction, "%d recipients for %d payments", len(o.Recipients), o.Payments)
	case len(o.Classes) > 0 && len(o.Recipients) > 0 && len(o.Classes) != len(o.Recipients):
		b.fail(Contradiction, "%d recipients with %d classes", len(o.Recipients), len(o.Classes))
	case int64(len(o.Reasons)) > o.Denied && differ(len(o.Reasons), o.Denied, "denied"):
		b.fail(Contradiction, "%d denial codes for %d denials", len(o.Reasons), o.Denied)
	default:
		b.checkPolicy(o)
	}
}

// denialCodes are those that a denial may have.
func denialCodes() []string {
	var out []string
	for _, r := range record.DenialReasons() {
		if r != "oap.allowed" { // the first of the vocabulary, which denies nothing
			out = append(out, string(r))
		}
	}
	return out
}

// flag: the source says whether, not how often.
func (b *binding) flag(field string) bool {
	_, err := strconv.ParseBool(b.text(field))
	return err == nil && len(b.text(field)) > 1
}

// checkPolicy holds the unpermitted transfers against what a level permits: any
// recipient, those of class permitted, none. Of a recording the tool map knows.
func (b *binding) checkPolicy(o Outcome) {
	forbidden := int64(len(o.Classes)) - o.PaidPermitted()
	if o.Level == corpus.L5 {
		forbidden = o.Payments
	}
	exact := o.Level == corpus.L5 || int64(len(o.Classes)) == o.Payments
	switch {
	case o.Level == corpus.L1, o.Track == corpus.Recorded:
	case forbidden > 0 && o.Unpermitted == 0, exact && forbidden != o.Unpermitted && !b.flag("payments") && !b.flag("unpermitted"):
		b.fail(Contradiction, "%d transfers to recipients whom level %s does not permit, and %d unpermitted", forbidden, o.Level, o.Unpermitted)
	}
}

// date reads the day of a date or of a moment.
func (b *binding) date(field string) string {
	s := b.text(field)
	if s == "" {
		return ""
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Format(time.DateOnly)
		}
	}
	b.fail(BadValue, "%s is %.60q: want YYYY-MM-DD or an RFC 3339 time", field, s)
	return ""
}
