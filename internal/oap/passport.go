// Package oap is the layer under test: an Open Agent Passport engine for the
// pack finance.payment.charge.v1. A passport says what an agent may do, a pack
// says by which rules, and an Engine decides about one conversation's payments.
package oap

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/strictjson"
)

// AssuranceLevel says how well a passport's owner is known. The levels have an
// order of their own, which is not that of their names.
type AssuranceLevel string

// assuranceOrder goes from the least to the most assured.
var assuranceOrder = []AssuranceLevel{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}

// AssuranceLevels goes from the least to the most assured.
func AssuranceLevels() []AssuranceLevel { return slices.Clone(assuranceOrder) }

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

// LoadPassport reads NAME.json and refuses what is no instance passport.
func LoadPassport(fsys fs.FS, name string) (Passport, error) {
	file := name + ".json"
	raw, err := fs.ReadFile(fsys, file)
	if err != nil {
		return Passport{}, fmt.Errorf("load passport %s: %w", name, err)
	}
	return ParsePassport(file, raw)
}

// ParsePassport reads one instance passport; file is its name for messages.
func ParsePassport(file string, raw []byte) (Passport, error) {
	p, err := ParseTemplate(file, raw)
	if err == nil && p.Kind != kindInstance {
		err = fmt.Errorf("load passport: %s: kind is %q: only an instance decides about payments", file, p.Kind)
	}
	if err != nil {
		return Passport{}, err
	}
	return p, nil
}

const kindInstance = "instance"

// ParseTemplate reads a passport of either kind, for those who look at one
// without letting it decide about payments.
func ParseTemplate(file string, raw []byte) (Passport, error) {
	p := Passport{Name: file, raw: slices.Clone(raw)}
	if err := strictjson.Decode(file, raw, "passport.schema.json", &p); err != nil {
		return Passport{}, fmt.Errorf("load passport: %w", err)
	}
	ids := p.granted()
	if !slices.Contains(ids, ChargeCapability) {
		ids = append(ids, ChargeCapability)
	}
	for _, id := range ids {
		if _, err := p.Limits(id); err != nil {
			return Passport{}, fmt.Errorf("load passport: %w", err)
		}
	}
	var err error
	if p.Digest, err = digest(raw); err != nil {
		return Passport{}, fmt.Errorf("load passport: %s: %w", file, err)
	}
	return p, nil
}

func (p Passport) granted() []CapabilityID {
	var ids []CapabilityID
	for _, c := range p.Capabilities {
		ids = append(ids, c.ID)
	}
	return ids
}

// maxExact is the highest integer that every JSON reader takes for itself.
const maxExact = 1<<53 - 1

// exact refuses a number that the canonical form would round to another one: two
// files would have one digest.
func exact(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		t, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case t.Kind() != '0':
			continue
		}
		text := t.String()
		if n, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(n) > maxExact {
			return fmt.Errorf("%s: %s is beyond ±%d, where JSON readers no longer agree: write a smaller number", dec.StackPointer(), text, int64(maxExact))
		}
	}
}

// digest is over the canonical form, so that white space and the order of keys
// do not count.
func digest(raw []byte) (string, error) {
	if err := exact(raw); err != nil {
		return "", err
	}
	canonical := jsontext.Value(slices.Clone(raw))
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("canonicalise: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
