package presolve

import (
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// brute is a model in dense form, to be solved by enumeration: at most two continuous columns that matter.
type brute struct {
	m     *lp.Model
	rows  [][]float64
	conts []int
	box   float64
	best  float64
	arg   []float64
}

func newBrute(m *lp.Model, box float64) *brute {
	b := &brute{m: m, box: box, best: math.NaN(), rows: make([][]float64, len(m.Rows))}
	for i := range b.rows {
		b.rows[i] = make([]float64, len(m.Cols))
	}
	a, err := m.Matrix()
	if err != nil {
		panic(err)
	}
	for j := range m.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			b.rows[i][j] = value[k]
		}
		if !m.Cols[j].Integer {
			b.conts = append(b.conts, j)
		}
	}
	return b
}

// violation returns the largest violation of a row, bound or integrality at x.
func (b *brute) violation(x []float64) float64 {
	worst := 0.0
	for j, c := range b.m.Cols {
		worst = math.Max(worst, math.Max(c.Lower-x[j], x[j]-c.Upper))
		if c.Integer {
			worst = math.Max(worst, math.Abs(x[j]-math.Round(x[j])))
		}
	}
	for i, r := range b.rows {
		act := 0.0
		for j, v := range r {
			act += v * x[j]
		}
		worst = math.Max(worst, math.Max(b.m.Rows[i].Lower-act, act-b.m.Rows[i].Upper))
	}
	return worst
}

// solve enumerates the integer columns within their bounds and the box, and for each the vertices in the
// continuous ones. It returns the best value, NaN if there is none, and calls visit (if any) at each point.
func (b *brute) solve(visit func(x []float64)) float64 {
	x := make([]float64, len(b.m.Cols))
	var walk func(j int)
	walk = func(j int) {
		if j == len(x) {
			b.vertices(x, visit)
			return
		}
		c := b.m.Cols[j]
		if !c.Integer {
			walk(j + 1)
			return
		}
		for v := math.Ceil(math.Max(c.Lower, -b.box)); v <= math.Min(c.Upper, b.box); v++ {
			x[j] = v
			walk(j + 1)
		}
	}
	walk(0)
	return b.best
}

func (b *brute) offer(x []float64, visit func(x []float64)) {
	if !(b.violation(x) <= 1e-8) {
		return
	}
	if visit != nil {
		visit(x)
	}
	if v := b.m.Evaluate(x); math.IsNaN(b.best) || v != b.best && (v < b.best) != b.m.Maximize {
		b.best, b.arg = v, append(b.arg[:0], x...)
	}
}

// vertices offers the vertices of the polytope in the continuous columns.
func (b *brute) vertices(x []float64, visit func(x []float64)) {
	planes := b.planes(x)
	switch len(b.conts) {
	case 0:
		b.offer(x, visit)
	case 1:
		for _, p := range planes {
			if p[0] != 0 {
				x[b.conts[0]] = p[2] / p[0]
				b.offer(x, visit)
			}
		}
	case 2:
		for a := range planes {
			for c := range a {
				p, q := planes[a], planes[c]
				if det := p[0]*q[1] - p[1]*q[0]; math.Abs(det) > 1e-9 {
					x[b.conts[0]] = (p[2]*q[1] - p[1]*q[2]) / det
					x[b.conts[1]] = (p[0]*q[2] - p[2]*q[0]) / det
					b.offer(x, visit)
				}
			}
		}
	default:
		panic("too many continuous columns")
	}
}

// planes lists the bounding lines a0 u + a1 v = b in the continuous columns.
func (b *brute) planes(x []float64) [][3]float64 {
	var out [][3]float64
	add := func(p [3]float64, lo, up float64) {
		for _, side := range []float64{lo, up} {
			if !math.IsInf(side, 0) {
				p[2] = side
				out = append(out, p)
			}
		}
	}
	for k, j := range b.conts {
		var p [3]float64
		p[k] = 1
		add(p, math.Max(b.m.Cols[j].Lower, -100*b.box), math.Min(b.m.Cols[j].Upper, 100*b.box))
	}
	for i, r := range b.rows {
		rest := 0.0
		for j, v := range r {
			if b.m.Cols[j].Integer {
				rest += v * x[j]
			}
		}
		var p [3]float64
		for k, j := range b.conts {
			p[k] = r[j]
		}
		add(p, b.m.Rows[i].Lower-rest, b.m.Rows[i].Upper-rest)
	}
	return out
}

