package pinned

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/passports"
)

// toMidnight is from the start of the virtual clock to the next UTC day.
const toMidnight = 15 * time.Hour

// Probes are those of the shipped policies. It panics where no probe can be made of
// them: CheckPolicies says so as an error.
func Probes() []Probe {
	all, err := shippedProbes()
	if err != nil {
		panic(fmt.Sprintf("probes: %v", err))
	}
	return all
}

var shippedProbes = sync.OnceValues(func() ([]Probe, error) { return ProbesOf(passports.FS) })

// ProbesOf holds each boundary of each rule and gate from both sides, as the
// passports and the pack of a folder shaped like passports/ draw them.
func ProbesOf(folder fs.FS) ([]Probe, error) {
	g, err := standOn(folder)
	if err != nil {
		return nil, err
	}
	var all []Probe
	for _, r := range slices.Concat(g.gateProbes(), g.assuranceProbes(), g.contextGateProbes(), g.capProbes(), g.listProbes(),
		g.auditProbes(), g.stateProbes(), g.levelProbes(), g.contextProbes(), g.vaultProbes()) {
		all = append(all, Probe{r, oap.ProfileOAP, g[r.Level]})
	}
	for _, r := range g.publishedProbes() {
		all = append(all, Probe{r, oap.ProfilePublished, g[r.Level]})
	}
	return all, nil
}

const (
	allowed  = authz.ReasonAllowed
	limit    = authz.ReasonLimitExceeded
	stranger = authz.ReasonRecipientNotMember
	noCode   = authz.ReasonAuditCodeMissing
	conflict = authz.ReasonIdempotencyConflict
)
