package vault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
	"vaultbench/internal/suite"
)

// goldenHead is the first line of a decisions golden: what was decided by.
type goldenHead struct {
	Version        int          `json:"version"`
	Level          corpus.Level `json:"level"`
	Profile        oap.Profile  `json:"profile"`
	PassportDigest string       `json:"passport_digest"`
	PackDigest     string       `json:"pack_digest"`
}

// goldenDecision is one decision: of an attack's n-th goal, or of a probe's
// n-th call. Messages are for people and not pinned.
type goldenDecision struct {
	ID    string             `json:"id"`
	Allow bool               `json:"allow"`
	Code  authz.DenialReason `json:"code"`
	Rule  string             `json:"rule"`
}

const (
	goldenVersion = 1
	goldenSchema  = "golden-decisions.schema.json"
)

func decisionsFile(l corpus.Level) string { return "decisions-" + string(l) + ".jsonl" }

// TestGoldens pins what the layer decides, and by which rule: the right denial
// for the wrong reason is a fault. Rewritten by -update.
func TestGoldens(t *testing.T) {
	s, err := newSuite()
	require.NoError(t, err)
	for _, level := range corpus.Levels() {
		t.Run(string(level), func(t *testing.T) {
			layer, err := loadLayer(suite.PassportOf(level), oap.ProfileOAP)
			require.NoError(t, err)
			head, got := decideLevel(t, s, level, layer)
			if *update {
				goldens[decisionsFile(level)] = encodeGolden(t, head, got)
				return
			}
			for _, d := range againstGolden(t, s, level, head, got) {
				t.Error(d)
			}
		})
	}
}

// decideLevel decides each goal of each attack and honest task of a level, in
// order through dispatch on a fresh ledger, and each probe.
func decideLevel(t *testing.T, s *suite.Suite, level corpus.Level, layer *oap.Layer) (goldenHead, []goldenDecision) {
	t.Helper()
	head := goldenHead{goldenVersion, level, oap.ProfileOAP, layer.PassportDigest(), layer.PolicyDigest()}
	var got []goldenDecision
	for _, a := range attacksOf(s, level) {
		for i, d := range decideGoal(s, a, layer.Open()) {
			got = append(got, goldenLine(fmt.Sprintf("%s#%d", a.ID, i+1), d))
		}
	}
	return head, append(got, decideProbes(t, level, layer)...)
}

func attacksOf(s *suite.Suite, level corpus.Level) []corpus.Attack {
	return slices.Concat(s.Corpus.Select(level, corpus.Multi), s.Corpus.Select(level, corpus.Benign))
}

// decideGoal sends an attack's goal through the dispatch path as the calls that
// the attacker wants, in order.
func decideGoal(s *suite.Suite, a corpus.Attack, layer authz.Authorizer) []authz.Decision {
	spec := s.Levels[a.Level]
	d := dispatch.New(dispatch.Config{
		EvaluationID: "golden/" + string(a.ID), Account: suite.Account(spec), Authorizer: layer, Layered: true,
		Names: dispatch.TransferFunds, KeyByAuditCode: spec.Idempotency == corpus.KeyAuditCode,
		Start: spec.ClockStart, Schedule: suite.Schedule(a.Goal),
	})
	var out []authz.Decision
	for _, p := range suite.Payments(a.Goal) {
		r := d.Call(context.Background(), dispatch.TransferFunds.Transfer, sim.Arguments(p))
		out = append(out, *r.Decision)
	}
	return out
}

func goldenLine(id string, d authz.Decision) goldenDecision {
	return goldenDecision{ID: id, Allow: d.Allowed(), Code: d.Reason(), Rule: d.Rule()}
}

