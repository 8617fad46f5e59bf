#!/usr/bin/env bash
# Times go tool vault report on a run of 250,000 evaluations, and its peak memory:
# the benchmark's own cells, each attack replayed 17 times. usage: scripts/bench-report.sh [trials]
set -euo pipefail
cd "$(dirname "$0")/.."
trials=${1:-17}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/vault" ./scripts/vault
VAULT_TRIALS=$trials VAULT_RESULTS=$work/results go test -count=1 -timeout 0 -run 'TestVault|TestRecordings' ./vault_test >"$work/log" 2>&1 || true
wc -l "$work/results/latest/evaluations.jsonl" | awk '{print $1, "evaluations"}'
before=$(date +%s.%N)
"$work/vault" report "$work/results/latest" &
pid=$!
peak=0
while now=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n $now ]]; do
  peak=$now
  sleep 0.05
done
wait "$pid"
awk -v a="$before" -v b="$(date +%s.%N)" -v kib="$peak" 'BEGIN { printf "%.1f s, peak %.0f MiB\n", b - a, kib / 1024 }'
ls -l "$work/results/latest/report.html" | awk '{printf "report.html: %.1f MB\n", $5 / 1e6}'
