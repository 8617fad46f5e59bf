// Package mutation makes every single mutant of a passport or policy pack, and
// counts which of them are noticed. It edits the JSON files, as somebody who
// changes a policy does, and knows nothing of how a mutant is examined.
package mutation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Mutant is one policy file with one change.
type Mutant struct {
	ID       string // file, operator and place: the same in every run
	File     string // as it was given
	Operator string
	Change   string // for people: what became of what
	Raw      []byte // the changed file
}

// document makes mutants of one file. Each change works on a fresh decoding.
type document struct {
	file    string
	raw     []byte
	mutants []Mutant
}

func open(file string, raw []byte) (*document, map[string]any, error) {
	d := &document{file: file, raw: raw}
	root, err := d.decode()
	if err != nil {
		return nil, nil, fmt.Errorf("mutate %s: %w", file, err)
	}
	return d, root, nil
}

func (d *document) decode() (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(d.raw))
	dec.UseNumber()
	var root map[string]any
	err := dec.Decode(&root)
	return root, err
}

// add keeps a mutant: change gets a fresh decoding of the file to edit.
func (d *document) add(operator, place, what string, change func(root map[string]any)) {
	root, err := d.decode()
	if err != nil {
		panic(fmt.Sprintf("%s was decoded before: %v", d.file, err))
	}
	change(root)
	raw, err := json.Marshal(root)
	if err != nil {
		panic(fmt.Sprintf("%s: what was decoded encodes: %v", d.file, err))
	}
	id := d.file + " " + operator
	if place != "" {
		id += " " + place
	}
	d.mutants = append(d.mutants, Mutant{ID: id, File: d.file, Operator: operator, Change: what, Raw: raw})
}

// set is a change of one member.
func set(path []string, value any) func(map[string]any) {
	return func(root map[string]any) { at(root, path[:len(path)-1])[path[len(path)-1]] = value }
}

// drop is a change that leaves one member out.
func drop(path []string) func(map[string]any) {
	return func(root map[string]any) { delete(at(root, path[:len(path)-1]), path[len(path)-1]) }
}

func at(root map[string]any, path []string) map[string]any {
	for _, name := range path {
		root = root[name].(map[string]any)
	}
	return root
}

// done returns the mutants; two of one name or a mutant that is the file itself
// would count something twice or nothing.
func (d *document) done() ([]Mutant, error) {
	original, err := d.decode()
	if err != nil {
		return nil, err
	}
	same, err := json.Marshal(original)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range d.mutants {
		switch {
		case seen[m.ID]:
			return nil, fmt.Errorf("mutant %q stands twice", m.ID)
		case bytes.Equal(m.Raw, same):
			return nil, fmt.Errorf("mutant %q changes nothing", m.ID)
		}
		seen[m.ID] = true
	}
	return d.mutants, nil
}

func names(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// others are the words of a vocabulary but one.
func others(all []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(w string) bool { return w == but })
}
