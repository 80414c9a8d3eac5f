package cluster

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// Options are the settings of a coordinator and of a worker; the comment of each says whose it is. DefaultOptions is
// where they begin.
type Options struct {
	// Version names the build (BuildID). A worker whose version differs from the coordinator's is refused. Both.
	Version string

	// Listen is the address on which the coordinator listens, such as ":7117". Empty: the loopback interface if the
	// launcher has placed all processes on one node (Slurm), the port of the manifest (Kubernetes), else any free port.
	Listen string

	// Advertise is the host, or host:port, by which workers reach the coordinator. Empty: the names and addresses of
	// its machine.
	Advertise string

	// Folder is the shared folder of the address file under Slurm. Empty: the working directory. Both.
	Folder string

	// MaxMessage is the largest payload, answer or holding in bytes. Both.
	MaxMessage int64

	// Handshake is how long a peer may take to prove that it has the secret, and again to say its version. Both.
	Handshake time.Duration

	// Silence is how long a connection may be without a sign of life before the peer is lost; at least 2 s. A worker
	// takes at least 12 s, since the RPC library lets a client ask no more often than every 10 s. Both.
	Silence time.Duration

	// Join is how long a worker waits for the coordinator's address, and then until it is a member. Worker.
	Join time.Duration

	// Grace is how long a worker that has lost its coordinator tries to join again before it ends. Worker.
	Grace time.Duration

	// Rejoin replaces Grace where the coordinator may be started again: its address is read anew. Worker.
	Rejoin time.Duration

	// Slots is the number of jobs that this process works at the same time. A coordinator with zero leaves all jobs
	// to workers; a worker has at least one. Both.
	Slots int

	// Ahead is the number of jobs that are sent to a worker beyond its slots, so that it does not wait for the next
	// one for the time of a message. Coordinator.
	Ahead int

	// SlowAfter is the time after which a job that has no answer is given to a second member that is free; 0 is never.
	// Coordinator.
	SlowAfter time.Duration

	// MaxLosses is how many members may be lost while they have the same job before the run fails. It bounds the harm
	// of a job that ends the process of whoever works it. Coordinator.
	MaxLosses int

	// Holding returns the data of a key, for the member that is to hold it. Calls may come from several goroutines at
	// once; the same key must always give the same bytes. Coordinator.
	Holding func(key uint64) ([]byte, error)

	// LocalData means that the coordinator's own member has the data of all keys already: it gets keys without data.
	// Coordinator.
	LocalData bool

	// Errors are sentinels, at most 64 and the same in every process: where the error of a handler wraps one, the
	// JobError of the run does too. Both.
	Errors []error

	// Logger gets joins, losses and refused peers. Both.
	Logger *slog.Logger
}

// DefaultOptions returns the options that the package documentation describes.
func DefaultOptions() Options {
	return Options{
		Version:    "unknown",
		MaxMessage: 256 << 20,
		Handshake:  10 * time.Second,
		Silence:    30 * time.Second,
		Join:       2 * time.Minute,
		Grace:      5 * time.Second,
		Slots:      1,
		Ahead:      1,
		SlowAfter:  30 * time.Second,
		MaxLosses:  5,
		Logger:     slog.New(slog.DiscardHandler),
	}
}

// Validate returns an error that names the first option out of its range.
func (o Options) Validate() error {
	for _, check := range []struct {
		ok   bool
		want string
	}{
		{o.Version != "" && len(o.Version) <= maxName, "Version has 1 to 1024 bytes"},
		{o.MaxMessage > 0 && o.MaxMessage <= 1<<40, "MaxMessage is 1 to 2^40 bytes"},
		{o.Handshake > 0, "Handshake is positive"},
		{o.Silence >= 2*time.Second, "Silence is at least 2 s"},
		{o.Join > 0, "Join is positive"},
		{o.Grace >= 0, "Grace is not negative"},
		{o.Rejoin >= 0, "Rejoin is not negative"},
		{o.Slots >= 0 && o.Slots <= maxSlots, "Slots is 0 to 4096"},
		{o.Ahead >= 0 && o.Ahead <= maxSlots, "Ahead is 0 to 4096"},
		{o.SlowAfter >= 0, "SlowAfter is not negative"},
		{o.MaxLosses >= 0, "MaxLosses is not negative"},
		{len(o.Errors) <= 64, "Errors has at most 64 entries"},
		{o.Logger != nil, "Logger is set"},
	} {
		if !check.ok {
			return fmt.Errorf("cluster: invalid options: %s", check.want)
		}
	}
	return nil
}

// Job is a unit of work. Its answer depends on the kind, the payload, the holding of the key and the broadcasts before
// the run, and on nothing else.
type Job struct {
	Kind    string
	Key     uint64 // the range whose holding the job needs; 0: none
	Payload []byte // not modified after the call of Run
}

// Handler works a job. The state is what Program.Hold has made of the job's key, nil for key 0; jobs of the same key
// never run at the same time in a process. The context ends when the answer is no longer needed. An error is an error
// of the run: it must follow from the job as an answer does. A panic counts as an error.
type Handler func(ctx context.Context, state any, payload []byte) ([]byte, error)

// Program is what a member does; every process of a run declares the same.
type Program struct {
	// Hold makes the state of a key of the coordinator's data. It is called once for each key that the member gets.
	// The state is released when the key goes to another member.
	Hold func(ctx context.Context, key uint64, data []byte) (any, error)

	// Jobs has a handler for every kind of job.
	Jobs map[string]Handler

	// Broadcasts has a function for every kind of broadcast. None runs beside a job or another broadcast. Its error
	// becomes that of every later job.
	Broadcasts map[string]func(ctx context.Context, payload []byte) error
}

// NewProgram makes the Program of a member. A worker that joins again calls it again, so that nothing of the former
// membership is left in it.
type NewProgram func() Program

// BuildID returns the version with a digest of the program's file: processes with the same BuildID run the same code.
func BuildID(version string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	defer f.Close()

	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("cluster: %s: %w", path, err)
	}
	return fmt.Sprintf("%s (build %x)", version, sum.Sum(nil)[:6]), nil
}
