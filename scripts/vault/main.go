// Command vault is the suite's companion: go tool vault --help. The benchmark
// itself is a Go test (vault_test).
//
// Exit status: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"vaultbench/internal/escape"
	"vaultbench/internal/ingest"
)

// commands are the command line; each leaf has a Run method.
type commands struct {
	Plan     planCommand     `cmd:"" help:"Say what the benchmark would run, and what it would cost, under the present environment; asks no model."`
	Import   importCommand   `cmd:"" help:"Bring in other people's data: runs, logs of conversations, outcome rows, attacks. Status 1 if a row was rejected."`
	Export   exportCommand   `cmd:"" help:"Write a run's outcomes, prompts and transcripts as Parquet, JSON Lines and CSV, with a datasheet and one digest."`
	Attacks  attacksCommand  `cmd:"" help:"Read, check and extend the corpus of attacks."`
	Verify   verifyCommand   `cmd:"" help:"Check a run's signatures, receipts and transfers against each other."`
	Verdict  verdictCommand  `cmd:"" help:"Say what a run's record comes to. Status 0 pass, 1 violation or golden difference, 2 wrong usage, 3 inconclusive, 4 budget used up, 130 interrupted."`
	Diff     diffCommand     `cmd:"" help:"Compare two runs, or two folders of goldens, cell by cell and attack by attack. Status 0 if they agree, 1 if anything differs or is missing, 2 if it can't be told."`
	Judge    judgeCommand    `cmd:"" help:"Have a panel of judges label a run's evaluations, and say how far they agree with the ledger and with each other."`
	Merge    mergeCommand    `cmd:"" help:"Join the finished runs of all shards of a grid into the run of the whole."`
	Report   reportCommand   `cmd:"" help:"Write a finished run's reports again, from its record alone."`
	Serve    serveCommand    `cmd:"" help:"Show a finished run's report over its whole record, on 127.0.0.1 alone."`
	JWKS     jwksCommand     `cmd:"" name:"jwks" help:"Print the public key that signed a run, as a JWKS."`
	Mutate   mutateCommand   `cmd:"" help:"Break the shipped passports and pack in every single way, and list what would go unnoticed."`
	Packs    packsCommand    `cmd:"" help:"List the rules of every pack of a folder: compiled or refused, and the limits that they read."`
	Decide   decideCommand   `cmd:"" help:"Decide about one payment, and say why."`
	Lint     lintCommand     `cmd:"" help:"Warn of traps in passports."`
	Paper    paperCommand    `cmd:"" help:"Recompute the paper's published figures from its released outcome rows. Status 1 if one differs."`
	Redecide redecideCommand `cmd:"" help:"Decide a finished run's payment requests again under other passports, and list what flips. Status 1 if anything does, 2 if it can't be told."`
	ServeSim serveSimCommand `cmd:"" name:"serve-sim" help:"Serve a simulated banker to any OpenAI-compatible client, and print the base URL."`
}

// errorWriter is standard error, for commands that have more to say than an error.
type errorWriter struct{ io.Writer }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) (status int) {
	var c commands
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("vault"), kong.Description("Companion of the vault benchmark; the benchmark itself is go test ./vault_test."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.BindTo(stdout, (*io.Writer)(nil)), kong.Bind(errorWriter{stderr}),
	)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "vault:", err)
		return 2
	}
	bare := len(args) == 0
	if bare || args[0] == "help" {
		args = append(slices.Clone(args[min(1, len(args)):]), "--help")
	}
	ctx, err := parser.Parse(args)
	if bare && exited == 0 {
		return 2 // the commands are listed, and none was named
	}
	if exited >= 0 { // --help was served
		return exited
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "vault:", escape.Line(err.Error())+": see go tool vault --help")
		return 2
	}
	if name := emptyValue(ctx); name != "" {
		_, _ = fmt.Fprintf(stderr, "vault: %s is empty: give it a value or leave it out (is a variable not set?)\n", escape.Line(name))
		return 2
	}
	if err := ctx.Run(); err != nil {
		_, _ = fmt.Fprintln(stderr, "vault:", escape.Line(err.Error()))
		var misfit *ingest.Misfit
		if errors.As(err, &misfit) { // to be copied, so line by line
			for line := range strings.Lines(misfit.Draft) {
				_, _ = fmt.Fprintln(stderr, escape.Line(strings.TrimSuffix(line, "\n")))
			}
		}
		return statusOf(err)
	}
	return 0
}

// emptyValue names a flag or argument that was given as an empty text, or "". It would
// count as left out, and --out "" would write to the module's own files.
func emptyValue(ctx *kong.Context) string {
	for _, p := range ctx.Path {
		switch {
		case p.Flag != nil && ctx.FlagValue(p.Flag) == "":
			return "--" + p.Flag.Name
		case p.Positional != nil && ctx.Value(p).Kind() == reflect.String && ctx.Value(p).Len() == 0:
			return "the argument " + p.Positional.Summary()
		}
	}
	return ""
}
