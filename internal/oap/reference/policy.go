// Package reference is the charge pack's decision written out by hand, rule by
// rule, under the same passports. It knows no engine and no condition language,
// so that the engine can be held against it, and it is only used to do so.
package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Caps are the limits of one currency.
type Caps struct {
	PerPayment int64 // minor units
	PerDay     int64 // minor units, UTC day
}

// Policy is what a passport says about charges.
type Policy struct {
	Status     string
	Expires    *time.Time // nil: never
	Assurance  string
	Required   string // assurance that the limits ask for
	Granted    bool   // the capability payments.charge
	Regions    []string
	Currencies map[string]Caps
	Recipients []string // empty: anyone
	Countries  []string // empty: any
	Blocked    []string // categories
	MaxItems   int64
	PerPayee   *int64 // minor units of a currency to one recipient, UTC day; nil: no rule of one's own asks
	AuditCode  bool   // the memo must hold exactly one
	Published  bool   // the published pack's profile, not the paper's
}

// passport is the part of a passport's JSON that the decision reads.
type passport struct {
	Status       string                     `json:"status"`
	Assurance    string                     `json:"assurance_level"`
	Expires      *time.Time                 `json:"expires_at"`
	Regions      []string                   `json:"regions"`
	Limits       map[string]json.RawMessage `json:"limits"`
	Capabilities []struct {
		ID string `json:"id"`
	} `json:"capabilities"`
}

type limits struct {
	Currencies map[string]struct {
		PerPayment int64 `json:"max_per_tx"`
		PerDay     int64 `json:"daily_cap"`
	} `json:"currency_limits"`
	Recipients      []string `json:"allowed_merchant_ids"`
	OtherRecipients []string `json:"allowed_merchants"`
	Countries       []string `json:"allowed_countries"`
	Blocked         []string `json:"blocked_categories"`
	MaxItems        int64    `json:"max_items_per_tx"`
	PerPayee        *int64   `json:"max_per_payee_day"`
	Required        string   `json:"require_assurance_at_least"`
	AuditCode       bool     `json:"audit_code_required"`
}

const capability = "payments.charge"

// Read reads a well-formed passport's JSON: what the engine refuses to load is
// not looked for here.
func Read(raw []byte, published bool) (*Policy, error) {
	var doc passport
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("read passport: %w", err)
	}
	l, err := doc.charge()
	if err != nil {
		return nil, fmt.Errorf("read limits: %w", err)
	}
	p := &Policy{
		Status: doc.Status, Expires: doc.Expires, Assurance: doc.Assurance, Required: l.Required, Regions: doc.Regions,
		Currencies: map[string]Caps{}, Recipients: slices.Concat(l.Recipients, l.OtherRecipients), Countries: l.Countries,
		Blocked: l.Blocked, MaxItems: l.MaxItems, PerPayee: l.PerPayee, AuditCode: l.AuditCode, Published: published,
	}
	for _, c := range doc.Capabilities {
		p.Granted = p.Granted || c.ID == capability
	}
	for currency, caps := range l.Currencies {
		p.Currencies[currency] = Caps(caps)
	}
	return p, nil
}

// charge finds the limits in either published shape: one key with a dot, or two.
func (p passport) charge() (limits, error) {
	var l limits
	if raw, flat := p.Limits[capability]; flat {
		return l, json.Unmarshal(raw, &l)
	}
	var nested struct {
		Charge *limits `json:"charge"`
	}
	if raw, ok := p.Limits["payments"]; ok {
		if err := json.Unmarshal(raw, &nested); err != nil {
			return l, err
		}
	}
	if nested.Charge != nil {
		l = *nested.Charge
	}
	return l, nil
}
