package bnb

import (
	"fmt"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/lp"
)

// judgeTol is the tolerance that a judge grants: rows, and bounds of continuous columns, are relaxed or tightened by
// it.
const judgeTol = 1e-6

// judgeGap is the absolute gap that is asked for where a judge looks at the answer.
const judgeGap = 1e-7

// judge holds an answer against its model. An answer is wrong if no model within the tolerances has it: a point must
// satisfy the relaxed model, no point of the tightened one may be better, and so on. Floating point looks for
// witnesses, rationals judge them.
type judge struct {
	m     *tiny
	sense float64
	conts []int
	x     []float64
	noise float64 // of a coefficient, relative

	tighten bool // the witness that is looked for must satisfy the tightened model
}

// Rows whose coefficients were computed are parallel only to rounding: an unbounded answer may take them to be so. A
// row is known to so much of its largest term, which allows for some 50 roundings; a violation is judged with that. The
// rows of a wild model that are combinations of others say themselves how much rounding there may be. Where a term is
// larger than farAway a point is no witness: its roundings would exceed the tolerance of its row.
const (
	parallelNoise = 1e-14
	farAway       = 1e9
)

func newJudge(m *tiny) *judge {
	q := &judge{m: m, sense: 1, x: make([]float64, len(m.cost))}
	if m.maximize {
		q.sense = -1
	}
	for j, integer := range m.integer {
		if !integer {
			q.conts = append(q.conts, j)
		}
	}
	return q
}

// verdict returns what is wrong with a result, nil where some model within the tolerances has it.
func (q *judge) verdict(res *Result) error {
	switch res.Status {
	case lp.Optimal:
		return q.optimal(res)
	case lp.Infeasible:
		if w := q.witness(-judgeTol, math.Inf(1)); w != "" {
			return fmt.Errorf("infeasible, but for %s", w)
		}
		return nil
	case lp.Unbounded:
		if q.noise = parallelNoise; !q.hasRay() {
			return fmt.Errorf("unbounded, without a ray")
		}
		if q.witness(judgeTol, math.Inf(1)) == "" {
			return fmt.Errorf("unbounded, without a point")
		}
		return nil
	}
	return fmt.Errorf("status %v", res.Status)
}

func (q *judge) optimal(res *Result) error {
	if over := q.violation(res.X); over > 1.001*judgeTol {
		return fmt.Errorf("%v violates the model by %g more than its rounding", res.X, over)
	}
	v := q.sense * res.Objective
	if d := math.Abs(q.m.value(res.X) - res.Objective); !(d <= 1e-9*math.Max(1, q.size(res.X))) {
		return fmt.Errorf("objective %g is not that of %v", res.Objective, res.X)
	}
	// A leaf counts as solved at leafTol of its bound, which may be that of an LP point that uses the tolerance. No
	// point may be better by more than the gap that was asked for, and the rounding of an LP.
	size := math.Max(1, math.Abs(v))
	slack := judgeGap + 1e-8*size
	if b := q.sense * res.Bound; b > v+slack || b < v-judgeGap-leafTol*size {
		return fmt.Errorf("bound %.12g of %.12g", res.Bound, res.Objective)
	}
	if w := q.witness(-judgeTol, v-slack); w != "" {
		return fmt.Errorf("optimal at %.12g (%v), but for %s", res.Objective, res.X, w)
	}
	if q.hasRay() {
		if w := q.witness(-judgeTol, math.Inf(1)); w != "" {
			return fmt.Errorf("optimal at %g, but there is a ray from %s", res.Objective, w)
		}
	}
	return nil
}

// size is the largest term of the objective.
func (q *judge) size(x []float64) float64 {
	s := math.Abs(q.m.offset)
	for j, c := range q.m.cost {
		s = math.Max(s, math.Abs(c*x[j]))
	}
	return s
}

// violation is the exact violation of rows, bounds and integrality. What half a digit of every continuous column makes
// in a row is no violation of it: where they are large, float64 may have no better point.
func (q *judge) violation(x []float64) float64 {
	if len(x) != len(q.m.cost) {
		return math.Inf(1)
	}
	worst := new(big.Rat)
	see := func(v *big.Rat, lower, upper, rounding float64) {
		for _, s := range []float64{-1, 1} {
			b := upper
			if s < 0 {
				b = lower
			}
			if math.IsInf(b, 0) {
				continue
			}
			d := new(big.Rat).Sub(v, rat(b))
			if d.Mul(d, rat(s)).Sub(d, rat(rounding)).Cmp(worst) > 0 {
				worst = d
			}
		}
	}
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) || q.m.integer[j] && v != math.Round(v) {
			return math.Inf(1)
		}
		see(rat(v), q.m.lower[j], q.m.upper[j], 0)
	}
	for i := range q.m.rows {
		rounding := 0.0
		for _, j := range q.conts {
			rounding += 0x1p-52 * math.Abs(q.m.rows[i].coef[j]*x[j])
		}
		see(dot(q.m.rows[i].coef, rats(x)), q.m.rows[i].lower, q.m.rows[i].upper, rounding)
	}
	f, _ := worst.Float64()
	return f
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func rats(x []float64) []*big.Rat {
	out := make([]*big.Rat, len(x))
	for j, v := range x {
		out[j] = rat(v)
	}
	return out
}