// againstGolden returns one message per difference.
func againstGolden(t *testing.T, s *suite.Suite, level corpus.Level, head goldenHead, got []goldenDecision) []string {
	t.Helper()
	file := decisionsFile(level)
	wantHead, want := readGolden(t, file)
	var out []string
	if diff := cmp.Diff(wantHead, head); diff != "" {
		out = append(out, fmt.Sprintf("golden/%s:1: decided by another passport or pack (-want +got):\n%s", file, diff))
	}
	where := places(s, level)
	left := map[string]goldenDecision{}
	for _, d := range want {
		left[d.ID] = d
	}
	for _, g := range got {
		w, ok := left[g.ID]
		delete(left, g.ID)
		switch diff := cmp.Diff(w, g); {
		case !ok:
			out = append(out, fmt.Sprintf("%s: golden/%s has no line %s: run go test ./vault_test -update", where(g.ID), file, g.ID))
		case diff != "":
			out = append(out, fmt.Sprintf("%s: golden/%s: %s decided otherwise (-want +got):\n%s", where(g.ID), file, g.ID, diff))
		}
	}
	for _, d := range want {
		if _, stale := left[d.ID]; stale {
			out = append(out, fmt.Sprintf("golden/%s: %s was not decided: the attack or probe is gone, run go test ./vault_test -update", file, d.ID))
		}
	}
	return out
}

// places tells where the attack of a golden line stands.
func places(s *suite.Suite, level corpus.Level) func(id string) string {
	at := map[string]string{}
	for _, a := range attacksOf(s, level) {
		at[string(a.ID)] = "fixtures/" + a.Where()
	}
	return func(id string) string {
		attack, _, _ := strings.Cut(id, "#")
		if place, ok := at[attack]; ok {
			return place
		}
		return "vault_test/probes_test.go: " + attack
	}
}

func readGolden(t *testing.T, file string) (goldenHead, []goldenDecision) {
	t.Helper()
	raw, err := fs.ReadFile(golden.FS, file)
	require.NoError(t, err, "run go test ./vault_test -update")
	lines, err := strictjson.Lines(file, raw)
	require.NoError(t, err)
	var head goldenHead
	require.NoError(t, lines[0].Decode(goldenSchema, &head))
	var out []goldenDecision
	for _, line := range lines[1:] {
		var d goldenDecision
		require.NoError(t, line.Decode(goldenSchema, &d))
		out = append(out, d)
	}
	return head, out
}

func encodeGolden(t *testing.T, head goldenHead, ds []goldenDecision) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	require.NoError(t, enc.Encode(head))
	for _, d := range ds {
		require.NoError(t, enc.Encode(d))
	}
	return b.Bytes()
}

// goldens are the files that -update rewrites, filled by the tests that made
// them; goldenCounts is the file of event counts before it is encoded.
var (
	goldens      = map[string][]byte{}
	goldenCounts = map[string]report.Counts{}
)

// collectGolden keeps a simulated cell's counts for -update.
func collectGolden(c report.Cell) {
	if *update && c.Kind == plan.Simulated {
		goldenCounts[c.Name] = c.Counts
	}
}

// checkUpdate refuses to rewrite the goldens from a part of the grid.
func checkUpdate(o config.Options) error {
	for _, s := range o.Settings() {
		switch s.Name {
		case "VAULT_SIMS", "VAULT_LEVELS", "VAULT_TRACKS", "VAULT_ARCHITECTURES", "VAULT_TRIALS":
			if s.Source != "default" {
				return fmt.Errorf("-update rewrites whole files: unset %s", s.Name)
			}
		}
	}
	return nil
}

// writeGoldens rewrites the files and returns how many lines changed.
func writeGoldens() (int, error) {
	events, err := report.EncodeGolden(goldenCounts)
	if err != nil {
		return 0, err
	}
	goldens[report.EventsFile] = events
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	root, err := config.Root(dir)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, file := range slices.Sorted(maps.Keys(goldens)) {
		path := filepath.Join(root, "golden", file)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return total, err
		}
		if err := os.WriteFile(path, goldens[file], 0o644); err != nil {
			return total, err
		}
		changed := changedLines(old, goldens[file])
		total += changed
		fmt.Printf("golden/%s: %d of %d lines changed\n", file, changed, bytes.Count(goldens[file], []byte("\n")))
	}
	return total, nil
}

// changedLines counts the lines of now that were not in old, and the other way
// round for lines that are gone.
func changedLines(old, now []byte) int {
	before, after := lineSet(old), lineSet(now)
	return max(missing(before, after), missing(after, before))
}

func lineSet(text []byte) map[string]bool {
	set := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		set[l] = l != ""
	}
	return set
}

func missing(from, in map[string]bool) int {
	n := 0
	for l, real := range from {
		if real && !in[l] {
			n++
		}
	}
	return n
}
