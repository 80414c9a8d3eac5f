#!/bin/bash
# A run of several processes over a bad network: two network namespaces of this machine, joined by a link that delays packets
# by 20 ms and loses one in a hundred (tools/lossylink), and then also one that is cut for some seconds at a random moment.
# Every number of the result but times is that of one process. Needs root, Debian's iproute2 and /dev/net/tun.
#
#   scripts/network-test.sh [RUNS]      runs with a cut link (20)
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-20}
program=$PWD/bin/proxybd
source scripts/result.sh
command -v ip > /dev/null || apt-get install -y --no-install-recommends iproute2 > /dev/null
work=$(mktemp -d)
${GO:-go} build -o "$work/lossylink" ./tools/lossylink

link=
cleanup() {
  [ -z "$link" ] || kill "$link" 2> /dev/null || true
  ip netns del proxybd-a 2> /dev/null || true
  ip netns del proxybd-b 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
ip netns add proxybd-a
ip netns add proxybd-b
"$work/lossylink" -a proxybd-a -b proxybd-b -delay 20ms -drop 0.01 > "$work/link.log" &
link=$!
for _ in $(seq 50); do grep -q joined "$work/link.log" && break; sleep 0.1; done

cd "$work"
"$program" generate --family scflp --class 25x30:600 --seed 3 -o . > /dev/null
solve=("$program" solve "$(ls scflp*)" --gap 1e-4 --json --quiet --threads 1)
"${solve[@]}" > one.json

# spread NAME: one run, its master on one side of the link and two workers on the other
spread() {
  ip netns exec proxybd-a "${solve[@]}" --cluster file:"$work/run" > "$1.json" 2> "$1.err" &
  coordinator=$!
  workers=
  for _ in 1 2; do
    ip netns exec proxybd-b "$program" worker --cluster file:"$work/run" --threads 1 --quiet 2> /dev/null &
    workers="$workers $!"
  done
}
finish() {
  wait $coordinator
  for p in $workers; do wait "$p" || true; done
  [ "$(result "$1.json")" = "$(result one.json)" ] || { result "$1.json"; result one.json; echo "$1: another result" >&2; exit 1; }
}

begin=$SECONDS
spread lossy
finish lossy
jobs=$(grep -o '"jobs":[0-9]*' lossy.json | tail -n +2 | tr -dc '0-9\n' | paste -sd+ | bc)
echo "20 ms and 1% lost: the same result after $((SECONDS - begin)) s, $jobs jobs beyond the link"
[ "$jobs" -gt 0 ]

for k in $(seq "$runs"); do
  spread cut
  sleep "$((RANDOM % 3)).$((RANDOM % 900 + 100))"
  kill -USR1 $link
  sleep "$((RANDOM % 4 + 1))"
  kill -USR1 $link
  finish cut
done
echo "$runs runs with a link that is cut for 1 to 4 s: the same result each time"
