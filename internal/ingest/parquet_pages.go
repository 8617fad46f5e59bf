package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// maxPage bounds one page unpacked: a page is held whole. Writers aim at 1 MiB.
const maxPage = 64 << 20 // bytes

// checkPages reads the headers of a column's pages before any is unpacked: a few
// packed bytes may claim gigabytes.
func checkPages(file io.ReaderAt, meta *format.FileMetaData, group, column int) error {
	m := meta.RowGroups[group].Columns[column].MetaData
	start := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		start = m.DictionaryPageOffset
	}
	for end := start + m.TotalCompressedSize; start < end; {
		header, size, err := pageHeader(file, start, end)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("damaged page header: %w", err)
		case header.UncompressedPageSize < 0 || header.CompressedPageSize < 0:
			return errors.New("damaged page header: a size below zero")
		case header.UncompressedPageSize > maxPage || header.CompressedPageSize > maxPage:
			return fmt.Errorf("a page unpacks to %d MiB: at most %d MiB are read, write smaller pages", header.UncompressedPageSize>>20, maxPage>>20)
		}
		start += size + int64(header.CompressedPageSize)
	}
	return nil
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
