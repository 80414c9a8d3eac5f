#!/bin/bash
# The paper's experiment at reduced scale: all three families, twelve held-out instances a shape. Every stage skips what
# is there, so that a run that was stopped is continued by starting it again.
#
#   PROXYBD  the program            (bin/proxybd)
#   DIR      the experiment's folder (report/small); the page is DIR/report/report.html
#   DATA     real base instances     (../shared/data; without them all bases are generated)
#   CORES    shards at a time        (2)
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${PROXYBD:-bin/proxybd}
dir=${DIR:-report/small}
data=${DATA:-../shared/data}
cores=${CORES:-2}
export GOMAXPROCS=1
mkdir -p "$dir"

# stage COMMAND ARGS...: the shards of a stage, side by side.
stage() {
  local began=$SECONDS pids=() failed=0 name=$1
  for i in $(seq "$cores"); do
    "$bin" "$1" "$dir" "${@:2}" --shard "$i/$cores" >> "$dir/$name-$i.log" 2>&1 &
    pids+=($!)
  done
  for p in "${pids[@]}"; do wait "$p" || failed=1; done
  echo "$(date +%T) $* : $((SECONDS - began)) s"
  if [ $failed != 0 ]; then
    tail -n 3 "$dir/$name"-*.log
    exit 1
  fi
}

bases=()
if [ -d "$data" ]; then
  bases=("$data"/cap/cap[4-7]?.txt "$data"/cap/cap[89]?.txt "$data"/cap/cap1??.txt "$data"/ufl/m/M[PQR]?.gz
    "$data"/mcnd/r03.?.dow "$data"/mcnd/r06.?.dow)
fi
"$bin" split -o "$dir" --train 16 --validation 6 --test 12 \
  --shape cap:50x16 --shape cap:50x25 --shape cap:50x50 \
  --shape ufl:200x200 --shape ufl:300x300 --shape ufl:500x500 \
  --shape mcndp:10x35x50 --shape mcndp:10x60x50 "${bases[@]}"

stage states --time-limit 10s
stage train --preset fast --time-limit 3m
# plain: neither starting designs nor local search, as in the paper, so that nothing but the cuts differs.
stage eval --shape cap --time-limit 60s --methods exact,exact/plain,aggregated,aggregated/plain,proxy,proxy/plain,hybrid
stage eval --shape mcndp --time-limit 60s --methods exact,exact/bbc,aggregated,proxy,proxy/plain,hybrid
stage eval --shape ufl --time-limit 40s --methods exact,exact/bbc,aggregated,proxy,proxy/plain,hybrid
"$bin" report "$dir" --title "The experiment at reduced scale" > "$dir/report.log"
echo "$dir/report/report.html"
