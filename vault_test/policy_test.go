package vault_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// policyChange is what a run notes about passports and packs that are not those of
// the goldens. Its digest ends the output: the lines before it say the same one by
// one.
type policyChange struct {
	mu        sync.Mutex
	files     map[string]bool           // that differ from what a golden was made with
	decisions map[string]map[string]int // by what was asked and by old → new
	expects   map[string]bool           // lines of fixtures whose field expect is not what is decided
	honest    map[string]bool           // honest tasks of which the layer denies a payment
	own       bool                      // those are of VAULT_CORPUS

	executed map[plan.Architecture]*forbidden // what the cells' layers let through
	allowed  map[string][]report.Executed     // what the goldens' tests saw allowed though its level forbids it, by line of fixtures
	seen     map[string]bool                  // goals in allowed
}

// changed is the run's own.
var changed = newPolicyChange()

func newPolicyChange() *policyChange {
	return &policyChange{
		files: map[string]bool{}, decisions: map[string]map[string]int{}, expects: map[string]bool{}, honest: map[string]bool{},
		executed: map[plan.Architecture]*forbidden{}, allowed: map[string][]report.Executed{}, seen: map[string]bool{},
	}
}

// head notes which files of a level are others than those of its golden, and says so.
func (p *policyChange) head(level corpus.Level, want, got pinned.Head) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, f := range []struct{ file, want, got string }{
		{"passports/" + suite.PassportOf(level) + ".json", want.PassportDigest, got.PassportDigest},
		{"passports/" + pinned.PackFile, want.PackDigest, got.PackDigest},
	} {
		if f.want != f.got {
			p.files[f.file] = true
			out = append(out, fmt.Sprintf("%s is not the file that golden/%s was made with", f.file, pinned.File(level)))
		}
	}
	return out
}

// decision notes a line of a golden that is decided otherwise, and words it.
func (p *policyChange) decision(d pinned.Difference, honest bool) string {
	what := "payments of attacks"
	switch {
	case pinned.IsProbe(d.ID):
		what = "probes"
	case honest:
		what = "honest payments"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	move := d.Want.Verdict() + " → " + d.Got.Verdict()
	if p.decisions[what] == nil {
		p.decisions[what] = map[string]int{}
	}
	p.decisions[what][move]++
	return move
}

// surprise notes an attack or honest task that expects something else; d is its
// level's. One that now pays whom the level forbids expects the right thing.
func (p *policyChange) surprise(s pinned.Surprise, d corpus.Directory) {
	if s.Got.Allowed() && p.allows(s.Attack, s.Goal, d) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expects[place(s.Attack)] = true
	p.own = s.Attack.Own
	if s.Attack.Twin != "" && !s.Got.Allowed() {
		p.honest[place(s.Attack)] = true
	}
}

// takeBack is the one way on from a payment that the level forbids.
const takeBack = "that breaks what the layer promises, and no edit of expect mends it: take the payment out of the policy again (a payee that shall be paid is of class permitted in fixtures/levels.json first)"

// samePolicy is said instead where no file of the policy changed.
const samePolicy = "that breaks what the layer promises, under the passports and packs of the goldens: what changed is the code of the layer, the attacks or fixtures/levels.json"

// ownStep is said instead of a corpus that no golden is about.
const ownStep = "if the change is meant: edit the lines above, which are files of VAULT_CORPUS; no golden is held against them"

// nextStep says how a meant change goes on: -update writes nothing while an attack
// or honest task contradicts the policy, or anything unpermitted is paid.
func nextStep(contradicted, violated bool) string {
	meant := "if the change is meant: "
	if violated {
		meant = "if the rest of the change is meant, once nothing unpermitted is paid: "
	}
	if contradicted {
		return meant + "edit the lines above (README, Changing a policy), then go test ./vault_test -update"
	}
	return meant + "go test ./vault_test -update, and read the diff of golden/"
}

func place(a corpus.Attack) string { return fmt.Sprintf("%s:%d", a.Path(), a.Line) }

// write writes the digest: nothing where no policy changed. folder is the run's;
// empty where none was begun.
func (p *policyChange) write(w io.Writer, folder string) error {
	lines := p.unpermitted()
	p.mu.Lock()
	defer p.mu.Unlock()
	violated := len(lines) > 0
	if len(p.files) == 0 && len(p.expects) == 0 && !violated {
		return nil
	}
	switch {
	case violated && len(p.files) > 0:
		lines = append(lines, takeBack)
	case violated:
		lines = append(lines, samePolicy)
	}
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		lines = append(lines, file+" is not the file that the goldens were made with")
	}
	if len(p.files) > 0 && len(p.decisions) == 0 && !violated {
		lines = append(lines, "no payment and no probe that the goldens know is decided otherwise")
	}
	for _, what := range slices.Sorted(maps.Keys(p.decisions)) {
		lines = append(lines, moves(what, p.decisions[what])...)
	}
	edit := maps.Clone(p.expects)
	maps.DeleteFunc(edit, func(place string, _ bool) bool { return len(p.allowed[place]) > 0 })
	lines = append(lines, places("attacks and honest tasks expect otherwise than the policy decides: edit their expect and reason", edit)...)
	lines = append(lines, places("honest tasks are denied a payment that they expect: make goal and messages fit the policy, or retire them", p.honest)...)
	if len(p.files) > 0 || len(edit) > 0 {
		lines = append(lines, "what flips of an earlier run: go tool vault redecide "+earlierRun(folder)+" --passports passports")
	}
	if folder != "" {
		lines = append(lines, "what this run comes to: go tool vault verdict "+folder)
	}
	switch lawful := len(edit) > 0 || !violated; {
	case p.own && len(edit) > 0:
		lines = append(lines, ownStep)
	case lawful:
		lines = append(lines, nextStep(len(edit) > 0, violated))
	}
	_, err := fmt.Fprintf(w, "\npolicy:\n  %s\n", strings.Join(lines, "\n  "))
	return err
}

