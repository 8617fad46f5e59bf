package oap

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
	"vaultbench/internal/strictjson"
)

// PackID names a policy pack.
type PackID string

// ChargePack is the pack that the levels are decided by.
const ChargePack PackID = "finance.payment.charge.v1"

// Profile says whose reading of the pack is followed.
type Profile string

// The two profiles. They differ in the Level 4 audit code and in the code of a
// missing capability.
const (
	ProfileOAP       Profile = "oap"       // the paper's local engine
	ProfilePublished Profile = "published" // the published pack
)

// PolicyPack is a pack's JSON form. See fixtures/schema/pack.schema.json.
type PolicyPack struct {
	ID                   PackID          `json:"id"`
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Version              string          `json:"version"`
	Status               string          `json:"status"`
	RequiresCapabilities []CapabilityID  `json:"requires_capabilities"`
	MinAssurance         AssuranceLevel  `json:"min_assurance"`
	LimitsRequired       []string        `json:"limits_required"` // information; the engine asks for what a rule reads
	RequiredContext      json.RawMessage `json:"required_context"`
	Rules                []Rule          `json:"evaluation_rules"`
	CreatedAt            time.Time       `json:"created_at"`
	UpdatedAt            time.Time       `json:"updated_at"`

	// What information a pack carries for others; the engine reads none of it but
	// the table of assurance_rules, through the function that a rule calls.
	RequiredFields json.RawMessage `json:"required_fields"`
	OptionalFields json.RawMessage `json:"optional_fields"`
	Enforcement    json.RawMessage `json:"enforcement"`
	MCP            json.RawMessage `json:"mcp"`
	Advice         json.RawMessage `json:"advice"`
	Cache          json.RawMessage `json:"cache"`
	Deprecation    json.RawMessage `json:"deprecation"`
	AssuranceRules []AssuranceRule `json:"assurance_rules"`

	// Digest is the lower-case hex SHA-256 of the canonical JSON (RFC 8785).
	Digest string `json:"-"`

	file    string
	context contextSchema
}

// AssuranceRule asks for an assurance level up to an amount in minor units.
// Source: assurance_rules of the published refund pack.
type AssuranceRule struct {
	UpTo  int64          `json:"lte_minor"`
	Level AssuranceLevel `json:"min_level"`
}

// Rule is one evaluation rule: where its condition does not hold, its code denies.
// Amounts in conditions are minor units. A condition that can't be followed is an
// error at load; one whose values can't be used denies with oap.policy_error.
// Source: evaluation_rules of the published packs.
type Rule struct {
	Name        string             `json:"name"`
	Condition   string             `json:"condition"`
	DenyCode    authz.DenialReason `json:"deny_code"`
	Description string             `json:"description"`
	Profiles    []Profile          `json:"profiles"` // empty: every profile

	expr    *condition.Expr
	refused error // why the rule can't be followed
}

func (r Rule) in(p Profile) bool { return len(r.Profiles) == 0 || slices.Contains(r.Profiles, p) }

// LoadPack reads packs/ID.json.
func LoadPack(fsys fs.FS, id PackID) (PolicyPack, error) {
	file := "packs/" + string(id) + ".json"
	raw, err := fs.ReadFile(fsys, file)
	if err != nil {
		return PolicyPack{}, fmt.Errorf("load pack %s: %w", id, err)
	}
	p, err := ParsePack(file, raw)
	if err == nil && p.ID != id {
		return PolicyPack{}, fmt.Errorf("load pack: %s: id is %q: name the file after it", file, p.ID)
	}
	return p, err
}

// ParsePack reads one pack; file is its name for messages. A rule that can't be
// followed is an error: a rule that is silently left out would permit.
func ParsePack(file string, raw []byte) (PolicyPack, error) {
	p, refused, err := ReadPack(file, raw)
	if err == nil && len(refused) > 0 {
		err = fmt.Errorf("load pack: %s: rule %s: %w", file, refused[0].Rule, refused[0].Err)
	}
	if err != nil {
		return PolicyPack{}, err
	}
	return p, nil
}

