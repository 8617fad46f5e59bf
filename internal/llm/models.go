package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/internal/price"
	"vaultbench/internal/strictjson"
)

// ModelsFile is how messages name the catalog.
const ModelsFile = "fixtures/models.json"

// ModelRole says what a model of the catalog is for.
type ModelRole string

// The two roles of the catalog.
const (
	RoleTarget ModelRole = "target" // a banker under test
	RoleJudge  ModelRole = "judge"  // labels finished evaluations
)

// Model is one entry of fixtures/models.json.
type Model struct {
	Slug     string       `json:"slug"` // name in cells and files
	Name     string       `json:"name"`
	Lab      string       `json:"lab"`
	Provider string       `json:"provider"`
	Role     ModelRole    `json:"role"`
	ID       *ModelID     `json:"id"` // nil: nobody could confirm it, so no live run
	Quirks   Quirks       `json:"quirks"`
	Price    *price.Price `json:"price"` // nil: nobody could confirm it, so no budget in dollars
	Note     string       `json:"note"`
}

// Quirks is where a model's endpoint differs from plain chat completions.
type Quirks struct {
	OmitTemperature        bool                       `json:"omit_temperature"`
	UseMaxCompletionTokens bool                       `json:"use_max_completion_tokens"`
	ReasoningEffort        *string                    `json:"reasoning_effort"` // nil: not sent
	ExtraBody              map[string]json.RawMessage `json:"extra_body"`       // added to the request as they stand
	CarryBack              []string                   `json:"carry_back"`       // members of a reply and of its calls that go back as they came
}

// Provider is an OpenAI-compatible endpoint.
type Provider struct {
	Name       string  `json:"name"`
	BaseURL    *string `json:"base_url"`     // nil: nobody could confirm it
	KeyEnv     string  `json:"key_env"`      // environment variable that holds the key
	BaseURLEnv string  `json:"base_url_env"` // environment variable that replaces BaseURL; may be empty
	Lists      Listing `json:"lists"`        // what its list of models tells; empty: nothing
	Note       string  `json:"note"`
}

// Listing says what a provider's list of models (GET models below its base URL)
// tells about a key and an id.
type Listing string

// The three words. The zero value is ListsNothing.
const (
	ListsNothing Listing = "nothing" // unconfirmed, or in another form: only that somebody answers
	ListsKey     Listing = "key"     // a refused key is refused here too
	ListsIDs     Listing = "ids"     // that, and every model that may be asked is in the list
)

// Catalog is fixtures/models.json after its checks.
type Catalog struct {
	Providers []Provider `json:"providers"`
	Models    []Model    `json:"models"`
}

// LoadModels reads models.json from the top of fsys. Beyond its schema it checks
// that every provider is known and that slugs can serve as names of cells.
func LoadModels(fsys fs.FS) (Catalog, error) {
	data, err := fs.ReadFile(fsys, "models.json")
	if err != nil {
		return Catalog{}, fmt.Errorf("%s: %w", ModelsFile, err)
	}
	var c Catalog
	if err := strictjson.Decode(ModelsFile, data, "models.schema.json", &c); err != nil {
		return Catalog{}, err
	}
	if err := c.check(); err != nil {
		return Catalog{}, fmt.Errorf("%s: %w", ModelsFile, err)
	}
	return c, nil
}

// ownMembers are the members of a request that extra_body must not set: the
// client writes them, or they change the form of the reply.
var ownMembers = []string{
	"model", "messages", "tools", "temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "stream", "n",
}

func (c Catalog) check() error {
	providers := map[string]bool{}
	for _, p := range c.Providers {
		if providers[p.Name] {
			return fmt.Errorf("provider %s: occurs twice", p.Name)
		}
		providers[p.Name] = true
	}
	for i, m := range c.Models {
		if !providers[m.Provider] {
			return fmt.Errorf("model %s: unknown provider %q", m.Slug, m.Provider)
		}
		if err := m.check(); err != nil {
			return fmt.Errorf("model %s: %w", m.Slug, err)
		}
		for _, other := range c.Models[:i] {
			if err := clash(m.Slug, other.Slug); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m Model) check() error {
	if strings.HasPrefix(m.Slug, "sim-") || strings.HasPrefix(m.Slug, "written-") {
		return errors.New("the prefixes sim- and written- belong to bankers that are no models")
	}
	for _, name := range ownMembers {
		if _, ok := m.Quirks.ExtraBody[name]; ok {
			return fmt.Errorf("extra_body must not set %s", name)
		}
	}
	for _, name := range m.Quirks.CarryBack {
		if slices.Contains(ownReplyMembers, name) || SpeaksOfCalls(name) {
			return fmt.Errorf("carry_back must not name %s, which the client reads itself", name)
		}
	}
	return nil
}

// ownReplyMembers are the members of a message and of a call that the client
// reads and writes.
var ownReplyMembers = []string{"role", "content", "refusal", "tool_calls", "function_call", "id", "type", "function", "audio"}

// SpeaksOfCalls reports a name, of a member or a finish reason, that speaks of calls
// or refusals, in whatever way a server spells it: Google's "function_call_filter:
// MALFORMED_FUNCTION_CALL" is one.
func SpeaksOfCalls(word string) bool {
	word = strings.ToLower(word)
	for _, part := range []string{"tool", "function", "call", "refus"} {
		if strings.Contains(word, part) {
			return true
		}
	}
	return false
}

// clash keeps slugs apart: -run takes a substring, so a slug inside another
// would select the other's cells as well.
func clash(a, b string) error {
	switch {
	case a == b:
		return fmt.Errorf("model %s: slug occurs twice", a)
	case strings.Contains(a, b):
		return fmt.Errorf("model %s: slug contains the slug %s", a, b)
	case strings.Contains(b, a):
		return fmt.Errorf("model %s: slug is contained in the slug %s", a, b)
	}
	return nil
}

// Find returns the model with that slug and the provider that serves it.
func (c Catalog) Find(slug string) (Model, Provider, error) {
	i := slices.IndexFunc(c.Models, func(m Model) bool { return m.Slug == slug })
	if i < 0 {
		known := make([]string, len(c.Models))
		for j, m := range c.Models {
			known[j] = m.Slug
		}
		slices.Sort(known)
		return Model{}, Provider{}, fmt.Errorf("%s: unknown model %q: known are %s", ModelsFile, slug, strings.Join(known, ", "))
	}
	m := c.Models[i]
	j := slices.IndexFunc(c.Providers, func(p Provider) bool { return p.Name == m.Provider })
	if j < 0 {
		return Model{}, Provider{}, fmt.Errorf("%s: model %s: unknown provider %q", ModelsFile, m.Slug, m.Provider)
	}
	return m, c.Providers[j], nil
}
