package receipt

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaultbench/internal/authz"
	"vaultbench/internal/jcs"
)

// maxInteger is the largest integer that canonical JSON can hold. Source: RFC
// 8785, section 3.2.2.3 (numbers are IEEE 754 doubles).
const maxInteger = 1<<53 - 1

// appendUnsigned appends the canonical form (RFC 8785) without the signature:
// what is signed. Members stand in the order of their names; a test over generated
// receipts holds it equal to jsontext.Value.Canonicalize.
func (r *Receipt) appendUnsigned(dst []byte) ([]byte, error) {
	e := encoder{b: dst}
	e.optional(`,"agent_id":"`, r.AgentID)
	e.boolean(`,"allow":`, r.Allow)
	e.optional(`,"assurance_level":"`, r.AssuranceLevel)
	e.integer(`,"call":`, int64(r.Call))
	e.text(`,"created_at":"`, r.CreatedAt)
	e.text(`,"decision_id":"`, r.DecisionID)
	e.text(`,"evaluation_id":"`, r.Evaluation)
	e.text(`,"expires_at":"`, r.ExpiresAt)
	e.integer(`,"expires_in":`, r.ExpiresIn)
	e.text(`,"issued_at":"`, r.IssuedAt)
	e.text(`,"kid":"`, r.KeyID)
	e.text(`,"origin":"`, string(r.Origin))
	e.optional(`,"owner_id":"`, r.OwnerID)
	e.optional(`,"passport_digest":"`, r.PassportDigest)
	e.optional(`,"passport_id":"`, r.PassportID)
	e.payment(r.Payment)
	e.optional(`,"policy_digest":"`, r.PolicyDigest)
	e.optional(`,"policy_id":"`, r.PolicyID)
	e.text(`,"prev":"`, r.Prev)
	e.reasons(r.Reasons)
	e.optional(`,"request_digest":"`, r.RequestDigest)
	e.integer(`,"schema_version":`, int64(r.Version))
	e.integer(`,"sequence":`, r.Sequence)
	e.b[len(dst)] = '{' // the first member's comma
	return append(e.b, '}'), e.err
}

// appendLine appends the line without its line feed: the unsigned form with the
// signature, whose name comes last.
func (r *Receipt) appendLine(dst []byte) ([]byte, error) {
	b, err := r.appendUnsigned(dst)
	if err != nil {
		return dst, err
	}
	return appendSignature(b, r.Signature), nil
}

// appendSignature closes the unsigned form b once more.
func appendSignature(b []byte, signature string) []byte {
	e := encoder{b: b[:len(b)-1]}
	e.text(`,"signature":"`, signature)
	return append(e.b, '}')
}

// encoder appends members, each as its name is given: quoted, with the comma before
// and the colon after it; of a text with the opening quote. The first error stays.
type encoder struct {
	b   []byte
	err error
}

func (e *encoder) optional(name, value string) {
	if value != "" {
		e.text(name, value)
	}
}

func (e *encoder) text(name, value string) {
	e.b = append(e.b, name...)
	if jcs.Plain(value) {
		e.b = append(append(e.b, value...), '"')
		return
	}
	if !utf8.ValidString(value) {
		e.fail(name, "is no UTF-8")
	}
	e.b = jcs.AppendString(e.b[:len(e.b)-1], value)
}

func (e *encoder) boolean(name string, value bool) {
	e.b = strconv.AppendBool(append(e.b, name...), value)
}

func (e *encoder) integer(name string, value int64) {
	if value < 0 || value > maxInteger {
		e.fail(name, fmt.Sprintf("is %d: want 0 to 2^53-1", value))
	}
	e.b = strconv.AppendInt(append(e.b, name...), value, 10)
}

func (e *encoder) fail(name, since string) {
	if e.err == nil {
		name, _, _ = strings.Cut(strings.TrimLeft(name, `,{"`), `"`)
		e.err = fmt.Errorf("member %q %s", name, since)
	}
}

func (e *encoder) payment(p *Payment) {
	if p == nil {
		return
	}
	e.b = append(e.b, `,"payment":`...)
	e.text(`{"amount":"`, p.Amount)
	e.text(`,"currency":"`, string(p.Currency))
	e.text(`,"recipient":"`, string(p.Recipient))
	e.b = append(e.b, '}')
}

func (e *encoder) reasons(reasons []Reason) {
	e.b = append(e.b, `,"reasons":[`...)
	for i, r := range reasons {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.text(`{"code":"`, string(r.Code))
		e.text(`,"rule":"`, r.Rule)
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
}

// chained is the digest of a line, without its line feed, that the next one
// carries.
func chained(line []byte) string {
	return authz.Digest(sha256.Sum256(line)).String()
}
