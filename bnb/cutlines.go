package bnb

import (
	"cmp"
	"math"
	"slices"
)

// cutLines are the pool's cuts of hooks over integer columns, as propagation sees them: by column, so that a change of
// a bound leads to the cuts that it may concern. A pass over thousands of cuts at every change was 40% of the time of
// trees over networks.
//
// What says that a cut is idle lies together: to follow pointers to thousands of cuts, most of which say nothing, was a
// third of the time of such trees.
type cutLines struct {
	p      *problem
	pool   *pool
	seen   int // of the pool's cuts
	heard  int // of those that became tighter
	list   []*cut
	reach  []float64 // of each cut
	ample  []float64 // of each cut: the activity from which it is idle, infinity where it never is
	end    []int     // of each cut: where its terms end
	terms  []term    // of all cuts, each one's greatest first
	byCol  [][]int32 // of each column: positions in the list
	queue  []int32
	queued []bool
}

// term is a coefficient, rounded down.
type term struct {
	col   int32
	value float32
}

func newCutLines(p *problem, q *pool) cutLines {
	return cutLines{p: p, pool: q, byCol: make([][]int32, p.n)}
}

// take takes over the cuts that have come since the last time, and queues them.
func (l *cutLines) take() {
	for ; l.heard < len(l.pool.tightened); l.heard++ {
		if k := l.pool.tightened[l.heard]; int(k) < len(l.list) {
			l.ample[k] = l.list[k].ample(l.reach[k])
		}
	}
	if l.pool.flagged == len(l.list) {
		return
	}
	for _, c := range l.pool.hooked.cuts[l.seen:] {
		if !c.integral {
			continue
		}
		k := int32(len(l.list))
		reach := l.p.reach(c)
		l.list, l.queued = append(l.list, c), append(l.queued, false)
		l.reach, l.ample = append(l.reach, reach), append(l.ample, c.ample(reach))
		for t, j := range c.index {
			l.byCol[j] = append(l.byCol[j], k)
			if !math.IsInf(reach, 1) {
				l.terms = append(l.terms, term{j, float32Down(c.value[t])})
			}
		}
		own := l.terms[l.start(int(k)):]
		slices.SortStableFunc(own, func(a, b term) int { return cmp.Compare(b.value, a.value) })
		l.end = append(l.end, len(l.terms))
		l.push(k)
	}
	l.seen = len(l.pool.hooked.cuts)
}

func (l *cutLines) push(k int32) {
	if !l.queued[k] {
		l.queued[k] = true
		l.queue = append(l.queue, k)
	}
}

// reach returns the most that one column can take from what a cut with positive terms demands, infinity where others
// may be negative.
func (p *problem) reach(c *cut) float64 {
	most := 0.0
	for k, j := range c.index {
		if !(c.value[k] > 0 && p.lower[j] >= 0) {
			return inf
		}
		most = max(most, c.value[k]*(p.upper[j]-p.lower[j]))
	}
	return most
}

// ample returns the activity from which a cut of that reach is idle.
func (c *cut) ample(reach float64) float64 {
	if !math.IsInf(c.upper, 1) {
		return inf
	}
	return c.lower + reach
}

// float32Down rounds a positive number.
func float32Down(v float64) float32 {
	if f := float32(v); float64(f) <= v {
		return f
	}
	return math.Nextafter32(float32(v), 0)
}

// start returns where the terms of a cut begin.
func (l *cutLines) start(k int) int {
	if k == 0 {
		return 0
	}
	return l.end[k-1]
}

// idle reports that a cut says nothing for certain: its largest activity leaves room for any change of a column. Where
// most columns are free it takes a few terms to see it.
func (l *cutLines) idle(k int32, d *domain) bool {
	ample := l.ample[k]
	if math.IsInf(ample, 1) {
		return false
	}
	sum := 0.0
	for _, t := range l.terms[l.start(int(k)):l.end[k]] {
		if sum += float64(t.value) * d.upper[t.col]; sum >= ample {
			return true
		}
	}
	return false
}

// pop returns the cut that has been in the queue for the longest, -1 where it is empty. at counts what is gone.
func (l *cutLines) pop(at *int) int32 {
	if *at == len(l.queue) {
		return -1
	}
	k := l.queue[*at]
	*at++
	l.queued[k] = false
	return k
}

// forget empties the queue.
func (l *cutLines) forget() {
	for _, k := range l.queue {
		l.queued[k] = false
	}
	l.queue = l.queue[:0]
}