func dot(coef []float64, x []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j, v := range coef {
		if v != 0 {
			sum.Add(sum, new(big.Rat).Mul(rat(v), x[j]))
		}
	}
	return sum
}

// line is one side of a row or bound in the space of the continuous columns: a u + b v >= c, moved outward by relax
// where it is no side of an equation that would be tightened.
type plane struct {
	a, b    float64
	coef    []float64 // of all columns; nil for a bound of column col, or for the plane col = 0
	col     int
	side, s float64 // s times the activity is at least s times the side, less the relaxation
	relax   float64
	noise   float64 // of a coefficient, absolute
	free    bool    // no constraint, but a place to look at
}

func (q *judge) planes(relax float64) []plane {
	var out []plane
	noise := 0.0
	add := func(coef []float64, col int, lower, upper float64) {
		r := relax
		if r < 0 {
			r = math.Max(r, -(upper-lower)/2) // of an equation there is nothing to tighten
		}
		for _, p := range []plane{{side: lower, s: 1}, {side: upper, s: -1}} {
			if math.IsInf(p.side, 0) {
				continue
			}
			p.coef, p.col, p.relax, p.noise = coef, col, r, noise
			p.a, p.b = q.entry(coef, col, 0), q.entry(coef, col, 1)
			out = append(out, p)
		}
	}
	for i := range q.m.rows {
		if noise = 0; i < len(q.m.noise) {
			noise = q.m.noise[i]
		}
		add(q.m.rows[i].coef, -1, q.m.rows[i].lower, q.m.rows[i].upper)
	}
	noise = 0
	for k, j := range q.conts {
		add(nil, j, q.m.lower[j], q.m.upper[j])
		p := plane{col: j, s: 1, free: true}
		if k == 0 {
			p.a = 1
		} else {
			p.b = 1
		}
		out = append(out, p)
	}
	return out
}

// entry is the coefficient of the k-th continuous column.
func (q *judge) entry(coef []float64, col, k int) float64 {
	switch {
	case k >= len(q.conts):
		return 0
	case coef != nil:
		return coef[q.conts[k]]
	case col == q.conts[k]:
		return 1
	}
	return 0
}

// rest is what the integer columns at q.x add to a plane.
func (q *judge) rest(p *plane) float64 {
	sum := 0.0
	for j, v := range p.coef {
		if q.m.integer[j] {
			sum += v * q.x[j]
		}
	}
	return sum
}

// witness looks for a point of the relaxed model (tightened, where relax is negative) with an objective, minimised,
// below that value. It returns its description, "" if there is none.
func (q *judge) witness(relax, below float64) string {
	q.tighten = relax < 0
	planes := q.planes(relax)
	right := make([]float64, len(planes))
	found := ""
	var walk func(j int)
	walk = func(j int) {
		switch {
		case found != "":
		case j == len(q.x):
			for k := range planes {
				p := &planes[k]
				right[k] = p.side - p.s*p.relax - q.rest(p)
				if p.free {
					right[k] = 0
				}
			}
			found = q.corner(planes, right, below)
		case !q.m.integer[j]:
			walk(j + 1)
		default:
			for v := math.Ceil(math.Max(q.m.lower[j], -float64(q.m.box))); v <= math.Min(q.m.upper[j], float64(q.m.box)); v++ {
				q.x[j] = v
				walk(j + 1)
			}
		}
	}
	walk(0)
	return found
}

// corner tries the points where as many planes meet as there are continuous columns.
func (q *judge) corner(planes []plane, right []float64, below float64) string {
	switch len(q.conts) {
	case 0:
		if q.near(planes, right, 0, 0, below) {
			return q.confirm(planes, nil, below)
		}
	case 1:
		for k := range planes {
			if a := planes[k].a; a != 0 && q.near(planes, right, right[k]/a, 0, below) {
				if w := q.confirm(planes, []*plane{&planes[k]}, below); w != "" {
					return w
				}
			}
		}
	default:
		for k := range planes {
			for i := range k {
				p, r := &planes[i], &planes[k]
				det := p.a*r.b - p.b*r.a
				if det == 0 {
					continue
				}
				u, v := (right[i]*r.b-p.b*right[k])/det, (p.a*right[k]-right[i]*r.a)/det
				if q.near(planes, right, u, v, below) {
					if w := q.confirm(planes, []*plane{p, r}, below); w != "" {
						return w
					}
				}
			}
		}
	}
	return ""
}

