// Package golden carries the expected decisions of the layer and the expected
// event counts of simulated cells. Rewritten by go test ./vault_test -update.
package golden

import "embed"

// FS holds the files of this folder.
//
//go:embed *
var FS embed.FS
