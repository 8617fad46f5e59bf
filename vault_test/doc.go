// Package vault is the benchmark: a test suite that replays attacks on a payment
// agent and judges by the ledger what was paid. See README.md.
//
//	go test -count=1 ./vault_test
//	go test -count=1 -v -run 'TestVault/sim-gullible/l2/multi/oap' ./vault_test
package vault

// ChildVariable tells the benchmark that a test started it: a child writes no
// reports, which nobody reads.
const ChildVariable = "VAULTBENCH_CHILD"

// Hasty is the value of a child that stops after a tenth of its time and not a tenth
// before the end: however slow the machine, the rest is enough to write its files.
const Hasty = "hasty"
