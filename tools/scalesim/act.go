//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/proxybd/proxybd/cluster"
	"github.com/proxybd/proxybd/internal/wire"
)

// act plays traces by members of package cluster that are joined by real connections, and sleep for as long as a job
// takes, so that many of them fit on a busy machine. It compares the time with that of play.
func act(args []string) error {
	f := flag.NewFlagSet("act", flag.ExitOnError)
	c := machines{slots: 1}
	addNetwork(f, &c)
	counts := f.String("nodes", "1,2,3,4", "members")
	f.Parse(args)
	list, err := numbers(*counts)
	if err != nil {
		return err
	}

	// Every trace is played by every number of members.
	for _, path := range f.Args() {
		t, err := load(path)
		if err != nil {
			return err
		}
		for _, c.nodes = range list {
			seconds, repeated, err := c.act(context.Background(), t)
			if err != nil {
				return err
			}
			expected := c.run(t)
			fmt.Printf("%-24s %3d members: %7.2f s, expected %7.2f; %6.2f s of work repeated, expected %6.2f\n",
				t.Name, c.nodes, seconds, expected.total, repeated, expected.repeated)
		}
	}
	return nil
}

// acted is a chunk in a member.
type acted struct{ jobs int }

// question is what a job has to sleep for.
type question struct {
	before  int     // jobs of the chunk before this one
	earlier float64 // their seconds, which a member repeats that has not had them
	seconds float64
	out     int // bytes of the answer
}

func (q question) encode(length int) []byte {
	var w wire.Writer
	w.Int(q.before)
	w.Float(q.earlier)
	w.Float(q.seconds)
	w.Int(q.out)
	return append(w.Bytes, make([]byte, max(0, length-len(w.Bytes)))...)
}

// sleeping is what a member does.
func sleeping() cluster.Program {
	return cluster.Program{
		Hold: func(context.Context, uint64, []byte) (any, error) { return new(acted), nil },
		Jobs: map[string]cluster.Handler{"sleep": func(_ context.Context, state any, text []byte) ([]byte, error) {
			r := wire.Reader{Bytes: text}
			q := question{before: r.Int(), earlier: r.Float(), seconds: r.Float(), out: r.Int()}
			if r.Err != nil {
				return nil, r.Err
			}

			// A chunk stays where it is, or is made again by all that it has done.
			a := state.(*acted)
			var w wire.Writer
			if a.jobs < q.before {
				w.Float(q.earlier)
				q.seconds += q.earlier
			} else {
				w.Float(0)
			}
			a.jobs = q.before + 1
			time.Sleep(time.Duration(q.seconds * float64(time.Second)))
			return append(w.Bytes, make([]byte, q.out)...), nil
		}},
	}
}

// act plays a trace, and returns the seconds of the run and those of jobs that were repeated.
func (c machines) act(ctx context.Context, t *trace) (seconds, repeated float64, err error) {
	folder, err := os.MkdirTemp("", "scalesim")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(folder)
	spec, err := cluster.ParseSpec("file:" + filepath.Join(folder, "address"))
	if err != nil {
		return 0, 0, err
	}
	place, err := spec.Locate()
	if err != nil {
		return 0, 0, err
	}
	o := cluster.DefaultOptions()
	o.Slots = c.slots
	o.LocalData = true
	o.Holding = func(key uint64) ([]byte, error) { return make([]byte, t.Data[key-1]), nil }

	ended := make(chan error, c.nodes)
	for range c.nodes - 1 {
		go func() { ended <- cluster.Work(ctx, place.AsWorker(), o, sleeping) }()
	}
	first, err := cluster.Listen(ctx, place, o, sleeping)
	if err != nil {
		return 0, 0, err
	}
	if err = first.Wait(ctx, c.nodes); err == nil {
		seconds, repeated, err = c.steps(ctx, first, t)
	}
	err = errors.Join(err, first.Close())
	for range c.nodes - 1 {
		err = errors.Join(err, <-ended)
	}
	return seconds, repeated, err
}

// steps plays the steps of a trace.
func (c machines) steps(ctx context.Context, first *cluster.Coordinator, t *trace) (seconds, repeated float64,
	err error) {
	sleep := func(seconds float64) { time.Sleep(time.Duration(seconds * c.slow * float64(time.Second))) }
	chunks := make([]chunk, len(t.Data))
	begin := time.Now()
	for _, s := range t.Steps {
		sleep(s.before(1))
		var jobs []cluster.Job
		for _, j := range s.Jobs {
			k := &chunks[j.Chunk]
			q := question{k.jobs, k.seconds * c.slow, j.Seconds * c.slow, j.Out}
			jobs = append(jobs, cluster.Job{Kind: "sleep", Key: uint64(j.Chunk) + 1, Payload: q.encode(j.In)})
			k.jobs++
			k.seconds += j.Seconds
		}
		answers, err := first.Run(ctx, jobs)
		if err != nil {
			return 0, 0, err
		}
		for _, text := range answers {
			r := wire.Reader{Bytes: text}
			repeated += r.Float()
		}
	}
	sleep(t.Last)
	return time.Since(begin).Seconds(), repeated, nil
}
