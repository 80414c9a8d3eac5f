# Sourced by tests: a real Slurm with one node, this machine. munged, slurmctld and slurmd run in a folder of their own,
# $work, and are stopped at the end of the script. Needs root, and Debian's slurm-wlm, which is installed if it is missing.
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
