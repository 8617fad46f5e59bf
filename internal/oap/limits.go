package oap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/oap/condition"
)

// Limits are the limits of one capability by name. A limit that is not there is
// missing, which is not the same as empty: an empty list of recipients means
// anyone. Amounts are minor units. A limit that a rule reads and that is missing
// is an error when passport and pack are joined. Source: the limits of the
// published passports.
type Limits map[string]*condition.Value

// synonyms are two names of one limit: passports in the wild have either.
var synonyms = [][2]string{
	{"allowed_merchant_ids", "allowed_merchants"},
	{"refund_reason_codes", "reason_codes"},
}

// Limits returns the limits under a capability in either published shape, flat
// (one key with dots) or nested; nil where there are none. Both at once is an
// error, since it would be a guess which one counts.
func (p Passport) Limits(id CapabilityID) (Limits, error) {
	raw, err := p.written(id)
	if err != nil || raw == nil {
		return nil, err
	}
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		return nil, fmt.Errorf("%s: limits of %s: %w", p.Name, id, err)
	}
	l := Limits{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v, err := valueOf(members[name])
		if err != nil {
			return nil, fmt.Errorf("%s: limits of %s: %s: %w", p.Name, id, name, err)
		}
		l[name] = &v
	}
	return l, l.complete(p.Name)
}

// written is the JSON of a capability's limits as the passport has it, before
// anything is added; nil where there is none.
func (p Passport) written(id CapabilityID) (json.RawMessage, error) {
	flat, err := object(p.RawLimits)
	if err != nil {
		return nil, fmt.Errorf("%s: limits: %w", p.Name, err)
	}
	found, isFlat := flat[string(id)]
	nested, isNested := nest(flat, strings.Split(string(id), "."))
	switch {
	case isFlat && isNested && strings.Contains(string(id), "."):
		return nil, fmt.Errorf("%s: limits stand under %q and under %s: keep one", p.Name, id, id)
	case isNested:
		return nested, nil
	}
	return found, nil
}

// complete adds what a passport says by another name.
func (l Limits) complete(file string) error {
	for _, s := range synonyms {
		first, second := l[s[0]], l[s[1]]
		switch {
		case first != nil && second != nil:
			return fmt.Errorf("%s: %s and %s are one list: keep one", file, s[0], s[1])
		case second != nil:
			l[s[0]] = second
		case first != nil:
			l[s[1]] = first
		}
	}
	if table := l["currency_limits"]; l["supported_currencies"] == nil && table != nil && table.Kind == condition.KindMap {
		list := condition.List()
		for _, c := range slices.Sorted(maps.Keys(table.Map)) {
			list.List = append(list.List, condition.String(c))
		}
		l["supported_currencies"] = &list
	}
	return nil
}

func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(raw, &m)
	return m, err
}

// nest walks a path of objects.
func nest(m map[string]json.RawMessage, path []string) (json.RawMessage, bool) {
	for i, part := range path {
		raw, ok := m[part]
		if !ok || i == len(path)-1 {
			return raw, ok
		}
		next, err := object(raw)
		if err != nil {
			return nil, false
		}
		m = next
	}
	return nil, false
}

// valueOf reads a JSON value of a passport. Numbers are integers: a policy has no
// floats.
func valueOf(v any) (condition.Value, error) {
	switch v := v.(type) {
	case bool:
		return condition.Bool(v), nil
	case string:
		return condition.String(v), nil
	case json.Number:
		i, err := v.Int64()
		if err != nil {
			return condition.Value{}, fmt.Errorf("%s is no 64-bit integer", v)
		}
		return condition.Int(i), nil
	case []any:
		list := condition.List()
		for _, e := range v {
			ev, err := valueOf(e)
			if err != nil {
				return condition.Value{}, err
			}
			list.List = append(list.List, ev)
		}
		return list, nil
	case map[string]any:
		m := condition.Value{Kind: condition.KindMap, Map: map[string]*condition.Value{}}
		for name, e := range v {
			ev, err := valueOf(e)
			if err != nil {
				return condition.Value{}, fmt.Errorf("%s: %w", name, err)
			}
			m.Map[name] = &ev
		}
		return m, nil
	}
	return condition.Value{}, fmt.Errorf("null is no limit: leave it out")
}
