package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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
	if plain(value) {
		e.b = append(append(append(e.b, '"'), value...), '"')
		return
	}
	if !utf8.ValidString(value) && e.err == nil {
		e.err = fmt.Errorf("member %s is no UTF-8", strings.TrimSuffix(name, ":"))
	}
	e.b = appendString(e.b, value)
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

// plain reports whether a text is printable ASCII without quotes and backslashes,
// eight bytes at a time. Most texts are, and are copied as they stand.
func plain(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (w|(w-' '*each)|((w^'"'*each)-each)|((w^'\\'*each)-each))&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendString quotes as RFC 8785, section 3.2.2.2: the two characters that must
// be, the control characters below the blank, and nothing else.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[plain:i]...)
		plain = i + 1
		if short := shortEscape(c); short != 0 {
			b = append(b, '\\', short)
			continue
		}
		b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
	return append(append(b, s[plain:]...), '"')
}

// shortEscape is the letter of a two-character escape, 0 if there is none.
func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\f':
		return 'f'
	case '\r':
		return 'r'
	}
	return 0
}

// chained is the digest of a line, without its line feed, that the next one
// carries.
func chained(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}
