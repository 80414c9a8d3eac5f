package twostage

import (
	"context"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// certifying turns multipliers of one component into dual feasible ones. It keeps an interior point of the dual for
// each kind; it is for one goroutine.
type certifying struct {
	p      *Problem
	c      *component
	number int          // position of c in p.parts
	inner  [2]*interior // by the kind of certificate; nil until it is needed

	// delicate is true if a first-stage column of the component lacks a bound. Far out even a tiny slope on it lowers a
	// cut without limit, so that multipliers which are zero must stay zero.
	delicate bool
}

// interior is a point of the dual that is as far as it can be from the constraints that rounding may break.
type interior struct {
	lambda []float64
	margin float64 // least distance; 0 if there is no interior
	found  bool    // lambda is dual feasible to the tolerances of the LP
}

// newCertifying returns what makes multipliers of one component dual feasible.
func newCertifying(p *Problem, number int) *certifying {
	s := &certifying{p: p, c: &p.parts[number], number: number}
	for _, j := range s.c.touches {
		s.delicate = s.delicate || math.IsInf(p.lower(j), -1) || math.IsInf(p.upper(j), 1)
	}
	return s
}

// interiorise moves lambda towards the interior until every column is priced, and reports whether that worked.
func (s *certifying) interiorise(kind benders.Kind, lambda []float64) bool {
	const tries = 6
	var in *interior // solved at the first column that needs it
	boost := 2.0     // factor on the step: rounding takes a part of it, and a longer one makes a certificate weaker
	for range tries {
		// The longest step that a column needs to be priced, a share of the way to the interior.
		step := 0.0
		for k := range s.c.cols {
			lack := s.p.lack(kind, s.c, k, lambda)
			if lack == 0 {
				continue
			}
			if in == nil {
				if in = s.interior(kind); in.margin == 0 {
					return false
				}
			}
			step = max(step, lack/(lack+in.margin))
		}
		if step == 0 {
			return true
		}

		// The multipliers move along the segment to the interior point, on which reduced costs change linearly.
		step = min(1, boost*step+4*outward.UnitRoundoff)
		boost *= 8
		for i := range lambda {
			lambda[i] += step * (in.lambda[i] - lambda[i])
		}
		s.p.prepare(s.c, lambda)
	}
	return false
}

// interior solves max { t <= 1 : z_j >= t w_j for columns without an upper bound, <= -t w_j for those without a lower
// one, = 0 for those with neither } once for each kind, w_j the largest coefficient of the column. In the cone of
// feasibility certificates the multipliers are kept in [-1, 1].
func (s *certifying) interior(kind benders.Kind) *interior {
	if s.inner[kind] == nil {
		in := s.solveInterior(kind)
		s.inner[kind] = &in
	}
	return s.inner[kind]
}

// solveInterior solves the linear program of interior. The costs are brought to about one first: those of a scenario
// are multiplied by its probability, so that the margin is small even where there is an interior.
func (s *certifying) solveInterior(kind benders.Kind) interior {
	const leastMargin = 1e-6 // in units of the largest cost and coefficient; less may be a tolerance of the solver
	m := s.dualModel(kind)
	exponent := s.magnitude(kind)
	for i := range m.Rows {
		r := &m.Rows[i]
		r.Lower = math.Ldexp(r.Lower, -exponent)
		r.Upper = math.Ldexp(r.Upper, -exponent)
	}
	if kind == benders.Feasibility {
		for j := range m.Cols {
			m.Cols[j].Lower, m.Cols[j].Upper = max(m.Cols[j].Lower, -1), min(m.Cols[j].Upper, 1)
		}
	}

	// t is by how much all reduced costs are inside, in units of the largest coefficient of each column.
	t := m.AddCol(lp.Col{Name: "t", Cost: -1, Upper: 1})
	for i, k := range s.constrained() {
		if r := &m.Rows[i]; r.Lower != r.Upper {
			w := s.c.columns[k].largest()
			m.AddEntry(lp.Con(i), t, pick(math.IsInf(r.Lower, -1), w, -w))
		}
	}
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil || sol.Status != lp.Optimal {
		return interior{}
	}

	// Back to the units of the costs. A margin within the tolerances of the linear program is none.
	in := interior{lambda: sol.X[:len(s.c.rows):len(s.c.rows)], found: true}
	for i := range in.lambda {
		in.lambda[i] = math.Ldexp(in.lambda[i], exponent)
	}
	if sol.X[t] < leastMargin || !s.p.prepare(s.c, in.lambda) {
		return in
	}

	// The margin is measured on the rounded multipliers, less the rounding of the reduced costs.
	in.margin = math.Inf(1)
	for k, j := range s.c.cols {
		noLower, noUpper := math.IsInf(s.p.lower(j), -1), math.IsInf(s.p.upper(j), 1)
		v, e := s.p.reduced(kind, s.c, k, in.lambda)
		switch {
		case noLower && noUpper:
			if v != 0 || e != 0 {
				in.margin = 0
			}
		case noUpper:
			in.margin = min(in.margin, max(0, v-e))
		case noLower:
			in.margin = min(in.margin, max(0, -v-e))
		}
	}
	if math.IsInf(in.margin, 1) { // only columns without bounds, and there is no inside of an equation
		in.margin = 0
	}
	return in
}

// magnitude returns the exponent of the power of two next above the largest cost, 0 where there is none.
func (s *certifying) magnitude(kind benders.Kind) int {
	largest := 0.0 // cost of a recourse column
	for _, j := range s.c.cols {
		largest = max(largest, math.Abs(s.p.cost(kind, j)))
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// largest is the magnitude of the largest entry.
func (s *segment) largest() float64 {
	w := 0.0
	for _, v := range s.value {
		w = max(w, math.Abs(v))
	}
	return w
}

// constrained lists the columns, by position, whose reduced cost has a sign to keep.
func (s *certifying) constrained() []int {
	var out []int
	for k, j := range s.c.cols {
		if math.IsInf(s.p.lower(j), -1) || math.IsInf(s.p.upper(j), 1) {
			out = append(out, k)
		}
	}
	return out
}

// dualModel returns the dual feasible set: a column for each multiplier, a row B_j'lambda for each column with a sign
// to keep, in the order of constrained.
func (s *certifying) dualModel(kind benders.Kind) *lp.Model {
	// A row without a lower side must not have a positive multiplier, one without an upper side no negative one.
	m := &lp.Model{}
	for _, i := range s.c.rows {
		r := &s.p.Compact.Rows[i]
		m.AddCol(lp.Col{
			Lower: pick(math.IsInf(r.Upper, 1), 0, math.Inf(-1)),
			Upper: pick(math.IsInf(r.Lower, -1), 0, lp.Inf),
		})
	}

	// A column without an upper bound must not have a negative reduced cost, one without a lower bound no positive one.
	for _, k := range s.constrained() {
		j := s.c.cols[k]
		cost := s.p.cost(kind, j)
		row := lp.Row{
			Lower: pick(math.IsInf(s.p.lower(j), -1), cost, math.Inf(-1)),
			Upper: pick(math.IsInf(s.p.upper(j), 1), cost, lp.Inf),
		}
		m.AddRow(row, s.c.columns[k].index, s.c.columns[k].value)
	}
	return m
}
