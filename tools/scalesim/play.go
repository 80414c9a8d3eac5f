//go:build linux

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// cluster is what a trace is played on.
type cluster struct {
	nodes, slots int // processes, and threads of each
	latency      time.Duration
	bandwidth    float64 // bytes a second of the link of rank 0, in each direction
	slow         float64 // seconds that a second of processor time takes
	shared       bool    // the part of rank 0 that grows with the scenarios is worked by all processes
}

// outcome is how long a run takes, and for what.
type outcome struct {
	cluster
	trace   *trace
	total   float64
	rank0   float64 // seconds of rank 0 between steps
	ideal   float64 // seconds of the jobs, were they spread evenly
	tail    float64 // seconds of steps beyond that, where some threads have nothing to do
	network float64 // seconds that messages add
}

// String implements fmt.Stringer.
func (o outcome) String() string {
	jobs, rank0 := o.trace.busy()
	one := (jobs + rank0) * o.slow
	return fmt.Sprintf("%8d scenarios, %4d x %d: %9.2f s = rank 0 %9.2f + even work %9.2f + tail %7.2f + network %7.2f; %6.1f times as fast as one thread",
		o.trace.Scenarios, o.nodes, o.slots, o.total, o.rank0, o.ideal, o.tail, o.network, one/o.total)
}

// run plays a trace.
func (c cluster) run(t *trace) outcome {
	o := outcome{cluster: c, trace: t}
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
		o.rank0 += s.Before * own

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
	o.rank0 += t.Last * own
	o.total = o.rank0 + o.ideal + o.tail + o.network
	return o
}

// player plays the steps of a trace. A chunk stays with the process that was free first when it came up.
type player struct {
	cluster
	trace   *trace
	holder  []int     // of each chunk, -1 for none
	free    []float64 // when each thread is free, in the current step
	answers []arrival // scratch
}

func newPlayer(c cluster, t *trace) *player {
	p := &player{cluster: c, trace: t, free: make([]float64, c.nodes*c.slots)}
	for range t.Data {
		p.holder = append(p.holder, -1)
	}
	return p
}

// step returns the seconds from the first question to the last answer.
func (p *player) step(s *step) (end float64) {
	clear(p.free)
	sent := 0.0 // when the link of rank 0 has sent the last question
	p.answers = p.answers[:0]
	for _, j := range s.Jobs {
		slot, isNew := p.slot(j.Chunk)
		begin := 0.0
		local := slot < p.slots
		if !local {
			size := float64(j.In)
			if isNew {
				size += float64(p.trace.Data[j.Chunk])
			}
			sent += p.transfer(size)
			begin = sent + p.latency.Seconds()
		}

		// The thread works it after what it has, and the answer goes back.
		at := max(p.free[slot], begin) + j.Seconds*p.slow
		p.free[slot] = at
		if local {
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

// transfer returns the seconds that bytes take on the link.
func (p *player) transfer(bytes float64) float64 {
	if p.bandwidth == 0 {
		return 0
	}
	return bytes / p.bandwidth
}

// slot returns the thread that works the next job of a chunk: the first free one of its holder, or of all where it has
// none.
func (p *player) slot(chunk int) (slot int, isNew bool) {
	from, to := 0, len(p.free)
	if h := p.holder[chunk]; h >= 0 {
		from, to = h*p.slots, (h+1)*p.slots
	}
	slot = from
	for k := from; k < to; k++ {
		if p.free[k] < p.free[slot] {
			slot = k
		}
	}
	isNew = p.holder[chunk] < 0
	p.holder[chunk] = slot / p.slots
	return slot, isNew
}
