package vault_test

import (
	"fmt"
	"os"

	"vaultbench/passports"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// refuse ends a process in which each test would only say again why it can't run.
func refuse() {
	if testFlag("list") != "" {
		return
	}
	if _, _, err := settings.Load(); err != nil {
		fmt.Fprintln(os.Stderr, "vault: inconclusive: nothing was run:", err)
		os.Exit(1)
	}
	if err := pinned.CheckPolicies(passports.FS); err != nil {
		os.Exit(refusePolicies(err))
	}
	spare, err := pinned.SparePassports(passports.FS)
	for _, file := range spare {
		fmt.Fprintf(os.Stderr, "vault: note: passports/%s: no level and no tool map decides by this passport\n", file)
	}
	if err != nil {
		os.Exit(refusePolicies(err))
	}
}

// refusePolicies leaves a run without a cell, whose verdict is inconclusive for the
// one reason that there is: each test would only say it again.
func refusePolicies(reason error) int {
	reason = fmt.Errorf("the policy can't be used and nothing was run: %w", reason)
	fmt.Fprintln(os.Stderr, "vault: inconclusive:", reason)
	if *update {
		return 1
	}
	_, err := openBench()
	if err == nil {
		noted.refused = reason.Error()
		err = finishRun(true)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vault:", err)
	}
	return 1
}
