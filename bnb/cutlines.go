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
// third of the time of such trees. A cut that is idle stays so until one of the columns that made it idle, its first
// terms, gets a smaller upper bound: until then it is not looked at, whatever else changes.
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
	byCol  [][]place // of each column
	cols   []int32   // those that have places
	queue  []int32
	queued []bool

	need   []int32   // of each cut: so many of its first terms make it idle, whole where they do not
	upper  []float64 // the bounds to which need is true: of columns that are not greater, the cuts are looked at again
	of     *domain   // whose they are
	breaks int       // and its count
	behind bool      // changes of the domain have not been followed
}

// place is where a column is in a cut.
type place struct {
	cut, term int32
}

// whole says that a cut is not idle.
const whole = math.MaxInt32

// term is a coefficient, rounded down.
type term struct {
	col   int32
	value float32
}

func newCutLines(p *problem, q *pool) cutLines {
	return cutLines{p: p, pool: q, byCol: make([][]place, p.n),
		upper: slices.Repeat([]float64{inf}, p.n)}
}

// take takes over the cuts that have come since the last time, and queues them.
func (l *cutLines) take() {
	for ; l.heard < len(l.pool.tightened); l.heard++ {
		if k := l.pool.tightened[l.heard]; int(k) < len(l.list) {
			l.ample[k] = l.list[k].ample(l.reach[k])
			l.need[k] = whole
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
		l.reach, l.ample, l.need = append(l.reach, reach), append(l.ample, c.ample(reach)), append(l.need, whole)
		for t, j := range c.index {
			v := float32(0)
			if !math.IsInf(reach, 1) {
				v = float32Down(c.value[t])
			}
			l.terms = append(l.terms, term{j, v})
		}
		own := l.terms[l.start(int(k)):]
		slices.SortStableFunc(own, func(a, b term) int { return cmp.Compare(b.value, a.value) })
		for t, at := range own {
			if l.byCol[at.col] == nil {
				l.cols = append(l.cols, at.col)
			}
			l.byCol[at.col] = append(l.byCol[at.col], place{k, int32(t)})
		}
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
	largest := 0.0
	for k, j := range c.index {
		if !(c.value[k] > 0 && p.lower[j] >= 0) {
			return inf
		}
		largest = max(largest, c.value[k]*(p.upper[j]-p.lower[j]))
	}
	return largest
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

// follow takes the bounds of a domain over. Unless it was tightened only, and that column by column, the cuts that abandon
// what made them idle are found by a comparison of all bounds; those that are not idle are queued then.
func (l *cutLines) follow(d *domain, all bool) {
	if all = d.arrived() || all; !all && l.of == d && l.breaks == d.breaks && !l.behind {
		return
	}
	l.of, l.breaks, l.behind = d, d.breaks, false
	for _, j := range l.cols {
		if d.upper[j] < l.upper[j] {
			for _, at := range l.byCol[j] {
				if at.term < l.need[at.cut] {
					l.need[at.cut] = whole
				}
			}
		}
		l.upper[j] = d.upper[j]
	}
	for k, need := range l.need {
		if all && need == whole {
			l.push(int32(k))
		}
	}
}

// touch queues the cuts to which a change of a column's bounds may matter.
func (l *cutLines) touch(d *domain, j int32) {
	l.upper[j] = d.upper[j]
	for _, at := range l.byCol[j] {
		if at.term < l.need[at.cut] {
			l.push(at.cut)
		}
	}
}

// idle reports that a cut says nothing for certain: its largest activity leaves room for any change of a column. Where
// most columns are free it takes a few terms to see it.
func (l *cutLines) idle(k int32, d *domain) bool {
	ample := l.ample[k]
	l.need[k] = whole
	if math.IsInf(ample, 1) {
		return false
	}
	sum := 0.0
	for n, t := range l.terms[l.start(int(k)):l.end[k]] {
		if sum += float64(t.value) * d.upper[t.col]; sum >= ample {
			l.need[k] = int32(n + 1)
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

// forget empties the queue. Cuts that are still in it have to be looked at before they can be called idle. behind says
// that touched columns were not followed.
func (l *cutLines) forget(behind bool) {
	l.behind = l.behind || behind
	for _, k := range l.queue {
		if l.queued[k] {
			l.queued[k], l.need[k] = false, whole
		}
	}
	l.queue = l.queue[:0]
}
