package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What one page may take: it is held whole. Writers aim at 1 MiB; a column that
// says the same a million times over is one page of a few bytes.
const (
	maxPage   = 64 << 20 // bytes unpacked
	maxValues = 16 << 20 // values, gaps included
)

// checkRows refuses a file that claims more rows than an honest one of its size
// holds: a value that repeats costs no bytes, and each row costs time, and a line
// where it is rejected.
func checkRows(f *parquet.File) error {
	if most := 1<<20 + 200*f.Size(); f.NumRows() > most {
		return fmt.Errorf("%d rows in %d bytes: at most %d are read from a file of that size", f.NumRows(), f.Size(), most)
	}
	return nil
}

// checkPages walks a column's pages before any is decoded: the decoder trusts what
// the data say of their own length, and a few packed bytes may claim gigabytes.
func checkPages(file io.ReaderAt, meta *format.FileMetaData, group int, column *parquet.Column) error {
	m := meta.RowGroups[group].Columns[column.Index()].MetaData
	start := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		start = m.DictionaryPageOffset
	}
	var packed, plain []byte
	for end, n := start+m.TotalCompressedSize, 1; start < end; n++ {
		header, size, err := pageHeader(file, start, end)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("damaged page header: %w", err)
		}
		if err := checkHeader(header); err != nil {
			return err
		}
		packed = grow(packed, int(header.CompressedPageSize))
		if _, err := file.ReadAt(packed, start+size); err != nil {
			return fmt.Errorf("page %d: %w", n, noEOF(err))
		}
		if plain, err = unpackPage(plain[:0], packed, header, m.Codec); err == nil {
			err = checkValues(plain, header, column)
		}
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		start += size + int64(header.CompressedPageSize)
	}
	return nil
}

// checkHeader bounds what a page's header says of it.
func checkHeader(h format.PageHeader) error {
	switch {
	case h.UncompressedPageSize < 0 || h.CompressedPageSize < 0 || levelBytes(h) > int64(h.CompressedPageSize):
		return errors.New("damaged page header: a size below zero or beyond the page")
	case h.UncompressedPageSize > maxPage || h.CompressedPageSize > maxPage:
		return fmt.Errorf("a page unpacks to %d MiB: at most %d MiB are read, write smaller pages", h.UncompressedPageSize>>20, maxPage>>20)
	}
	for _, n := range []int32{h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues} {
		if n < 0 || n > maxValues {
			return tooMany(int64(n))
		}
	}
	return nil
}

func tooMany(n int64) error {
	return fmt.Errorf("a page says that it holds %d values: 0 to %d are read, write smaller pages", n, maxValues)
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// pageHeader reads a header and says how long it is.
func pageHeader(file io.ReaderAt, start, end int64) (format.PageHeader, int64, error) {
	var header format.PageHeader
	section := io.NewSectionReader(file, start, end-start)
	in := bufio.NewReaderSize(section, 512)
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(in)).Decode(&header); err != nil {
		return header, 0, err
	}
	read, err := section.Seek(0, io.SeekCurrent)
	return header, read - int64(in.Buffered()), err
}
