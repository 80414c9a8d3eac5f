//go:build !js

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/nested"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/cluster"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Kinds of messages between the processes of a command.
const (
	workJob           = "work"
	assignmentMessage = "assignment"
	identityMessage   = "identity"
)

// waitForMembers is how long a run waits for the processes that its launcher has started. Those that come later join
// the run where it is.
const waitForMembers = 30 * time.Second

// codecs pack and unpack messages.
type codecs struct {
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

func newCodecs() (c codecs, err error) {
	c.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return c, err
	}
	c.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))
	return c, err
}

func (c codecs) encode(text []byte) []byte { return c.pack.EncodeAll(text, nil) }

func (c codecs) decode(text []byte) ([]byte, error) {
	out, err := c.unpack.DecodeAll(text, nil)
	if err != nil {
		return nil, fmt.Errorf("a message of another process: %w", err)
	}
	return out, nil
}

// member is a process of a command, as one that works.
type member struct {
	app   *app
	leave context.CancelCauseFunc // ends the membership for good, nil in the first process

	// In the first process the workload comes from the command, when it has read its files.
	own <-chan workload

	// What the process works on, and the digest of the assignment by which it was opened.
	workload workload
	opened   [sha256.Size]byte
}

// program is what a member does. It implements cluster.NewProgram.
func (m *member) program() cluster.Program {
	codecs, failed := newCodecs()

	// What is sent of a key is packed, as all that is long.
	hold := func(_ context.Context, key uint64, packed []byte) (any, error) {
		if m.workload == nil || failed != nil {
			return nil, errors.Join(errNoAssignment, failed)
		}
		var data []byte
		if len(packed) > 0 {
			var err error
			if data, err = codecs.decode(packed); err != nil {
				return nil, err
			}
		}
		return m.workload.Hold(key, data)
	}

	// A job and its answer are packed.
	work := func(ctx context.Context, state any, payload []byte) ([]byte, error) {
		if m.workload == nil || failed != nil {
			return nil, errors.Join(errNoAssignment, failed)
		}
		text, err := codecs.decode(payload)
		if err != nil {
			return nil, err
		}
		out, err := m.workload.Work(ctx, state, text)
		if err != nil {
			return nil, err
		}
		return codecs.encode(out), nil
	}

	// Messages to all processes: the assignment, and what the first one has opened by it.
	accept := func(ctx context.Context, packed []byte) error {
		text, err := codecs.decode(packed)
		if err == nil {
			err = m.accept(ctx, text)
		}
		return m.orLeave(err)
	}
	compare := func(_ context.Context, text []byte) error { return m.orLeave(m.compare(string(text))) }
	return cluster.Program{
		Hold:       hold,
		Jobs:       map[string]cluster.Handler{workJob: work},
		Broadcasts: map[string]func(context.Context, []byte) error{assignmentMessage: accept, identityMessage: compare},
	}
}

// errNoAssignment is the error of a job without an assignment before it.
var errNoAssignment = errors.New("there is nothing to work on")

// orLeave ends a process that cannot work, with its error: the run goes on without it.
func (m *member) orLeave(err error) error {
	if err != nil && m.leave != nil {
		m.leave(err)
	}
	return err
}

