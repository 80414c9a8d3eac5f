package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/internal/parallel"
)

// A command whose work falls into jobs has a crew for them: goroutines of this process and, with --cluster, those of
// other processes (team.go). Every process has a workload, which it opens by the same assignment. What a job answers
// depends on its payload and the assignment alone, so that no result depends on who has worked what.

// workload is what a process works on.
type workload interface {
	// Identity is equal in processes that have opened the same data.
	Identity() string

	// Hold makes the state of a key. Jobs without a key have the key 0 and no state. data is what Data returned for the
	// key, nil in the first process.
	Hold(key uint64, data []byte) (any, error)

	// Data returns what another process needs for a key in addition to the assignment.
	Data(key uint64) ([]byte, error)

	// Work answers a job. It may be called from several goroutines, for jobs of one state by one at a time.
	Work(ctx context.Context, state any, payload []byte) ([]byte, error)
}

// keyless is embedded by workloads whose jobs have no keys.
type keyless struct{}

// Hold implements workload.
func (keyless) Hold(key uint64, _ []byte) (any, error) {
	return nil, fmt.Errorf("there is nothing with the key %d", key)
}

// Data implements workload.
func (keyless) Data(uint64) ([]byte, error) { return nil, nil }

// assignment says what the processes of a command work on.
type assignment struct {
	Kind  workKind        `json:"kind"`
	Terms json.RawMessage `json:"terms"` // as the kind has them

	// Folder is where relative paths of the terms begin, "" where no file is read.
	Folder string `json:"folder,omitempty"`
}

// workKind is a kind of work.
type workKind string

// The kinds of work.
const (
	chunkWork  workKind = "chunks of scenarios"
	folderWork workKind = "instances of a folder"
	trialWork  workKind = "samples and designs"
	stateWork  workKind = "states of instances"
)

// openWorkload opens what another process has assigned.
func (a *app) openWorkload(what assignment) (workload, error) {
	switch what.Kind {
	case chunkWork:
		return a.openChunks(what.Terms)
	case folderWork:
		return a.openFolder(what.Terms)
	case trialWork:
		return a.openTrials(what.Terms)
	case stateWork:
		return a.openStates(what.Terms)
	}
	return nil, fmt.Errorf("work of the unknown kind %q", what.Kind)
}

// addCluster adds --cluster. usage says what the processes work on.
func addCluster(c *cobra.Command, where *string, usage string) {
	c.Flags().StringVar(where, "cluster", "", usage+" by the processes of `WHERE`: auto (srun, mpiexec or an Indexed Job "+
		"started this one) or file:PATH, which proxybd worker joins")
}

// crewFlags are the flags of a command that say who works.
type crewFlags struct {
	cluster string
	threads int
}

// add adds the flags. usage says what is worked.
func (f *crewFlags) add(c *cobra.Command, usage string) {
	addCluster(c, &f.cluster, "have "+usage+" worked")
	addThreads(c, &f.threads)
}

// addThreads adds --threads of commands whose threads change no result.
func addThreads(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", 0, "jobs that are worked at the same time, 0 for one a processor; no result "+
		"depends on it")
}

// crewOptions are how many work.
type crewOptions struct {
	where   string // the value of --cluster, "" for this process alone
	threads int    // jobs that a process works at the same time, 0 for one a processor
	ahead   int    // jobs that another process is sent beyond these, so that it does not wait for the next message

	// The time after which a job that has no answer is given to a second process that is idle.
	slowAfter time.Duration
}

// Times after which a job is given to a second process: of an answer that others wait for, and of a job of its own.
const (
	slowRound = 30 * time.Second
	slowJob   = 10 * time.Minute
)

// crew has the jobs of a command worked.
type crew struct {
	options crewOptions
	own     workload // of this process, nil before begin
	team    *team    // nil for this process alone
}

// gather makes the crew of a command. In a process that is not the first one of several it works until the command has
// ended, and returns nil. The other processes open the terms while this one reads its files.
func (a *app) gather(ctx context.Context, o crewOptions, kind workKind, terms any) (*crew, error) {
	c, err := a.join(ctx, o)
	if c == nil || c.team == nil || err != nil {
		return c, err
	}
	if err := c.assign(ctx, kind, terms, true); err != nil {
		return nil, errors.Join(err, c.team.close())
	}
	return c, nil
}

// join is gather without an assignment, for a command that has one only when it has read its files.
func (a *app) join(ctx context.Context, o crewOptions) (*crew, error) {
	if o.where == "" {
		return &crew{options: o}, nil
	}
	t, err := a.joinTeam(ctx, o)
	if t == nil || err != nil {
		return nil, err
	}
	return &crew{options: o, team: t}, nil
}

// assign passes to the other processes what they work on. The terms are as the kind has them; reads says that they name
// files, which the other processes read.
func (c *crew) assign(ctx context.Context, kind workKind, terms any, reads bool) error {
	if c.team == nil {
		return nil
	}
	text, err := json.Marshal(terms)
	if err != nil {
		return err
	}
	what := assignment{Kind: kind, Terms: text}
	if reads {
		if what.Folder, err = os.Getwd(); err != nil {
			return err
		}
	}
	return c.team.assign(ctx, what)
}

// begin makes a workload that of this process. Jobs can be worked from here on.
func (c *crew) begin(ctx context.Context, w workload) error {
	c.own = w
	if c.team == nil {
		return nil
	}
	return c.team.begin(ctx, w)
}

// run has jobs worked, and returns their answers in their order. Its error is that of the first one by number that has
// one.
func (c *crew) run(ctx context.Context, payloads [][]byte) ([][]byte, error) {
	if c.team != nil {
		return c.team.run(ctx, nil, payloads)
	}
	answers := make([][]byte, len(payloads))
	err := parallel.Each(c.options.threads, len(payloads), func(job int) (err error) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		answers[job], err = c.own.Work(ctx, nil, payloads[job])
		return err
	})
	return answers, err
}

// each has jobs worked that have nothing to do with each other, and calls done for each when it has ended, one call at
// a time. It returns an error where the context has ended before them.
func (c *crew) each(ctx context.Context, payloads [][]byte, done func(job int, answer []byte, err error)) error {
	if c.team != nil {
		return c.team.each(ctx, payloads, done)
	}

	// After the end of the context no job begins; one that has been worked counts, whatever it made of that end.
	var mu sync.Mutex
	return parallel.Each(c.options.threads, len(payloads), func(job int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		answer, err := c.own.Work(ctx, nil, payloads[job])
		mu.Lock()
		defer mu.Unlock()
		done(job, answer, err)
		return nil
	})
}

// leave ends the crew, and returns what its processes have done, nil for one process. It may be called again.
func (c *crew) leave() ([]memberReport, error) {
	if c == nil || c.team == nil {
		return nil, nil
	}
	t := c.team
	c.team = nil
	return t.leave()
}
