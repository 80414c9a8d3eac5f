#!/bin/bash
# One held-out instance each of the largest shapes by every method, ten minutes a run at most. The models are trained on
# few instances for a few minutes: this looks at limits, memory and bounds, not at speed.
# Variables as in paper-small.sh; the folder is report/scale, and SHAPES may name fewer shapes.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${PROXYBD:-bin/proxybd}
dir=${DIR:-report/scale}
limit=${LIMIT:-10m}
shapes=${SHAPES:-cap:1000x100 ufl:1000x1000 ufl:2000x2000 mcndp:10x83x50}
export GOMAXPROCS=1
flags=()
for s in $shapes; do flags+=(--shape "$s"); done
mkdir -p "$dir"
"$bin" split -o "$dir" "${flags[@]}" --bases 4 --train 3 --validation 1 --test 1
"$bin" states "$dir" --time-limit 1m --recorded 100 --designs 50
"$bin" train "$dir" --preset fast --time-limit 5m
"$bin" eval "$dir" --time-limit "$limit" --methods exact,aggregated,proxy,hybrid
"$bin" report "$dir" --title "Check of scale"