// Refusal is a rule that can't be followed, and why.
type Refusal struct {
	Rule string
	Err  error
}

// ReadPack reads one pack and lists the rules that can't be followed. Such a pack
// decides nothing: NewLayer refuses it.
func ReadPack(file string, raw []byte) (PolicyPack, []Refusal, error) {
	p := PolicyPack{file: file}
	if err := strictjson.Decode(file, raw, "pack.schema.json", &p); err != nil {
		return PolicyPack{}, nil, fmt.Errorf("load pack: %w", err)
	}
	var err error
	if p.context, err = compileSchema(p.RequiredContext); err != nil {
		return PolicyPack{}, nil, fmt.Errorf("load pack: %s: required_context: %w", file, err)
	}
	if err := p.checkAssuranceRules(); err != nil {
		return PolicyPack{}, nil, fmt.Errorf("load pack: %s: %w", file, err)
	}
	if p.Digest, err = digest(raw); err != nil {
		return PolicyPack{}, nil, fmt.Errorf("load pack: %s: %w", file, err)
	}
	var refused []Refusal
	seen := map[string]bool{}
	for i := range p.Rules {
		r := &p.Rules[i]
		if seen[r.Name] {
			return PolicyPack{}, nil, fmt.Errorf("load pack: %s: rule %s stands twice: delete one", file, r.Name)
		}
		seen[r.Name] = true
		if err := r.compile(&p); err != nil {
			r.refused = err
			refused = append(refused, Refusal{r.Name, err})
		}
	}
	return p, refused, nil
}

// checkAssuranceRules refuses an entry that no amount reaches: what it asks for
// would never be asked.
func (p *PolicyPack) checkAssuranceRules() error {
	for i, r := range p.AssuranceRules {
		if i > 0 && r.UpTo <= p.AssuranceRules[i-1].UpTo {
			return fmt.Errorf("/assurance_rules/%d: no amount reaches %d, which is not above the entry before: put the entries in the order of lte_minor", i, r.UpTo)
		}
	}
	return nil
}

// decidesPayments reports whether the benchmark's payments can be decided by the
// pack, and so whether a guard and a record must know each of its codes.
func (p *PolicyPack) decidesPayments() bool {
	return p.ID == ChargePack || slices.Contains(p.RequiresCapabilities, ChargeCapability)
}

// compile reads the condition and binds it once, with the limits unknown, to find
// what no passport could mend.
func (r *Rule) compile(p *PolicyPack) error {
	if err := r.checkCode(p.decidesPayments()); err != nil {
		return err
	}
	var err error
	if r.expr, err = condition.Parse(r.Condition); err != nil {
		return err
	}
	program, err := r.expr.BindRule(p.scope(nil, nil))
	if err != nil {
		return err
	}
	return p.counted(program)
}

// checkCode refuses a code that is not of the closed list. To the guard of a payment
// a code of another pack is an unknown one: a denial with it would be told of as a
// layer that broke.
func (r *Rule) checkCode(payments bool) error {
	may := slices.DeleteFunc(authz.Reasons(), func(c authz.DenialReason) bool { return c == authz.ReasonAllowed })
	other := slices.Contains(otherCodes, r.DenyCode)
	switch {
	case slices.Contains(may, r.DenyCode) || other && !payments:
		return nil
	case other:
		return fmt.Errorf("deny_code %q is of another pack, and no decision about a payment can give it: use one of %s", r.DenyCode, strings.Join(texts(may), ", "))
	case !payments:
		may = append(may, otherCodes...)
	}
	return fmt.Errorf("unknown deny_code %q: the codes are a closed list: %s", r.DenyCode, strings.Join(texts(may), ", "))
}

// otherCodes are those of the published packs that decide about no payment of ours.
var otherCodes = []authz.DenialReason{
	"oap.destination_type_forbidden", "oap.compliance_check_required", "oap.invalid_reason_code", "oap.cross_currency_denied",
	"oap.action_forbidden", "oap.asset_class_forbidden", "oap.account_type_restricted", "oap.commingling_of_funds_forbidden",
	"oap.counterparty_limit_exceeded",
}
