// Package passports carries the passports and policy packs under test.
package passports

import "embed"

// FS holds the files of this folder.
//
// A pack in a folder of its own is one that nothing enforces: it is here to be refused.
//
//go:embed *.json packs
var FS embed.FS
