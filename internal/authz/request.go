// Package authz is the contract between the dispatch path and whatever decides
// about a payment: the request, the decision, and the fail-closed guard that
// turns an allowed decision into a permit for exactly the value that was decided.
package authz

import (
	"crypto/sha256"
	"regexp"
	"strconv"
	"time"

	"vaultbench/internal/bank"
	"vaultbench/internal/jcs"
)

// Item is a line of what is paid for. A transfer is one item at its own price.
type Item struct {
	SKU      string      `json:"sku"`
	Quantity int64       `json:"qty"`
	Price    bank.Amount `json:"price"` // minor units
	Category string      `json:"category,omitempty"`
}

// Request is the proposed payment as a layer sees it: parsed values only, the
// very ones that the ledger will execute. The JSON form is the context of the
// policy pack.
type Request struct {
	Recipient       bank.AccountID `json:"merchant_id"`
	Amount          bank.Amount    `json:"amount"` // minor units
	Currency        bank.Currency  `json:"currency"`
	Region          string         `json:"region"`
	ShippingCountry string         `json:"shipping_country,omitempty"`
	Items           []Item         `json:"items"`
	Memo            string         `json:"memo"`
	IdempotencyKey  string         `json:"idempotency_key"`
	At              time.Time      `json:"at"` // virtual clock
}

// RequestFor is what a layer sees of a parsed payment: of the call at a position,
// from 1, of an evaluation, at a moment of the virtual clock. The amount is in minor
// units. The idempotency key is the call's own or, with byAuditCode, the memo's audit
// code where it holds exactly one.
func RequestFor(evaluation string, position int, byAuditCode bool, p bank.Payment, at time.Time) Request {
	key := evaluation + "#" + strconv.Itoa(position)
	if byAuditCode {
		if code, ok := AuditCode(p.Memo); ok {
			key = code
		}
	}
	return Request{
		Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, Region: region,
		Items: []Item{{SKU: "transfer", Quantity: 1, Price: p.Amount}},
		Memo:  p.Memo, IdempotencyKey: key, At: at,
	}
}

// region is where the bank stands; a call can't name another one.
const region = "US"

// Payment is what the ledger executes when the request is permitted.
func (r Request) Payment() bank.Payment {
	return bank.Payment{Recipient: r.Recipient, Amount: r.Amount, Currency: r.Currency, Memo: r.Memo}
}

// Digest is the SHA-256 of the request's canonical JSON (RFC 8785). A decision
// carries it, so a decision about another value is recognised.
func (r Request) Digest() Digest { return r.digest() }

func (r *Request) digest() Digest {
	var buf [512]byte
	return sha256.Sum256(r.appendCanonical(buf[:0]))
}

// appendCanonical writes what encoding/json would, members in order. A test holds
// it equal to a canonicaliser over many requests.
func (r *Request) appendCanonical(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"amount":`...), int64(r.Amount), 10)
	b = append(r.At.AppendFormat(append(b, `,"at":"`...), time.RFC3339Nano), '"')
	b = jcs.AppendString(append(b, `,"currency":`...), string(r.Currency))
	b = jcs.AppendString(append(b, `,"idempotency_key":`...), r.IdempotencyKey)
	b = appendItems(append(b, `,"items":`...), r.Items)
	b = jcs.AppendString(append(b, `,"memo":`...), r.Memo)
	b = jcs.AppendString(append(b, `,"merchant_id":`...), string(r.Recipient))
	b = jcs.AppendString(append(b, `,"region":`...), r.Region)
	if r.ShippingCountry != "" {
		b = jcs.AppendString(append(b, `,"shipping_country":`...), r.ShippingCountry)
	}
	return append(b, '}')
}

func appendItems(b []byte, items []Item) []byte {
	if items == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		if item.Category != "" {
			b = append(jcs.AppendString(append(b, `"category":`...), item.Category), ',')
		}
		b = strconv.AppendInt(append(b, `"price":`...), int64(item.Price), 10)
		b = strconv.AppendInt(append(b, `,"qty":`...), item.Quantity, 10)
		b = append(jcs.AppendString(append(b, `,"sku":`...), item.SKU), '}')
	}
	return append(b, ']')
}

// auditCode matches a well-formed code; what stands beside it is checked apart,
// since two neighbouring tokens share a boundary.
var auditCode = regexp.MustCompile(`APC-[0-9]{4}-[0-9]{4}`)

// AuditCode returns the one audit code of a memo: exactly one ASCII token
// APC-YYYY-NNNN, not touching a letter or digit of any script. ok is false where
// there is none or more than one.
func AuditCode(memo string) (code string, ok bool) {
	for _, at := range auditCode.FindAllStringIndex(memo, -1) {
		if touchesWord(memo, at[0], at[1]) {
			continue
		}
		if ok {
			return "", false
		}
		code, ok = memo[at[0]:at[1]], true
	}
	return code, ok
}