// moves lists how often what was decided in one way and is decided in another.
func moves(what string, by map[string]int) []string {
	total := 0
	order := slices.Sorted(maps.Keys(by))
	slices.SortStableFunc(order, func(a, b string) int { return by[b] - by[a] })
	var out []string
	for _, move := range order {
		total += by[move]
		out = append(out, fmt.Sprintf("  %d × %s", by[move], move))
	}
	return append([]string{fmt.Sprintf("%d %s are decided otherwise:", total, what)}, out...)
}

// places lists lines of files, each file once; set holds FILE:LINE.
func places(heading string, set map[string]bool) []string {
	if len(set) == 0 {
		return nil
	}
	lines := map[string][]string{}
	for _, place := range slices.SortedFunc(maps.Keys(set), byPlace) {
		file, line, _ := strings.Cut(place, ":")
		lines[file] = append(lines[file], line)
	}
	out := []string{fmt.Sprintf("%d %s:", len(set), heading)}
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, "  "+file+":"+strings.Join(lines[file], ","))
	}
	return out
}

// byPlace orders line 9 before line 10.
func byPlace(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// earlierRun is the newest run beside folder that was made with other passports or
// packs, one that passed if any did; a placeholder where there is none.
func earlierRun(folder string) string {
	const none = "results/<a run before the change>"
	now, err := settings.Digests()
	if err != nil || folder == "" {
		return none
	}
	manifests, err := filepath.Glob(filepath.Join(filepath.Dir(folder), "*", "manifest.json"))
	if err != nil {
		return none
	}
	found := none
	for _, m := range slices.Backward(manifests) {
		dir := filepath.Dir(m)
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue // latest
		}
		was, err := receipt.ReadManifest(dir)
		if err != nil || was.Evaluations == 0 || !otherPolicy(was.Digests, now) {
			continue
		}
		if was.SummaryState == string(report.Pass) {
			return dir
		}
		if found == none {
			found = dir
		}
	}
	return found
}

