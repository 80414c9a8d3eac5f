//go:build linux

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/cli"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// trace is a run as steps: rank 0 computes, then jobs of chunks are worked side by side.
type trace struct {
	Name      string
	Scenarios int
	Programs  int     // linear programs that were solved
	Outline   int     // bytes that each process gets once
	Data      []int   // bytes of each chunk
	Steps     []step  // in their order
	Last      float64 // seconds of rank 0 after the last step
	Growing   float64 // part of the seconds of rank 0 that grows with the scenarios; 0 where it was not estimated
}

// step is what rank 0 computes, and the jobs that follow.
type step struct {
	Before float64 // seconds of rank 0
	Spread float64 // of these: of work that the threads of its process share
	Jobs   []job
}

// before returns the seconds of rank 0 with a number of threads.
func (s *step) before(threads int) float64 { return s.Before - s.Spread + s.Spread/float64(threads) }

// job is an operation of a chunk.
type job struct {
	Chunk   int
	Seconds float64
	In, Out int // bytes of question and answer, packed
}

// busy returns the seconds of all jobs and of rank 0.
func (t *trace) busy() (jobs, rank0 float64) {
	rank0 = t.Last
	for _, s := range t.Steps {
		rank0 += s.Before
		for _, j := range s.Jobs {
			jobs += j.Seconds
		}
	}
	return jobs, rank0
}

// perProgram returns the seconds of a linear program.
func (t *trace) perProgram() float64 {
	jobs, _ := t.busy()
	return jobs / float64(max(1, t.Programs))
}

// bytes returns those of all questions and answers.
func (t *trace) bytes() (in, out int) {
	for _, s := range t.Steps {
		for _, j := range s.Jobs {
			in += j.In
			out += j.Out
		}
	}
	return in, out
}

// String implements fmt.Stringer.
func (t *trace) String() string {
	jobs, rank0 := t.busy()
	spread := 0.0
	for _, s := range t.Steps {
		spread += s.Spread
	}
	in, out := t.bytes()
	data := t.Outline
	for _, n := range t.Data {
		data += n
	}
	steps := float64(max(1, len(t.Steps)))
	return fmt.Sprintf("%s: %d scenarios, %d chunks, %d steps; processor: jobs %.2f s, rank 0 %.2f s, of these %.2f by "+
		"its threads; a step: %.1f kB out, %.1f kB in; data once %.2f MB", t.Name, t.Scenarios, len(t.Data),
		len(t.Steps), jobs, rank0, spread, float64(in)/steps/1e3, float64(out)/steps/1e3, float64(data)/1e6)
}

// recorder works all jobs in this process, one after the other, and notes what they cost. It implements scenario.Team.
type recorder struct {
	trace  *trace
	worker *scenario.Worker
	data   func(key uint64) ([]byte, error)
	states map[uint64]any
	packer *zstd.Encoder
	since  float64 // when the last step ended
	begun  float64 // when work that threads share began
	spread float64 // seconds of such work since the last step
}

// watch notes when work that threads share begins and ends.
func (r *recorder) watch(begin bool) {
	if begin {
		r.begun = now()
	} else {
		r.spread += now() - r.begun
	}
}

// now returns the processor seconds of this process, so that other programs on the machine do not count.
func now() float64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	seconds := func(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(r.Utime) + seconds(r.Stime)
}

// packed returns the number of bytes that are sent for some.
func (r *recorder) packed(text []byte) int { return len(r.packer.EncodeAll(text, nil)) }

// Run implements scenario.Team.
func (r *recorder) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	s := step{Before: now() - r.since, Spread: r.spread}
	r.spread = 0
	answers := make([][]byte, len(keys))
	for k, key := range keys {
		// A chunk that is asked for the first time gets its scenarios.
		state := r.states[key]
		if state == nil {
			data, err := r.data(key)
			if err != nil {
				return nil, err
			}
			if state, err = r.worker.Hold(key, data); err != nil {
				return nil, err
			}
			r.states[key] = state
			r.trace.Data[key-1] = r.packed(data)
		}

		// The job, with the time that it takes and the bytes that would travel.
		begin := now()
		var err error
		if answers[k], err = r.worker.Work(ctx, state, payloads[k]); err != nil {
			return nil, err
		}
		one := job{Chunk: int(key) - 1, Seconds: now() - begin}
		one.In = r.packed(payloads[k])
		one.Out = r.packed(answers[k])
		s.Jobs = append(s.Jobs, one)
	}
	r.trace.Steps = append(r.trace.Steps, s)
	r.since = now()
	return answers, nil
}

// record solves an instance and returns the trace of its run.
func record(ctx context.Context, family, path, scenarios string, gap float64) (*trace, error) {
	in, err := open(family, path, scenarios)
	if err != nil {
		return nil, err
	}
	if in.Capabilities().Stochastic == nil || in.Capabilities().Stochastic.ByScenario() == nil {
		return nil, fmt.Errorf("%s has no scenarios with linear recourse", path)
	}
	p := in.Capabilities().Stochastic.ByScenario()

	// The worker is as in another process.
	outline, err := p.MarshalOutline()
	if err != nil {
		return nil, err
	}
	r := &recorder{
		trace:  &trace{Name: in.Label().Name, Scenarios: len(p.Frame().Scenarios), Data: make([]int, p.Chunks())},
		data:   p.MarshalChunk,
		states: map[uint64]any{},
	}
	r.packer, err = zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	r.trace.Outline = r.packed(outline)
	if r.worker, err = scenario.NewOutlineWorker(outline, restore(family)); err != nil {
		return nil, err
	}
	p.WithTeam(r).WithWatch(r.watch)

	o := decompose.DefaultOptions()
	o.Benders.Gap = gap
	o.Threads = 1
	r.since = now()
	result, err := pipeline.Solve(ctx, in, o)
	if err != nil {
		return nil, err
	}
	r.trace.Last = now() - r.since
	r.trace.Programs = result.Scenarios.LPs
	return r.trace, nil
}

// open reads an instance of a family.
func open(family, path, scenarios string) (families.Instance, error) {
	o := families.ReadOptions{Warn: func(string) {}}
	if scenarios != "" {
		o.Set = map[string]string{"scenarios": scenarios}
	}
	for _, f := range cli.Families() {
		if f.Name == family {
			return f.Read(path, o)
		}
	}
	return nil, fmt.Errorf("no family is called %q", family)
}

// restore returns what makes the shortcuts of a family.
func restore(family string) func(string, []byte) (scenario.RangeShortcut, error) {
	return func(_ string, common []byte) (scenario.RangeShortcut, error) {
		for _, f := range cli.Families() {
			if f.Name == family && f.Shortcut != nil {
				return f.Shortcut(common)
			}
		}
		return nil, fmt.Errorf("the family %s makes no shortcuts", family)
	}
}
