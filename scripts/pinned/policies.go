package pinned

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/shipped"
)

// CheckPolicies loads what a folder shaped like passports/ decides by, as the cells
// will: an error that a cell met would be told once a cell, and a pack that nothing
// enforces never. Without an error each passport there decides by the one pack.
func CheckPolicies(folder fs.FS) error {
	if err := OnlyPack(folder, "passports"); err != nil {
		return err
	}
	pack, err := oap.LoadPack(folder, oap.ChargePack)
	if err != nil {
		return err
	}
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		p, err := oap.LoadPassport(folder, strings.TrimSuffix(file, ".json"))
		if err != nil {
			return err
		}
		for _, profile := range []oap.Profile{oap.ProfileOAP, oap.ProfilePublished} {
			if _, err := oap.NewLayer(p, pack, profile); err != nil {
				return err
			}
		}
	}
	_, err = ProbesOf(folder)
	return err
}

// OnlyPack refuses a pack beside the one that the benchmark enforces, at any depth:
// whoever put it there believes that it denies something. name is the folder's for
// messages; it may be empty.
func OnlyPack(folder fs.FS, name string) error {
	dir := path.Dir(PackFile)
	return fs.WalkDir(folder, dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // whoever loads the pack says so
		case err != nil:
			return err
		case d.IsDir() || file == PackFile || !strings.EqualFold(path.Ext(file), ".json"):
			return nil
		}
		return fmt.Errorf("%s: nothing enforces this pack: every level is decided by %s alone: move its rules there, and the file out of %s",
			path.Join(name, file), path.Base(PackFile), path.Join(name, dir))
	})
}

// SparePassports lists the passports of a folder by which no level and no tool map
// decides.
func SparePassports(folder fs.FS) ([]string, error) {
	levels, err := shipped.Levels()
	if err != nil {
		return nil, err
	}
	toolMaps, err := corpus.LoadToolMaps(fixtures.FS)
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(file string) bool {
		passport := strings.TrimSuffix(file, ".json")
		for level := range levels {
			if suite.PassportOf(level) == passport {
				return true
			}
		}
		for _, m := range toolMaps {
			if m.Passport == passport {
				return true
			}
		}
		return false
	}), nil
}
