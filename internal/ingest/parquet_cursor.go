package ingest

import (
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// cursor walks one column of a row group, row by row.
type cursor struct {
	values  parquet.ColumnChunkValueReader
	text    func(parquet.Value) (string, bool)
	repeats bool
	gap     int // definition level of an element that is null; -1 where none can be
	buf     [256]parquet.Value
	at, n   int
	known   map[string]string
}

func newCursor(chunk parquet.ColumnChunk, column *parquet.Column) *cursor {
	c := &cursor{
		values: parquet.NewColumnChunkValueReader(chunk), text: textOf(column),
		repeats: column.MaxRepetitionLevel() > 0, gap: -1, known: map[string]string{},
	}
	if column.Optional() {
		c.gap = column.MaxDefinitionLevel() - 1
	}
	return c
}

// next returns the column's part of the next row.
func (c *cursor) next() (cell, error) {
	v, err := c.peek()
	if err != nil {
		return cell{}, err
	}
	c.at++
	if !c.repeats {
		return c.single(v), nil
	}
	out := listCell(nil)
	for {
		if one := c.single(v); !one.null {
			out.values = append(out.values, one.text)
		} else if v.DefinitionLevel() == c.gap {
			out.values = append(out.values, "")
		}
		if v, err = c.peek(); errors.Is(err, io.EOF) || err == nil && v.RepetitionLevel() == 0 {
			return out, nil
		}
		if err != nil {
			return cell{}, err
		}
		c.at++
	}
}

func (c *cursor) single(v parquet.Value) cell {
	if v.IsNull() {
		return nothing
	}
	if s, ok := c.text(v); ok {
		return textCell(c.intern(s))
	}
	return nothing
}

// intern keeps one copy of each word that comes again and again.
func (c *cursor) intern(s string) string {
	if len(s) > 64 {
		return s
	}
	if kept, ok := c.known[s]; ok {
		return kept
	}
	if len(c.known) < 1<<14 {
		c.known[s] = s
	}
	return s
}

func (c *cursor) peek() (parquet.Value, error) {
	for c.at == c.n {
		n, err := c.values.ReadValues(c.buf[:])
		c.at, c.n = 0, n
		if n == 0 && err == nil {
			err = io.ErrNoProgress
		}
		if n == 0 {
			return parquet.Value{}, err
		}
	}
	return c.buf[c.at], nil
}

// unreadable names a type whose values would come out as something else.
func unreadable(column *parquet.Column) string {
	if column.Type().Kind() == parquet.Int96 {
		return "96-bit numbers"
	}
	if logical := column.Type().LogicalType(); logical != nil {
		if _, is := logical.Value.(*format.DecimalType); is {
			return "decimals"
		}
	}
	return ""
}

// textOf writes a column's values as text; false stands for a number that is none.
func textOf(column *parquet.Column) func(parquet.Value) (string, bool) {
	logical := column.Type().LogicalType()
	if logical == nil {
		return plainText
	}
	switch l := logical.Value.(type) {
	case *format.TimestampType:
		return timestampText(l.Unit)
	case *format.IntType:
		if !l.IsSigned {
			return unsignedText
		}
	case *format.DateType:
		return func(v parquet.Value) (string, bool) {
			return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly), true
		}
	}
	return plainText
}

// unsignedText writes whole numbers whose first bit is no sign.
func unsignedText(v parquet.Value) (string, bool) {
	if v.Kind() == parquet.Int64 {
		return strconv.FormatUint(uint64(v.Int64()), 10), true
	}
	return strconv.FormatUint(uint64(uint32(v.Int32())), 10), true
}

func timestampText(unit format.TimeUnit) func(parquet.Value) (string, bool) {
	return func(v parquet.Value) (string, bool) {
		if v.Kind() != parquet.Int64 || unit.Value == nil {
			return plainText(v)
		}
		per := int64(time.Second / unit.Value.Duration())
		whole, rest := v.Int64()/per, v.Int64()%per
		return time.Unix(whole, rest*int64(unit.Value.Duration())).UTC().Format(time.RFC3339Nano), true
	}
}

// plainText writes a whole number without a fraction even where its column is of
// floats, which is how some writers keep a column of numbers with gaps.
func plainText(v parquet.Value) (string, bool) {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean()), true
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10), true
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10), true
	case parquet.Float:
		return floatText(float64(v.Float()), 32)
	case parquet.Double:
		return floatText(v.Double(), 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray()), true
	}
	return v.String(), true
}

func floatText(f float64, bits int) (string, bool) {
	if math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, bits), true
}
