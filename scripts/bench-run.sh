#!/usr/bin/env bash
# What the simulated path does in a second, and what a run of a quarter of a
# million evaluations takes: memory, time for each, and the wait for a resume.
# Processor time is what to compare: two busy processors do 2,000,000 / (µs of
# processor time for one evaluation) evaluations a second.
set -euo pipefail
cd "$(dirname "$0")/.."
go test ./vault_test -run '^$' -count=1 -bench '^BenchmarkSimulated$' -benchtime 5x -timeout 10m
go test ./vault_test -run '^$' -count=1 -bench '^BenchmarkQuarterMillion$' -benchtime 1x -timeout 30m -v
