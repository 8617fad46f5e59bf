package oap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// filler puts a field of a parsed payment into its slot.
type filler struct {
	slot int
	fill func(*condition.Value, *authz.Request)
}

func text(get func(*authz.Request) string) func(*condition.Value, *authz.Request) {
	return func(v *condition.Value, r *authz.Request) { v.Kind, v.Str = condition.KindString, get(r) }
}

// fields are the parts of a payment by their names in a context.
var fields = map[string]func(*condition.Value, *authz.Request){
	"amount":          func(v *condition.Value, r *authz.Request) { v.Kind, v.Int = condition.KindInt, int64(r.Amount) },
	"currency":        text(func(r *authz.Request) string { return string(r.Currency) }),
	"merchant_id":     text(func(r *authz.Request) string { return string(r.Recipient) }),
	"region":          text(func(r *authz.Request) string { return r.Region }),
	"memo":            text(func(r *authz.Request) string { return r.Memo }),
	"idempotency_key": text(func(r *authz.Request) string { return r.IdempotencyKey }),
	"shipping_country": func(v *condition.Value, r *authz.Request) {
		v.Kind = condition.KindAbsent
		if r.ShippingCountry != "" {
			v.Kind, v.Str = condition.KindString, r.ShippingCountry
		}
	},
}

// itemFields are the parts of an item likewise.
var itemFields = map[string]func(*condition.Value, *authz.Item){
	"sku":   func(v *condition.Value, i *authz.Item) { v.Kind, v.Str = condition.KindString, i.SKU },
	"qty":   func(v *condition.Value, i *authz.Item) { v.Kind, v.Int = condition.KindInt, i.Quantity },
	"price": func(v *condition.Value, i *authz.Item) { v.Kind, v.Int = condition.KindInt, int64(i.Price) },
	"category": func(v *condition.Value, i *authz.Item) {
		v.Kind = condition.KindAbsent
		if i.Category != "" {
			v.Kind, v.Str = condition.KindString, i.Category
		}
	},
}

// fillers lists how a payment becomes a context of the schema. A field of the
// schema that no payment has stays absent.
func fillers(t condition.Type) []filler {
	var out []filler
	for i, name := range t.Names {
		switch fill, ok := fields[name]; {
		case ok:
			out = append(out, filler{i, fill})
		case name == "items" && t.Members[i].Elem != nil:
			out = append(out, filler{i, items(*t.Members[i].Elem)})
		}
	}
	return out
}

// items reuses the lists that it made before: the engine's environment lives as
// long as its conversation.
func items(elem condition.Type) func(*condition.Value, *authz.Request) {
	fills := make([]func(*condition.Value, *authz.Item), len(elem.Names))
	for i, name := range elem.Names {
		fills[i] = itemFields[name]
	}
	return func(v *condition.Value, r *authz.Request) {
		v.Kind = condition.KindList
		v.List = slices.Grow(v.List[:0], len(r.Items))[:len(r.Items)]
		for i := range r.Items {
			record := &v.List[i]
			record.Kind = condition.KindRecord
			if len(record.List) != len(fills) {
				record.List = make([]condition.Value, len(fills))
			}
			for j, fill := range fills {
				if fill != nil {
					fill(&record.List[j], &r.Items[i])
				}
			}
		}
	}
}

// The bounds of a context: its JSON text in bytes, and how deep what is read of
// it nests. Each level is scanned again, so depth costs more than length.
const (
	maxContext = 1 << 20
	maxNesting = 16
)

var errContext = errors.New("invalid context")

// readContext reads a context's JSON text into slots of the schema's type. It is
// strict: a repeated name, invalid UTF-8, a number with fraction or exponent
// where an integer is wanted, or data behind the object is an error. Fields that
// the schema does not know are left out, since no rule can name them.
func readContext(raw []byte, t condition.Type) ([]condition.Value, error) {
	if len(raw) > maxContext {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", errContext, len(raw), maxContext)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errContext, err)
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%w: data after the object", errContext)
	}
	record, err := readValue(v, t, maxNesting)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errContext, err)
	}
	if record.Kind != condition.KindRecord {
		return nil, fmt.Errorf("%w: want an object", errContext)
	}
	return record.List, nil
}

func readValue(raw jsontext.Value, t condition.Type, depth int) (condition.Value, error) {
	if depth == 0 {
		return condition.Value{}, fmt.Errorf("nested deeper than %d", maxNesting)
	}
	switch raw.Kind() {
	case '{':
		return readRecord(raw, t, depth-1)
	case '[':
		return readList(raw, t, depth-1)
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return condition.String(s), err
	case '0':
		i, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return condition.Value{Kind: kindFraction, Str: string(raw)}, nil
		}
		return condition.Int(i), nil
	case 't', 'f':
		return condition.Bool(raw.Kind() == 't'), nil
	}
	return condition.Value{Kind: condition.KindSet}, nil // null: there, and of no kind that a schema asks for
}

func readRecord(raw jsontext.Value, t condition.Type, depth int) (condition.Value, error) {
	members, err := object(json.RawMessage(raw))
	if err != nil {
		return condition.Value{}, err
	}
	if t.Kind != condition.KindRecord {
		return condition.Value{Kind: condition.KindMap}, nil
	}
	out := condition.Value{Kind: condition.KindRecord, List: make([]condition.Value, len(t.Names))}
	for i, name := range t.Names {
		m, ok := members[name]
		if !ok {
			continue
		}
		if out.List[i], err = readValue(jsontext.Value(m), t.Members[i], depth); err != nil {
			return condition.Value{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

func readList(raw jsontext.Value, t condition.Type, depth int) (condition.Value, error) {
	var elems []json.RawMessage
	if err := json.Unmarshal(raw, &elems); err != nil {
		return condition.Value{}, err
	}
	elem := condition.Any
	if t.Elem != nil {
		elem = *t.Elem
	}
	list := condition.List()
	for i, e := range elems {
		v, err := readValue(jsontext.Value(bytes.TrimSpace(e)), elem, depth)
		if err != nil {
			return condition.Value{}, fmt.Errorf("[%d]: %w", i, err)
		}
		list.List = append(list.List, v)
	}
	return list, nil
}
