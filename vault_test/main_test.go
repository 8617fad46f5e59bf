package vault_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaultbench/internal/config"
	"vaultbench/internal/report"
)

// update is the one flag of the suite; every other knob is a variable.
var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain runs the tests and then closes the run, if one was begun: its files
// are written after the last cell, whatever the cells came to.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := checkFlags(); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		os.Exit(2)
	}
	code := m.Run()
	if err := finishRun(code != 0); err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
		code = max(code, 1)
	}
	if *update {
		code = max(code, rewriteGoldens())
	}
	os.Exit(code)
}

// rewriteGoldens ends with status 1 where a file changed, as hooks that rewrite
// files do: go test shows the output of a package that passes to nobody.
func rewriteGoldens() int {
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
	if err := matchesSomeTest(run); err != nil {
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
	_, options, err := configure()
	if err != nil {
		return err
	}
	return checkUpdate(options)
}

func testFlag(name string) string {
	f := flag.Lookup("test." + name)
	if f == nil {
		return ""
	}
	return f.Value.String()
}

// matchesSomeTest makes a -run pattern that selects no test an error: go test
// itself would say "no tests to run" and pass. A pattern below a test's name is
// checked by the test.
func matchesSomeTest(pattern string) error {
	if pattern == "" {
		return nil
	}
	names, err := testNames()
	if err != nil {
		return err
	}
	for _, alternative := range alternatives(pattern) {
		top, _, _ := strings.Cut(alternative, "/")
		re, err := regexp.Compile(top)
		if err != nil || slices.ContainsFunc(names, re.MatchString) {
			return nil // go test reports a bad pattern itself
		}
	}
	return fmt.Errorf("inconclusive: -run %q matches no test: the tests are %s", pattern, strings.Join(names, ", "))
}

// alternatives splits a pattern at the bars that stand outside brackets, as go
// test does.
func alternatives(pattern string) []string {
	if strings.ContainsAny(pattern, "()[]") {
		return []string{pattern}
	}
	return strings.Split(pattern, "|")
}

// testNames reads the names from the sources beside the test, where go test
// runs it.
func testNames() ([]string, error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && testName.MatchString(fn.Name.Name) {
				names = append(names, fn.Name.Name)
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
	if failed {
		current.run.Fail("a test failed: see its log; the cells alone do not say that the run passed")
	}
	summary, err := current.run.Finish()
	if err != nil {
		return fmt.Errorf("finish the run: %w", err)
	}
	if err := report.WriteTable(os.Stdout, summary); err != nil {
		return err
	}
	fmt.Printf("run: %s\n", current.run.Dir())
	return nil
}
