#!/usr/bin/env bash
# The path of a live evaluation against a bare openai-go loop, both against a server
# of fixed replies on this machine, in one go: same prompts, tools and number of
# requests, a conversation of two requests each. Ours is the whole of it: budget,
# limiter, client, agent loop, policy engine, ledger, journal on disk.
#
#   scripts/bench-live.sh [ROUNDS [REQUESTS]]
#
# Both run in turn, ROUNDS times; the medians count. Read the ratios: they are of
# the same minutes, whatever else the machine does.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5} requests=${2:-20000}
work=$(mktemp -d)
server=
cleanup() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

printf '%s, %s cores, load %s\n' "$(go version | cut -d' ' -f3-)" "$(nproc)" "$(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown)"
go list -m -f '{{.Path}} {{.Version}}' github.com/openai/openai-go/v3
go build -o "$work/benchlive" ./scripts/benchlive

# measure DELAY WORKERS
measure() {
  rm -f "$work/url"
  "$work/benchlive" serve --delay "$1" >"$work/url" &
  server=$!
  until [[ -s $work/url ]]; do sleep 0.05; done
  for ((i = 0; i < rounds; i++)); do
    for mode in bare ours; do
      "$work/benchlive" "$mode" --url "$(cat "$work/url")" --requests "$requests" --workers "$2" | sed "s/^/delay $1 workers $2 /"
    done
  done
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}

{
  measure 0ms 16
  measure 50ms 100
} | tee "$work/lines"

awk '
  function median(list, n,   i, j, t) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
  }
  function of(delay, mode, field,   i, k, list) {
    k = 0
    for (i = 1; i <= NR; i++) if (line[i, "delay"] == delay && line[i, "mode"] == mode) list[++k] = line[i, field]
    return median(list, k)
  }
  function say(what, got, want, reached) {
    printf "%-58s %9.2f  want %-8s %s\n", what, got, want, reached ? "reached" : "MISSED"
    missed += !reached
  }
  {
    line[NR, "delay"] = $2; line[NR, "mode"] = $5
    for (i = 6; i < NF; i += 2) line[NR, $i] = $(i + 1)
  }
  END {
    for (i = 1; i <= NR; i++) if (line[i, "mode"] == "ours" && line[i, "peak-MiB"] > peak) peak = line[i, "peak-MiB"]
    zero = of("0ms", "ours", "requests/s") / of("0ms", "bare", "requests/s")
    fifty = of("50ms", "ours", "requests/s") / of("50ms", "bare", "requests/s")
    rate = of("0ms", "ours", "evaluations/s")
    printf "\n"
    say("0 ms: requests/s, share of the bare loop", zero, ">=0.70", zero >= 0.70)
    say("0 ms: evaluations/s, two requests each", rate, ">=2400", rate >= 2400)
    say("50 ms, 100 under way: requests/s, share of the bare loop", fifty, ">=0.95", fifty >= 0.95)
    say("peak of memory, MiB", peak, "<=100", peak <= 100)
    printf "medians of requests/s: bare %.0f ours %.0f at 0 ms, bare %.0f ours %.0f at 50 ms; cpu-us/request at 0 ms: bare %.0f ours %.0f\n",
      of("0ms", "bare", "requests/s"), of("0ms", "ours", "requests/s"), of("50ms", "bare", "requests/s"), of("50ms", "ours", "requests/s"),
      of("0ms", "bare", "cpu-us/request"), of("0ms", "ours", "cpu-us/request")
    exit missed > 0
  }' "$work/lines"
