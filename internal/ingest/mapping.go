package ingest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/fixtures"
	"vaultbench/internal/strictjson"
)

// Mapping says where the fields of a row stand in somebody's table. Its schema is
// fixtures/schema/mapping.schema.json; the shipped ones are fixtures/mappings.
type Mapping struct {
	Format    string                       `json:"format"`
	Kind      Kind                         `json:"kind"`
	Columns   map[string]string            `json:"columns"`   // field → column
	Constants map[string]string            `json:"constants"` // field → the value of every row
	Words     map[string]map[string]string `json:"words"`     // field → their word → ours
}

// Kind is what a table's rows are.
type Kind string

// The kinds.
const (
	KindOutcomes Kind = "outcomes"
	KindAttacks  Kind = "attacks"
)

const mappingFormat = "vault-mapping/1"

// field is a part of a row.
type field struct {
	name     string
	required bool
	list     bool // it may hold a list, also as a text that is one in JSON
}

// fields lists what a row of a kind may hold, in the order of the documentation.
func (k Kind) fields() []field {
	if k == KindAttacks {
		return attackFields
	}
	return outcomeFields
}

// LoadMapping reads a mapping file.
func LoadMapping(path string) (Mapping, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Mapping{}, err
	}
	return parseMapping(filepath.Base(path), raw)
}

// ShippedMapping reads a mapping of fixtures/mappings by its name without .json.
func ShippedMapping(name string) (Mapping, error) {
	file := "mappings/" + name + ".json"
	raw, err := fs.ReadFile(fixtures.FS, file)
	if err != nil {
		return Mapping{}, err
	}
	return parseMapping(file, raw)
}

func parseMapping(name string, raw []byte) (Mapping, error) {
	var m Mapping
	if err := strictjson.Decode(name, raw, "mapping.schema.json", &m); err != nil {
		return Mapping{}, err
	}
	var known []string
	for _, f := range m.Kind.fields() {
		known = append(known, f.name)
	}
	for _, given := range []map[string]bool{keys(m.Columns), keys(m.Constants), keys(m.Words)} {
		for _, f := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(known, f) {
				return Mapping{}, fmt.Errorf("%s: unknown field %q of %s: want one of %v", name, f, m.Kind, known)
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(m.Constants)) {
		if m.Columns[f] != "" {
			return Mapping{}, fmt.Errorf("%s: field %s has a column and a constant: keep one", name, f)
		}
	}
	return m, nil
}

func keys[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// misfit lists what a mapping wants and a table has not.
func (m Mapping) misfit(columns []string) []string {
	var missing []string
	for _, f := range m.Kind.fields() {
		column, constant := m.Columns[f.name], m.Constants[f.name]
		switch {
		case column != "" && slices.Contains(columns, column), constant != "":
		case f.required && column == "":
			missing = append(missing, f.name)
		case f.required:
			missing = append(missing, fmt.Sprintf("%s (column %s)", f.name, column))
		}
	}
	return missing
}

// choose returns the first mapping that fits a table.
func choose(name string, columns []string, candidates []Mapping) (Mapping, error) {
	for _, m := range candidates {
		if len(m.misfit(columns)) == 0 {
			return m, nil
		}
	}
	m := candidates[len(candidates)-1]
	draft, err := json.MarshalIndent(m.draft(columns), "", "  ")
	if err != nil {
		return Mapping{}, err
	}
	return Mapping{}, &Misfit{
		text: fmt.Sprintf("%s: no column for %s; the columns are %s; write a mapping like this one, with the right names in place of each ?, and give it with --mapping (docs/import.md)",
			name, strings.Join(m.misfit(columns), ", "), strings.Join(columns, ", ")),
		Draft: string(draft),
	}
}

// Misfit reports a table whose columns no mapping fits.
type Misfit struct {
	text  string
	Draft string // a mapping to begin with: indented JSON
}

// Error is one line; the draft is for whoever can show several.
func (m *Misfit) Error() string { return m.text }

// draft is the mapping as far as the columns' names tell: a field of theirs that
// is called like one of ours, or as the mapping says; a ? where one is needed.
func (m Mapping) draft(columns []string) Mapping {
	out := Mapping{Format: mappingFormat, Kind: m.Kind, Columns: map[string]string{}, Constants: m.Constants, Words: m.Words}
	for _, f := range m.Kind.fields() {
		switch {
		case m.Constants[f.name] != "":
		case slices.Contains(columns, m.Columns[f.name]):
			out.Columns[f.name] = m.Columns[f.name]
		case slices.Contains(columns, f.name):
			out.Columns[f.name] = f.name
		case f.required:
			out.Columns[f.name] = "?"
		}
	}
	return out
}

// bind chooses the table's columns for the fields of a mapping.
func (m Mapping) bind(t table) (*binding, error) {
	b := &binding{mapping: m, at: map[string]int{}, table: t, lists: map[string]bool{}}
	var wanted []string
	for _, f := range m.Kind.fields() {
		column := m.Columns[f.name]
		if column != "" && (t.Open() || slices.Contains(t.Columns(), column)) {
			b.at[f.name] = len(wanted)
			wanted = append(wanted, column)
			b.lists[column] = f.list
		}
	}
	b.columns = wanted
	return b, t.Select(wanted)
}
