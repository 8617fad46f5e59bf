// Package passports carries the passports and policy packs under test.
package passports

import "embed"

// FS holds the files of this folder.
//
//go:embed *.json packs/*.json
var FS embed.FS
