#!/usr/bin/env bash
# Decision benchmarks in one go: this engine, cedar-go, cel-go and OPA under the
# same policy, passport and requests; the hand-written reference, the decoding of
# the arguments, a bare signature and a receipt beside them.
#
#   scripts/bench-decision.sh [ROUNDS [BENCHTIME]]
#
# Each round is a process that runs every benchmark ten times for BENCHTIME; of all
# runs the fastest counts, since whatever else the machine does only ever adds. Many
# short runs find a quiet moment on a loaded machine, few long ones do not; the first
# run of a process pays for memory that nobody has touched yet.
set -euo pipefail
cd "$(dirname "$0")/compare"
rounds=${1:-12} benchtime=${2:-2ms}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%s, %s cores, load %s\n' "$(go version | cut -d' ' -f3-)" "$(nproc)" "$(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown)"
go list -m -f '{{.Path}} {{.Version}}' github.com/cedar-policy/cedar-go cel.dev/cel-go github.com/open-policy-agent/opa
go test -c -o "$work/bench" .
for ((i = 0; i < rounds; i++)); do
  "$work/bench" -test.run '^$' -test.bench . -test.benchmem -test.cpu 1 -test.count 10 -test.benchtime "$benchtime"
done | awk '
  /^Benchmark/ {
    name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
    for (i = 2; i < NF; i++) {
      if ($(i + 1) == "ns/op" && (!(name in ns) || $i < ns[name])) ns[name] = $i
      if ($(i + 1) == "cpu-ns/op" && (!(name in cpu) || $i < cpu[name])) cpu[name] = $i
      if ($(i + 1) == "allocs/op" && (!(name in allocs) || $i < allocs[name])) allocs[name] = $i
    }
    if (!(name in seen)) { seen[name] = 1; order[++n] = name }
    next
  }
  /^(FAIL|---|panic)/ { print; failed = 1 }
  function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
  function say(what, got, want, reached) { printf "%-66s %9.2f  want %-8s %s\n", what, got, want, reached ? "reached" : "MISSED" }
  END {
    if (failed || n == 0) exit 1
    printf "\n%-24s %10s %10s %10s\n", "benchmark", "ns/op", "cpu-ns/op", "allocs/op"
    for (i = 1; i <= n; i++) printf "%-24s %10.0f %10.0f %10d\n", order[i], ns[order[i]], cpu[order[i]], allocs[order[i]]
    engine = ns["Decision/engine"]
    other = least(ns["Decision/cedar"], ns["Decision/cel"], ns["Decision/opa"]) / engine
    ready = least(ns["Prepared/cedar"], ns["Prepared/cel"], ns["Prepared/opa"]) / engine
    growth = ns["History/100000"] / ns["History/0"]
    print ""
    say("decision with reasons, µs", engine / 1000, "<= 1", engine <= 1000)
    say("allocations of a decision", allocs["Decision/engine"], "<= 5", allocs["Decision/engine"] <= 5)
    say("fastest other / engine, from the request", other, ">= 3", other >= 3)
    say("fastest other with its input ready made / engine", ready, "(no target)", 1)
    say("raw arguments to decision, through dispatch, µs", ns["Arguments/dispatch"] / 1000, "<= 3", ns["Arguments/dispatch"] <= 3000)
    bytes = ns["Signature/receipt"] / ns["Signature/bytes"]
    say("signed canonical receipt / bare signature of the same bytes", bytes, "<= 1.3", bytes <= 1.3)
    digest = ns["Signature/receipt"] / ns["Signature/digest"]
    say("signed canonical receipt / bare signature of 32 bytes", digest, "<= 1.3", digest <= 1.3)
    say("after 100,000 decisions / after none", growth, "<= 1.2", growth <= 1.2)
  }'
