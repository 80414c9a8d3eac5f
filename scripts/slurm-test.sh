#!/bin/bash
# Runs a tiny experiment through `proxybd slurm` on a real Slurm with one node, this machine: munged, slurmctld and slurmd
# in a folder of their own, stopped at the end. Needs root, and Debian's slurm-wlm, which is installed if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${PROXYBD:-bin/proxybd}")
[ "$(id -u)" = 0 ] || { echo "slurm-test needs root" >&2; exit 1; }
if ! { command -v slurmctld && command -v slurmd && command -v munged; } > /dev/null; then
  apt-get install -y --no-install-recommends slurm-wlm munge
fi

work=$(mktemp -d /tmp/proxybd-slurm.XXXXXX)
chmod 755 "$work"
host=$(hostname -s)
pids=()
finish() {
  for p in "${pids[@]}"; do kill "$p" 2> /dev/null || true; done
  wait 2> /dev/null || true
  [ -n "${KEEP:-}" ] || rm -rf "$work"
}
trap finish EXIT

# munge, with a key and a socket of this test's own
mkdir -p "$work/munge" "$work/state" "$work/spool"
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 status=none
chown -R munge: "$work/munge"
chmod 711 "$work/munge"
chmod 400 "$work/munge/key"
start() { "$@" >> "$work/daemons.log" 2>&1 & pids+=($!); }
start runuser -u munge -- munged --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed"

cat > "$work/slurm.conf" <<EOF
ClusterName=proxybd
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1024 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$work/slurm.conf
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
start slurmctld -D -f "$SLURM_CONF"
start slurmd -D -f "$SLURM_CONF" -N "$host"
for _ in $(seq 100); do [ "$(sinfo -h -o %T 2> /dev/null)" = idle ] && break; sleep 0.3; done
sinfo

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
