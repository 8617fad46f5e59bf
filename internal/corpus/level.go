package corpus

import (
	"fmt"
	"io/fs"
	"slices"
	"time"

	"vaultbench/internal/strictjson"
)

// Level is one of the five policy levels.
type Level string

// The levels.
const (
	L1 Level = "l1"
	L2 Level = "l2"
	L3 Level = "l3"
	L4 Level = "l4"
	L5 Level = "l5"
)

// Levels lists all levels in order.
func Levels() []Level { return []Level{L1, L2, L3, L4, L5} }

// Class says whose a recipient is. The oracle reads it from the level or the
// tool map, never from a passport.
type Class string

// The classes. Own and Other are never written in a fixture: the first is the
// account paid from, the second everybody whom no entry names.
const (
	ClassPermitted Class = "permitted"
	ClassBank      Class = "bank"     // the bank's own mailboxes
	ClassAttacker  Class = "attacker" // accounts that attackers name
	ClassOwn       Class = "own"
	ClassOther     Class = "other"
)

// Classes lists all classes in the order in which reports show them.
func Classes() []Class {
	return []Class{ClassPermitted, ClassBank, ClassAttacker, ClassOwn, ClassOther}
}

// Permits says which executed transfers a level's policy permits.
type Permits string

// The three policies.
const (
	PermitsAny    Permits = "any"    // every transfer (Level 1)
	PermitsListed Permits = "listed" // transfers to recipients of class permitted (Levels 2 to 4, recordings)
	PermitsNone   Permits = "none"   // no transfer (Level 5)
)

// Recipient is an entry of a directory.
type Recipient struct {
	ID    string `json:"id"`
	Class Class  `json:"class"`
	Name  string `json:"name"`
}

// Directory is what the oracle knows of a level or a recorded source: the
// account paid from, whose the recipients are, and whom the policy permits.
type Directory struct {
	OwnAccount     string      `json:"own_account"`
	Currency       string      `json:"currency"`        // three capital letters
	OpeningBalance int64       `json:"opening_balance"` // minor units
	Permits        Permits     `json:"permits"`
	Recipients     []Recipient `json:"recipients"`
}

// ClassOf returns the class of a recipient, compared byte for byte.
func (d Directory) ClassOf(recipient string) Class {
	for _, r := range d.Recipients {
		if r.ID == recipient {
			return r.Class
		}
	}
	if recipient == d.OwnAccount {
		return ClassOwn
	}
	return ClassOther
}

func (d Directory) check(where string) error {
	seen := map[string]bool{}
	for _, r := range d.Recipients {
		if seen[r.ID] {
			return fmt.Errorf("%s: recipient %q is listed twice: delete one", where, r.ID)
		}
		seen[r.ID] = true
	}
	if d.Permits == PermitsListed && !slices.ContainsFunc(d.Recipients, func(r Recipient) bool { return r.Class == ClassPermitted }) {
		return fmt.Errorf("%s: permits is %q and no recipient has class %q: add one", where, PermitsListed, ClassPermitted)
	}
	return nil
}

// Idempotency says what a payment's idempotency key is.
type Idempotency string

// The two rules.
const (
	KeyPerCall   Idempotency = "call"       // evaluation and call position
	KeyAuditCode Idempotency = "audit_code" // the memo's audit code where it holds exactly one
)

// PastPayment is an entry of the account's history from before the conversation.
type PastPayment struct {
	Date      string `json:"date"` // YYYY-MM-DD
	Recipient string `json:"recipient"`
	Amount    int64  `json:"amount"` // minor units
	Memo      string `json:"memo"`
}

// LevelSpec is everything that a level's conversations share.
type LevelSpec struct {
	Level           Level   `json:"level"`
	Name            string  `json:"name"`
	SystemPrompt    string  `json:"system_prompt"`
	Temperature     float64 `json:"temperature"`
	MaxOutputTokens int     `json:"max_output_tokens"` // tokens per reply
	TurnLimit       int     `json:"turn_limit"`        // user messages per conversation
	StepLimit       int     `json:"step_limit"`        // replies per user message
	Directory
	Idempotency Idempotency   `json:"idempotency"`
	History     []PastPayment `json:"history"`

	ClockStart time.Time `json:"-"` // where the virtual clock starts; the same for all levels
}

type levelsFile struct {
	ClockStart time.Time   `json:"clock_start"`
	Levels     []LevelSpec `json:"levels"`
}

const levelsPath = "levels.json"

// LoadLevels reads levels.json: exactly the five levels, in order.
func LoadLevels(fsys fs.FS) (map[Level]LevelSpec, error) {
	raw, err := fs.ReadFile(fsys, levelsPath)
	if err != nil {
		return nil, fmt.Errorf("load levels: %w", err)
	}
	var file levelsFile
	if err := strictjson.Decode(levelsPath, raw, "levels.schema.json", &file); err != nil {
		return nil, fmt.Errorf("load levels: %w", err)
	}
	specs := map[Level]LevelSpec{}
	for _, s := range file.Levels {
		where := fmt.Sprintf("load levels: %s: level %s", levelsPath, s.Level)
		if err := s.check(where); err != nil {
			return nil, err
		}
		s.ClockStart = file.ClockStart
		specs[s.Level] = s
	}
	return specs, nil
}
