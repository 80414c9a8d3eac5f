package bnb

import (
	"cmp"
	"math"
	"slices"
)

// cutLines are the pool's cuts of hooks over integer columns, in the form that propagation uses: by column, so that a
// change of a bound leads to the cuts that it may concern. A pass over thousands of cuts at every change was 40% of
// the time of trees over networks.
//
// The data that show that a cut is idle lie together: to follow pointers to thousands of cuts, most of which give no
// bound, was a third of the time of such trees. A cut that is idle stays so until one of the columns that made it idle,
// its first terms, gets a smaller upper bound: until then no other change queues it.
type cutLines struct {
	p         *problem
	pool      *pool
	hooked    int // cuts of the pool's hooks that are taken over
	tightened int // entries of the pool's list of tightened cuts that are taken over
	list      []*cut
	reach     []float64 // of each cut
	idleFrom  []float64 // of each cut: the activity from which it is idle, infinity where it never is
	end       []int     // of each cut: where its terms end
	terms     []term    // of all cuts, each one's in the order of append
	closed    []int32   // of each column: how often its upper bound has fallen
	byCol     [][]place // of each column
	cols      []int32   // those that have places
	queue     []int32
	queued    []bool

	idleTerms []int32   // of each cut: the number of its first terms that make it idle, notIdle where they do not
	upper     []float64 // upper bounds of the columns for which idleTerms holds
	of        *domain   // whose bounds they are
	breaks    int       // and its count
	behind    bool      // some changes of the domain are not in upper
}

// place is where a column is in a cut.
type place struct {
	cut, term int32
}

// notIdle stands in idleTerms for a cut that is not idle: all of its terms matter.
const notIdle = math.MaxInt32

// term is a coefficient, rounded down.
type term struct {
	col   int32
	value float32
}

func newCutLines(p *problem, q *pool) cutLines {
	return cutLines{
		p:      p,
		pool:   q,
		byCol:  make([][]place, p.n),
		closed: make([]int32, p.n),
		upper:  slices.Repeat([]float64{inf}, p.n),
	}
}

// update takes over the cuts that the pool has got or tightened since the last call, and queues the new ones.
func (l *cutLines) update() {
	// A cut with a tighter side may propagate again.
	for ; l.tightened < len(l.pool.tightened); l.tightened++ {
		if k := l.pool.tightened[l.tightened]; int(k) < len(l.list) {
			l.idleFrom[k] = l.list[k].idleFrom(l.reach[k])
			l.idleTerms[k] = notIdle
		}
	}
	if l.pool.flagged == len(l.list) {
		return
	}

	// Only cuts over integer columns are propagated; the others are skipped for good.
	for _, c := range l.pool.hooked.cuts[l.hooked:] {
		if c.integral {
			l.append(c)
		}
	}
	l.hooked = len(l.pool.hooked.cuts)
}

// append takes over one cut.
func (l *cutLines) append(c *cut) {
	k := int32(len(l.list))

	// The data of a cut are appended to lists with one entry a cut, all at the same place.
	reach := l.p.reach(c)
	l.list = append(l.list, c)
	l.queued = append(l.queued, false)
	l.reach = append(l.reach, reach)
	l.idleFrom = append(l.idleFrom, c.idleFrom(reach))
	l.idleTerms = append(l.idleTerms, notIdle)

	// The terms are sorted: great ones reach idleFrom soonest, and those of columns whose upper bound has seldom fallen
	// keep the cut idle for longest.
	start := len(l.terms)
	for t, j := range c.index {
		v := float32(0)
		// Where the reach is infinite the cut is never idle, and its terms are not needed.
		if !math.IsInf(reach, 1) {
			v = float32Down(c.value[t])
		}
		l.terms = append(l.terms, term{j, v})
	}
	rank := func(t term) float64 { return float64(t.value) / (1 + float64(l.closed[t.col])) }
	slices.SortStableFunc(l.terms[start:], func(a, b term) int { return cmp.Compare(rank(b), rank(a)) })

	// A column leads to all cuts that it is in.
	for t, at := range l.terms[start:] {
		if l.byCol[at.col] == nil {
			l.cols = append(l.cols, at.col)
		}
		l.byCol[at.col] = append(l.byCol[at.col], place{k, int32(t)})
	}
	l.end = append(l.end, len(l.terms))
	l.push(k)
}

