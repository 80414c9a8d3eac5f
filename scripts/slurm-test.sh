#!/bin/bash
# Runs a tiny experiment through `proxybd slurm` on a real Slurm with one node, this machine: munged, slurmctld and slurmd
# in a folder of their own, stopped at the end. Needs root, and Debian's slurm-wlm, which is installed if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${PROXYBD:-bin/proxybd}")
[ "$(id -u)" = 0 ] || { echo "slurm-test needs root" >&2; exit 1; }
source scripts/slurm-node.sh

# the experiment, once by job arrays and once without Slurm
for d in arrays plain; do
  "$bin" split -q -o "$work/$d" --shape ufl:20x20 --shape cap:20x10 --train 4 --validation 2 --test 4 --bases 4
done
cd "$work"
"$bin" slurm arrays --binary "$bin" --shards 3 --preset fast --time-limit 30s --wall 10:00 --memory 100M > submit.sh
sed -i "s/ train arrays --preset fast/& --steps 500/" submit.sh
bash submit.sh
for _ in $(seq 300); do
  [ -z "$(squeue -h)" ] && break
  sleep 1
done
squeue
[ -s arrays/report/report.html ] || { tail -n 20 ./*.log; echo "no report" >&2; exit 1; }
export GOMAXPROCS=1
"$bin" states plain -q --time-limit 30s
"$bin" train plain -q --steps 500
"$bin" eval plain -q --time-limit 30s
"$bin" report plain > plain.txt

# the same designs, bounds and cuts, whatever ran them
results() {
  cat "$1"/results/*.jsonl | sed -E 's/,"trace":.*//; s/"(seconds_by_part|repair)":\{[^}]*\},?//g; s/"(version|host|started)":"[^"]*",//g; s/"(seconds|load_seconds|peak_memory|repeats)":[^,]*,//g' | sort
}
ls arrays/states arrays/results
if diff <(results arrays) <(results plain) > diff.txt; then
  echo "slurm-test: $(results plain | wc -l) runs, the same by job arrays as without"
else
  head -c 2000 diff.txt
  exit 1
fi
