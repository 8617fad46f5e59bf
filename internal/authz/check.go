package authz

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"vaultbench/internal/jcs"
)

// check says why a layer's answer can't be trusted; nil if it can. What can't be
// recorded can't be trusted either: money must not move before that is known.
func (d *Decision) check(q *question) error {
	at := q.request.At
	switch {
	case d.RequestDigest != q.digest:
		return fmt.Errorf("decision is about another request (digest %.12s…, asked %.12s…)", d.RequestDigest, q.digest)
	case d.IssuedAt.After(at):
		return fmt.Errorf("decision was issued at %s, after the request at %s", d.IssuedAt, at)
	case !d.ExpiresAt.After(at):
		return fmt.Errorf("decision expired at %s, the request is of %s", d.ExpiresAt, at)
	case !recordable(d.IssuedAt):
		return fmt.Errorf("decision was issued at %s, which no record can hold", d.IssuedAt)
	case !recordable(d.ExpiresAt):
		return fmt.Errorf("decision expires at %s, which no record can hold", d.ExpiresAt)
	}
	if err := d.CheckReasons(); err != nil {
		return err
	}
	if q.digests != nil {
		return q.digests
	}
	return d.checkTexts()
}

// CheckReasons says why effect and reasons contradict each other; nil if they do
// not.
func (d *Decision) CheckReasons() error {
	switch {
	case d.Effect != Allow && d.Effect != Deny:
		return fmt.Errorf("decision has unknown effect %q", d.Effect)
	case len(d.Reasons) == 0:
		return errors.New("decision gives no reason")
	}
	allowed := d.Effect == Allow
	for i := range d.Reasons {
		code := d.Reasons[i].Code
		if !slices.Contains(vocabulary, code) {
			return fmt.Errorf("decision has unknown reason %q", code)
		}
		if (code == ReasonAllowed) != allowed {
			return fmt.Errorf("decision %s contradicts its reason %s", d.Effect, code)
		}
	}
	return nil
}

// CheckDigests says which of the digests of passport and policy is there and none;
// nil if each is one or absent.
func (d *Decision) CheckDigests() error {
	if !isDigest(d.PassportDigest) {
		return fmt.Errorf("passport_digest %.80q is not 64 lower-case hex digits", d.PassportDigest)
	}
	if !isDigest(d.PolicyDigest) {
		return fmt.Errorf("policy_digest %.80q is not 64 lower-case hex digits", d.PolicyDigest)
	}
	return nil
}

func isDigest(text string) bool {
	return text == "" || len(text) == 2*len(Digest{}) && jcs.LowerHex(text)
}

// maxText is how many bytes of text a decision may hold: with each of them escaped,
// its receipt is still a line that can be read.
const maxText = 1 << 20

func (d *Decision) checkTexts() error {
	size := 0
	for i := range d.Reasons {
		r := &d.Reasons[i]
		if !isText(r.Rule) || !isText(r.Message) {
			return fmt.Errorf("reason %d is no UTF-8: rule %.80q, message %.80q", i+1, r.Rule, r.Message)
		}
		size += len(r.Rule) + len(r.Message)
		for j := range r.Values {
			v := &r.Values[j]
			if !isText(v.Name) || !isText(v.Value) {
				return fmt.Errorf("reason %d, value %d is no UTF-8: %.80q is %.80q", i+1, j+1, v.Name, v.Value)
			}
			size += len(v.Name) + len(v.Value)
		}
	}
	if size > maxText {
		return fmt.Errorf("decision holds %d bytes of text, at most %d can be recorded", size, maxText)
	}
	return nil
}

func isText(s string) bool { return jcs.ASCII(s) || utf8.ValidString(s) }

// The moments that RFC 3339 can write, in Unix seconds.
const (
	firstMoment = -62167219200 // 0000-01-01T00:00:00Z
	lastMoment  = 253402300799 // 9999-12-31T23:59:59Z
)

// recordable reports whether a moment is written so that it is read back as the
// same one.
func recordable(t time.Time) bool {
	if s := t.Unix(); s < firstMoment || s > lastMoment {
		return false
	}
	return t.Location() == time.UTC || readsBack(t)
}

// readsBack: in another zone the year may be another one, and an offset of odd
// seconds or of a day and more is not written.
func readsBack(t time.Time) bool {
	text, err := t.MarshalText()
	if err != nil {
		return false
	}
	var back time.Time
	return back.UnmarshalText(text) == nil && back.Equal(t)
}
