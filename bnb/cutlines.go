package bnb

import "math"

// cutLines are the pool's cuts of hooks over integer columns, as propagation sees them: by column, so that a change of
// a bound leads to the cuts that it may concern. A pass over thousands of cuts at every change was 40% of the time of
// trees over networks.
type cutLines struct {
	p      *problem
	pool   *pool
	seen   int // of the pool's cuts
	list   []*cut
	reach  []float64 // of each cut
	byCol  [][]int32 // of each column: positions in the list
	queue  []int32
	queued []bool
}

func newCutLines(p *problem, q *pool) cutLines {
	return cutLines{p: p, pool: q, byCol: make([][]int32, p.n)}
}

// take takes over the cuts that have come since the last time, and queues them.
func (l *cutLines) take() {
	if l.pool.flagged == len(l.list) {
		return
	}
	for _, c := range l.pool.hooked.cuts[l.seen:] {
		if !c.integral {
			continue
		}
		k := int32(len(l.list))
		l.list, l.queued, l.reach = append(l.list, c), append(l.queued, false), append(l.reach, l.p.reach(c))
		for _, j := range c.index {
			l.byCol[j] = append(l.byCol[j], k)
		}
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

// idle reports that a cut says nothing for certain: its largest activity leaves room for any change of a column. Where
// most columns are free it takes a few terms to see it.
func (l *cutLines) idle(k int32, d *domain) bool {
	c, sum := l.list[k], 0.0
	ample := c.lower + l.reach[k]
	if math.IsInf(ample, 1) || !math.IsInf(c.upper, 1) {
		return false
	}
	for t, j := range c.index {
		if sum += c.value[t] * d.upper[j]; sum >= ample {
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
