package oap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaultbench/internal/authz"
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

	// Digest is the lower-case hex SHA-256 of the canonical JSON (RFC 8785).
	Digest string `json:"-"`

	file    string
	context *jsonschema.Schema
}

// Rule is one evaluation rule: where its condition does not hold, its code denies.
type Rule struct {
	Name        string             `json:"name"`
	Condition   string             `json:"condition"`
	DenyCode    authz.DenialReason `json:"deny_code"`
	Description string             `json:"description"`
	Profiles    []Profile          `json:"profiles"` // empty: every profile
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

// ParsePack reads one pack; file is its name for messages. A rule that the
// engine does not know, or whose condition it would not follow to the letter, is
// an error: a rule that is silently left out would permit.
func ParsePack(file string, raw []byte) (PolicyPack, error) {
	p := PolicyPack{file: file}
	if err := strictjson.Decode(file, raw, "pack.schema.json", &p); err != nil {
		return PolicyPack{}, fmt.Errorf("load pack: %w", err)
	}
	seen := map[string]bool{}
	for _, r := range p.Rules {
		if seen[r.Name] {
			return PolicyPack{}, fmt.Errorf("load pack: %s: rule %s stands twice: delete one", file, r.Name)
		}
		seen[r.Name] = true
		if err := r.check(); err != nil {
			return PolicyPack{}, fmt.Errorf("load pack: %s: rule %s: %w", file, r.Name, err)
		}
	}
	var err error
	if p.context, err = compileContext(file, p.RequiredContext); err != nil {
		return PolicyPack{}, fmt.Errorf("load pack: %s: required_context: %w", file, err)
	}
	if p.Digest, err = digest(raw); err != nil {
		return PolicyPack{}, fmt.Errorf("load pack: %s: %w", file, err)
	}
	return p, nil
}

func (r Rule) check() error {
	if !slices.Contains(authz.Reasons(), r.DenyCode) || r.DenyCode == authz.ReasonAllowed {
		return fmt.Errorf("unknown deny_code %q", r.DenyCode)
	}
	known, ok := gateConditions[r.Name]
	if b, isRule := builtins[r.Name]; isRule {
		known, ok = b.condition, true
	}
	switch {
	case !ok:
		return fmt.Errorf("the engine has no rule of this name")
	case strings.Join(strings.Fields(r.Condition), " ") != known:
		return fmt.Errorf("condition %q is not the one that the engine follows (%q)", r.Condition, known)
	}
	return nil
}

func compileContext(file string, raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{}) // a schema in another file would escape the digest
	url := file + "/required_context"
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// noLoader refuses every reference to another document.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to another document %q: write the schema out", url)
}
