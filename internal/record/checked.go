package record

import (
	"bytes"
	"fmt"
	"io"

	"vaultbench/internal/strictjson"
)

// WriteChecked writes a JSON file if it matches its schema (a file of
// fixtures/schema), so that a reader can rely on the schema.
func WriteChecked(path, schema string, v any) error {
	var b bytes.Buffer
	if err := EncodeJSON(&b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := strictjson.Validate(schema, b.Bytes()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}
