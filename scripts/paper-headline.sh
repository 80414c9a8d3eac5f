#!/bin/bash
# The paper's headline figure: ufl of 2000x2000, the paper's network and scheme, networks trained on variants of some bases
# and tested on two variants of another. It prints speedup, gap and cuts beside the paper's 161x, .48% and 240 times fewer
# cuts, and where the factor comes from. Every stage skips what is there: a run that was stopped is continued by starting it
# again. On a cluster, `proxybd slurm DIR` prints the same stages as job arrays.
#
#   PROXYBD  the program             (bin/proxybd)
#   DIR      the experiment's folder (report/headline); the page is DIR/report/report.html
#   DATA     real base instances     (../shared/data; without them all bases are generated)
#   SHAPE    the shape               (ufl:2000x2000)
#   TRAINING time for the network, of its budget of 2^20 steps (2h)
#   LIMIT    of a run (10m; the paper has 1h), ORACLE: of a run for states (2m)
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${PROXYBD:-bin/proxybd}
dir=${DIR:-report/headline}
data=${DATA:-../shared/data}
export GOMAXPROCS=${GOMAXPROCS:-1}
mkdir -p "$dir"

shopt -s nullglob
bases=("$data"/ufl/m/M[PQRST]?.gz)
"$bin" split -o "$dir" --shape "${SHAPE:-ufl:2000x2000}" --bases 4 --train 2 --validation 1 --test 2 -q ${bases[@]+"${bases[@]}"}
"$bin" states "$dir" --preset paper --time-limit "${ORACLE:-2m}" -q
"$bin" train "$dir" --preset paper --time-limit "${TRAINING:-2h}"
"$bin" eval "$dir" --time-limit "${LIMIT:-10m}" \
  --methods exact/paper,aggregated/paper,proxy/paper,proxy+zero/paper,proxy+random/paper,start,exact
"$bin" report "$dir" -q --title "The paper's headline"
sed -n '/^Table 5/,/^[A-SU-Z].*(.*)[.]$/p' "$dir/report/report.txt"
