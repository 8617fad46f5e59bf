package authz

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Effect is what a decision says. There is no third word.
type Effect string

// The two effects.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
)

// DenialReason is a code of the Open Agent Passport. The vocabulary is closed:
// a layer that answers another word is answered for by ReasonPolicyError.
type DenialReason string

// ReasonAllowed is the code of an allowed decision; the others deny. Source:
// pack finance.payment.charge.v1, but for ReasonCapabilityMissing and
// ReasonAuditCodeMissing, which are the paper's local engine's.
const (
	ReasonAllowed             DenialReason = "oap.allowed"
	ReasonPassportSuspended   DenialReason = "oap.passport_suspended"
	ReasonUnknownCapability   DenialReason = "oap.unknown_capability"
	ReasonCapabilityMissing   DenialReason = "oap.capability_missing"
	ReasonAssurance           DenialReason = "oap.assurance_insufficient"
	ReasonInvalidContext      DenialReason = "oap.invalid_context"
	ReasonRegionBlocked       DenialReason = "oap.region_blocked"
	ReasonCurrencyUnsupported DenialReason = "oap.currency_unsupported"
	ReasonLimitExceeded       DenialReason = "oap.limit_exceeded"
	ReasonRecipientNotMember  DenialReason = "oap.merchant_forbidden"
	ReasonCategoryBlocked     DenialReason = "oap.category_blocked"
	ReasonAuditCodeMissing    DenialReason = "oap.audit_code_missing"
	ReasonIdempotencyConflict DenialReason = "oap.idempotency_conflict"
	ReasonPolicyError         DenialReason = "oap.policy_error"
	ruleArguments                          = "arguments"   // the rule name of a failed strict parse
	ruleFailClosed                         = "fail_closed" // the rule name of a guard's denial
	decisionValidity                       = time.Minute   // of denials made by the guard itself
)

var vocabulary = []DenialReason{
	ReasonAllowed, ReasonPassportSuspended, ReasonUnknownCapability, ReasonCapabilityMissing,
	ReasonAssurance, ReasonInvalidContext, ReasonRegionBlocked, ReasonCurrencyUnsupported,
	ReasonLimitExceeded, ReasonRecipientNotMember, ReasonCategoryBlocked, ReasonAuditCodeMissing,
	ReasonIdempotencyConflict, ReasonPolicyError,
}

// Reasons lists the closed vocabulary.
func Reasons() []DenialReason { return slices.Clone(vocabulary) }

// Reason is one failed rule, or the one reason of an allowed decision.
type Reason struct {
	Code    DenialReason `json:"code"`
	Rule    string       `json:"rule"`              // the rule or gate that failed
	Message string       `json:"message,omitempty"` // for people; never compared
	Values  []Seen       `json:"values,omitempty"`  // what the rule compared
}

// Seen is a value that a rule read.
type Seen struct {
	Name  string `json:"name"`  // the path as it stands in the condition
	Value string `json:"value"` // as text; amounts in minor units
}

// Origin says who decided: the layer, or the dispatch path in its stead (a call
// that did not parse, or a layer that failed).
type Origin string

// The two origins.
const (
	FromLayer    Origin = "layer"
	FromDispatch Origin = "dispatch"
)

// Decision is the answer to one request. The first reason decides; the others
// are listed so that a reader sees everything that stood against the request.
type Decision struct {
	Effect         Effect    `json:"effect"`
	Reasons        []Reason  `json:"reasons"`
	Origin         Origin    `json:"origin"`
	RequestDigest  Digest    `json:"request_digest,omitzero"`   // none where no request was parsed
	PassportDigest string    `json:"passport_digest,omitempty"` // hex SHA-256
	PolicyDigest   string    `json:"policy_digest,omitempty"`   // hex SHA-256
	IssuedAt       time.Time `json:"issued_at"`                 // virtual clock
	ExpiresAt      time.Time `json:"expires_at"`                // virtual clock; not valid at or after it
}

// Allowed reports whether the decision lets the payment through.
func (d Decision) Allowed() bool { return d.Effect == Allow }

// Reason is the code that decides: that of the first reason.
func (d Decision) Reason() DenialReason {
	if len(d.Reasons) == 0 {
		return ReasonPolicyError
	}
	return d.Reasons[0].Code
}

// Rule is the rule or gate that decides: that of the first reason.
func (d Decision) Rule() string {
	if len(d.Reasons) == 0 {
		return ""
	}
	return d.Reasons[0].Rule
}

// FailClosed reports whether the guard denied because the layer failed.
func (d Decision) FailClosed() bool {
	return d.Origin == FromDispatch && d.Reason() == ReasonPolicyError
}

// NotParsed reports whether the call was denied because its arguments did not
// parse: the layer was not asked.
func (d Decision) NotParsed() bool {
	return d.Origin == FromDispatch && d.Reason() == ReasonInvalidContext
}

// Malformed is the decision about a call whose arguments did not parse: the
// layer is not asked.
func Malformed(why error, at time.Time) Decision {
	return dispatchDenial(Reason{Code: ReasonInvalidContext, Rule: ruleArguments, Message: why.Error()}, Digest{}, at)
}

func failClosed(why error, q *question) Decision {
	return dispatchDenial(Reason{Code: ReasonPolicyError, Rule: ruleFailClosed, Message: why.Error()}, q.digest, q.request.At)
}

func dispatchDenial(r Reason, digest Digest, at time.Time) Decision {
	// A layer may fail in bytes that no record can hold, and in any number of them.
	r.Message = strings.ToValidUTF8(r.Message[:min(len(r.Message), maxText)], "\uFFFD")
	return Decision{
		Effect: Deny, Reasons: []Reason{r}, Origin: FromDispatch, RequestDigest: digest,
		IssuedAt: at, ExpiresAt: at.Add(decisionValidity),
	}
}

// touchesWord reports whether s[from:to] has a letter or digit as neighbour.
func touchesWord(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return isWord(before) && from > 0 || isWord(after) && to < len(s)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsNumber(r) }
