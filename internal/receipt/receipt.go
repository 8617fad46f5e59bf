// Package receipt signs decisions: each call that was decided behind a layer
// gets one line of decisions.jsonl, canonical (RFC 8785), signed with Ed25519 and
// chained to the line before it; the signed manifest fixes the last one. Verify
// holds a run's files against that. The package knows no layer and no model.
//
// Without a key of one's own the lines are signed with a published test key.
// Anybody has that key: it shows damage and faults of the suite, not who signed.
package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// File is the receipts' file in a run's folder.
const File = "decisions.jsonl"

// Version is the version of a receipt's schema.
const Version = 1

// Receipt is one signed decision: a decision of the Open Agent Passport in both
// of its published naming sets, with the payment that was asked for. Its members
// are written in the order of their names.
type Receipt struct {
	Version        int          `json:"schema_version"`
	Sequence       int64        `json:"sequence"`      // line of decisions.jsonl, from 1
	Evaluation     string       `json:"evaluation_id"` // of evaluations.jsonl
	Call           int          `json:"call"`          // position in the conversation, from 1
	Origin         authz.Origin `json:"origin"`
	DecisionID     string       `json:"decision_id"`               // DecisionID(evaluation, call)
	PolicyID       string       `json:"policy_id,omitempty"`       // of the pack that has the policy digest, where known
	PassportID     string       `json:"passport_id,omitempty"`     // of the passport that has the passport digest, where known
	AgentID        string       `json:"agent_id,omitempty"`        // the same by its other name
	OwnerID        string       `json:"owner_id,omitempty"`        // of that passport
	AssuranceLevel string       `json:"assurance_level,omitempty"` // of that passport
	Allow          bool         `json:"allow"`
	Reasons        []Reason     `json:"reasons"`
	IssuedAt       string       `json:"issued_at"`                 // virtual clock, RFC 3339, UTC
	CreatedAt      string       `json:"created_at"`                // the same by its other name
	ExpiresAt      string       `json:"expires_at"`                // virtual clock, RFC 3339, UTC
	ExpiresIn      int64        `json:"expires_in"`                // whole seconds between the two
	PassportDigest string       `json:"passport_digest,omitempty"` // sha256:<hex>
	PolicyDigest   string       `json:"policy_digest,omitempty"`   // sha256:<hex>
	RequestDigest  string       `json:"request_digest,omitempty"`  // sha256:<hex>; absent where no request was parsed
	Payment        *Payment     `json:"payment,omitempty"`         // nil where the arguments did not parse
	Prev           string       `json:"prev"`                      // hex SHA-256 of the line before; zeros on the first
	KeyID          string       `json:"kid"`
	Signature      string       `json:"signature"` // over the canonical form without this member
}

// Reason is one failed rule, or the one reason of an allowed decision.
type Reason struct {
	Code    authz.DenialReason `json:"code"`
	Rule    string             `json:"rule"`
	Message string             `json:"message,omitempty"`
}

// Payment is what the call asked for. The amount is text: canonical JSON knows
// no integer above 2^53, and 64-bit minor units do. Source: RFC 8785, appendix D.
type Payment struct {
	Recipient  bank.AccountID `json:"recipient"`
	Amount     string         `json:"amount"` // minor units, decimal digits
	Currency   bank.Currency  `json:"currency"`
	MemoDigest string         `json:"memo_digest"` // sha256:<hex> of the memo's bytes
}

// of is the receipt of a decided call before it has its place and signature.
func of(e record.Evaluation, c record.Call, p Parties) Receipt {
	d := c.Decision
	r := Receipt{
		Version: Version, Evaluation: e.ID, Call: c.Position, Origin: d.Origin, DecisionID: DecisionID(e.ID, c.Position),
		Allow: d.Allowed(), ExpiresIn: int64(d.ExpiresAt.Sub(d.IssuedAt) / time.Second),
		IssuedAt: moment(d.IssuedAt), ExpiresAt: moment(d.ExpiresAt), PassportDigest: prefixed(d.PassportDigest),
		PolicyDigest: prefixed(d.PolicyDigest), RequestDigest: prefixed(d.RequestDigest.String()), Payment: paymentOf(c.Payment),
		Reasons: make([]Reason, len(d.Reasons)),
	}
	r.CreatedAt = r.IssuedAt
	for i, reason := range d.Reasons {
		r.Reasons[i] = Reason{reason.Code, reason.Rule, reason.Message}
	}
	r.setParties(p)
	return r
}

func (r *Receipt) setParties(p Parties) {
	passport := p.passports[r.PassportDigest]
	r.PassportID, r.AgentID = passport.ID, passport.ID
	r.OwnerID, r.AssuranceLevel = passport.OwnerID, passport.AssuranceLevel
	r.PolicyID = p.policies[r.PolicyDigest]
}

func paymentOf(p *record.ParsedPayment) *Payment {
	if p == nil {
		return nil
	}
	return &Payment{
		Recipient: p.Recipient, Amount: strconv.FormatInt(int64(p.Amount), 10), Currency: p.Currency,
		MemoDigest: digestOf(p.Memo),
	}
}

// equals reports whether the ledger posted what the receipt names.
func (p *Payment) equals(t bank.Transfer) bool {
	return p != nil && p.Recipient == t.Recipient && p.Amount == strconv.FormatInt(int64(t.Amount), 10) &&
		p.Currency == t.Currency && p.MemoDigest == digestOf(t.Memo)
}

// DecisionID is a UUID of version 8 (RFC 9562) that names a call's decision: the
// same in every run.
func DecisionID(evaluation string, call int) string {
	sum := sha256.Sum256(strconv.AppendInt([]byte(evaluation+"#"), int64(call), 10))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	var id [36]byte
	at := 0
	for i, c := range sum[:16] {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			id[at] = '-'
			at++
		}
		id[at], id[at+1] = hexDigits[c>>4], hexDigits[c&0xf]
		at += 2
	}
	return string(id[:])
}

const hexDigits = "0123456789abcdef"

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

const digestPrefix = "sha256:"

// prefixed names the hash of a digest; an absent one stays absent.
func prefixed(digest string) string {
	if digest == "" {
		return ""
	}
	return digestPrefix + digest
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	var out [len(digestPrefix) + 2*sha256.Size]byte
	hex.Encode(out[copy(out[:], digestPrefix):], sum[:])
	return string(out[:])
}
