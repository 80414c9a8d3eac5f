package presolve

import "math"

// record is one reduction that took columns away. It works on points by the columns of the given model.
type record interface {
	undo(x []float64)    // sets the columns that the reduction took away
	forward(x []float64) // sets the columns whose meaning the reduction changed
}

// fixedCol is a column that got a value.
type fixedCol struct {
	j int32
	v float64
}

func (r *fixedCol) undo(x []float64)  { x[r.j] = r.v }
func (*fixedCol) forward(_ []float64) {}

// interval is a domain.
type interval struct {
	lo, up  float64
	integer bool
}

// clip returns the value of the domain that is nearest to v.
func (d interval) clip(v float64) float64 {
	if d.integer {
		v = math.Round(v)
	}
	return math.Min(math.Max(v, d.lo), d.up)
}

func (p *problem) domain(j int32) interval { return interval{p.Lo[j], p.Up[j], p.integer[j]} }

// terms is the sum of vals[k] * x[cols[k]].
type terms struct {
	cols []int32
	vals []float64
}

func (t *terms) at(x []float64) float64 {
	v := 0.0
	for k, j := range t.cols {
		v += t.vals[k] * x[j]
	}
	return v
}

// affineCol is a column that an equation determines: x_j = (b - rest) / pivot.
type affineCol struct {
	j        int32
	b, pivot float64
	rest     terms
	domain   interval
}

func (r *affineCol) undo(x []float64)  { x[r.j] = r.domain.clip((r.b - r.rest.at(x)) / r.pivot) }
func (*affineCol) forward(_ []float64) {}

// slackCol is a column without cost in one row, lo <= v x_j + rest <= up, that has a value for whatever
// the wider row allows for rest.
type slackCol struct {
	j         int32
	v, lo, up float64
	rest      terms
	domain    interval
}

func (r *slackCol) undo(x []float64) {
	rest := r.rest.at(x)
	lo, up := (r.lo-rest)/r.v, (r.up-rest)/r.v
	if r.v < 0 {
		lo, up = up, lo
	}
	x[r.j] = nearZero(math.Max(lo, r.domain.lo), math.Min(up, r.domain.up))
}

func (*slackCol) forward(_ []float64) {}

// nearZero returns the value of [lo, up] that is nearest to zero; lo may exceed up by rounding.
func nearZero(lo, up float64) float64 {
	switch {
	case lo > 0:
		return lo
	case up < 0:
		return up
	}
	return 0
}

// freeRay is a column without cost that satisfies all its rows far enough in one direction.
type freeRay struct {
	j      int32
	up     bool // the direction
	domain interval
	rows   []raySide
}

// raySide is a side of a row v x_j + rest, the one that stands against the other direction.
type raySide struct {
	v, side float64
	rest    terms
}

func (r *freeRay) undo(x []float64) {
	at := nearZero(r.domain.lo, r.domain.up)
	for k := range r.rows {
		s := &r.rows[k]
		need := (s.side - s.rest.at(x)) / s.v
		if r.up {
			at = math.Max(at, need)
		} else {
			at = math.Min(at, need)
		}
	}
	if r.domain.integer && r.up {
		at = math.Ceil(at)
	} else if r.domain.integer {
		at = math.Floor(at)
	}
	x[r.j] = at
}

func (*freeRay) forward(_ []float64) {}

// mergedCols are columns j and k = s times j: x_j stands for x_j + s x_k.
type mergedCols struct {
	j, k   int32
	s      float64
	dj, dk interval
}

func (r *mergedCols) undo(x []float64) {
	y := x[r.j]
	lo, up := (y-r.dj.up)/r.s, (y-r.dj.lo)/r.s
	if r.s < 0 {
		lo, up = up, lo
	}
	if r.dk.integer {
		lo, up = math.Ceil(lo-integralSlack), math.Floor(up+integralSlack)
	}
	xk := r.dk.clip(nearZero(math.Max(lo, r.dk.lo), math.Min(up, r.dk.up)))
	x[r.j], x[r.k] = r.dj.clip(y-r.s*xk), xk
}

func (r *mergedCols) forward(x []float64) { x[r.j] += r.s * x[r.k] }
