package bnb

// cutLines are the pool's cuts of hooks over integer columns, as propagation sees them: by column, so that a change of
// a bound leads to the cuts that it may concern. A pass over thousands of cuts at every change was 40% of the time of
// trees over networks.
type cutLines struct {
	pool   *pool
	seen   int // of the pool's cuts
	list   []*cut
	byCol  [][]int32 // of each column: positions in the list
	queue  []int32
	queued []bool
}

func newCutLines(p *problem, q *pool) cutLines { return cutLines{pool: q, byCol: make([][]int32, p.n)} }

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
		l.list, l.queued = append(l.list, c), append(l.queued, false)
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

// pop returns the cut that has been in the queue for the longest; nil where it is empty. at counts what is gone.
func (l *cutLines) pop(at *int) *cut {
	if *at == len(l.queue) {
		return nil
	}
	k := l.queue[*at]
	*at++
	l.queued[k] = false
	return l.list[k]
}

// forget empties the queue.
func (l *cutLines) forget() {
	for _, k := range l.queue {
		l.queued[k] = false
	}
	l.queue = l.queue[:0]
}
