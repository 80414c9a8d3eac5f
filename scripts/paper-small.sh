#!/bin/bash
# The paper's experiment at reduced scale, all three families: its networks and runs beside ours, with the controls of both.
# Small shapes have TEST held-out variants, large ones three. Every stage skips what is there, so that a run that was stopped
# is continued by starting it again.
#
#   PROXYBD  the program             (bin/proxybd)
#   DIR      the experiment's folder (report/small); the page is DIR/report/report.html
#   DATA     real base instances     (../shared/data; without them all bases are generated)
#   CORES    processes at a time     (2)
#   TEST     held-out variants of a small shape (40)
#   PAPER    time for a network of the paper, of its budget of 2^20 or 2^17 steps (1h); OURS: for one of ours (10m)
#   LIMIT    of a run of a small shape (60s), LARGE: of a large one (10m), ORACLE: of a run for states (10s)
#   REPEATS  how often a run of under a second is done; its time is the median (3)
#   SHAPES   small shapes; BIG: large ones, "" for none
#   BASES    bases a shape at least, generated where there are fewer (16); TRAIN: training variants a shape (32)
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${PROXYBD:-bin/proxybd}
dir=${DIR:-report/small}
data=${DATA:-../shared/data}
cores=${CORES:-2}
test=${TEST:-40}
train=${TRAIN:-32}
small=${SHAPES-"cap:50x16 cap:50x25 cap:50x50 ufl:200x200 ufl:300x300 ufl:500x500 mcndp:10x35x50 mcndp:10x60x50"}
big=${BIG-"cap:1000x100 ufl:1000x1000 ufl:2000x2000 mcndp:10x83x50"}
mkdir -p "$dir"

# stage COMMAND ARGS...: a stage by as many processes as there are cores to use.
stage() {
  local began=$SECONDS
  if ! "$bin" "$1" "$dir" "${@:2}" --jobs "$cores" >> "$dir/$1.log" 2>&1; then
    tail -n 3 "$dir/$1.log"
    exit 1
  fi
  echo "$(date +%T) $* : $((SECONDS - began)) s"
}

# each FLAG WORDS...: the flag before every word.
each() { for s in "${@:2}"; do printf -- '%s %s ' "$1" "$s"; done; }

bases=()
if [ -d "$data" ]; then
  bases=("$data"/cap/cap[4-7]?.txt "$data"/cap/cap[89]?.txt "$data"/cap/cap1??.txt "$data"/ufl/m/M[PQRST]?.gz
    "$data"/mcnd/r03.?.dow "$data"/mcnd/r06.?.dow "$data"/mcnd/r09.?.dow)
  for f in capa capb capc; do
    for capacity in 8000 10000 12000 14000; do bases+=("$data/cap/$f.txt.gz@$capacity"); done
  done
  shopt -s nullglob
  found=()
  for f in "${bases[@]}"; do [ -e "${f%@*}" ] && found+=("$f"); done
  bases=("${found[@]}")
fi
# shellcheck disable=SC2046
"$bin" split -o "$dir" --bases "${BASES:-16}" --train "$train" --validation 8 --test "$test" $(each --shape $small $big) "${bases[@]}"

ours="exact,aggregated,start,proxy,proxy+zero,proxy+random,hybrid"
bare="exact/plain,aggregated/plain,proxy/plain,proxy+zero/plain,proxy+random/plain"
paper="exact/paper,proxy/paper,proxy+zero/paper,proxy+random/paper"
classic="exact/classic,proxy/classic,proxy+zero/classic"

# methods FAMILY: what is compared. ufl has Appendix C beside the rest.
methods() { if [ "$1" = ufl ]; then echo "$ours,$bare,$paper,$classic"; else echo "$ours,$bare,$paper"; fi; }

# run LIMIT HELD SHAPES...: all stages of some shapes.
run() {
  local limit=$1 held=$2
  shift 2
  [ $# = 0 ] && return
  # shellcheck disable=SC2046
  stage states $(each --shape "$@") --time-limit "${ORACLE:-10s}"
  stage states $(each --shape "$@") --time-limit "${ORACLE:-10s}" --preset paper
  stage train $(each --shape "$@") --time-limit "${OURS:-10m}"
  stage train $(each --shape "$@") --time-limit "${PAPER:-1h}" --preset paper
  for s in "$@"; do
    stage eval --shape "$s" --time-limit "$limit" --limit "$held" --repeats "${REPEATS:-3}" --methods "$(methods "${s%%:*}")"
  done
}
run "${LIMIT:-60s}" 0 $small
run "${LARGE:-10m}" 3 $big
"$bin" report "$dir" --title "The experiment at reduced scale" > "$dir/report.log"
echo "$dir/report/report.html"
