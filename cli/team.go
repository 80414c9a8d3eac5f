//go:build !js

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/cluster"
	"github.com/proxybd/proxybd/families"
)

// Kinds of messages between the processes of a run.
const (
	chunkJob        = "chunk"
	instanceMessage = "instance"
)

// waitForMembers is how long a run waits for the processes that its launcher has started. Those that come later join
// the run where it is.
const waitForMembers = 30 * time.Second

// sharedInstance says which instance the processes of a run work on. Each reads it itself.
type sharedInstance struct {
	Folder string            `json:"folder"` // that relative paths begin in
	Path   string            `json:"path"`
	Family string            `json:"family"`
	Set    map[string]string `json:"set"` // options of reading
	Hash   string            `json:"hash"`
}

// processes are those of a run of several.
type processes struct {
	coordinator *cluster.Coordinator // nil where there is one process
	spread      *scenario.Problem    // has its chunks in them, nil before
}

// team has the chunks of a run in the processes of a cluster. It implements scenario.Team.
type team struct {
	c      *cluster.Coordinator
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

// newCodecs returns what packs and unpacks messages.
func newCodecs() (*zstd.Encoder, *zstd.Decoder, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))
	return pack, unpack, err
}

// Run implements scenario.Team.
func (t *team) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	jobs := make([]cluster.Job, len(keys))
	for k, key := range keys {
		jobs[k] = cluster.Job{Kind: chunkJob, Key: key, Payload: t.pack.EncodeAll(payloads[k], nil)}
	}
	answers, err := t.c.Run(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for k := range answers {
		if answers[k], err = t.unpack.DecodeAll(answers[k], nil); err != nil {
			return nil, fmt.Errorf("an answer of another process: %w", err)
		}
	}
	return answers, nil
}

// member is what a process of a run works with.
type member struct {
	worker *scenario.Worker // nil before the instance is there
	hash   string
}

// program returns what a process of a run does. open reads the instance that the coordinator names; where it is nil the
// process has an instance, which must be the same.
func (m *member) program(open func(sharedInstance) (families.Instance, error)) cluster.NewProgram {
	return func() cluster.Program {
		pack, unpack, failed := newCodecs()

		// A chunk is held with nothing but its number: the process has the instance.
		return cluster.Program{
			Hold: func(_ context.Context, key uint64, _ []byte) (any, error) {
				if m.worker == nil || failed != nil {
					return nil, errors.Join(errors.New("no instance to work on"), failed)
				}
				return m.worker.Hold(key)
			},
			Jobs: map[string]cluster.Handler{chunkJob: func(ctx context.Context, state any, payload []byte) ([]byte, error) {
				text, err := unpack.DecodeAll(payload, nil)
				if err != nil {
					return nil, err
				}
				out, err := m.worker.Work(ctx, state, text)
				if err != nil {
					return nil, err
				}
				return pack.EncodeAll(out, nil), nil
			}},
			Broadcasts: map[string]func(context.Context, []byte) error{
				instanceMessage: func(_ context.Context, payload []byte) error {
					var s sharedInstance
					if err := json.Unmarshal(payload, &s); err != nil {
						return err
					}
					if m.worker == nil {
						in, err := open(s)
						if err != nil {
							return err
						}
						if err := m.take(in); err != nil {
							return err
						}
					}
					if m.hash != s.Hash {
						return fmt.Errorf("%s is another instance on this machine than on the coordinator's", s.Path)
					}
					return nil
				},
			},
		}
	}
}

// take makes an instance the one to work on.
func (m *member) take(in families.Instance) error {
	p, err := spread(in)
	if err == nil {
		m.worker = scenario.NewWorker(p)
		m.hash = in.Hash()
	}
	return err
}

// spread returns the problem of an instance whose scenarios can be worked by other processes.
func spread(in families.Instance) (*scenario.Problem, error) {
	s := in.Capabilities().Stochastic
	if s == nil || s.ByScenario() == nil {
		return nil, errors.New("--cluster: only programs with scenarios whose recourse is linear have several processes")
	}
	return s.ByScenario(), nil
}

// clusterOptions returns the options of a process of a run. threads is how many jobs it works at a time, 0 for one a
// processor.
func (a *app) clusterOptions(threads int) (cluster.Options, error) {
	o := cluster.DefaultOptions()
	version, err := cluster.BuildID(readVersion().Version)
	if err != nil {
		return o, err
	}
	o.Version = version
	if o.Slots = threads; threads == 0 {
		o.Slots = runtime.GOMAXPROCS(0)
	}
	o.Holding = func(uint64) ([]byte, error) { return nil, nil } // each process has the instance
	level := slog.LevelInfo
	if a.flags.quiet {
		level = slog.LevelWarn
	}
	o.Logger = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	return o, nil
}

