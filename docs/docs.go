// Package docs carries the pages that a run is bound to.
package docs

import "embed"

// FS holds preregistration.md: what counts and which analyses, written down
// before a run. Its digest goes into each manifest.
//
//go:embed preregistration.md
var FS embed.FS