func otherPolicy(was, now map[string]string) bool {
	for name, digest := range now {
		if strings.HasPrefix(name, "passports/") && was[name] != "" && was[name] != digest {
			return true
		}
	}
	return false
}

// TestPolicyDigest: what a policy's author reads last says which file, how much, by
// which rule, where, and what to do.
func TestPolicyDigest(t *testing.T) {
	p := newPolicyChange()
	var none bytes.Buffer
	require.NoError(t, p.write(&none, ""))
	assert.Empty(t, none.String(), "no policy changed")

	require.Equal(t, []string{"passports/level-2.json is not the file that golden/decisions-l2.jsonl was made with"},
		p.head(corpus.L2, pinned.Head{PassportDigest: "a", PackDigest: "c"}, pinned.Head{PassportDigest: "b", PackDigest: "c"}))
	paid := pinned.Decision{Allow: true, Code: authz.ReasonAllowed, Rule: "pack"}
	capped := pinned.Decision{Code: authz.ReasonLimitExceeded, Rule: "per_tx_amount_cap"}
	for _, id := range []string{"l2-0001#1", "l2-0002#1", "probe/l2 cap#1"} {
		assert.Equal(t, "oap.allowed → oap.limit_exceeded/per_tx_amount_cap", p.decision(pinned.Difference{ID: id, Want: &paid, Got: &capped}, false))
	}
	p.decision(pinned.Difference{ID: "l2-0003#1", Want: &capped, Got: &paid}, false)
	p.decision(pinned.Difference{ID: "b2-0001#1", Want: &paid, Got: &capped}, true)
	for _, line := range []int{10, 9} {
		p.surprise(pinned.Surprise{Attack: corpus.Attack{File: "benign/level-2.jsonl", Line: line, Twin: "l2-0001"}}, corpus.Directory{})
	}
	p.surprise(pinned.Surprise{Attack: corpus.Attack{File: "attacks/level-2.jsonl", Line: 8}}, corpus.Directory{})
	var got bytes.Buffer
	require.NoError(t, p.write(&got, ""))
	assert.Equal(t, `
policy:
  passports/level-2.json is not the file that the goldens were made with
  1 honest payments are decided otherwise:
    1 × oap.allowed → oap.limit_exceeded/per_tx_amount_cap
  3 payments of attacks are decided otherwise:
    2 × oap.allowed → oap.limit_exceeded/per_tx_amount_cap
    1 × oap.limit_exceeded/per_tx_amount_cap → oap.allowed
  1 probes are decided otherwise:
    1 × oap.allowed → oap.limit_exceeded/per_tx_amount_cap
  3 attacks and honest tasks expect otherwise than the policy decides: edit their expect and reason:
    fixtures/attacks/level-2.jsonl:8
    fixtures/benign/level-2.jsonl:9,10
  2 honest tasks are denied a payment that they expect: make goal and messages fit the policy, or retire them:
    fixtures/benign/level-2.jsonl:9,10
  what flips of an earlier run: go tool vault redecide results/<a run before the change> --passports passports
  if the change is meant: edit the lines above (README, Changing a policy), then go test ./vault_test -update
`, got.String())

	own := newPolicyChange()
	own.surprise(pinned.Surprise{Attack: corpus.Attack{File: "attacks/mine.jsonl", Line: 2, Own: true}}, corpus.Directory{})
	var theirs bytes.Buffer
	require.NoError(t, own.write(&theirs, ""))
	assert.Contains(t, theirs.String(), "\n    corpus/attacks/mine.jsonl:2\n")
	assert.Contains(t, theirs.String(), "which are files of VAULT_CORPUS; no golden is held against them\n")
	assert.NotContains(t, theirs.String(), "-update", "it refuses to write goldens of another corpus")
}
