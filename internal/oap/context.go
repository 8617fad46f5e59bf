package oap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// field is a part of a payment or of an item that a context has by its name.
type field uint8

const (
	fieldNone field = iota
	fieldAmount
	fieldCurrency
	fieldRecipient
	fieldRegion
	fieldCountry
	fieldMemo
	fieldKey
	fieldItems
	fieldSKU
	fieldQuantity
	fieldPrice
	fieldCategory
)

// The names that packs have for who is paid: daily_counterparty_total counts by both.
const (
	fieldMerchant     = "merchant_id"
	fieldCounterparty = "counterparty_id"
)

// fields and itemFields are what a payment and an item have. A field of a schema
// that is not among them stays absent.
var (
	fields = map[string]field{
		"amount": fieldAmount, "currency": fieldCurrency, fieldMerchant: fieldRecipient, fieldCounterparty: fieldRecipient, "region": fieldRegion,
		"shipping_country": fieldCountry, "memo": fieldMemo, "idempotency_key": fieldKey, "items": fieldItems,
	}
	itemFields = map[string]field{"sku": fieldSKU, "qty": fieldQuantity, "price": fieldPrice, "category": fieldCategory}
)

// filler puts a field of a parsed payment into its slot.
type filler struct {
	slot  int
	field field
	elems []field // of an item, in the order of its type
}

// fillers lists how a payment becomes a context of the schema.
func fillers(t condition.Type) []filler {
	var out []filler
	for i, name := range t.Names {
		f := filler{slot: i, field: fields[name]}
		if elem := t.Members[i].Elem; f.field == fieldItems && elem != nil {
			for _, name := range elem.Names {
				f.elems = append(f.elems, itemFields[name])
			}
		}
		if f.field != fieldNone {
			out = append(out, f)
		}
	}
	return out
}

// fill reads the field off the payment. It is no function of the field's own: the
// payment would be moved to the heap for it.
func (f *filler) fill(v *condition.Value, r *authz.Request) {
	switch f.field {
	case fieldAmount:
		v.Kind, v.Int = condition.KindInt, int64(r.Amount)
	case fieldCurrency:
		v.Kind, v.Str = condition.KindString, string(r.Currency)
	case fieldRecipient:
		v.Kind, v.Str = condition.KindString, string(r.Recipient)
	case fieldRegion:
		v.Kind, v.Str = condition.KindString, r.Region
	case fieldCountry:
		optional(v, r.ShippingCountry)
	case fieldMemo:
		v.Kind, v.Str = condition.KindString, r.Memo
	case fieldKey:
		v.Kind, v.Str = condition.KindString, r.IdempotencyKey
	case fieldItems:
		f.fillItems(v, r.Items)
	}
}

// optional: a text that a payment does not give is absent, not empty.
func optional(v *condition.Value, s string) {
	v.Kind, v.Str = condition.KindString, s
	if s == "" {
		v.Kind = condition.KindAbsent
	}
}

// fillItems reuses the lists that it made before: the engine's environment lives
// as long as its conversation.
func (f *filler) fillItems(v *condition.Value, items []authz.Item) {
	v.Kind = condition.KindList
	v.List = slices.Grow(v.List[:0], len(items))[:len(items)]
	for i := range items {
		item, record := &items[i], &v.List[i]
		record.Kind = condition.KindRecord
		if len(record.List) != len(f.elems) {
			record.List = make([]condition.Value, len(f.elems))
		}
		for j, elem := range f.elems {
			switch v := &record.List[j]; elem {
			case fieldSKU:
				v.Kind, v.Str = condition.KindString, item.SKU
			case fieldQuantity:
				v.Kind, v.Int = condition.KindInt, item.Quantity
			case fieldPrice:
				v.Kind, v.Int = condition.KindInt, int64(item.Price)
			case fieldCategory:
				optional(v, item.Category)
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

// UnknownFields lists the fields of a context in its JSON form that the pack's
// schema does not name, sorted, as paths such as items[0].sku. No rule can read
// them, so one that is misspelt counts as absent. A text that is no context has none.
func (l *Layer) UnknownFields(raw []byte) []string {
	if len(raw) > maxContext {
		return nil
	}
	return slices.Sorted(slices.Values(unknownFields("", raw, l.pack.context.typ, maxNesting)))
}

func unknownFields(path string, raw json.RawMessage, t condition.Type, depth int) (out []string) {
	switch {
	case depth == 0:
	case t.Kind == condition.KindRecord:
		members, err := object(raw)
		if err != nil {
			return nil
		}
		for name, value := range members {
			_, member, known := t.Member(name)
			if !known {
				out = append(out, path+name)
				continue
			}
			out = append(out, unknownFields(path+name+".", value, member, depth-1)...)
		}
	case t.Kind == condition.KindList && t.Elem != nil:
		var elems []json.RawMessage
		if json.Unmarshal(raw, &elems) != nil {
			return nil
		}
		for i, e := range elems {
			out = append(out, unknownFields(fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i), e, *t.Elem, depth-1)...)
		}
	}
	return out
}
