package simplex

import (
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// certified is a model whose status, and whose optimum where it has one, follow from how it was made.
type certified struct {
	model     *lp.Model
	status    lp.Status
	objective float64
	size      float64 // largest term of the objective at the optimum
}

// draft is a model under construction, dense, with small integers throughout, so that its arithmetic is exact.
type draft struct {
	a            [][]float64 // m x n
	cost, lo, up []float64
	rlo, rup     []float64
}

// newDraft fills m x n coefficients at random; a density of zero leaves empty rows and columns.
func newDraft(rng *rand.Rand, m, n int) *draft {
	d := &draft{a: make([][]float64, m), cost: make([]float64, n), lo: make([]float64, n), up: make([]float64, n),
		rlo: make([]float64, m), rup: make([]float64, m)}
	density := [...]float64{0, 0.15, 0.3, 0.6, 1}[rng.IntN(5)]
	for i := range d.a {
		d.a[i] = make([]float64, n)
		for j := range n {
			if rng.Float64() < density {
				d.a[i][j] = float64(rng.IntN(11) - 5)
			}
		}
		if i > 0 && rng.IntN(6) == 0 { // dependent rows, for degenerate and singular bases
			f, other := float64(rng.IntN(3)-1), d.a[rng.IntN(i)]
			for j, v := range other {
				d.a[i][j] = f * v
			}
		}
	}
	return d
}

func (d *draft) activity(i int, x []float64) float64 {
	sum := 0.0
	for j, v := range d.a[i] {
		sum += v * x[j]
	}
	return sum
}

// transposed returns column j of A times y.
func (d *draft) transposed(j int, y []float64) float64 {
	sum := 0.0
	for i, v := range y {
		sum += v * d.a[i][j]
	}
	return sum
}

func integers(rng *rand.Rand, n, low, high int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = float64(low + rng.IntN(high-low+1))
	}
	return v
}

// around returns bounds that hold x and a dual value of a sign that x and the bounds allow: zero with
// probability of about one half, which is what makes an optimum degenerate where x is at a bound.
func around(rng *rand.Rand, x float64) (lo, up, dual float64) {
	room := float64(rng.IntN(4))
	positive := float64(rng.IntN(2) * rng.IntN(6))
	switch rng.IntN(8) {
	case 0: // fixed: any sign
		return x, x, positive * float64(1-2*rng.IntN(2))
	case 1: // free
		return math.Inf(-1), lp.Inf, 0
	case 2: // at the lower bound of two
		return x, x + room, positive
	case 3: // at the upper bound of two
		return x - room, x, -positive
	case 4: // between
		return x - room, x + float64(rng.IntN(4)), 0
	case 5, 6:
		return x, lp.Inf, positive
	}
	return math.Inf(-1), x, -positive
}

// optimal makes a model with the optimal solution x: costs are what complementary dual values make of them.
func (d *draft) optimal(rng *rand.Rand) (x []float64) {
	x = integers(rng, len(d.cost), -4, 6)
	y := make([]float64, len(d.a))
	for i := range d.a {
		d.rlo[i], d.rup[i], y[i] = around(rng, d.activity(i, x))
	}
	for j := range d.cost {
		var z float64
		d.lo[j], d.up[j], z = around(rng, x[j])
		d.cost[j] = z + d.transposed(j, y)
	}
	return x
}

// infeasible makes a model with a Farkas ray r; it reports false where the draft has no row for one.
func (d *draft) infeasible(rng *rand.Rand) bool {
	d.optimal(rng)
	if len(d.a) == 0 {
		return false
	}
	r := make([]float64, len(d.a))
	last := rng.IntN(len(r))
	for i := range r {
		if i == last || rng.IntN(3) == 0 {
			r[i] = float64(1+rng.IntN(3)) * float64(1-2*rng.IntN(2))
		}
	}
	high := 0.0 // of (A'r)'x over the bounds of the columns
	for j := range d.cost {
		z := d.transposed(j, r)
		switch {
		case z > 0:
			d.up[j] = finite(d.up[j], max(d.lo[j], -4)+float64(rng.IntN(9)))
			high += z * d.up[j]
		case z < 0:
			d.lo[j] = finite(d.lo[j], min(d.up[j], 4)-float64(rng.IntN(9)))
			high += z * d.lo[j]
		}
	}
	low := 0.0 // of r'(Ax) over the bounds of the rows, but for the last
	for i, v := range r {
		switch {
		case i == last:
		case v > 0:
			d.rlo[i] = finite(d.rlo[i], min(d.rup[i], 5)-float64(rng.IntN(5)))
			low += v * d.rlo[i]
		case v < 0:
			d.rup[i] = finite(d.rup[i], max(d.rlo[i], -5)+float64(rng.IntN(5)))
			low += v * d.rup[i]
		}
	}
	gap := float64(1 + rng.IntN(4))
	if v := r[last]; v > 0 {
		d.rlo[last] = (high - low + gap) / v
		d.rup[last] = max(d.rup[last], d.rlo[last])
	} else {
		d.rup[last] = (high - low + gap) / v
		d.rlo[last] = min(d.rlo[last], d.rup[last])
	}
	return true
}

