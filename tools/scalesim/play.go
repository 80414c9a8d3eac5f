//go:build linux

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// machines are what a trace is played on.
type machines struct {
	nodes, slots int // processes, and threads of each
	latency      time.Duration
	bandwidth    float64 // bytes a second of the link of rank 0, in each direction
	slow         float64 // seconds that a second of processor time takes
	shared       bool    // the part of rank 0 that grows with the scenarios is worked by all processes
}

// outcome is how long a run takes, and for what.
type outcome struct {
	machines
	trace   *trace
	total   float64
	rank0   float64 // seconds of rank 0 between steps
	ideal   float64 // seconds of the jobs, were they spread evenly
	tail    float64 // seconds of steps beyond that, where some threads have nothing to do
	network float64 // seconds that messages add

	// Seconds of jobs that were repeated, since their chunks have moved.
	repeated float64
}

// String implements fmt.Stringer.
func (o outcome) String() string {
	jobs, rank0 := o.trace.busy()
	one := (jobs + rank0) * o.slow
	return fmt.Sprintf("%8d scenarios, %4d x %d: %8.2f s = rank 0 %8.2f + even work %8.2f + tail %6.2f + network %6.2f; "+
		"%6.1f times as fast as one thread", o.trace.Scenarios, o.nodes, o.slots, o.total, o.rank0, o.ideal, o.tail,
		o.network, one/o.total)
}

// run plays a trace.
func (c machines) run(t *trace) outcome {
	o := outcome{machines: c, trace: t}
	near := c
	near.latency = 0
	near.bandwidth = 0 // without bound
	far := newPlayer(c, t)
	ideal := newPlayer(near, t)

	// What rank 0 does for each scenario may be worked by all.
	own := c.slow
	if c.shared {
		own *= 1 - t.Growing + t.Growing/float64(c.nodes)
	}

	// Each process but the first one gets the outline.
	if c.nodes > 1 {
		o.network = c.latency.Seconds() + float64(c.nodes-1)*float64(t.Outline)/c.bandwidth
	}
	for k := range t.Steps {
		s := &t.Steps[k]
		o.rank0 += s.before(c.slots) * own

		work := 0.0
		for _, j := range s.Jobs {
			work += j.Seconds * c.slow
		}
		even := work / float64(c.nodes*c.slots)
		without := ideal.step(s)
		o.ideal += even
		o.tail += without - even
		o.network += far.step(s) - without
	}
	o.repeated = far.repeated
	o.rank0 += t.Last * own
	o.total = o.rank0 + o.ideal + o.tail + o.network
	return o
}

// player plays the steps of a trace. A chunk is held by the process that was free first when it came up, until one that
// is idle takes it over (package cluster).
type player struct {
	machines
	trace   *trace
	chunks  []chunk
	free    []float64 // when each thread is free, in the current step: thread k is one of process k % nodes
	waiting [][]job   // of each process
	answers []arrival // scratch

	repeated float64 // seconds of jobs so far, since their chunks have moved
}

// chunk is one of the trace.
type chunk struct {
	holder  int     // process, -1 for none
	jobs    int     // so far
	moved   int     // jobs when it was taken over last
	seconds float64 // of these jobs, which another process would repeat
}

func newPlayer(c machines, t *trace) *player {
	p := &player{machines: c, trace: t, free: make([]float64, c.nodes*c.slots), waiting: make([][]job, c.nodes)}
	for range t.Data {
		p.chunks = append(p.chunks, chunk{holder: -1})
	}
	return p
}

// step returns the seconds from the first question to the last answer.
func (p *player) step(s *step) (end float64) {
	var unheld []job
	for _, j := range s.Jobs {
		if h := p.chunks[j.Chunk].holder; h >= 0 {
			p.waiting[h] = append(p.waiting[h], j)
		} else {
			unheld = append(unheld, j)
		}
	}
	clear(p.free)
	sent := 0.0 // when the link of rank 0 has sent the last question
	p.answers = p.answers[:0]

	// The thread that is free first gets a job, as long as there are some for it.
	for left := len(s.Jobs); left > 0; left-- {
		thread, j, extra := p.next(&unheld)
		node := thread % p.nodes
		c := &p.chunks[j.Chunk]
		size := float64(j.In)
		if c.holder != node {
			size += float64(p.trace.Data[j.Chunk])
			c.holder = node
		}
		begin := p.free[thread]
		if node > 0 {
			sent += p.transfer(size)
			begin = max(begin, sent+p.latency.Seconds())
		}
		c.jobs++
		c.seconds += j.Seconds
		p.repeated += extra * p.slow

		// Of the first process the answer is there at once.
		at := begin + (j.Seconds+extra)*p.slow
		p.free[thread] = at
		if node == 0 {
			end = max(end, at)
		} else {
			p.answers = append(p.answers, arrival{at + p.latency.Seconds(), j.Out})
		}
	}

	// The link of rank 0 receives the answers in the order in which they come.
	slices.SortFunc(p.answers, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	received := 0.0
	for _, a := range p.answers {
		received = max(received, a.at) + p.transfer(float64(a.bytes))
	}
	return max(end, received)
}

// arrival is when an answer comes to rank 0, and its length.
type arrival struct {
	at    float64
	bytes int
}

// next returns the thread that works next and its job: of a chunk that its process holds, of one that nobody holds, or
// of one that it takes over, with the seconds that are repeated for that. There is a job for some thread.
func (p *player) next(unheld *[]job) (thread int, j job, extra float64) {
	for {
		thread = 0
		for k, at := range p.free {
			if at < p.free[thread] {
				thread = k
			}
		}
		own := &p.waiting[thread%p.nodes]
		switch {
		case len(*own) > 0:
			j = (*own)[0]
			*own = (*own)[1:]
			return thread, j, 0
		case len(*unheld) > 0:
			j = (*unheld)[0]
			*unheld = (*unheld)[1:]
			return thread, j, 0
		}
		if j, ok := p.take(); ok {
			return thread, j, p.chunks[j.Chunk].seconds
		}

		// Nothing is left for this thread in this step.
		p.free[thread] = math.Inf(1)
	}
}

// take removes a job that may move from the process for which most jobs wait, two at least.
func (p *player) take() (j job, ok bool) {
	victim := 0
	for k := range p.waiting {
		if len(p.waiting[k]) > len(p.waiting[victim]) {
			victim = k
		}
	}
	list := p.waiting[victim]
	if len(list) < 2 {
		return j, false
	}
	for k, j := range slices.Backward(list) {
		c := &p.chunks[j.Chunk]
		if c.jobs <= freeMoves || c.jobs >= moveAfter*c.moved {
			p.waiting[victim] = slices.Delete(list, k, k+1)
			c.moved = c.jobs
			return j, true
		}
	}
	return j, false
}

// When a chunk may move again: cluster/schedule.go.
const (
	freeMoves = 8
	moveAfter = 4
)

// transfer returns the seconds that bytes take on the link.
func (p *player) transfer(bytes float64) float64 {
	if p.bandwidth == 0 {
		return 0
	}
	return bytes / p.bandwidth
}
