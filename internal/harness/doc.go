// Package harness tests the benchmark as a program: what it does when it is started
// with these variables and flags, stopped, divided, or asked to spend too much. No
// policy changes an outcome here, so vault_test, which answers a change of a policy,
// does without. What a suite makes of a provider's faults is tested in llm/chat.
package harness
