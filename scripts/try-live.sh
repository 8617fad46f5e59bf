#!/usr/bin/env bash
# Runs the commands of README's section on live models as they stand, from key to
# report, against the simulated banker that the first of them serves.
set -euo pipefail
cd "$(dirname "$0")/.."

commands=$(awk '/^## /{here = ($0 == "## Live models")} here && /^```/{block = !block; next} here && block' README.md)
serve=$(grep '^go tool vault serve-sim' <<<"$commands") || { echo "README: no serve-sim in the section on live models"; exit 1; }
rest=$(grep -v '^go tool vault serve-sim' <<<"$commands")
run=$(sed -nE 's/.*VAULT_RUN_ID=([A-Za-z0-9-]+).*/\1/p' <<<"$rest" | head -1)
address=$(sed -nE 's/.*--addr ([0-9.]+):([0-9]+).*/\1 \2/p' <<<"$serve")
[[ -n $run && -n $address ]] || { echo "README: the section on live models names no VAULT_RUN_ID or no --addr"; exit 1; }

rm -rf "results/$run" # of an earlier try: a finished run is not gone on with
work=$(mktemp -d)
set -m # a process group of its own: go tool starts a child
bash -c "$serve" >"$work/served" 2>&1 &
server=$!
trap 'kill -- -"$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r host port <<<"$address"
for ((i = 0; ; i++)); do
  (: >"/dev/tcp/$host/$port") 2>/dev/null && break
  if [[ $i -ge 600 ]] || ! kill -0 "$server" 2>/dev/null; then
    echo "serve-sim did not come up:"
    cat "$work/served"
    exit 1
  fi
  sleep 0.2
done

bash -euo pipefail -c "$rest"
for file in report.html summary.md junit.xml summary.json; do
  [[ -s results/$run/$file ]] || { echo "results/$run/$file was not written"; exit 1; }
done
echo "README's live run: from key to results/$run/report.html"