// finite returns v, or other where v is infinite.
func finite(v, other float64) float64 {
	if isInf(v) {
		return other
	}
	return v
}

// unbounded makes a feasible model with an improving ray; it reports false where the draft has no column for one.
func (d *draft) unbounded(rng *rand.Rand) bool {
	d.optimal(rng)
	if len(d.cost) == 0 {
		return false
	}
	v := make([]float64, len(d.cost))
	last := rng.IntN(len(v))
	for j := range v {
		if j == last || rng.IntN(3) == 0 {
			v[j] = float64(1+rng.IntN(3)) * float64(1-2*rng.IntN(2))
		}
		d.lo[j], d.up[j] = opened(v[j], d.lo[j], d.up[j])
	}
	for i := range d.a {
		d.rlo[i], d.rup[i] = opened(d.activity(i, v), d.rlo[i], d.rup[i])
	}
	improve := 0.0
	for j := range v {
		if j != last {
			improve += d.cost[j] * v[j]
		}
	}
	d.cost[last] = -(improve + float64(1+rng.IntN(5))) / v[last]
	return true
}

// opened lets a quantity grow without bound in the direction of v.
func opened(v, lo, up float64) (float64, float64) {
	switch {
	case v > 0:
		return lo, lp.Inf
	case v < 0:
		return math.Inf(-1), up
	}
	return lo, up
}

// stretch changes the units of rows and columns by powers of two, which is exact.
func (d *draft) stretch(rng *rand.Rand, high int) {
	unit := func() float64 { return math.Ldexp(1, rng.IntN(2*high+1)-high) }
	for i := range d.a {
		u := unit()
		for j := range d.a[i] {
			d.a[i][j] *= u
		}
		d.rlo[i], d.rup[i] = d.rlo[i]*u, d.rup[i]*u
	}
	for j := range d.cost {
		u := unit()
		for i := range d.a {
			d.a[i][j] *= u
		}
		d.cost[j], d.lo[j], d.up[j] = d.cost[j]*u, d.lo[j]/u, d.up[j]/u
	}
}

// build returns the model of a draft, at random as a maximisation of the negative.
func (d *draft) build(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(4) == 0, Offset: float64(rng.IntN(5))}
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	for j, c := range d.cost {
		m.AddCol(lp.Col{Cost: sense * c, Lower: d.lo[j], Upper: d.up[j]})
	}
	for i, row := range d.a {
		var index []int32
		var value []float64
		for j, v := range row {
			if v != 0 || rng.IntN(50) == 0 { // at times an explicit zero
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		m.AddRow(lp.Row{Lower: d.rlo[i], Upper: d.rup[i]}, index, value)
	}
	return m
}

// maxStretch is the largest exponent of a change of units: coefficients then range over 2^±20.
const maxStretch = 10

// newCertified makes the model of a seed.
func newCertified(seed uint64) certified {
	rng := rand.New(rand.NewPCG(seed, 21))
	size := 1 + rng.IntN(12)
	if rng.IntN(40) == 0 {
		size = 30
	}
	return makeCertified(rng, rng.IntN(size+1), rng.IntN(size+1))
}

// makeCertified makes a model with m rows and n columns.
func makeCertified(rng *rand.Rand, m, n int) certified {
	d := newDraft(rng, m, n)
	status := [...]lp.Status{lp.Optimal, lp.Optimal, lp.Infeasible, lp.Unbounded}[rng.IntN(4)]
	var x []float64
	switch {
	case status == lp.Infeasible && d.infeasible(rng):
	case status == lp.Unbounded && d.unbounded(rng):
	default:
		status, x = lp.Optimal, d.optimal(rng)
	}
	c := certified{status: status, objective: math.NaN()}
	if x != nil {
		c.objective = 0
		for j, v := range x {
			c.objective += d.cost[j] * v
			c.size = max(c.size, math.Abs(d.cost[j]*v))
		}
	}
	if rng.IntN(3) == 0 {
		d.stretch(rng, maxStretch)
	}
	c.model = d.build(rng)
	if c.model.Maximize {
		c.objective = -c.objective
	}
	c.objective += c.model.Offset
	return c
}
