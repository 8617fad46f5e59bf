package oaptest

import (
	"embed"
	"io/fs"
)

//go:embed testdata/passports
var testdata embed.FS

// Fixed is a folder shaped like passports/ that stays as it is: tests which say how
// the engine decides name its amounts and payees, and a policy that is edited must
// not turn them red. What the shipped policy decides is held by the goldens.
func Fixed() fs.FS {
	fixed, err := fs.Sub(testdata, "testdata/passports")
	if err != nil {
		panic(err) // the path is a valid one
	}
	return fixed
}