// near reports whether the point may be what is looked for, within the rounding errors of float64.
func (q *judge) near(planes []plane, right []float64, u, v, below float64) bool {
	for k := range planes {
		p := &planes[k]
		if !p.free && p.s*(p.a*u+p.b*v-right[k]) < -1e-9*(1+math.Abs(p.a*u)+math.Abs(p.b*v)+math.Abs(right[k])) {
			return false
		}
	}
	if math.IsInf(below, 1) {
		return true
	}
	value, size := q.sense*q.m.offset, 1.0
	for j, c := range q.m.cost {
		t := q.sense * c * q.x[j]
		if !q.m.integer[j] {
			t = q.sense * c * u
			if len(q.conts) > 1 && j == q.conts[1] {
				t = q.sense * c * v
			}
		}
		value += t
		size += math.Abs(t)
	}
	return value < below+1e-9*size
}

// confirm computes the point in rationals and judges it.
func (q *judge) confirm(planes []plane, at []*plane, below float64) string {
	x := rats(q.x)
	right := func(p *plane) *big.Rat {
		if p.free {
			return new(big.Rat)
		}
		r := new(big.Rat).Sub(rat(p.side), new(big.Rat).Mul(rat(p.s), rat(p.relax)))
		for j, v := range p.coef {
			if q.m.integer[j] {
				r.Sub(r, new(big.Rat).Mul(rat(v), x[j]))
			}
		}
		return r
	}
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	switch len(at) {
	case 1:
		x[q.conts[0]] = new(big.Rat).Quo(right(at[0]), rat(at[0].a))
	case 2:
		a, b, c, d := rat(at[0].a), rat(at[0].b), rat(at[1].a), rat(at[1].b)
		det := sub(mul(a, d), mul(b, c))
		if det.Sign() == 0 {
			return ""
		}
		e, f := right(at[0]), right(at[1])
		x[q.conts[0]] = new(big.Rat).Quo(sub(mul(e, d), mul(b, f)), det)
		x[q.conts[1]] = new(big.Rat).Quo(sub(mul(a, f), mul(e, c)), det)
	}
	for k := range planes {
		p := &planes[k]
		if p.free {
			continue
		}
		if q.tighten && q.far(p, x) {
			return ""
		}
		act := new(big.Rat)
		if p.coef != nil {
			act = dot(p.coef, x)
		} else {
			act.Set(x[p.col])
		}
		act.Sub(act, rat(p.side)).Mul(act, rat(p.s)).Add(act, rat(p.relax))
		if act.Sign() < 0 {
			return ""
		}
	}
	value := dot(q.m.cost, x)
	value.Add(value, rat(q.m.offset)).Mul(value, rat(q.sense))
	if !math.IsInf(below, 1) && value.Cmp(rat(below)) >= 0 {
		return ""
	}
	out := "x ="
	for _, v := range x {
		f, _ := v.Float64()
		out += fmt.Sprintf(" %.12g", f)
	}
	f, _ := value.Float64()
	return fmt.Sprintf("%s with %.12g", out, q.sense*f)
}

// far reports whether a term of the plane is beyond what floating point adds up to the tolerance.
func (q *judge) far(p *plane, x []*big.Rat) bool {
	for j, v := range p.coef {
		if f, _ := x[j].Float64(); math.Abs(v*f) > farAway {
			return true
		}
	}
	return false
}

// hasRay reports whether the continuous columns have a ray, exactly, along which the objective improves.
func (q *judge) hasRay() bool {
	if len(q.conts) == 0 {
		return false
	}
	planes := q.planes(0)
	cost := func(k int) float64 {
		if k >= len(q.conts) {
			return 0
		}
		return q.sense * q.m.cost[q.conts[k]]
	}
	directions := [][2]float64{{1, 0}, {-cost(0), -cost(1)}}
	for k := range planes {
		directions = append(directions, [2]float64{planes[k].b, -planes[k].a})
	}
	if len(q.conts) == 1 {
		directions = [][2]float64{{1, 0}}
	}
	for _, d := range directions {
		for _, s := range []float64{1, -1} {
			if q.isRay(planes, s*d[0], s*d[1], cost(0), cost(1)) {
				return true
			}
		}
	}
	return false
}

func (q *judge) isRay(planes []plane, u, v, c0, c1 float64) bool {
	sign := func(a, b, noise float64) int {
		sum := new(big.Rat).Add(new(big.Rat).Mul(rat(a), rat(u)), new(big.Rat).Mul(rat(b), rat(v)))
		if f, _ := sum.Float64(); math.Abs(f) <= q.noise*(math.Abs(a*u)+math.Abs(b*v))+noise*(math.Abs(u)+math.Abs(v)) {
			return 0
		}
		return sum.Sign()
	}
	if sign(c0, c1, 0) >= 0 {
		return false
	}
	for k := range planes {
		p, noise := &planes[k], 0.0
		if q.noise > 0 {
			noise = p.noise
		}
		if !p.free && int(p.s)*sign(p.a, p.b, noise) < 0 {
			return false
		}
	}
	return true
}
