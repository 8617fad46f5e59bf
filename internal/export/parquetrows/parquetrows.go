// Package parquetrows writes structs as the rows of a Parquet file, and reads them
// back. No type of the library shows in what it gives, not even in a member: the
// compiler would write the library's generic code into every package that holds one.
package parquetrows

import (
	"errors"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Writer writes rows of one type.
type Writer struct {
	write        func(row any) error
	flush, close func() error
}

// NewWriter begins a file of rows as the given one, a struct with tags of the
// library. It compresses, and leaves out the bounds of pages of free text, which are
// the strings without a dictionary: the library keeps those of every row group until
// the end.
func NewWriter(out io.Writer, row any) *Writer {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.CreatedBy("vaultbench", "1", "")}
	t := reflect.TypeOf(row)
	for i := range t.NumField() {
		f := t.Field(i)
		if name, kind, _ := strings.Cut(f.Tag.Get("parquet"), ","); f.Type.Kind() == reflect.String && kind != "dict" {
			options = append(options, parquet.SkipPageBounds(name))
		}
	}
	return NewWriterOf(out, row, options...)
}

// NewWriterOf begins a file as other programs write it, with options of the library.
func NewWriterOf(out io.Writer, row any, options ...parquet.WriterOption) *Writer {
	w := parquet.NewGenericWriter[any](out, append(options, parquet.SchemaOf(row))...)
	var rows [1]any // reused
	return &Writer{
		write: func(row any) error {
			rows[0] = row
			_, err := w.Write(rows[:])
			return err
		},
		flush: w.Flush, close: w.Close,
	}
}

// Write adds a row.
func (w *Writer) Write(row any) error { return w.write(row) }

// Flush ends the row group: what it held is written.
func (w *Writer) Flush() error { return w.flush() }

// Close ends the file; what it is written to stays open.
func (w *Writer) Close() error { return w.close() }

// Reader reads rows of one type.
type Reader struct {
	columns []string
	next    func(row any) error
}

// Open opens a file of rows as the given one. The file may have other columns: see
// Columns.
func Open(file *os.File, row any) (*Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return nil, err
	}
	r := &Reader{next: next(f, parquet.SchemaOf(row))}
	for _, field := range f.Schema().Fields() {
		r.columns = append(r.columns, field.Name())
	}
	return r, nil
}

func next(f *parquet.File, schema *parquet.Schema) func(row any) error {
	var r *parquet.GenericReader[any] // from the first row on: it takes no file of other columns
	buffer := make([]parquet.Row, 256)
	var pending []parquet.Row
	return func(row any) error {
		if r == nil {
			r = parquet.NewGenericReader[any](f, schema)
		}
		for len(pending) == 0 {
			n, err := r.ReadRows(buffer)
			if pending = buffer[:n]; n == 0 && err != nil {
				return errors.Join(err, r.Close())
			}
		}
		err := schema.Reconstruct(row, pending[0])
		pending = pending[1:]
		return err
	}
}

// Columns names the file's columns, in whatever order they stand there.
func (r *Reader) Columns() []string { return r.columns }

// Next reads the next row into a pointer to a zero row; io.EOF after the last.
func (r *Reader) Next(row any) error { return r.next(row) }