// randomModel draws a small model with the structures that presolve looks for: copies and multiples of
// rows and columns, equations with two columns, columns in one row, free columns, rows over a divisor.
func randomModel(rng *rand.Rand) *lp.Model {
	ints, conts := 1+rng.IntN(4), max(0, rng.IntN(5)-2)
	m := &lp.Model{Maximize: rng.IntN(2) == 0, Offset: float64(rng.IntN(3))}
	perm := rng.Perm(ints + conts)
	for _, k := range perm {
		m.AddCol(randomCol(rng, k < ints))
	}
	n := len(m.Cols)
	var rows [][]float64
	for range rng.IntN(6) {
		r := randomRow(rng, n)
		if len(rows) > 0 && rng.IntN(8) == 0 {
			s := float64(1+rng.IntN(3)) * float64(1-2*rng.IntN(2))
			for j, v := range rows[rng.IntN(len(rows))] {
				r[j] = s * v
			}
		}
		rows = append(rows, r)
	}
	twinColumns(rng, m, rows)
	for j, c := range m.Cols {
		if math.IsInf(c.Lower, -1) && math.IsInf(c.Upper, 1) && rng.IntN(4) > 0 {
			r := make([]float64, n)
			r[j] = float64(1 + rng.IntN(2))
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		addRow(rng, m, r)
	}
	return m
}

func randomCol(rng *rand.Rand, integer bool) lp.Col {
	c := lp.Col{Cost: float64(rng.IntN(9) - 4), Integer: integer, Upper: 1}
	if rng.IntN(3) == 0 {
		c.Cost *= 0.37
	}
	switch rng.IntN(8) {
	case 0:
		c.Lower, c.Upper = math.Inf(-1), math.Inf(1)
	case 1:
		c.Lower = -1.5
		c.Upper = 2.25
	case 2:
		c.Lower = float64(rng.IntN(4) - 3)
		c.Upper = c.Lower + float64(rng.IntN(4))
	case 3:
		c.Upper = float64(rng.IntN(4))
	case 4:
		c.Upper = lp.Inf
	case 5:
		if !integer {
			c.Upper = 0.5 * float64(rng.IntN(8))
		}
	}
	return c
}

func randomRow(rng *rand.Rand, n int) []float64 {
	r := make([]float64, n)
	entries := 1 + rng.IntN(n)
	if rng.IntN(3) == 0 {
		entries = 2
	}
	for range entries {
		v := float64(rng.IntN(9) - 4)
		switch rng.IntN(8) {
		case 0:
			v *= 0.5
		case 1:
			v *= 10
		case 2:
			v = math.Copysign(1, v)
		}
		r[rng.IntN(n)] = v
	}
	return r
}

// twinColumns makes one column a multiple of another now and then, with a cost near the multiple.
func twinColumns(rng *rand.Rand, m *lp.Model, rows [][]float64) {
	n := len(m.Cols)
	if n < 2 || rng.IntN(3) > 0 {
		return
	}
	j := rng.IntN(n)
	k := (j + 1 + rng.IntN(n-1)) % n
	s := []float64{1, 1, 1, -1, 2, -3, 0.5}[rng.IntN(7)]
	for _, r := range rows {
		r[k] = s * r[j]
	}
	m.Cols[k].Cost = s*m.Cols[j].Cost + float64(rng.IntN(3)-1)*float64(rng.IntN(2))
}

func addRow(rng *rand.Rand, m *lp.Model, coef []float64) {
	act := 0.0
	for j, v := range coef {
		c := m.Cols[j]
		at := math.Max(c.Lower, math.Min(c.Upper, float64(rng.IntN(4)-1)))
		if c.Integer {
			at = math.Round(at)
		}
		act += v * at
	}
	r := lp.Row{Lower: math.Inf(-1), Upper: act + float64(rng.IntN(5))}
	switch rng.IntN(6) {
	case 0, 1:
		r.Lower, r.Upper = act, act
	case 2:
		r.Lower = act - float64(rng.IntN(4))
	case 3:
		r.Lower, r.Upper = act-0.5*float64(rng.IntN(6)), math.Inf(1)
	case 4:
		r.Upper = act + 0.3
	}
	var index []int32
	var value []float64
	for j, v := range coef {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	m.AddRow(r, index, value)
}
