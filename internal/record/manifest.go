package record

import (
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
)

// ManifestVersion is the version of manifest.json's schema.
const ManifestVersion = 1

// Manifest says what a run was made of and how to repeat it.
type Manifest struct {
	Version      int               `json:"schema_version"`
	RunID        string            `json:"run_id"`
	StartedAt    string            `json:"started_at"`  // wall clock, RFC 3339
	FinishedAt   string            `json:"finished_at"` // wall clock, RFC 3339; empty while the run goes on
	GoVersion    string            `json:"go_version"`
	Revision     string            `json:"revision"`          // of the code; empty where unknown
	Modified     bool              `json:"revision_modified"` // the tree differed from the revision
	Digests      map[string]string `json:"digests"`           // hex SHA-256 by name: corpus, levels, passports/…, packs/…, toolmaps/…, recordings/…; code, where Revision does not tell
	Options      map[string]string `json:"options"`           // the resolved configuration, secrets masked
	Sims         []string          `json:"simulated_bankers"` // deterministic instruments, not models
	Models       []ManifestModel   `json:"models"`            // live models
	Cells        []PlannedCell     `json:"cells"`
	Trials       int               `json:"trials"`
	Evaluations  int               `json:"evaluations"` // lines of evaluations.jsonl
	SummaryState string            `json:"status"`      // as in summary.json
	SigningKey   string            `json:"signing_key"` // test (the published one) or own
	KeyID        string            `json:"kid"`
	PublicKey    string            `json:"public_key"`         // Ed25519, base64
	Bootstrap    Resampling        `json:"bootstrap,omitzero"` // of every clustered interval
	Seal         *Seal             `json:"seal,omitempty"`     // nil while the run goes on
	Signature    string            `json:"signature"`          // over the canonical form without this member

	// What the oracle knows of each level and tool map, by name: the record can be
	// judged again when the fixtures have changed.
	Directories map[corpus.Level]corpus.Directory `json:"directories,omitempty"`
	// AuditCodeKeys are the levels, sorted, at which the idempotency key of a payment
	// whose memo holds exactly one audit code is that code; of every other payment it
	// is its call's own.
	AuditCodeKeys []corpus.Level  `json:"audit_code_keys,omitempty"`
	Tests         string          `json:"tests,omitempty"`     // what the last process was asked for, as -run and -skip; empty: all
	Failures      []Failure       `json:"failures,omitempty"`  // what failed outside the cells, in any process; the worst first
	Sentinels     map[string]bool `json:"sentinels,omitempty"` // by test, of those that ran whole: whether what it broke was noticed
	Goldens       map[string]bool `json:"goldens,omitempty"`   // by test of golden decisions, of those that ran whole: whether it passed
}

// Option is the value that a variable had, wherever it came from; empty: none.
func (m Manifest) Option(name string) string {
	value := m.Options[name]
	if at := strings.LastIndex(value, " ("); at >= 0 {
		value = value[:at]
	}
	return value
}

// Resampling is how source sessions are drawn anew for intervals.
type Resampling struct {
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
}

// Seal says how many lines a finished run's files have and what is in them.
type Seal struct {
	Evaluations FileSeal `json:"evaluations"`
	Decisions   FileSeal `json:"decisions"`
	Head        string   `json:"head"`              // hex SHA-256 of the last line of decisions.jsonl; zeros where there is none
	Journal     string   `json:"journal,omitempty"` // CRC-32C of the last line of journal.jsonl without its evaluation
}

// FileSeal fixes one file of lines.
type FileSeal struct {
	Lines  int    `json:"lines"`
	SHA256 string `json:"sha256"` // hex, of the whole file
}

// ManifestModel is a live model as it was asked for.
type ManifestModel struct {
	Slug     string   `json:"slug"`
	Provider string   `json:"provider"`
	ID       string   `json:"id"`
	Served   []string `json:"served"` // ids that replies named

	Price *price.Price `json:"price,omitempty"` // as models.json had it; nil: unconfirmed
}

// PlannedCell is a cell that a run set out to do.
type PlannedCell struct {
	Cell        plan.Cell `json:"cell"`
	Kind        plan.Kind `json:"kind"`
	Layered     bool      `json:"layered"`         // a layer decides: decisions count, and invariants are promised
	Label       string    `json:"label,omitempty"` // must stand beside every figure of the cell
	Evaluations int       `json:"evaluations"`     // planned: attacks × trials
	Skip        string    `json:"skip_reason,omitempty"`
}
