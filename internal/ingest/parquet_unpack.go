package ingest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// levelBytes is what stands before a page's packed part, as it is: the levels of
// a page of the second version.
func levelBytes(h format.PageHeader) int64 {
	if h.Type != format.DataPageV2 {
		return 0
	}
	v := h.DataPageHeaderV2.V
	if v.RepetitionLevelsByteLength < 0 || v.DefinitionLevelsByteLength < 0 {
		return maxPage + 1
	}
	return int64(v.RepetitionLevelsByteLength) + int64(v.DefinitionLevelsByteLength)
}

// unpackPage appends a page's bytes to out, its levels first, and holds the page to
// the size that its header gives: one that is longer is not unpacked further.
func unpackPage(out, packed []byte, h format.PageHeader, codec format.CompressionCodec) ([]byte, error) {
	levels := levelBytes(h)
	out, packed = append(out, packed[:levels]...), packed[levels:]
	v2 := h.DataPageHeaderV2.V.IsCompressed
	if codec == format.Uncompressed || h.Type == format.DataPageV2 && v2.Valid && !v2.V {
		return append(out, packed...), nil
	}
	body := int64(h.UncompressedPageSize) - levels
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(packed)
		if err != nil {
			return nil, err
		}
		if int64(n) > body {
			return nil, longer(h)
		}
		plain, err := snappy.Decode(nil, packed)
		return append(out, plain...), err
	case format.Gzip:
		if len(packed) == 0 {
			return out, nil
		}
		in, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return readBody(out, in, body, h)
	case format.Zstd:
		in, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxPage))
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return readBody(out, in, body, h)
	}
	return nil, fmt.Errorf("packed with %s: snappy, gzip and zstd are read, write it with one of these", codec)
}

func readBody(out []byte, in io.Reader, most int64, h format.PageHeader) ([]byte, error) {
	b := bytes.NewBuffer(out)
	n, err := b.ReadFrom(io.LimitReader(in, max(0, most)+1))
	switch {
	case n > most, errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, longer(h)
	case err != nil:
		return nil, noEOF(err)
	}
	return b.Bytes(), nil
}

func longer(h format.PageHeader) error {
	return fmt.Errorf("its header gives it %d bytes, and it unpacks to more: the file is damaged", h.UncompressedPageSize)
}
