#!/bin/bash
# Runs tools/clusterprobe by real launchers on this machine: mpiexec of MPICH, srun of Slurm, the variables of an Indexed
# Job, and an address file. Every run must print the same number of primes and leave no process and no file behind. Needs
# root, and Debian's mpich and slurm-wlm, which are installed if they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "cluster-test needs root" >&2; exit 1; }
command -v mpiexec.hydra > /dev/null || apt-get install -y --no-install-recommends mpich
source scripts/slurm-node.sh
CGO_ENABLED=0 ${GO:-go} build -o "$work/probe" ./tools/clusterprobe
chmod 755 "$work/probe"
cd "$work"
mkdir shared
want="148933 primes below 2000000"

# ended NAME: no process and no file is left
ended() {
  local begin=$SECONDS
  for _ in $(seq 100); do pgrep -f "^$work/probe" > /dev/null || break; sleep 0.1; done
  if pgrep -f "^$work/probe"; then echo "$1: a process is left after 10 s" >&2; exit 1; fi
  [ -z "$(ls -A shared)" ] || { ls -A shared; echo "$1: a file is left" >&2; exit 1; }
  echo "$1: no process is left after $((SECONDS - begin)) s"
}

# check NAME MEMBERS: the output of a run in NAME.out
check() {
  grep -q "^$want$" "$1.out" || { cat "$1.out"; tail -n 20 "$1.err"; echo "$1: other answer" >&2; exit 1; }
  [ "$(grep -c '^member' "$1.out")" = "$2" ] || { cat "$1.out"; echo "$1: not $2 members" >&2; exit 1; }
  ended "$1"
  echo "$1: $(grep primes "$1.out"), $2 members, $(tail -n 1 "$1.out")"
}

# kill_one NAME: kill -9 of a rank other than 0 as soon as all are members
kill_one() {
  for _ in $(seq 100); do [ "$(grep -c 'member joined' "$1.err" 2> /dev/null)" = 4 ] && break; sleep 0.05; done
  for p in $(pgrep -f "^$work/probe"); do
    rank=$(tr '\0' '\n' < "/proc/$p/environ" | sed -n 's/^\(PMI_RANK\|SLURM_PROCID\)=//p' | head -n 1)
    [ "$rank" = 2 ] && kill -9 "$p" && return
  done
  echo "$1: rank 2 was not found" >&2
  exit 1
}

for n in 1 2 3 4; do
  mpiexec.hydra -n $n "$work/probe" > mpiexec-$n.out 2> mpiexec-$n.err
  check mpiexec-$n $n
done

# A rank that ends with an error is lost to the run alone.
mpiexec.hydra -n 4 "$work/probe" --die 2 > mpiexec-exit.out 2> mpiexec-exit.err || true
grep -q "member lost" mpiexec-exit.err || { echo "mpiexec-exit: no loss" >&2; exit 1; }
check mpiexec-exit 4

# When a signal has ended a rank, Hydra ends the others of its node by SIGKILL most times: either the run goes on to its
# end or nothing is left of it.
mpiexec.hydra -n 4 "$work/probe" --width 100000 > mpiexec-kill.out 2> mpiexec-kill.err &
mpi=$!
kill_one mpiexec-kill
wait $mpi && { echo "mpiexec-kill: no error" >&2; exit 1; }
if grep -q primes mpiexec-kill.out; then
  grep -q "^283146 primes below 4000000$" mpiexec-kill.out || { echo "mpiexec-kill: other answer" >&2; exit 1; }
fi
ended mpiexec-kill

cd shared
for n in 1 2 4; do
  srun --overcommit -n $n "$work/probe" > ../srun-$n.out 2> ../srun-$n.err || { tail -n 20 ../srun-$n.err; exit 1; }
  (cd .. && check srun-$n $n)
done
srun --overcommit --kill-on-bad-exit=0 -n 4 "$work/probe" > ../srun-kill.out 2> ../srun-kill.err &
srun=$!
(cd .. && kill_one srun-kill)
wait $srun || true
grep -q "member lost" ../srun-kill.err || { echo "srun-kill: no loss" >&2; exit 1; }
(cd .. && check srun-kill 4)

# The time limit or scancel ends all ranks within seconds.
srun --overcommit -n 4 "$work/probe" --width 5000000 > ../scancel.out 2> ../scancel.err &
srun=$!
for _ in $(seq 100); do [ "$(grep -c 'member joined' ../scancel.err)" = 4 ] && break; sleep 0.05; done
scancel -u root
wait $srun || true
cd ..
ended scancel

# four processes with the variables of an Indexed Job
export PROXYBD_CLUSTER_SIZE=4 PROXYBD_CLUSTER_HOST=localhost PROXYBD_CLUSTER_PORT=17117
PROXYBD_CLUSTER_SECRET=$(head -c 32 /dev/urandom | base64)
export PROXYBD_CLUSTER_SECRET
for k in 3 2 1; do JOB_COMPLETION_INDEX=$k "$work/probe" 2> k8s-$k.err & done
JOB_COMPLETION_INDEX=0 "$work/probe" > k8s.out 2> k8s.err
check k8s 4

# an address file, with a worker that joins by hand
"$work/probe" --cluster "file:$work/shared/address" --worker 2> file-1.err &
"$work/probe" --cluster "file:$work/shared/address" --wait 2 > file.out 2> file.err
check file 2
echo "cluster-test: all runs have the same answer"
