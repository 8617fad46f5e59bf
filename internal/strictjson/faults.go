package strictjson

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Fault is a place at which a document does not match its schema.
type Fault struct {
	Pointer jsontext.Pointer
	Reason  string // Unknown for a member that the schema does not have
}

// Unknown is the reason of a fault that is an unknown member.
const Unknown = "unknown member"

// Faults lists the places at which data does not match the named schema, in no
// order. The error is for data that is no JSON, with its line, or for the schema.
func Faults(schema string, data []byte) ([]Fault, error) {
	if err := checkSyntax(data); err != nil {
		offset := int64(0)
		var syntactic *jsontext.SyntacticError
		var trailing *trailingError
		switch {
		case errors.As(err, &syntactic):
			offset = syntactic.ByteOffset
		case errors.As(err, &trailing):
			offset = trailing.offset
		}
		line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	err := validate(schema, data)
	var mismatch *schemaError
	if !errors.As(err, &mismatch) {
		return nil, err
	}
	var faults []Fault
	for _, p := range mismatch.places {
		faults = append(faults, Fault{p.pointer, p.reason})
	}
	return faults, nil
}
