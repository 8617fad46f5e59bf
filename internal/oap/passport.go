// Package oap is the layer under test: an Open Agent Passport engine for the
// pack finance.payment.charge.v1. A passport says what an agent may do, a pack
// says by which rules, and an Engine decides about one conversation's payments.
package oap

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/bank"
	"vaultbench/internal/strictjson"
)

// AssuranceLevel says how well a passport's owner is known. The levels have an
// order of their own, which is not that of their names.
type AssuranceLevel string

// assuranceOrder goes from the least to the most assured.
var assuranceOrder = []AssuranceLevel{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}

// AtLeast reports whether a reaches b. An unknown level reaches nothing and is
// reached by nothing.
func (a AssuranceLevel) AtLeast(b AssuranceLevel) bool {
	have, want := slices.Index(assuranceOrder, a), slices.Index(assuranceOrder, b)
	return have >= 0 && want >= 0 && have >= want
}

// CapabilityID names what a passport grants.
type CapabilityID string

// ChargeCapability is what the charge pack asks for and its limits stand under.
const ChargeCapability CapabilityID = "payments.charge"

// Passport is an instance passport. See fixtures/schema/passport.schema.json.
type Passport struct {
	ID             string          `json:"passport_id"`
	Kind           string          `json:"kind"`
	TemplateID     string          `json:"template_id"`
	ParentAgentID  string          `json:"parent_agent_id"`
	SpecVersion    string          `json:"spec_version"`
	OwnerID        string          `json:"owner_id"`
	OwnerType      string          `json:"owner_type"`
	AssuranceLevel AssuranceLevel  `json:"assurance_level"`
	Status         string          `json:"status"`
	Capabilities   []Capability    `json:"capabilities"`
	RawLimits      json.RawMessage `json:"limits"`
	Regions        []string        `json:"regions"`
	Metadata       json.RawMessage `json:"metadata"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	ExpiresAt      *time.Time      `json:"expires_at"` // nil: never
	Version        string          `json:"version"`

	// Charge holds the limits under payments.charge; nil where there are none.
	Charge *Limits `json:"-"`
	// Digest is the lower-case hex SHA-256 of the canonical JSON (RFC 8785).
	Digest string `json:"-"`
	// Name is the file's name, for messages.
	Name string `json:"-"`

	raw []byte
}

// Capability is one granted capability.
type Capability struct {
	ID     CapabilityID    `json:"id"`
	Params json.RawMessage `json:"params"`
}

// Grants reports whether the passport grants a capability.
func (p Passport) Grants(id CapabilityID) bool {
	return slices.ContainsFunc(p.Capabilities, func(c Capability) bool { return c.ID == id })
}

// Limits are the limits of one capability. A nil field is missing, which is not
// the same as empty: an empty list of recipients means anyone.
type Limits struct {
	CurrencyLimits    map[bank.Currency]CurrencyLimit `json:"currency_limits"`
	AllowedRecipients *[]string                       `json:"allowed_merchant_ids"`
	AllowedMerchants  *[]string                       `json:"allowed_merchants"` // another name of the same list
	AllowedCountries  *[]string                       `json:"allowed_countries"`
	BlockedCategories *[]string                       `json:"blocked_categories"`
	MaxItems          *int                            `json:"max_items_per_tx"`
	RequireAssurance  *AssuranceLevel                 `json:"require_assurance_at_least"`
	IdempotencyNeeded *bool                           `json:"idempotency_required"`
	AuditCodeNeeded   *bool                           `json:"audit_code_required"`
}

// CurrencyLimit caps the payments in one currency, in minor units.
type CurrencyLimit struct {
	MaxPerTx *bank.Amount `json:"max_per_tx"`
	DailyCap *bank.Amount `json:"daily_cap"` // per UTC day
}

// HasRecipient reports whether the list names the recipient, byte for byte, or
// is empty, which means anyone.
func (l Limits) HasRecipient(id bank.AccountID) bool {
	return len(*l.AllowedRecipients) == 0 || slices.Contains(*l.AllowedRecipients, string(id))
}

// LoadPassport reads NAME.json and refuses what is no instance passport.
func LoadPassport(fsys fs.FS, name string) (Passport, error) {
	file := name + ".json"
	raw, err := fs.ReadFile(fsys, file)
	if err != nil {
		return Passport{}, fmt.Errorf("load passport %s: %w", name, err)
	}
	return ParsePassport(file, raw)
}

// ParsePassport reads one passport; file is its name for messages.
func ParsePassport(file string, raw []byte) (Passport, error) {
	p := Passport{Name: file, raw: slices.Clone(raw)}
	if err := strictjson.Decode(file, raw, "passport.schema.json", &p); err != nil {
		return Passport{}, fmt.Errorf("load passport: %w", err)
	}
	if p.Kind != "instance" {
		return Passport{}, fmt.Errorf("load passport: %s: kind is %q: only an instance decides about payments", file, p.Kind)
	}
	var err error
	if p.Charge, err = chargeLimits(file, p.RawLimits); err != nil {
		return Passport{}, fmt.Errorf("load passport: %w", err)
	}
	if p.Digest, err = digest(raw); err != nil {
		return Passport{}, fmt.Errorf("load passport: %s: %w", file, err)
	}
	return p, nil
}

// chargeLimits finds the limits of payments.charge in either published shape,
// flat (one key with a dot) or nested. Both at once is an error, since it would
// be a guess which one counts.
func chargeLimits(file string, raw json.RawMessage) (*Limits, error) {
	var all struct {
		Flat   json.RawMessage `json:"payments.charge"`
		Nested struct {
			Charge json.RawMessage `json:"charge"`
		} `json:"payments"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%s: limits: %w", file, err)
	}
	found := all.Flat
	switch {
	case all.Flat != nil && all.Nested.Charge != nil:
		return nil, fmt.Errorf("%s: limits stand under \"payments.charge\" and under payments.charge: keep one", file)
	case all.Nested.Charge != nil:
		found = all.Nested.Charge
	case found == nil:
		return nil, nil
	}
	var l Limits
	if err := json.Unmarshal(found, &l); err != nil {
		return nil, fmt.Errorf("%s: limits of payments.charge: %w", file, err)
	}
	if l.AllowedMerchants != nil {
		if l.AllowedRecipients != nil {
			return nil, fmt.Errorf("%s: allowed_merchant_ids and allowed_merchants are one list: keep one", file)
		}
		l.AllowedRecipients = l.AllowedMerchants
	}
	return &l, nil
}

// digest is over the canonical form, so that white space and the order of keys
// do not count.
func digest(raw []byte) (string, error) {
	canonical := jsontext.Value(slices.Clone(raw))
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("canonicalise: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