// joinCluster makes the run one of several processes. A process that is not the coordinator works for it, and has ended
// with the run: then it returns true.
func (r *solveRun) joinCluster(ctx context.Context) (worked bool, err error) {
	f := &r.flags
	if f.cluster == "" {
		return false, nil
	}
	spec, err := cluster.ParseSpec(f.cluster)
	if err != nil {
		return false, badInput(err)
	}
	place, err := spec.Locate()
	if err != nil {
		return false, badInput(fmt.Errorf("--cluster %s: %w", f.cluster, err))
	}
	p, err := spread(r.instance)
	if err != nil {
		return false, badInput(err)
	}
	if r.solved != r.instance {
		return false, badInput(errors.New("--cluster: the other processes read the file, which has no --cvar"))
	}
	o, err := r.app.clusterOptions(f.threads)
	if err != nil {
		return false, err
	}

	// Ranks beside the first one have read the instance by the same command line.
	m := new(member)
	if err := m.take(r.instance); err != nil {
		return false, err
	}
	if !place.Coordinator() {
		r.app.log.printf("%v: work for the coordinator", place)
		return true, cluster.Work(ctx, place, o, m.program(nil))
	}

	c, err := cluster.Listen(context.WithoutCancel(ctx), place, o, m.program(nil))
	if err != nil {
		return false, err
	}
	r.coordinator = c
	folder, err := os.Getwd()
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(sharedInstance{folder, r.path, r.family.Name, f.file.Set, m.hash})
	if err != nil {
		return false, err
	}
	if err := c.Broadcast(ctx, instanceMessage, instanceMessage, text); err != nil {
		return false, err
	}

	// What the run computes does not depend on who is there, so that it begins without those that are late.
	if place.Size > 1 {
		wait, cancel := context.WithTimeout(ctx, waitForMembers)
		defer cancel()
		if err := c.Wait(wait, place.Size); err != nil && ctx.Err() == nil {
			r.app.log.printf("%v: not all %d processes have joined yet", place, place.Size)
		}
	}
	r.app.log.printf("%v: %d processes work on the scenarios", place, len(c.Stats()))
	pack, unpack, err := newCodecs()
	if err != nil {
		return false, err
	}
	r.spread = p.WithTeam(&team{c, pack, unpack})
	return false, nil
}

// leaveCluster ends the processes of a run, and returns what they have done.
func (r *solveRun) leaveCluster() (list []memberReport, err error) {
	if r.coordinator == nil {
		return nil, nil
	}

	// What follows the run, such as the tables of its solution, is computed in this process.
	if r.spread != nil {
		r.spread.WithTeam(nil)
	}
	for _, s := range r.coordinator.Stats() {
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
	err = r.coordinator.Close()
	r.coordinator = nil
	return list, err
}

// newWorker makes the command proxybd worker.
func newWorker(a *app) *cobra.Command {
	var where string
	var threads int
	c := &cobra.Command{
		Use:   "worker",
		Short: "Join a run of solve --cluster as one more process",
		Long: `Join a run of proxybd solve --cluster file:PATH, at its beginning or at any time, on this machine or
another one that sees the file and the instance. The process works until the run ends. It changes how long the run
takes, and nothing in its result.

Ranks that srun, mpiexec or an Indexed Job start need no such command: each is proxybd solve --cluster auto.`,
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

// addThreads adds --threads of commands whose threads change no result.
func addThreads(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", 0, "goroutines that price scenarios, 0 for one a processor")
}

// work runs the command.
func (a *app) work(ctx context.Context, where string, threads int) error {
	spec, err := cluster.ParseSpec(where)
	if err != nil {
		return badInput(fmt.Errorf("--cluster %q: %w", where, err))
	}
	place, err := spec.Locate()
	if err != nil {
		return badInput(fmt.Errorf("--cluster %s: %w", where, err))
	}
	o, err := a.clusterOptions(threads)
	if err != nil {
		return err
	}

	// The instance is the one that the coordinator names, read as it reads it.
	open := func(s sharedInstance) (families.Instance, error) {
		// Relative paths are those of the coordinator's folder.
		if err := os.Chdir(s.Folder); err != nil {
			return nil, err
		}
		_, in, err := a.openAny(s.Family, s.Path, families.ReadOptions{
			Set:   s.Set,
			Stdin: strings.NewReader(""),
			Warn:  func(string) {},
		})
		return in, err
	}
	return cluster.Work(ctx, place.AsWorker(), o, new(member).program(open))
}
