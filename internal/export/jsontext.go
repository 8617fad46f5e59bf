package export

import (
	"bytes"
	"encoding/json"
	"errors"
)

// jsonText is a column of JSON text; empty where there is nothing to say.
type jsonText string

// jsonOf writes a value as a record writes it.
func jsonOf(v any, empty bool) (jsonText, error) {
	if empty {
		return "", nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return jsonText(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// into reads a value back; members that nobody knows are an error.
func (t jsonText) into(v any) error {
	if t == "" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(t)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if dec.More() {
		return errors.New("data after the value")
	}
	return nil
}

// restOf is what is left of a value when the members that have columns of their
// own are cleared; empty where nothing is. A member that a record gets later
// is thereby never lost.
func restOf[T any](v T, clear func(*T)) (jsonText, error) {
	clear(&v)
	var zero T
	nothing, err := jsonOf(zero, false)
	if err != nil {
		return "", err
	}
	rest, err := jsonOf(v, false)
	if rest == nothing {
		return "", err
	}
	return rest, err
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
