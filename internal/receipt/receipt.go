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
	"strconv"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// File is the receipts' file in a run's folder.
const File = "decisions.jsonl"

// Version is the version of a receipt's schema.
const Version = 2

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

// Reason is one failed rule, or the one reason of an allowed decision. What it says
// to people stands in evaluations.jsonl alone: Ed25519 reads every byte twice.
type Reason struct {
	Code authz.DenialReason `json:"code"`
	Rule string             `json:"rule"`
}

// Payment is what the call asked for. The amount is text: canonical JSON knows
// no integer above 2^53, and 64-bit minor units do. Source: RFC 8785, appendix D.
// The memo is in the request's digest.
type Payment struct {
	Recipient bank.AccountID `json:"recipient"`
	Amount    string         `json:"amount"` // minor units, decimal digits
	Currency  bank.Currency  `json:"currency"`
}

// of is the receipt of a decided call before it has its place and signature.
func of(evaluation string, c *record.Call, p Parties) Receipt {
	var r Receipt
	r.fill(evaluation, c, p)
	return r
}

// fill makes r what of gives, in the memory that r has from a call before. The texts
// that it makes are parts of one string: a receipt is to cost little beside its
// signature.
func (r *Receipt) fill(evaluation string, c *record.Call, p Parties) {
	d, reasons := c.Decision, r.Reasons[:0]
	if reasons == nil {
		reasons = make([]Reason, 0, len(d.Reasons))
	}
	for i := range d.Reasons {
		reasons = append(reasons, Reason{d.Reasons[i].Code, d.Reasons[i].Rule})
	}
	*r = Receipt{
		Version: Version, Evaluation: evaluation, Call: c.Position, Origin: d.Origin, Allow: d.Allowed(),
		ExpiresIn: seconds(d.IssuedAt, d.ExpiresAt), Reasons: reasons, Payment: r.Payment,
	}
	r.setParties(p, d.PassportDigest, d.PolicyDigest)
	var buf [224]byte
	issued := appendMoment(buf[:0], d.IssuedAt)
	expires := appendMoment(issued, d.ExpiresAt)
	id := appendDecisionID(expires, evaluation, c.Position)
	request := id
	if !d.RequestDigest.IsZero() {
		request = d.RequestDigest.AppendHex(append(request, digestPrefix...))
	}
	amount := request
	if c.Payment != nil {
		amount = strconv.AppendInt(request, int64(c.Payment.Amount), 10)
	}
	made := string(amount)
	r.IssuedAt, r.ExpiresAt = made[:len(issued)], made[len(issued):len(expires)]
	r.CreatedAt, r.DecisionID, r.RequestDigest = r.IssuedAt, made[len(expires):len(id)], made[len(id):len(request)]
	r.setPayment(c.Payment, made[len(request):])
}

func (r *Receipt) setPayment(p *record.ParsedPayment, amount string) {
	if p == nil {
		r.Payment = nil
		return
	}
	if r.Payment == nil {
		r.Payment = new(Payment)
	}
	*r.Payment = Payment{Recipient: p.Recipient, Amount: amount, Currency: p.Currency}
}

// seconds are the whole ones between two moments, which may lie further apart than
// a time.Duration reaches.
func seconds(from, to time.Time) int64 {
	n, nanos := to.Unix()-from.Unix(), to.Nanosecond()-from.Nanosecond()
	switch {
	case n > 0 && nanos < 0:
		n--
	case n < 0 && nanos > 0:
		n++
	}
	return n
}

// setParties names the passport and the pack, by the hex text of their digests.
func (r *Receipt) setParties(p Parties, passportDigest, policyDigest string) {
	passport, known := p.passports[passportDigest]
	if !known {
		passport.digest = prefixed(passportDigest)
	}
	policy, known := p.packs[policyDigest]
	if !known {
		policy.digest = prefixed(policyDigest)
	}
	r.PassportDigest, r.PolicyDigest = passport.digest, policy.digest
	r.PassportID, r.AgentID = passport.ID, passport.ID
	r.OwnerID, r.AssuranceLevel = passport.OwnerID, passport.AssuranceLevel
	r.PolicyID = policy.ID
}

// equals reports whether the ledger posted what the receipt names.
func (p *Payment) equals(t bank.Transfer) bool {
	return p != nil && p.Recipient == t.Recipient && p.Amount == strconv.FormatInt(int64(t.Amount), 10) && p.Currency == t.Currency
}

// DecisionID is a UUID of version 8 (RFC 9562) that names a call's decision: the
// same in every run.
func DecisionID(evaluation string, call int) string {
	return string(appendDecisionID(nil, evaluation, call))
}

func appendDecisionID(b []byte, evaluation string, call int) []byte {
	var buf [128]byte
	sum := sha256.Sum256(strconv.AppendInt(append(append(buf[:0], evaluation...), '#'), int64(call), 10))
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
	return append(b, id[:]...)
}

const hexDigits = "0123456789abcdef"

func appendMoment(b []byte, t time.Time) []byte { return t.UTC().AppendFormat(b, time.RFC3339Nano) }

func moment(t time.Time) string { return string(appendMoment(nil, t)) }

const digestPrefix = "sha256:"

// prefixed names the hash of a digest; an absent one stays absent.
func prefixed(digest string) string {
	if digest == "" {
		return ""
	}
	return digestPrefix + digest
}
