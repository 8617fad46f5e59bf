package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// checkValues bounds what an unpacked page decodes to. A run of equal values, and
// a difference or a prefix that repeats, cost no bytes.
func checkValues(page []byte, h format.PageHeader, column *parquet.Column) error {
	encoding := h.DataPageHeader.V.Encoding
	for _, level := range []struct {
		highest int
		v2      int32 // length in bytes, in a page of the second version
	}{
		{column.MaxRepetitionLevel(), h.DataPageHeaderV2.V.RepetitionLevelsByteLength},
		{column.MaxDefinitionLevel(), h.DataPageHeaderV2.V.DefinitionLevelsByteLength},
	} {
		var runs []byte
		var err error
		switch {
		case h.Type == format.DataPageV2:
			runs, page = page[:level.v2], page[level.v2:]
		case h.Type == format.DataPage && level.highest > 0:
			runs, page, err = prefixed(page)
		}
		if err == nil && level.highest > 0 {
			err = checkRuns(runs, bits.Len(uint(level.highest)))
		}
		if err != nil {
			return fmt.Errorf("levels: %w", err)
		}
	}
	if h.Type == format.DataPageV2 {
		encoding = h.DataPageHeaderV2.V.Encoding
	}
	if h.Type != format.DataPage && h.Type != format.DataPageV2 || len(page) == 0 {
		return nil
	}
	return checkEncoded(page, encoding, column.Type().Kind())
}

func checkEncoded(data []byte, encoding format.Encoding, kind parquet.Kind) error {
	var err error
	switch encoding {
	case format.RLEDictionary, format.PlainDictionary: //lint:ignore SA1019 older writers name it so
		return checkRuns(data[1:], int(data[0]))
	case format.RLE:
		if data, _, err = prefixed(data); err != nil {
			return err
		}
		return checkRuns(data, 1)
	case format.DeltaBinaryPacked:
		_, err := deltaCount(data)
		return err
	case format.DeltaLengthByteArray, format.DeltaByteArray:
		sum, rest, err := deltaLengths(data)
		if err == nil && encoding == format.DeltaByteArray {
			var more int64
			more, _, err = deltaLengths(rest)
			sum += more
		}
		if err == nil && sum > maxPage {
			err = fmt.Errorf("its texts come to %d MiB: at most %d MiB are read, write smaller pages", sum>>20, maxPage>>20)
		}
		return err
	}
	return nil
}

// prefixed cuts off the part whose length stands before it in four bytes.
func prefixed(page []byte) (part, rest []byte, err error) {
	if len(page) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(page))
	if page = page[4:]; n > int64(len(page)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return page[:n], page[n:], nil
}

// checkRuns adds up the runs of the hybrid of run lengths and packed bits.
func checkRuns(data []byte, width int) error {
	var total uint64
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return io.ErrUnexpectedEOF
		}
		data = data[n:]
		count, skip := head>>1, uint64(width+7)/8
		if head&1 == 1 && count <= maxValues { // groups of eight
			count, skip = 8*count, count*uint64(width)
		}
		if count > maxValues || total+count > maxValues+512 {
			return tooMany(int64(min(total+count, 1<<62)))
		}
		total += count
		data = data[min(skip, uint64(len(data))):]
	}
	return nil
}

// deltaCount reads how many values a block of differences says it holds.
func deltaCount(data []byte) (int64, error) {
	var head [3]uint64 // block size, blocks within it, values
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, io.ErrUnexpectedEOF
		}
		head[i], data = v, data[n:]
	}
	if head[2] > maxValues {
		return 0, tooMany(int64(min(head[2], 1<<62)))
	}
	return int64(head[2]), nil
}

// deltaLengths decodes lengths that stand as differences: their sum, and what
// stands behind them.
func deltaLengths(data []byte) (sum int64, rest []byte, err error) {
	if _, err := deltaCount(data); err != nil {
		return 0, nil, err
	}
	lengths, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, data)
	if err != nil {
		return 0, nil, err
	}
	for _, n := range lengths {
		if n < 0 {
			return 0, nil, errors.New("a length below zero: the file is damaged")
		}
		sum += int64(n)
	}
	rest, err = afterDelta(data, len(lengths))
	return sum, rest, err
}

// afterDelta walks behind a block of differences, which does not say how long it is.
func afterDelta(data []byte, count int) ([]byte, error) {
	block, n := binary.Uvarint(data)
	data = data[n:]
	minis, n := binary.Uvarint(data)
	data = data[n:]
	for range 2 { // the number of values and the first of them
		_, n = binary.Uvarint(data)
		data = data[n:]
	}
	for left := count - 1; left > 0; {
		_, n := binary.Uvarint(data) // the least difference
		if n <= 0 || uint64(len(data)-n) < minis {
			return nil, io.ErrUnexpectedEOF
		}
		widths := data[n : n+int(minis)]
		data = data[n+int(minis):]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			per := int(block / minis)
			data = data[min(per*int(width)/8, len(data)):]
			left -= per
		}
	}
	return data, nil
}
