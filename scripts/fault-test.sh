#!/bin/bash
# Runs of three processes that are hurt at random moments. RUNS with a worker that is killed, which in every second run
# is replaced: every number of the result but times is that of one process. A fifth as many with the first process killed
# and the same command started again: the same optimum. A fifth as many that get SIGTERM, the first process alone or all
# three: a design and a bound within 10 s, no process left, and no file but those that were named.
#
#   scripts/fault-test.sh [RUNS]      100
#   SEED                              of the moments (1)
#   PARTS                             of worker, first and term, those that are run
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-100}
few=$(((runs + 4) / 5))
parts=" ${PARTS:-worker first term} "
RANDOM=${SEED:-1}
program=${PROXYBD:-$PWD/bin/proxybd}
source scripts/result.sh
work=$(mktemp -d)
mkdir "$work/run.d"
cd "$work/run.d"

# now: milliseconds; pause N: sleeps for a random part of N milliseconds
now() { echo $(($(date +%s%N) / 1000000)); }
pause() { local at=$(((RANDOM * 32768 + RANDOM) % $1)); sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"; }
fail() { echo "$1 (SEED=${SEED:-1}; $work)" >&2; exit 1; }

# start: the first process, and two workers; worker: one more, as the job in the background
worker() { "$program" worker --cluster file:"$PWD/run" --threads 1 --quiet 2>> worker.err & }
start() {
  rm -f run worker.err
  "${solve[@]}" --cluster file:"$PWD/run" > out.json 2> out.err &
  first=$!
  worker; second=$!
  worker; third=$!
  others="$second $third"
}
# settle: every worker that is left ends, whatever it returns
settle() { for p in $others; do wait "$p" 2> /dev/null || true; done; }
# only FILES: the folder has these and the files of this script
only() {
  local found
  found=$(ls -A | grep -vxE "$1|one.json|out.json|out.err|worker.err|solve.log" || true)
  [ -z "$found" ] || fail "files that nobody named: $found"
}

"$program" generate --family scflp --class 20x25:300 --seed 3 -o . > /dev/null
instance=$(ls scflp*)
solve=("$program" solve "$instance" --gap 1e-4 --json --quiet --threads 1)
"${solve[@]}" > one.json
want=$(result one.json)
begin=$(now)
start
wait $first || fail "a run of three processes"
settle
length=$(($(now) - begin))
[ "$(result out.json)" = "$want" ] || fail "three processes: another result"

hurt=0
replaced=0
[[ $parts = *" worker "* ]] || runs=0
for k in $(seq "$runs"); do
  start
  victim=$second
  [ $((RANDOM % 2)) = 0 ] || victim=$third
  pause $length
  [ ! -e run ] || hurt=$((hurt + 1))
  kill -9 "$victim" 2> /dev/null || true
  wait "$victim" 2> /dev/null || true
  if [ $((k % 2)) = 0 ] && [ -e run ]; then
    worker; others="$others $!"
    replaced=$((replaced + 1))
  fi
  wait $first || { cat out.err; fail "run $k: a worker was killed, and the run failed"; }
  settle
  [ "$(result out.json)" = "$want" ] || fail "run $k: another result after the loss of a worker"
  only "$instance"
done
[ "$runs" = 0 ] || echo "$runs runs of about $length ms, a worker killed in $hurt of them and replaced in $replaced: the same result each time"

# The state is saved with each better design that the tree finds: every second run is killed when there is one. Workers
# that are left find the new first process, or end.
objective() { sed -E 's/.*"status":"optimal","objective":([0-9.e+]*).*/\1/' "$1"; }
solve=("$program" solve "$instance" --gap 1e-6 --json --quiet --threads 1 --checkpoint state)
begin=$(now)
start
wait $first || fail "a run with a checkpoint"
settle
length=$(($(now) - begin))
rm -f state
want=$(objective out.json)
hurt=0
resumed=0
restarts=$few
[[ $parts = *" first "* ]] || restarts=0
for k in $(seq "$restarts"); do
  start
  if [ $((k % 2)) = 0 ]; then
    while [ ! -e state ] && kill -0 $first 2> /dev/null; do sleep 0.02; done
    pause $((length / 8))
  else
    pause $length
  fi
  ! kill -9 $first 2> /dev/null || hurt=$((hurt + 1))
  wait $first 2> /dev/null || true
  [ ! -e state ] || resumed=$((resumed + 1))
  left=$others
  start
  others="$others $left"
  wait $first || { cat out.err; fail "restart $k failed"; }
  settle
  got=$(objective out.json)
  awk -v a="$got" -v b="$want" 'BEGIN { d = a - b; exit !(d <= 2e-6 * b && -d <= 2e-6 * b) }' || fail "restart $k: $got, not $want"
  only "$instance|state"
  rm -f state
done
[ "$restarts" = 0 ] || echo "$restarts runs of about $length ms, the first process killed in $hurt and begun again, $resumed from a state: the same optimum"

# A program that is far from solved when the signal comes.
"$program" generate --family scflp --class 80x80:300 --seed 4 -o . > /dev/null
long=$(ls scflp80*)
solve=("$program" solve "$long" --gap 1e-9 --json --quiet --threads 1 --log solve.log)
slowest=0
[[ $parts = *" term "* ]] || few=0
for k in $(seq "$few"); do
  rm -f solve.log
  start
  for _ in $(seq 900); do ! grep -q "^start: a design" solve.log 2> /dev/null || break; sleep 0.1; done
  pause 2000
  begin=$(now)
  if [ $((k % 2)) = 0 ]; then kill -TERM $first; else kill -TERM $first $others; fi
  code=0
  wait $first || code=$?
  settle
  took=$(($(now) - begin))
  [ $took -le $slowest ] || slowest=$took
  grep -q '"status":"interrupted","objective":[0-9.]*[^,]*,"bound":[0-9.]*' out.json || { cat out.err; fail "SIGTERM $k: no design or no bound"; }
  [ $code = 5 ] || fail "SIGTERM $k: exit code $code"
  [ $took -le 10000 ] || fail "SIGTERM $k: $took ms"
  only "$instance|$long"
done
[ "$few" = 0 ] || echo "$few runs with SIGTERM: a design and a bound, and all processes gone, after at most $slowest ms"
cd /
rm -rf "$work"
