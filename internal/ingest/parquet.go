package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetTable reads a Parquet file column by column, so that columns which
// nobody asked for, transcripts among them, are never unpacked.
type parquetTable struct {
	name    string
	file    *os.File
	parquet *parquet.File
	leaves  []leaf
	chosen  []leaf
	cursors []*cursor
	group   int   // index of the next row group
	left    int64 // rows left in this one
	number  int64 // rows read
	row     []cell
}

// leaf is a column that holds values.
type leaf struct {
	name   string // path, joined with dots, without the words that only say "list"
	column *parquet.Column
}

func openParquet(name string, file *os.File) (t *parquetTable, err error) {
	defer recovered(name, &err)
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// Indexes and Bloom filters are not needed, and each is one more thing to be broken.
	f, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: no Parquet file: %w", name, err)
	}
	if err := checkRows(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t = &parquetTable{name: name, file: file, parquet: f}
	t.addLeaves(f.Root())
	return t, nil
}

func (t *parquetTable) addLeaves(c *parquet.Column) {
	if c.Leaf() {
		t.leaves = append(t.leaves, leaf{leafName(c.Path()), c})
	}
	for _, child := range c.Columns() {
		t.addLeaves(child)
	}
}

// leafName drops what writers put below a list: list.element, list.item, bag.array.
func leafName(path []string) string {
	if n := len(path); n >= 3 && (path[n-2] == "list" || path[n-2] == "bag") {
		path = path[:n-2]
	}
	return strings.Join(path, ".")
}

func (t *parquetTable) Columns() []string {
	names := make([]string, len(t.leaves))
	for i, l := range t.leaves {
		names[i] = l.name
	}
	return names
}

func (t *parquetTable) Open() bool { return false }
func (t *parquetTable) Row() int64 { return t.number }

// Raw has the columns that were asked for: no others are unpacked.
func (t *parquetTable) Raw(lists map[string]bool) string {
	names := make([]string, len(t.chosen))
	for i, l := range t.chosen {
		names[i] = l.name
	}
	return rowJSON(names, t.row, lists)
}

func (t *parquetTable) Select(columns []string) error {
	at, err := positions(t.Columns(), columns)
	if err != nil {
		return err
	}
	for _, i := range at {
		if text := unreadable(t.leaves[i].column); text != "" {
			return fmt.Errorf("column %s holds %s: write it as whole numbers, text, dates or timestamps", t.leaves[i].name, text)
		}
		t.chosen = append(t.chosen, t.leaves[i])
	}
	t.row = make([]cell, len(t.chosen))
	return nil
}

func (t *parquetTable) Next() (row []cell, err error) {
	defer recovered(t.name, &err)
	for t.left == 0 {
		if err := t.openGroup(); err != nil {
			return nil, err
		}
	}
	t.left--
	t.number++
	for i, c := range t.cursors {
		if t.row[i], err = c.next(); err != nil {
			return nil, t.wrap(i, noEOF(err))
		}
	}
	return t.row, nil
}

// openGroup goes to the next row group; io.EOF where there is none.
func (t *parquetTable) openGroup() error {
	if err := t.checkEnds(); err != nil {
		return err
	}
	if err := t.closeCursors(); err != nil {
		return err
	}
	groups := t.parquet.RowGroups()
	if t.group == len(groups) {
		return io.EOF
	}
	group := groups[t.group]
	t.group++
	t.left = group.NumRows()
	chunks := group.ColumnChunks()
	for i, l := range t.chosen {
		if err := checkPages(t.file, t.parquet.Metadata(), t.group-1, l.column); err != nil {
			return t.wrap(i, err)
		}
		t.cursors = append(t.cursors, newCursor(chunks[l.column.Index()], l.column))
	}
	return nil
}

// checkEnds: a column that goes on behind the last row would lose what it holds.
func (t *parquetTable) checkEnds() error {
	for i, c := range t.cursors {
		switch _, err := c.peek(); {
		case err == nil:
			return t.wrap(i, fmt.Errorf("more values than the row group's %d rows: the file is damaged", t.parquet.RowGroups()[t.group-1].NumRows()))
		case !errors.Is(err, io.EOF):
			return t.wrap(i, err)
		}
	}
	return nil
}

// wrap names the file, the row group, counted from 1, and the column.
func (t *parquetTable) wrap(i int, err error) error {
	return fmt.Errorf("%s: row group %d: column %s: %w", t.name, t.group, t.chosen[i].name, err)
}

func (t *parquetTable) closeCursors() error {
	var errs []error
	for _, c := range t.cursors {
		errs = append(errs, c.values.Close())
	}
	t.cursors = nil
	return errors.Join(errs...)
}

func (t *parquetTable) Close() error { return errors.Join(t.closeCursors(), t.file.Close()) }

// recovered turns a panic over a damaged file into an error.
func recovered(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: damaged Parquet file: %v", name, r)
	}
}

// noEOF: rows are counted in the footer, so a column that ends early is damaged.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