// accept opens what the process is to work on.
func (m *member) accept(ctx context.Context, text []byte) error {
	if m.own != nil {
		select {
		case m.workload = <-m.own:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}

	// A process that joins again, after its connection was lost, may have the data.
	sum := sha256.Sum256(text)
	if m.workload != nil && m.opened == sum {
		return nil
	}
	var p assignment
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	if here, err := os.Getwd(); p.Folder != "" && (err != nil || here != p.Folder) {
		if err := os.Chdir(p.Folder); err != nil {
			return err
		}
	}
	w, err := m.app.openWorkload(p)
	if err != nil {
		return err
	}
	m.workload = w
	m.opened = sum
	return nil
}

// compare reports whether the process has the data of the first one.
func (m *member) compare(identity string) error {
	if m.workload != nil && m.workload.Identity() != identity {
		return errors.New("the instance on this machine is another one than the coordinator's")
	}
	return nil
}

// team is the processes of a command, in the first of them.
type team struct {
	app         *app
	place       cluster.Place
	coordinator *cluster.Coordinator
	own         chan<- workload
	work        workload // of this process, from begin on
	codecs      codecs
}

// joinTeam joins the processes of a command. The first one returns them; another one works until the command has ended,
// and returns nil.
func (a *app) joinTeam(ctx context.Context, o crewOptions) (*team, error) {
	place, err := locate(o.where)
	if err != nil {
		return nil, err
	}
	options, err := a.clusterOptions(o.threads)
	if err != nil {
		return nil, err
	}
	options.Ahead = o.ahead
	options.SlowAfter = o.slowAfter
	if !place.Coordinator() {
		a.log.printf("%v: work for the coordinator", place)
		return nil, a.workFor(ctx, place, options)
	}

	// The others join and read while this process reads: what it works on follows by begin.
	own := make(chan workload, 1)
	t := &team{app: a, place: place, own: own}
	if t.codecs, err = newCodecs(); err != nil {
		return nil, err
	}
	options.Holding = t.holding
	options.LocalData = true
	first := &member{app: a, own: own}
	if t.coordinator, err = cluster.Listen(context.WithoutCancel(ctx), place, options, first.program); err != nil {
		return nil, err
	}
	return t, nil
}

// holding returns what is sent of a key, packed.
func (t *team) holding(key uint64) ([]byte, error) {
	data, err := t.work.Data(key)
	if data == nil || err != nil {
		return nil, err
	}
	return t.codecs.encode(data), nil
}

// assign passes the assignment to all processes.
func (t *team) assign(ctx context.Context, what assignment) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return t.coordinator.Broadcast(ctx, assignmentMessage, assignmentMessage, t.codecs.encode(text))
}

// begin makes a workload that of this process, with which those of the others are compared, and waits for them.
func (t *team) begin(ctx context.Context, w workload) error {
	t.work = w
	t.own <- w
	if err := t.coordinator.Broadcast(ctx, identityMessage, identityMessage, []byte(w.Identity())); err != nil {
		return err
	}

	// What is computed does not depend on who is there, so that it begins without those that are late, or have left as
	// they cannot work.
	if t.place.Size > 1 {
		wait, cancel := context.WithTimeout(ctx, waitForMembers)
		defer cancel()
		if err := t.coordinator.WaitJoined(wait, t.place.Size); err != nil && ctx.Err() == nil {
			t.app.log.printf("%v: not all %d processes have joined yet", t.place, t.place.Size)
		}
	}
	t.app.log.printf("%v: %d processes work", t.place, len(t.coordinator.Stats()))
	return nil
}

// jobs are payloads as jobs of the cluster; keys is nil where they have none.
func (t *team) jobs(keys []uint64, payloads [][]byte) []cluster.Job {
	list := make([]cluster.Job, len(payloads))
	for k, text := range payloads {
		list[k] = cluster.Job{Kind: workJob, Payload: t.codecs.encode(text)}
		if keys != nil {
			list[k].Key = keys[k]
		}
	}
	return list
}

