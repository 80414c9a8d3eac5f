// Package cluster runs jobs on many processes that Slurm, Kubernetes or mpiexec has placed, or that have been started
// by hand. It starts no process and has no part in what the jobs are: it finds the other processes, joins them, and
// moves messages.
//
// # The model
//
// Rank 0 is the coordinator (Listen), every other process a worker (Work). Coordinator and workers are members; the
// coordinator's own process is one too (unless Options.Slots is 0), with the same code, so that one process is a
// cluster of one member. All members have the same Program: a handler for each kind of job.
//
// A Job has a kind, a key and a payload, and its answer is bytes. The key names data that the job needs, its holding,
// for example a range of scenarios: a member gets the data of a key once, makes a state of it (Program.Hold), and then
// works all jobs of the key, until it is lost or the key is given to another. The coordinator does not keep holdings:
// it calls Options.Holding each time that one is sent. Run returns the answers by index; Each passes them on as they
// come, and the error of a job is that of this job alone. Broadcast passes data to all members between runs; a member
// that joins later gets all broadcasts in their order, without those that a later one has replaced.
//
// Which member works a job depends on time; the answers do not, as long as a handler computes its answer from the
// payload, the holding and the broadcasts alone. A state may keep what makes it faster (a factorisation, a basis), but
// only where the answer is the same bit for bit without it: a key can move at any moment to a member that lacks it.
//
// A key that nobody holds goes to the free member that asks first, so that faster members hold more. An idle member
// takes a key over from the one for which most jobs wait, if two or more wait or it holds no key itself, which is how a
// late member gets its share. A key that has moved stays for a while, since a state may have to repeat its jobs.
//
// # Launchers
//
// ParseSpec reads the value of --cluster, Spec.Locate finds rank and size, and a channel of the launcher carries the
// rendezvous from rank 0 to the others: addresses, the fingerprint of a certificate, a secret of 32 random bytes.
//
//	auto        pmi, slurm or k8s, the first whose variables are set
//	pmi         mpiexec of MPICH and its relatives (Hydra): PMI_FD, PMI_RANK and PMI_SIZE; version 1 of the protocol over
//	            the inherited socket, so that no MPI library is needed; the rendezvous is put, fenced and got
//	slurm       srun: SLURM_PROCID, SLURM_NTASKS (SLURM_STEP_NUM_TASKS), SLURM_JOB_ID, SLURM_STEP_ID,
//	            SLURM_STEP_NODELIST; the rendezvous is in an address file of Options.Folder, by default the working
//	            directory of the job, named .proxybd-CLUSTER-JOB-RESTARTS-STEP
//	k8s         an Indexed Job: JOB_COMPLETION_INDEX and the variables below; there is no channel at run time
//	file:PATH   an address file that rank 0 writes; a worker of any other launcher may join by the file of Slurm, too
//
// The address of the coordinator under Slurm is the loopback interface where the step has one node, else the first
// host of the list (SLURMD_NODENAME of rank 0 where it is in the list). Elsewhere it is the name and the addresses of
// the machine, which workers try in turn; Options.Listen and Options.Advertise replace them. PMI is not supported on
// Windows; everything else builds and runs on all platforms of the release.
//
// The manifest of an Indexed Job with n completions, a headless Service named solve and a Secret sets:
//
//	metadata:           {name: solve}
//	spec:               {completionMode: Indexed, completions: n, parallelism: n, backoffLimit: 6}
//	spec.template.spec: {subdomain: solve}
//	env of the container:
//	  PROXYBD_CLUSTER_SIZE         "n"
//	  PROXYBD_CLUSTER_HOST         solve-0.solve   (JOB-0.SERVICE, the name of pod 0)
//	  PROXYBD_CLUSTER_PORT         "7117"          (optional)
//	  PROXYBD_CLUSTER_SECRET       from the Secret, at least 32 random characters; or
//	  PROXYBD_CLUSTER_SECRET_FILE  the path of a file that is mounted from the Secret
//
// The Service has clusterIP None and publishNotReadyAddresses true.
//
// # Trust
//
// All traffic is TLS 1.3 below gRPC. The coordinator makes a certificate of its own for each run, which workers accept
// by its SHA-256 fingerprint. A worker proves that it has the secret by a certificate whose key is derived from the
// secret (HKDF). Both are checked in the handshake: a peer without the secret gets as far as the TLS server and no
// further, it gets a certificate without a name, and no byte of its messages is parsed. It can take a socket for as
// long as Options.Handshake. Under Kubernetes, where nothing can travel from rank 0 to the others, the key of the
// coordinator's certificate is derived from the secret as well.
//
// Whoever can read the secret is a member: it gets data and its answers are believed. So the boundary is that of the
// channel:
//
//   - an address file has the mode 0600; readers refuse one that others can read or another user owns. The user's
//     own processes, root on any node that mounts the folder, and on Windows whoever the permissions allow, can
//     read it. On a network file system the file travels as safely as other files of the folder do.
//   - the values of PMI pass through mpiexec and its helpers, whose connections between nodes are not encrypted in
//     Hydra: on a network where others can listen, use an address file.
//   - a Secret of Kubernetes is readable by whoever may read Secrets or start pods in the namespace.
//
// Of members nothing is taken for granted that can be checked: sizes of messages (Options.MaxMessage; a larger size in
// a header is refused before memory is reserved), of names, of the number of slots; answers only to jobs that were
// given. A worker of another Options.Version (BuildID has a digest of the program) is refused by an error with both
// versions.
//
// # Faults
//
//   - A worker is lost when its connection ends, or after Options.Silence without an answer to gRPC's keep-alive pings.
//     Its jobs and keys go to others; without any member, Run waits for one to join. A job that was in the hands of
//     more than Options.MaxLosses lost members ends the run: it may be what ends them.
//   - A job without an answer after Options.SlowAfter is given to a second member that is idle, with its holding. The
//     first answer counts and the other attempt is cancelled; the member that answered keeps the key.
//   - The error of a handler, or a panic in it, is one of the run: that of the first failing job by index, whatever
//     the order in time.
//   - A worker that loses its coordinator cancels its jobs and tries to join again for Options.Grace (5 s), or for
//     Options.Rejoin where a coordinator may be started again; it joins with a new Program, as a new member. Then Work
//     returns ErrLost.
//   - When the context of Work ends, its handlers are cancelled, and Work returns; one that ignores its context is
//     left behind after Options.Grace. Close of the coordinator ends all workers without an error and removes the
//     address file; a coordinator that was killed leaves the file, which the next one with the same path replaces.
//   - What a launcher does is its own: srun without --kill-on-bad-exit=0 may end the step when a rank fails, according
//     to the site. Hydra (4.0.2) ends the other ranks of the node when a signal has ended one, in 22 of 25 trials, with
//     -disable-auto-cleanup too; a rank that exits with an error is lost to the run alone.
//
// # What was chosen
//
// Messages are those of gRPC (deadlines, keep-alive, flow control, limits of sizes), one stream for each worker,
// encoded as frame.proto describes by the wire package of protobuf: ten fields need no generated code. Payloads are
// split into frames of 1 MiB. Payloads are sent as they are: who has compressible ones compresses them.
//
// It was tried on one machine with up to four processes; not on more nodes, and not on a real Kubernetes, whose
// variables alone were set.
package cluster
