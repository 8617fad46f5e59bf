package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"vaultbench/internal/export/parquetrows"
)

// Format is how a table is written.
type Format string

// The formats. All three hold the same columns and rows.
const (
	Parquet Format = "parquet"
	JSONL   Format = "jsonl"
	CSV     Format = "csv"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Parquet, JSONL, CSV} }

// rowWriter writes rows of one type to one file.
type rowWriter[T any] interface {
	write(row T) error
	close() error
}

// table writes the same rows in every format.
type table[T any] struct {
	writers []rowWriter[T]
	rows    int
}

// newTable creates dir/name.parquet, name.jsonl and name.csv.
func newTable[T any](dir, name string) (*table[T], error) {
	t := &table[T]{}
	for _, f := range Formats() {
		file, err := os.OpenFile(filepath.Join(dir, name+"."+string(f)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
		w, err := newRowWriter[T](f, file)
		if err != nil {
			return nil, errors.Join(err, file.Close(), t.close())
		}
		t.writers = append(t.writers, w)
	}
	return t, nil
}

func (t *table[T]) write(row T) error {
	t.rows++
	for _, w := range t.writers {
		if err := w.write(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *table[T]) close() error {
	var errs []error
	for _, w := range t.writers {
		errs = append(errs, w.close())
	}
	t.writers = nil
	return errors.Join(errs...)
}

func newRowWriter[T any](f Format, file io.WriteCloser) (rowWriter[T], error) {
	switch f {
	case Parquet:
		return &parquetWriter[T]{file: file, w: parquetrows.NewWriter(file, *new(T))}, nil
	case JSONL:
		buffer := bufio.NewWriterSize(file, 1<<16)
		enc := json.NewEncoder(buffer)
		enc.SetEscapeHTML(false)
		return &jsonlWriter[T]{file, buffer, enc}, nil
	}
	buffer := bufio.NewWriterSize(file, 1<<16)
	w := &csvWriter[T]{file: file, buffer: buffer, w: csv.NewWriter(buffer), columns: columnsOf[T]()}
	return w, w.header()
}

// groupBytes is how much text a row group holds, about: what is buffered at once.
const groupBytes = 4 << 20

type parquetWriter[T any] struct {
	file  io.Closer
	w     *parquetrows.Writer
	bytes int
}

func (p *parquetWriter[T]) write(row T) error {
	if err := p.w.Write(row); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if p.bytes += size(reflect.ValueOf(row)); p.bytes < groupBytes {
		return nil
	}
	p.bytes = 0
	return p.w.Flush()
}

func (p *parquetWriter[T]) close() error { return errors.Join(p.w.Close(), p.file.Close()) }

// size is about what a row takes in memory.
func size(row reflect.Value) int {
	n := 0
	for i := range row.NumField() {
		n += 8
		switch f := row.Field(i); f.Kind() {
		case reflect.String:
			n += f.Len()
		case reflect.Slice:
			for k := range f.Len() {
				n += f.Index(k).Len()
			}
		}
	}
	return n
}

type jsonlWriter[T any] struct {
	file   io.Closer
	buffer *bufio.Writer
	enc    *json.Encoder
}

func (j *jsonlWriter[T]) write(row T) error { return j.enc.Encode(row) }
func (j *jsonlWriter[T]) close() error      { return errors.Join(j.buffer.Flush(), j.file.Close()) }

type csvWriter[T any] struct {
	file    io.Closer
	buffer  *bufio.Writer
	w       *csv.Writer
	columns []column
	cells   []string
}

func (c *csvWriter[T]) header() error {
	var names []string
	for _, col := range c.columns {
		names = append(names, col.name)
	}
	return c.w.Write(names)
}

func (c *csvWriter[T]) write(row T) error {
	v := reflect.ValueOf(row)
	c.cells = c.cells[:0]
	for _, col := range c.columns {
		cell, err := encodeCell(v.Field(col.index))
		if err != nil {
			return fmt.Errorf("csv: %s: %w", col.name, err)
		}
		c.cells = append(c.cells, cell)
	}
	return c.w.Write(c.cells)
}

func (c *csvWriter[T]) close() error {
	c.w.Flush()
	return errors.Join(c.w.Error(), c.buffer.Flush(), c.file.Close())
}
