// Command clusterprobe is a program that launchers place in tests: rank 0 lets all ranks count primes in ranges and
// prints the count, which is the same for any number of processes, and what each member has done.
//
//	srun -n 4 clusterprobe --cluster auto
//
// With --worker it joins by an address file. With --die N rank N ends without a word in the middle of the run.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/proxybd/proxybd/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clusterprobe:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	cluster string
	worker  bool
	ranges  int
	width   int
	die     int
	wait    int
}

func run(ctx context.Context) error {
	var s settings
	flag.StringVar(&s.cluster, "cluster", "auto", "auto, slurm, k8s, pmi or file:PATH")
	flag.BoolVar(&s.worker, "worker", false, "join the coordinator of an address file")
	flag.IntVar(&s.ranges, "ranges", 40, "number of ranges")
	flag.IntVar(&s.width, "width", 50000, "numbers in a range")
	flag.IntVar(&s.die, "die", -1, "rank that ends in the middle")
	flag.IntVar(&s.wait, "wait", 0, "members to wait for; 0: all that the launcher has started")
	flag.Parse()

	spec, err := cluster.ParseSpec(s.cluster)
	if err != nil {
		return err
	}
	place, err := spec.Locate()
	if err != nil {
		return err
	}
	if s.worker {
		place = place.AsWorker()
	}

	options := cluster.DefaultOptions()
	options.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	options.Version, err = cluster.BuildID("probe")
	if err != nil {
		return err
	}
	program := func() cluster.Program { return primes(place.Rank == s.die) }
	if !place.Coordinator() {
		return cluster.Work(ctx, place, options, program)
	}
	options.Holding = func(key uint64) ([]byte, error) {
		first := (key - 1) * uint64(s.width)
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, first), first+uint64(s.width)), nil
	}
	return coordinate(ctx, place, options, program, s)
}

// coordinate runs as rank 0.
func coordinate(ctx context.Context, place cluster.Place, options cluster.Options, program cluster.NewProgram,
	s settings) (err error) {
	begin := time.Now()
	c, err := cluster.Listen(ctx, place, options, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Wait(ctx, max(s.wait, place.Size)); err != nil {
		return err
	}

	// Three rounds, so that a round begins where all ranges are held.
	var jobs []cluster.Job
	for k := range s.ranges {
		jobs = append(jobs, cluster.Job{Kind: "count", Key: uint64(k) + 1})
	}
	total := uint64(0)
	for range 3 {
		answers, err := c.Run(ctx, jobs)
		if err != nil {
			return err
		}
		total = 0
		for _, answer := range answers {
			total += binary.BigEndian.Uint64(answer)
		}
	}

	fmt.Printf("%d primes below %d\n", total, s.ranges*s.width)
	for _, m := range c.Stats() {
		fmt.Printf("member %d present %v jobs %d in %d out %d bytes busy %.2f idle %.2f s %s\n",
			m.ID, m.Present, m.Jobs, m.BytesIn, m.BytesOut, m.Busy.Seconds(), m.Idle.Seconds(), m.Name)
	}
	fmt.Printf("%s: %.2f s\n", place, time.Since(begin).Seconds())
	return nil
}

// primes counts the primes from the first number of a range up to the last by trial division.
func primes(dies bool) cluster.Program {
	worked := 0

	// The holding of a range is its first number and the one after its last.
	return cluster.Program{
		Hold: func(_ context.Context, _ uint64, data []byte) (any, error) {
			if len(data) != 16 {
				return nil, fmt.Errorf("a range of %d bytes", len(data))
			}
			return [2]uint64{binary.BigEndian.Uint64(data), binary.BigEndian.Uint64(data[8:])}, nil
		},
		Jobs: map[string]cluster.Handler{
			"count": func(_ context.Context, state any, _ []byte) ([]byte, error) {
				worked++
				if dies && worked == 4 {
					os.Exit(7)
				}
				limits := state.([2]uint64)
				count := uint64(0)
				for n := max(limits[0], 2); n < limits[1]; n++ {
					if isPrime(n) {
						count++
					}
				}
				return binary.BigEndian.AppendUint64(nil, count), nil
			},
		},
	}
}

func isPrime(n uint64) bool {
	for d := uint64(2); d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}
