package vault_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaultbench/internal/config"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/plan"
	"vaultbench/internal/publish"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
	vault "vaultbench/vault_test"
)

// update is the one flag of the suite; every other knob is a variable.
var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain runs the tests and then closes the run, if one was begun: its files
// are written after the last cell, whatever the cells came to.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := errors.Join(checkFlags(), checkOwnCorpus()); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		os.Exit(2)
	}
	watchSignals()
	collectLess()
	refuse()
	code := m.Run()
	if stopping.Err() != nil {
		code = max(code, 1)
	}
	if err := noted.unseen(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "vault:", err)
		code = 1
	}
	if err := finishRun(code != 0); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		code = max(code, 1)
	}
	if *update {
		code = max(code, rewriteGoldens(code))
	}
	if err := changed.otherFiles(); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		code = max(code, 1)
	}
	if noted.closed != nil {
		fmt.Fprintln(os.Stderr, "vault: inconclusive: no run was begun:", noted.closed)
	}
	if err := changed.write(os.Stdout, runFolder()); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// runFolder is the run's folder, as a reader of the module's root would name it;
// empty where no run was begun.
func runFolder() string {
	if current == nil || current.run == nil {
		return ""
	}
	dir := current.run.Dir()
	if short, err := filepath.Rel(current.Options.Root, dir); err == nil && filepath.IsLocal(short) {
		return short
	}
	return dir
}

// rewriteGoldens ends with status 1 where a file changed, as hooks that rewrite
// files do: go test shows the output of a package that passes to nobody. code is the
// status of the tests; where it is not 0 or anything is missing, no file is touched.
func rewriteGoldens(code int) int {
	var cells []plan.Cell
	if current != nil {
		cells, _ = current.cells() // without cells nothing is written
	}
	if err := updateFault(code, cells, goldenCounts); err != nil {
		fmt.Fprintln(os.Stderr, "vault: goldens not rewritten:", err)
		return 1
	}
	changed, err := writeGoldens()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "vault:", err)
		return 1
	case changed > 0:
		fmt.Printf("vault: goldens rewritten, %d lines changed: read the diff, then run again without -update\n", changed)
		return 1
	}
	fmt.Println("vault: goldens rewritten, 0 lines changed")
	return 0
}

// checkFlags refuses a selection that would run nothing or rewrite half a golden.
func checkFlags() error {
	run, skip := testFlag("run"), testFlag("skip")
	if testFlag("count") != "1" || strings.Contains(testFlag("cpu"), ",") {
		return fmt.Errorf("-count %s -cpu %q would record each evaluation more than once: use -count=1 and one -cpu, and VAULT_TRIALS for repetitions", testFlag("count"), testFlag("cpu"))
	}
	if err := matchesSomeTest(run, skip); err != nil && testFlag("bench") == "" {
		return err
	}
	if !*update {
		return nil
	}
	if run != "" || skip != "" || testFlag("list") != "" {
		return fmt.Errorf("-update rewrites whole files: run it without -run, -skip and -list")
	}
	if config.InCI() {
		return fmt.Errorf("-update refuses to run in CI: rewrite the goldens on your machine and read the diff")
	}
	_, options, err := settings.Load()
	if err != nil {
		return err
	}
	return checkUpdate(options.Settings())
}

// selection is what of the tests was asked for; empty: all.
func selection() string {
	var parts []string
	for _, name := range []string{"run", "skip"} {
		if pattern := testFlag(name); pattern != "" {
			parts = append(parts, fmt.Sprintf("-%s %q", name, pattern))
		}
	}
	return strings.Join(parts, " ")
}

func testFlag(name string) string {
	f := flag.Lookup("test." + name)
	if f == nil {
		return ""
	}
	return f.Value.String()
}

