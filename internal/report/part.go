package report

import (
	"strings"

	"vaultbench/internal/plan"
)

// shardVariable names the part of the attacks that a run is of.
const shardVariable = "VAULT_SHARD"

// ShardLacks begins the reason of a cell that is skipped because the shard has none
// of its sessions: others run the whole of it.
const ShardLacks = "no session of shard "

// idle reports whether a run had nothing to do: it is a shard, and none of its cells
// has a session in it. That is no run that asked for cells and could run none.
func idle(cells []Cell) bool {
	shard := false
	for _, c := range cells {
		if c.Skip == "" || c.Planned > 0 {
			return false
		}
		shard = shard || strings.HasPrefix(c.Skip, ShardLacks)
	}
	return shard
}

// part says of which shard a run is; empty: of the whole.
func (r *Recount) part() string {
	shard, err := plan.ParseShard(r.Manifest.Option(shardVariable))
	if err != nil || shard.Whole() {
		return ""
	}
	return "this is shard " + shard.String() + ", a part: go tool vault merge joins all of them, and the verdict on the whole is that of the merged run"
}
