package corpus

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/strictjson"
)

// ToolMap says how the recorded conversations of one source are replayed: which
// tool transfers, what its arguments are called, whose the recipients are, and
// which passport stands before it.
type ToolMap struct {
	Name       string            `json:"name"` // the file's name without .json
	Passport   string            `json:"passport"`
	Transfer   string            `json:"transfer"`  // the transfer tool
	Arguments  TransferArguments `json:"arguments"` // of the transfer tool
	Undecided  []string          `json:"undecided"` // tools that move money and are not decided
	ClockStart time.Time         `json:"clock_start"`
	Directory
}

// TransferArguments names the arguments of a transfer tool; empty: it has none.
type TransferArguments struct {
	Recipient string `json:"recipient"`
	Amount    string `json:"amount"`
	Memo      string `json:"memo"`
	Currency  string `json:"currency"`
}

// Label is the note that must stand beside every figure of such a replay.
func (m ToolMap) Label() string {
	label := "recorded, open loop"
	if len(m.Undecided) > 0 {
		label += ", " + m.Transfer + " only"
	}
	return label
}

// LoadToolMaps reads every tool map of toolmaps/, by name.
func LoadToolMaps(fsys fs.FS) (map[string]ToolMap, error) {
	names, err := fs.Glob(fsys, "toolmaps/*.json")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("load tool maps: no file matches toolmaps/*.json")
	}
	slices.Sort(names)
	maps := map[string]ToolMap{}
	for _, file := range names {
		raw, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("load tool maps: %w", err)
		}
		var m ToolMap
		if err := strictjson.Decode(file, raw, "toolmap.schema.json", &m); err != nil {
			return nil, fmt.Errorf("load tool maps: %w", err)
		}
		if want := strings.TrimSuffix(path.Base(file), ".json"); m.Name != want {
			return nil, fmt.Errorf("load tool maps: %s: name is %q: call it %q, after its file", file, m.Name, want)
		}
		if err := m.check("load tool maps: " + file); err != nil {
			return nil, err
		}
		maps[m.Name] = m
	}
	return maps, nil
}
