package presolve

import "math"

// problem is the linear program of the present stage, by the rows and columns of the one given.
type problem struct {
	opt      Options
	a        matrix
	cost     []float64 // minimised
	lo, up   []float64 // columns
	rlo, rup []float64 // rows
	offset   float64   // minimised
	goneCol  []bool
	goneRow  []bool
	act      []activity
	rowQueue queue
	colQueue queue
	stack    stack
	status   Outcome
	work     int // entries touched
	maxWork  int
	removed  int // rows and columns
	place    []int32
	scratch  []float64
}

// queue is a first-in first-out queue without repetitions.
type queue struct {
	list []int32
	in   []bool
}

func (q *queue) add(k int32) {
	if !q.in[k] {
		q.in[k] = true
		q.list = append(q.list, k)
	}
}

// take empties the queue and returns what it held, valid until the call after the next.
func (q *queue) take(spare []int32) []int32 {
	list := q.list
	q.list = spare[:0]
	for _, k := range list {
		q.in[k] = false
	}
	return list
}

// activity bounds the activity of a row by the bounds of its columns: finite sums and the number of
// infinite terms, and the largest finite term for the error of the sums.
type activity struct {
	min, max       float64
	infMin, infMax int32
	size           float64
	ok             bool
}

func (t *activity) lower() float64 {
	if t.infMin > 0 {
		return math.Inf(-1)
	}
	return t.min
}

func (t *activity) upper() float64 {
	if t.infMax > 0 {
		return math.Inf(1)
	}
	return t.max
}

// activity returns the activity bounds of row i.
func (p *problem) activity(i int32) *activity {
	t := &p.act[i]
	if t.ok {
		return t
	}
	*t = activity{ok: true}
	for k := p.a.rowHead[i]; k >= 0; k = p.a.e[k].nextR {
		e := &p.a.e[k]
		lo, up := p.terms(e.val, e.col)
		if math.IsInf(lo, -1) {
			t.infMin++
		} else {
			t.min += lo
			t.size = max(t.size, math.Abs(lo))
		}
		if math.IsInf(up, 1) {
			t.infMax++
		} else {
			t.max += up
			t.size = max(t.size, math.Abs(up))
		}
	}
	p.work += int(p.a.rowLen[i])
	return t
}

// terms returns the range of v x_j.
func (p *problem) terms(v float64, j int32) (lo, up float64) {
	if v > 0 {
		return v * p.lo[j], v * p.up[j]
	}
	return v * p.up[j], v * p.lo[j]
}

// impliedBounds returns the bounds on x_j that row i implies through its entry v there and the bounds of
// the other columns, moved outward by the rounding error; infinite where there are none.
func (p *problem) impliedBounds(i, j int32, v float64) (lo, up float64) {
	t := p.activity(i)
	termLo, termUp := p.terms(v, j)
	restLo, restUp := without(t.min, t.infMin, termLo), without(t.max, t.infMax, termUp)
	least, most := p.rlo[i]-restUp, p.rup[i]-restLo // of v x_j
	if restUp == math.Inf(1) {
		least = math.Inf(-1)
	}
	if restLo == math.Inf(-1) {
		most = math.Inf(1)
	}
	slop := roundTol * t.size
	least, most = least-slop, most+slop
	if v > 0 {
		return least / v, most / v
	}
	return most / v, least / v
}

// without takes one term out of a sum with inf infinite terms.
func without(sum float64, inf int32, term float64) float64 {
	switch {
	case math.IsInf(term, 0) && inf == 1:
		return sum
	case inf > 0:
		return math.Inf(sign(term, inf))
	}
	return sum - term
}