// matchesSomeTest makes patterns that leave no test an error: go test itself would
// say "no tests to run" and pass. What is below a test's name is checked when all
// have run: see notes.unseen.
func matchesSomeTest(run, skip string) error {
	names, err := testNames()
	if err != nil {
		return err
	}
	wanted, unwanted := matchers(run, false), matchers(skip, true)
	for _, name := range names {
		if (run == "" || wanted.match(name)) && !unwanted.match(name) {
			return nil
		}
	}
	if wanted.bad || unwanted.bad {
		return nil // go test reports a bad pattern itself
	}
	return fmt.Errorf("inconclusive: -run %q matches no test that -skip %q leaves: the tests are %s", run, skip, strings.Join(names, ", "))
}

// topMatcher is the part of a pattern that is about tests.
type topMatcher struct {
	res []*regexp.Regexp
	bad bool // a part is no regular expression
}

// matchers compiles the parts of a pattern. One of -skip that goes on below a
// test's name skips no test whole.
func matchers(pattern string, whole bool) (m topMatcher) {
	if pattern == "" {
		return m
	}
	for _, alternative := range alternatives(pattern) {
		top, _, below := strings.Cut(alternative, "/")
		re, err := regexp.Compile(top)
		switch {
		case err != nil:
			m.bad = true
		case !below || !whole:
			m.res = append(m.res, re)
		}
	}
	return m
}

func (m topMatcher) match(name string) bool {
	return slices.ContainsFunc(m.res, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// alternatives splits a pattern at the bars that stand outside brackets, as go
// test does.
func alternatives(pattern string) []string {
	if strings.ContainsAny(pattern, "()[]") {
		return []string{pattern}
	}
	return strings.Split(pattern, "|")
}

// testNames reads the names from the sources beside the test, where go test runs it.
// gofmt begins each function at the start of a line, so no parser is needed, which
// would take longer than all else that a process does before its first test.
func testNames() ([]string, error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(raw) {
			after, isFunc := bytes.CutPrefix(line, []byte("func "))
			if name, _, ok := bytes.Cut(after, []byte("(")); isFunc && ok && testName.Match(name) {
				names = append(names, string(name))
			}
		}
	}
	return names, nil
}

var testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)`)

// finishRun writes the run's reports and prints the table.
func finishRun(failed bool) error {
	if current == nil || current.run == nil {
		return nil
	}
	current.progress.Stop()
	if let := changed.unpermitted(); len(let) > 0 {
		current.run.Fail(record.FailedUnpermitted, strings.Join(let, "; "))
	} else if kind, message := noted.failure(failed && stopping.Err() == nil); kind != "" {
		current.run.Fail(kind, message)
	}
	if stopping.Err() != nil {
		current.run.Fail(record.FailedTest, "the run was stopped before its end: "+context.Cause(stopping).Error())
	}
	current.run.Beside(noted.sentinels, noted.goldens)
	chat.CloseIdle()
	summary, err := current.run.Finish()
	if err != nil {
		return fmt.Errorf("finish the run: %w", err)
	}
	if summary, err = publishRun(summary); err != nil {
		return fmt.Errorf("report the run: %w", err)
	}
	if err := report.WriteTable(os.Stdout, summary); err != nil {
		return err
	}
	fmt.Printf("run: %s\n", current.run.Dir())
	if stopping.Err() != nil {
		fmt.Printf("to go on: the same command with VAULT_RUN_ID=%s\n", filepath.Base(current.run.Dir()))
	}
	return nil
}

// publishRun writes the run's reports as go tool vault report does, and returns the
// summary with the claim that the record backs. A child of a test is spared it, and
// so is a run whose goldens are being rewritten.
func publishRun(s report.Summary) (report.Summary, error) {
	if *update || os.Getenv(vault.ChildVariable) != "" {
		return s, nil
	}
	run, err := settings.Publish(current.run.Dir(), nil)
	if err != nil {
		return s, err
	}
	p, err := run.Write()
	if err != nil {
		return s, err
	}
	return p.Summary, config.AppendStepSummary(func(w io.Writer) error { return publish.Markdown(w, p) })
}