// push queues a cut, once.
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

	// The largest change of a term at the root. A term that may be negative has no such limit.
	for k, j := range c.index {
		if !(c.value[k] > 0 && p.lower[j] >= 0) {
			return inf
		}
		largest = max(largest, c.value[k]*(p.upper[j]-p.lower[j]))
	}
	return largest
}

// idleFrom returns the activity from which a cut of that reach is idle.
func (c *cut) idleFrom(reach float64) float64 {
	// A finite upper side may give a bound too, which the largest activity does not show.
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

// setDomain takes the bounds of a domain over. Unless it was tightened only, and that column by column, the cuts that
// are no longer idle are found by a comparison of all bounds; in another part of the tree, or with all set, those that
// are not idle are queued.
func (l *cutLines) setDomain(d *domain, all bool) {
	all = d.arrived() || all

	// The bounds are up to date if every change of this domain was followed.
	current := l.of == d && l.breaks == d.breaks && !l.behind
	if current && !all {
		return
	}
	l.of = d
	l.breaks = d.breaks
	l.behind = false

	// A cut stays idle while the upper bounds of its first terms do not fall.
	for _, j := range l.cols {
		if d.upper[j] < l.upper[j] {
			for _, at := range l.byCol[j] {
				if at.term < l.idleTerms[at.cut] {
					l.idleTerms[at.cut] = notIdle
				}
			}
		}
		l.upper[j] = d.upper[j]
	}

	// The cuts that are not idle are looked at once in the new part of the tree.
	for k, n := range l.idleTerms {
		if all && n == notIdle {
			l.push(int32(k))
		}
	}
}

// touch queues the cuts to which a change of a column's bounds may matter.
func (l *cutLines) touch(d *domain, j int32) {
	if d.upper[j] < l.upper[j] {
		l.closed[j]++ // for the order of terms of later cuts
	}
	l.upper[j] = d.upper[j]

	// A cut that its first terms make idle does not depend on the columns behind them.
	for _, at := range l.byCol[j] {
		if at.term < l.idleTerms[at.cut] {
			l.push(at.cut)
		}
	}
}

// idle reports whether a cut certainly gives no bound: its largest activity leaves room for any change of a column.
// Where most columns are free a few terms show it.
func (l *cutLines) idle(k int32, d *domain) bool {
	// Without a proof the cut counts as not idle.
	enough := l.idleFrom[k]
	l.idleTerms[k] = notIdle
	if math.IsInf(enough, 1) {
		return false
	}
	sum := 0.0
	for n, t := range l.terms[l.start(int(k)):l.end[k]] {
		if sum += float64(t.value) * d.upper[t.col]; sum >= enough {
			l.idleTerms[k] = int32(n + 1)
			return true
		}
	}
	return false
}

// pop returns the cut that has been in the queue for the longest, -1 where it is empty. at counts the cuts popped.
func (l *cutLines) pop(at *int) int32 {
	// Popped cuts stay in the list, which clearQueue empties at the end.
	if *at == len(l.queue) {
		return -1
	}
	k := l.queue[*at]
	*at++
	l.queued[k] = false
	return k
}

// clearQueue empties the queue. Cuts that are still in it have to be looked at before they can be called idle. behind
// is set where touch was not called for some touched columns.
func (l *cutLines) clearQueue(behind bool) {
	// The flag stays until the bounds are compared again: see setDomain.
	l.behind = l.behind || behind
	for _, k := range l.queue {
		if l.queued[k] {
			l.queued[k] = false
			l.idleTerms[k] = notIdle
		}
	}
	l.queue = l.queue[:0]
}
