#!/bin/bash
# Compares two builds on the same commands: processor times, one core, run by run, and whether results are equal.
#
#   scripts/paired.sh OLD NEW lp|mip|families [RUNS]
#
# For an old build: git worktree add /tmp/old REVISION && (cd /tmp/old && go build -trimpath -ldflags '-s -w' -o /tmp/OLD ./cmd/proxybd).
#   DATA    the instances (../shared/data)
#   IGNORE  fields of results that are not compared, a regular expression
set -euo pipefail
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data}
shopt -s nullglob

lp() { ls "$data"/netlib/*.mps* | head -40 | sed 's/.*/lp & --json --quiet/'; }

mip() {
  for name in air03 bell3a bell5 cap6000 dcmulti egout enigma fiber fixnet6 flugpl gen gesa2 gesa3 gt2 khb05250 l152lav lseu misc03 \
    misc06 misc07 blend2 dsbmip gesa3_o mod008 mod010 p0033 p0201 p0282 p0548 pp08a qiu rentacar rgn stein27 stein45 vpm1 vpm2; do
    for file in "$data"/miplib/$name.mps*; do echo "mip $file --json --quiet"; done
  done | head -30
}

families() {
  for name in cap41 cap71 cap101 cap131; do
    for how in "--method exact" "--scheme bbc" "--method hybrid" "--scheme outer"; do echo "solve $data/cap/$name.txt $how --json --quiet"; done
  done
  for name in MO1 MO3 MP1; do
    for how in "--method exact" "--method hybrid" "--scheme bbc"; do echo "solve $data/ufl/m/$name.gz $how --json --quiet"; done
  done
  for name in r01.1 r02.2 r03.1 r03.4 r04.1; do
    for how in "--method exact" "--method hybrid"; do echo "solve $data/mcnd/$name.dow $how --json --quiet"; done
  done
  for name in f10-c10-s5-r3-1 f10-c10-s25-r3-1; do
    for file in "$data"/stoch/scflp/$name.json*; do echo "solve $file --json --quiet"; done
  done
  for name in readsmps/pgp2/pgp2 readsmps/lands2/lands2 misc/cep/cep; do
    for file in "$data"/smps/$name.cor*; do echo "solve $file --json --quiet"; done
  done
}

case ${3:-} in
lp | mip | families) "$3" | go run ./tools/paired -runs "${4:-5}" -ignore "${IGNORE:-^$}" "$1" "$2" ;;
*) grep '^#   ' "$0" >&2; exit 2 ;;
esac
