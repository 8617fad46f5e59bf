package record_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
)

// TestCreatedOnce: of several that make the same path at once, all past every look
// whether it is there, one wins, the others say so, and nothing is left of them.
func TestCreatedOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		create func(path string, write func(path string) error) error
		file   string // within path
		want   string
		reason string
	}{
		{"file", func(path string, write func(string) error) error {
			return record.CreateFile(path, func(w io.Writer) error {
				if err := write(""); err != nil {
					return err
				}
				_, err := io.WriteString(w, "whole")
				return err
			})
		}, "", " exists: delete it or name another file", "the later one would replace it"},
		{"folder", func(path string, write func(string) error) error {
			return record.CreateFolder(context.Background(), path, func(dir string) error {
				return errors.Join(write(""), os.WriteFile(filepath.Join(dir, "f"), []byte("whole"), 0o600))
			})
		}, "f", " exists: delete it or name another folder", "the later one would replace it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const writers = 6
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			var all, done sync.WaitGroup
			all.Add(writers)
			errs := make([]error, writers)
			for i := range writers {
				done.Go(func() {
					errs[i] = tt.create(path, func(string) error { all.Done(); all.Wait(); return nil })
				})
			}
			done.Wait()
			won := 0
			for _, err := range errs {
				var taken *record.TakenError
				switch {
				case err == nil:
					won++
				case !errors.As(err, &taken) || !errors.Is(err, os.ErrExist) || err.Error() != path+tt.want:
					t.Errorf("error = %v, want %s%s: %s", err, path, tt.want, tt.reason)
				}
			}
			if won != 1 {
				t.Errorf("%d of %d succeeded, want 1: %s", won, writers, tt.reason)
			}
			raw, err := os.ReadFile(filepath.Join(path, tt.file))
			require.NoError(t, err)
			require.Equal(t, "whole", string(raw))
			require.Equal(t, []string{"out"}, namesIn(t, dir), "no temporary file is left")
		})
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestWriteFiles: no file is replaced before all are written, and the error names
// those that were replaced before one could not be.
func TestWriteFiles(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fails  string // whose text can't be written
		folder string // a folder stands where it is to go
		want   string // of the error; DIR is the folder
		texts  []string
		reason string
	}{
		{"all", "", "", "", []string{"new a", "new b", "new c"}, "each is replaced"},
		{"one can't be written", "c", "", "write DIR/c: disk full", []string{"old", "old", "old"}, "what was written before is not half of it"},
		{"one can't be replaced", "", "c", "DIR/a, DIR/b are written already, and do not fit the rest: put them back", []string{"new a", "new b"}, "whoever mends it must know"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for _, name := range []string{"a", "b", "c"} {
				path := filepath.Join(dir, name)
				if paths = append(paths, path); name == tt.folder {
					require.NoError(t, os.MkdirAll(filepath.Join(path, "x"), 0o755))
				} else {
					require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
				}
			}
			err := record.WriteFiles(paths, func(path string, w io.Writer) error {
				if filepath.Base(path) == tt.fails {
					return errors.New("disk full")
				}
				_, err := fmt.Fprint(w, "new "+filepath.Base(path))
				return err
			})
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, strings.ReplaceAll(tt.want, "DIR", dir), tt.reason)
			}
			var texts []string
			for _, path := range paths {
				if raw, err := os.ReadFile(path); err == nil {
					texts = append(texts, string(raw))
				}
			}
			if diff := cmp.Diff(tt.texts, texts); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			require.Equal(t, []string{"a", "b", "c"}, namesIn(t, dir), "no temporary file is left")
		})
	}
}
