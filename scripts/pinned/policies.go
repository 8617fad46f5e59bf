package pinned

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"vaultbench/internal/oap"
)

// CheckPolicies loads what a folder shaped like passports/ decides by, as the cells
// will: an error that a cell met would be told once a cell, and a pack that nothing
// enforces never. Without an error each passport there decides by the one pack.
func CheckPolicies(folder fs.FS) error {
	if err := OnlyPack(folder); err != nil {
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

// OnlyPack refuses a pack beside the one that the benchmark enforces: whoever put it
// there believes that it denies something.
func OnlyPack(folder fs.FS) error {
	files, err := fs.Glob(folder, "packs/*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		if file != PackFile {
			return fmt.Errorf("passports/%s: nothing enforces this pack: every level is decided by %s alone: move its rules there, and the file out of passports/%s",
				file, path.Base(PackFile), path.Dir(PackFile))
		}
	}
	return nil
}
