#!/usr/bin/env bash
# Times go tool vault report on a run of 250,000 evaluations, and its peak memory:
# the benchmark's own cells, each attack replayed 17 times. Then opens the page in
# Chromium: it must be below 10 MB and of use within 3 s. usage: scripts/bench-report.sh [trials]
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
# The figures alone: no files, no signatures.
go test -run '^$' -bench '^BenchmarkFigures$' -benchtime 3x ./internal/report | grep s/report
size=$(stat -c %s "$work/results/latest/report.html")
awk -v n="$size" 'BEGIN { printf "report.html: %.1f MB\n", n / 1e6; exit n >= 10e6 }'
run=$(realpath "$work/results/latest")
cd scripts/browser
REPORT_RUN=$run go test -count=1 -run '^$' -bench '^BenchmarkOpening$' -benchtime 5x . | tee "$work/opening" | grep -E '^(---|FAIL)' || true
awk '/^BenchmarkOpening/ {
  for (i = 3; i < NF; i++) { if ($(i + 1) == "ms/loaded") loaded = $i; if ($(i + 1) == "ms/usable") usable = $i }
  seen = 1
  printf "opened: loaded after %.2f s, first filters applied after %.2f s (slowest of 5)\n", loaded / 1000, usable / 1000
}
END { exit !seen || usable > 3000 }' "$work/opening"
