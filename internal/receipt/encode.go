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
	e := encoder{b: append(dst, '{')}
	e.optional(`"agent_id":`, r.AgentID)
	e.boolean(`"allow":`, r.Allow)
	e.optional(`"assurance_level":`, r.AssuranceLevel)
	e.integer(`"call":`, int64(r.Call))
	e.text(`"created_at":`, r.CreatedAt)
	e.text(`"decision_id":`, r.DecisionID)
	e.text(`"evaluation_id":`, r.Evaluation)
	e.text(`"expires_at":`, r.ExpiresAt)
	e.integer(`"expires_in":`, r.ExpiresIn)
	e.text(`"issued_at":`, r.IssuedAt)
	e.text(`"kid":`, r.KeyID)
	e.text(`"origin":`, string(r.Origin))
	e.optional(`"owner_id":`, r.OwnerID)
	e.optional(`"passport_digest":`, r.PassportDigest)
	e.optional(`"passport_id":`, r.PassportID)
	e.payment(r.Payment)
	e.optional(`"policy_digest":`, r.PolicyDigest)
	e.optional(`"policy_id":`, r.PolicyID)
	e.text(`"prev":`, r.Prev)
	e.reasons(r.Reasons)
	e.optional(`"request_digest":`, r.RequestDigest)
	e.integer(`"schema_version":`, int64(r.Version))
	e.integer(`"sequence":`, r.Sequence)
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
	e.text(`"signature":`, signature)
	return append(e.b, '}')
}

// encoder appends the members of one object. The first error stays.
type encoder struct {
	b   []byte
	err error
}

// member begins a member; name is quoted and has its colon.
func (e *encoder) member(name string) {
	if e.b[len(e.b)-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, name...)
}

func (e *encoder) optional(name, value string) {
	if value != "" {
		e.text(name, value)
	}
}

func (e *encoder) text(name, value string) {
	e.member(name)
	if jcs.Plain(value) {
		e.b = append(append(append(e.b, '"'), value...), '"')
		return
	}
	if e.err == nil && !utf8.ValidString(value) {
		e.err = fmt.Errorf("member %s is no UTF-8", strings.TrimSuffix(name, ":"))
	}
	e.b = jcs.AppendString(e.b, value)
}

func (e *encoder) boolean(name string, value bool) {
	e.member(name)
	e.b = strconv.AppendBool(e.b, value)
}

func (e *encoder) integer(name string, value int64) {
	e.member(name)
	if (value < 0 || value > maxInteger) && e.err == nil {
		e.err = fmt.Errorf("member %s is %d: want 0 to 2^53-1", strings.TrimSuffix(name, ":"), value)
	}
	e.b = strconv.AppendInt(e.b, value, 10)
}

func (e *encoder) payment(p *Payment) {
	if p == nil {
		return
	}
	e.member(`"payment":{`)
	e.text(`"amount":`, p.Amount)
	e.text(`"currency":`, string(p.Currency))
	e.text(`"memo_digest":`, p.MemoDigest)
	e.text(`"recipient":`, string(p.Recipient))
	e.b = append(e.b, '}')
}

func (e *encoder) reasons(reasons []Reason) {
	e.member(`"reasons":[`)
	for i, r := range reasons {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, '{')
		e.text(`"code":`, string(r.Code))
		e.optional(`"message":`, r.Message)
		e.text(`"rule":`, r.Rule)
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
}

// chained is the digest of a line, without its line feed, that the next one
// carries.
func chained(line []byte) string {
	return authz.Digest(sha256.Sum256(line)).String()
}