// run has jobs worked by whoever holds their keys, and returns the answers in their order. Its error is that of the
// first job by number that has one.
func (t *team) run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	packed, err := t.coordinator.Run(ctx, t.jobs(keys, payloads))
	if err != nil {
		return nil, causeOf(err)
	}
	answers := make([][]byte, len(packed))
	for k := range packed {
		if answers[k], err = t.codecs.decode(packed[k]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// causeOf returns the error of a job as its handler returned it, and other errors as they are.
func causeOf(err error) error {
	var failed *cluster.JobError
	if errors.As(err, &failed) {
		return failed.Cause()
	}
	return err
}

// each is crew.each.
func (t *team) each(ctx context.Context, payloads [][]byte, done func(job int, answer []byte, err error)) error {
	return t.coordinator.Each(ctx, t.jobs(nil, payloads), func(job int, answer []byte, err error) {
		if err == nil {
			answer, err = t.codecs.decode(answer)
		}
		done(job, answer, causeOf(err))
	})
}

// close ends the team.
func (t *team) close() error { return t.coordinator.Close() }

// leave ends the other processes, and returns what all have done.
func (t *team) leave() (list []memberReport, err error) {
	for _, s := range t.coordinator.Stats() {
		list = append(list, memberReport{
			Name:     s.Name,
			Present:  s.Present,
			Jobs:     s.Jobs,
			BytesIn:  s.BytesIn,
			BytesOut: s.BytesOut,
			Busy:     number(s.Busy.Seconds()),
			Idle:     number(s.Idle.Seconds()),
		})
	}
	return list, t.coordinator.Close()
}

// locate finds the place of this process by the value of --cluster.
func locate(where string) (cluster.Place, error) {
	spec, err := cluster.ParseSpec(where)
	if err != nil {
		return cluster.Place{}, badInput(fmt.Errorf("--cluster %q: %w", where, err))
	}
	place, err := spec.Locate()
	if err != nil {
		return place, badInput(fmt.Errorf("--cluster %s: %w", where, err))
	}
	return place, nil
}

// runErrors are the sentinels beside inputErrors on which a run, or its status, depends: an error of another process
// keeps them.
var runErrors = []error{decompose.ErrUnbounded, decompose.ErrUnsupported, simplex.ErrNumerical, bnb.ErrNumerical,
	integer.ErrNumerical, nested.ErrNumerical, twostage.ErrCertificate, twostage.ErrProblem, lp.ErrPoint}

// clusterOptions returns the options of a process of a command. threads is how many jobs it works at a time, 0 for one
// a processor.
func (a *app) clusterOptions(threads int) (cluster.Options, error) {
	collectOften()
	o := cluster.DefaultOptions()
	version, err := cluster.BuildID(readVersion().Version)
	if err != nil {
		return o, err
	}
	o.Version = version
	o.Errors = append(slices.Clone(inputErrors), runErrors...)
	if o.Slots = threads; threads == 0 {
		o.Slots = runtime.GOMAXPROCS(0)
	}
	level := slog.LevelInfo
	if a.flags.quiet {
		level = slog.LevelWarn
	}
	o.Logger = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	return o, nil
}

// workFor works for the coordinator of a place until its command ends.
func (a *app) workFor(ctx context.Context, place cluster.Place, o cluster.Options) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	return cluster.Work(ctx, place, o, (&member{app: a, leave: leave}).program)
}

// newWorker makes the command proxybd worker.
func newWorker(a *app) *cobra.Command {
	var where string
	var threads int
	c := &cobra.Command{
		Use:   "worker",
		Short: "Join a command with --cluster as one more process",
		Long: `Join a command with --cluster file:PATH, at its beginning or at any time, on this machine or another one that
sees that file. A worker of solve INSTANCE reads no other file; those of all other commands read the files of the
command, by the same paths. The process works until the command ends. It changes how long the command takes, and nothing
in its result.

Ranks that srun, mpiexec or an Indexed Job start need no worker: each is the command itself with --cluster auto.`,
		Example: `  proxybd solve r04.4.dow --scenarios r04-0-1000.scen --cluster file:/shared/run &
  proxybd worker --cluster file:/shared/run`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.work(c.Context(), where, threads) },
	}
	c.Flags().BoolVarP(&a.flags.quiet, "quiet", "q", false, "no log of who joins and leaves")
	c.Flags().StringVar(&where, "cluster", "", "`file:PATH` of the run: its address file")
	addThreads(c, &threads)
	return c
}

// work runs the command.
func (a *app) work(ctx context.Context, where string, threads int) error {
	place, err := locate(where)
	if err != nil {
		return err
	}
	o, err := a.clusterOptions(threads)
	if err != nil {
		return err
	}
	return a.workFor(ctx, place.AsWorker(), o)
}
