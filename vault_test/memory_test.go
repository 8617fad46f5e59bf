package vault_test

import (
	"math"
	"runtime/debug"
)

// collectLess lets a run, which makes much garbage and keeps little, use more memory
// for less work, unless its user set GOGC or GOMEMLIMIT. Long runs stay below the
// limit, in bytes.
func collectLess() {
	const percent, limit, unset = 400, 192 << 20, 100
	if was := debug.SetGCPercent(percent); was != unset {
		debug.SetGCPercent(was)
		return
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}
