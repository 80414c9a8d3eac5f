#!/bin/bash
# Solves a program with scenarios and a folder of instances, prices a design and estimates a gap by several processes, and
# compares every number of the results but times with those of one: under mpiexec (Debian's mpich) with 1 to 4 ranks,
# under srun (slurm-wlm; both are installed if they are missing, which needs root), with the variables of an Indexed Job,
# and with workers that join by an address file, of which one is killed at a random moment and replaced. Then the
# coordinator gets SIGTERM: it has a design and a bound within 10 s, and no process is left.
#
#   scripts/team-test.sh [RUNS]      runs with a killed worker (10)
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-10}
command -v mpiexec.hydra > /dev/null || apt-get install -y --no-install-recommends mpich
program=$PWD/bin/proxybd
source scripts/result.sh
source scripts/slurm-node.sh # a Slurm of one node, and the folder $work
mkdir "$work/run.d"
cd "$work/run.d"
"$program" generate --family scflp --class 25x30:600 --seed 3 -o . > /dev/null
instance=$(ls scflp*)
solve=("$program" solve "$instance" --gap 1e-4 --json --quiet --threads 1)

same() { [ "$(result "$1")" = "$want" ] || { result "$1"; echo "$want"; echo "$1: another result" >&2; exit 1; }; }

"${solve[@]}" > one.json
want=$(result one.json)
for n in 1 2 3 4; do
  mpiexec.hydra -n $n "${solve[@]}" --cluster auto > mpi$n.json
  same mpi$n.json
  echo "mpiexec -n $n: the same result"
done

for n in 2 4; do
  srun --overcommit -n $n "${solve[@]}" --cluster auto > srun$n.json
  same srun$n.json
  echo "srun -n $n: the same result"
done

# Four processes with the variables of an Indexed Job of Kubernetes.
export PROXYBD_CLUSTER_SIZE=4 PROXYBD_CLUSTER_HOST=localhost PROXYBD_CLUSTER_PORT=17117
PROXYBD_CLUSTER_SECRET=$(head -c 32 /dev/urandom | base64)
export PROXYBD_CLUSTER_SECRET
for k in 3 2 1; do JOB_COMPLETION_INDEX=$k "${solve[@]}" --cluster auto > k8s$k.json 2> k8s$k.err & done
JOB_COMPLETION_INDEX=0 "${solve[@]}" --cluster auto > k8s.json
wait %% 2> /dev/null || true
same k8s.json
echo "an Indexed Job's variables, 4 processes: the same result"

# A design is priced, and a gap estimated, by ranges of scenarios and replications.
"$program" solve "$instance" --gap 1e-3 --json --quiet > design.json
evaluate=("$program" evaluate "$instance" design.json --json --quiet --threads 1)
saa=("$program" saa "$instance" --replications 8 --size 12 --evaluation 500 --json --quiet --threads 1)
solveWant=$want
for n in 1 2 3 4; do
  "${evaluate[@]}" > one.json
  want=$(result one.json)
  mpiexec.hydra -n $n "${evaluate[@]}" --cluster auto > evaluate$n.json
  same evaluate$n.json
  "${saa[@]}" > one.json
  want=$(result one.json)
  mpiexec.hydra -n $n "${saa[@]}" --cluster auto > saa$n.json
  same saa$n.json
  echo "mpiexec -n $n, evaluate and saa: the same results"
done
srun --overcommit -n 4 "${saa[@]}" --cluster auto > saa.json
same saa.json
want=$solveWant
echo "srun -n 4, saa: the same result"

# A folder of instances: the table and every result are those of one process, also where a rank has been killed before.
# Hydra ends all ranks with one, so that the same command goes on from the results that are there.
mkdir instances
"$program" generate --family scflp --class 15x20:120 --count 6 --seed 5 -o instances > /dev/null
"$program" generate --class 20x30 --count 6 --seed 5 -o instances > /dev/null
folder=("$program" solve instances -o results --gap 1e-5 --json --quiet --threads 1)
rows() { for f in results/*.result.json; do echo "${f##*/}"; result "$f"; done; }
"${folder[@]}" > /dev/null
wantRows=$(rows)
# sameRows WHAT: the results are those of one process, and are removed
sameRows() { [ "$(rows)" = "$wantRows" ] || { echo "$1: other results" >&2; exit 1; }; rm -r results; echo "$1: the same results"; }
for n in 1 2 3 4; do
  rm -rf results
  mpiexec.hydra -n $n "${folder[@]}" --cluster auto > folder.json
  sameRows "mpiexec -n $n, a folder"
done
srun --overcommit -n 4 "${folder[@]}" --cluster auto > folder.json
sameRows "srun -n 4, a folder"
mpiexec.hydra -n 4 "${folder[@]}" --cluster auto > folder.json 2> folder.err &
launcher=$!
while ! ls results/*.result.json > /dev/null 2>&1; do sleep 0.01; done
kill -9 "$(pgrep -P "$(pgrep -P $launcher | head -n 1)" | tail -n 1)" # a rank, whose parent is Hydra's helper
wait $launcher || true
left=$(ls results/*.result.json | wc -l)
mpiexec.hydra -n 4 "${folder[@]}" --cluster auto > folder.json
[ "$(grep -o '"reused":true' folder.json | wc -l)" -ge "$left" ] || { echo "finished results were solved again" >&2; exit 1; }
sameRows "mpiexec -n 4, a folder that goes on from $left results after a kill"

# worker: joins the run, as the job in the background
worker() { "$program" worker --cluster file:"$PWD/run" --threads 1 --quiet & }
lost=0
for k in $(seq "$runs"); do
  "${solve[@]}" --cluster file:"$PWD/run" > kill.json 2> kill.err &
  coordinator=$!
  worker; victim=$!
  worker; other=$!
  sleep "0.$((RANDOM % 900 + 100))"
  kill -9 $victim 2> /dev/null && lost=$((lost + 1))
  wait $victim 2> /dev/null || true
  if [ -e run ]; then worker; other="$other $!"; fi
  wait $coordinator
  for p in $other; do wait "$p" || true; done
  same kill.json
done
echo "$runs runs with a worker killed ($lost during the run): the same result each time"

"$program" generate --family scflp --class 50x50:800 --seed 4 -o . > /dev/null
"$program" solve scflp50* --gap 1e-9 --json --quiet --threads 1 --cluster file:"$PWD/run" --log term.log > term.json 2> term.err &
coordinator=$!
worker; other=$!
for _ in $(seq 600); do grep -q "^start: a design" term.log 2> /dev/null && break; sleep 0.1; done
kill -TERM $coordinator
begin=$SECONDS
code=0
wait $coordinator || code=$?
wait $other || true
grep -q '"status":"interrupted","objective":[0-9.]*,"bound":[0-9.]*' term.json || { head -c 300 term.json; cat term.err; echo "no design or no bound" >&2; exit 1; }
[ $code = 5 ] && [ $((SECONDS - begin)) -le 10 ] || { echo "SIGTERM: exit code $code after $((SECONDS - begin)) s" >&2; exit 1; }
[ ! -e run ] || { echo "the address file is left" >&2; exit 1; }
echo "SIGTERM: a design and a bound after $((SECONDS - begin)) s, no process left"
