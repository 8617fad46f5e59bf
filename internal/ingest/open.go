package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/internal/unpack"
)

// openTable opens a table. Its kind is read from its first bytes: Parquet begins
// with PAR1, JSON Lines with a brace; anything else is CSV. JSON Lines and CSV
// may be packed; Parquet, which is read from its end, packs its own pages.
func openTable(path string) (_ table, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	name := filepath.Base(path)
	in, err := unpack.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bom, _ := in.Peek(3); string(bom) == "\ufeff" { // as spreadsheets begin
		_, _ = io.CopyN(io.Discard, in, 3)
	}
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case string(head) == "PAR1" && in.Format() != "":
		return nil, fmt.Errorf("%s: Parquet within %s: unpack it first, it is read from its end", name, in.Format())
	case string(head) == "PAR1":
		return openParquet(name, file)
	case len(head) > 0 && head[0] == '{':
		return openJSONL(name, in, closers{in, file})
	case strings.HasPrefix(string(head), "\xff\xfe") || strings.HasPrefix(string(head), "\xfe\xff"):
		return nil, fmt.Errorf("%s: UTF-16: write UTF-8", name)
	case len(head) > 0 && head[0] == '[':
		return nil, fmt.Errorf("%s: a JSON list: write JSON Lines, one object a line, without the list around them", name)
	}
	return openCSV(name, in, closers{in, file})
}

type closers []io.Closer

func (cs closers) Close() error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
