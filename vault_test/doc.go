// Package vault is the benchmark: a test suite that replays attacks on a payment
// agent and judges by the ledger what was paid. See README.md.
//
//	go test -count=1 ./vault_test
//	go test -count=1 -v -run 'TestVault/sim-gullible/l2/multi/oap' ./vault_test
package vault
