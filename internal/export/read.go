package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"vaultbench/internal/export/parquetrows"
)

// rowReader reads rows of one type; io.EOF after the last.
type rowReader[T any] struct {
	name string
	file io.Closer
	next func() (T, error)
	row  int
}

// openTable opens dir/name in a format. Columns that are missing or that nobody
// knows are an error: a row is whole or it is none.
func openTable[T any](dir, name string, f Format) (*rowReader[T], error) {
	name += "." + string(f)
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	r := &rowReader[T]{name: name, file: file}
	switch f {
	case Parquet:
		r.next, err = parquetRows[T](file)
	case JSONL:
		r.next = jsonlRows[T](file)
	default:
		r.next, err = csvRows[T](file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return r, nil
}

func (r *rowReader[T]) read() (T, error) {
	row, err := r.next()
	r.row++
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: row %d: %w", r.name, r.row, err)
	}
	return row, err
}

func (r *rowReader[T]) close() error { return r.file.Close() }

func parquetRows[T any](file *os.File) (func() (T, error), error) {
	r, err := parquetrows.Open(file, *new(T))
	if err != nil {
		return nil, err
	}
	if err := sameColumns[T](r.Columns()); err != nil {
		return nil, err
	}
	return func() (row T, err error) {
		err = r.Next(&row)
		return row, err
	}, nil
}

// sameColumns holds a table's columns against those of a row.
func sameColumns[T any](got []string) error {
	var want []string
	for _, c := range columnsOf[T]() {
		want = append(want, c.name)
	}
	sorted, have := slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if !slices.Equal(sorted, have) {
		return fmt.Errorf("columns are %v, want %v: the file is of another version or none of go tool vault export", have, sorted)
	}
	return nil
}

func jsonlRows[T any](file io.Reader) func() (T, error) {
	in := bufio.NewReaderSize(file, 1<<16)
	return func() (row T, err error) {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return row, io.EOF
		}
		if err != nil {
			return row, fmt.Errorf("the line is cut: %v", err) // never the end of the file
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&row); err != nil {
			return row, fmt.Errorf("no row: %v", err) // never the end of the file
		}
		return row, nil
	}
}

func csvRows[T any](file io.Reader) (func() (T, error), error) {
	in := csv.NewReader(bufio.NewReaderSize(file, 1<<16))
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := sameColumns[T](header); err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	columns := columnsOf[T]()
	return func() (row T, err error) {
		cells, err := in.Read()
		if err != nil {
			return row, err
		}
		v := reflect.ValueOf(&row).Elem()
		for _, c := range columns {
			if err := decodeCell(cells[at[c.name]], v.Field(c.index)); err != nil {
				return row, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		return row, nil
	}, nil
}
