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
// tool transfers, what its arguments are called, what the other tools do, whose the
// recipients are, and which passport stands before it.
type ToolMap struct {
	Name       string            `json:"name"` // the file's name without .json
	Passport   string            `json:"passport"`
	Transfer   string            `json:"transfer"`  // the transfer tool
	Arguments  TransferArguments `json:"arguments"` // of the transfer tool
	Undecided  []string          `json:"undecided"` // tools that move money and are not decided
	Harmless   []string          `json:"harmless"`  // tools that move none
	ClockStart time.Time         `json:"clock_start"`
	Directory
}

// Names reports whether the map says what a tool does. Of a call of any other
// nobody knows whether it moved money, so it is no sign of a model that did not pay.
func (m ToolMap) Names(tool string) bool {
	return tool == m.Transfer || slices.Contains(m.Undecided, tool) || slices.Contains(m.Harmless, tool)
}

// checkTools: a tool that two lists name would both move money and move none.
func (m ToolMap) checkTools(where string) error {
	seen := map[string]bool{}
	for _, tool := range slices.Concat([]string{m.Transfer}, m.Undecided, m.Harmless) {
		if seen[tool] {
			return fmt.Errorf("%s: tool %q is named twice among transfer, undecided and harmless: delete one", where, tool)
		}
		seen[tool] = true
	}
	return nil
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
		where := "load tool maps: " + file
		if err := m.check(where); err != nil {
			return nil, err
		}
		if err := m.checkTools(where); err != nil {
			return nil, err
		}
		maps[m.Name] = m
	}
	return maps, nil
}
