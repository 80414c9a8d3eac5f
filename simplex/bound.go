package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// limitBound returns a lower bound on the minimised objective, without offset, for a Solve that stopped
// early, and whether the multipliers are dual feasible within the tolerance. The bound is that of the current
// multipliers with the costs of the model, not the perturbed ones. Where that needs a bound that is
// infinite, it tries the multipliers of the basis for the costs of the model, then bounds that the
// rows imply, and at last neglects what the dual tolerance allows, as at an optimum.
func (s *Solver) limitBound() (bound float64, dualFeasible bool) {
	if s.ctl.stop == lp.ObjectiveLimit {
		return s.dualBound(), true
	}
	if s.duals.ok {
		if bound = s.boundOver(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}
	if !s.factor.ok || !s.basis.ok {
		return math.Inf(-1), false
	}
	s.restoreCosts()
	if !s.duals.ok {
		s.computeDuals()
		if bound = s.boundOver(s.lo, s.up, boundZero); !isInf(bound) {
			return bound, true
		}
	}
	dualFeasible = !isInf(s.boundOver(s.lo, s.up, s.duals.tol))
	lo, up := s.impliedBounds()
	if bound = s.boundOver(lo, up, boundZero); isInf(bound) {
		bound = s.boundOver(lo, up, s.duals.tol)
	}
	return bound, dualFeasible
}

// boundOver returns the dual objective at the current multipliers for the costs of the model, over the
// given bounds of the variables: -Inf where one that a reduced cost above zero needs is infinite.
func (s *Solver) boundOver(lo, up []float64, zero float64) float64 {
	sum := 0.0
	for v, c := range s.cost {
		d := s.duals.d[v] + (c - s.duals.cost[v])
		b := lo[v]
		if d < 0 {
			b = up[v]
		}
		switch {
		case !isInf(b):
			sum += d * b
		case math.Abs(d) > zero:
			return math.Inf(-1)
		}
	}
	s.factor.charge(len(s.cost))
	return sum
}

const (
	boundZero     = 1e-11 // a reduced cost below it is taken for rounding where its bound is infinite
	sumNoise      = 1e-14 // rounding error of a sum, relative to its terms
	impliedPasses = 3     // over the rows, in search of bounds of the columns
)

// impliedBounds returns bounds of all variables, scaled, where infinite ones are replaced by what the rows imply
// together with the others.
func (s *Solver) impliedBounds() (lo, up []float64) {
	lo, up = append([]float64(nil), s.lo...), append([]float64(nil), s.up...)
	least, most := make([]activityEnd, s.m), make([]activityEnd, s.m)
	for pass := 0; ; pass++ {
		s.activityEnds(lo, up, least, most)
		if pass == impliedPasses || !s.implyColumns(lo, up, least, most) {
			break
		}
	}
	for i := range s.m {
		v := s.n + i
		if isInf(lo[v]) && least[i].infinite == 0 {
			lo[v] = least[i].sum
		}
		if isInf(up[v]) && most[i].infinite == 0 {
			up[v] = most[i].sum
		}
	}
	return lo, up
}

// activityEnd is one end of the range of a row: the finite terms, their size, and the number of infinite ones.
type activityEnd struct {
	sum, size float64
	infinite  int
}

func (e *activityEnd) add(term float64) {
	if isInf(term) {
		e.infinite++
		return
	}
	e.sum += term
	e.size += math.Abs(term)
}

// noise is the rounding error of the difference of a side and the end.
func (e *activityEnd) noise(side float64) float64 { return sumNoise * (e.size + math.Abs(side)) }

// without returns the end less one of its terms, and whether that is finite.
func (e *activityEnd) without(term float64) (float64, bool) {
	if isInf(term) {
		return e.sum, e.infinite == 1
	}
	return e.sum - term, e.infinite == 0
}

func (s *Solver) activityEnds(lo, up []float64, least, most []activityEnd) {
	clear(least)
	clear(most)
	for j := range s.n {
		index, value := s.cols.Vec(j)
		for k, i := range index {
			l, u := lo[j], up[j]
			if value[k] < 0 {
				l, u = u, l
			}
			least[i].add(value[k] * l)
			most[i].add(value[k] * u)
		}
	}
	s.factor.charge(s.cols.NNZ())
}

// implyColumns replaces infinite bounds of columns by those that a row implies; it returns false if there is
// none.
func (s *Solver) implyColumns(lo, up []float64, least, most []activityEnd) bool {
	found := false
	for j := range s.n {
		if !isInf(lo[j]) && !isInf(up[j]) {
			continue
		}
		l, u := s.impliedRange(j, lo, up, least, most)
		if isInf(lo[j]) && !isInf(l) {
			lo[j], found = l, true
		}
		if isInf(up[j]) && !isInf(u) {
			up[j], found = u, true
		}
	}
	s.factor.charge(s.cols.NNZ())
	return found
}

// impliedRange returns the range of column j that its rows imply, moved outward by the rounding error.
func (s *Solver) impliedRange(j int, lo, up []float64, least, most []activityEnd) (l, u float64) {
	l, u = math.Inf(-1), math.Inf(1)
	index, value := s.cols.Vec(j)
	for k, i := range index {
		a, first, last := value[k], lo[j], up[j]
		if a < 0 {
			first, last = last, first
		}
		lower, upper := math.Inf(-1), math.Inf(1) // of a x_j
		if rest, ok := least[i].without(a * first); ok {
			side := s.up[s.n+int(i)]
			upper = side - rest + least[i].noise(side)
		}
		if rest, ok := most[i].without(a * last); ok {
			side := s.lo[s.n+int(i)]
			lower = side - rest - most[i].noise(side)
		}
		lower, upper = lower/a, upper/a
		if a < 0 {
			lower, upper = upper, lower
		}
		l, u = max(l, lower), min(u, upper)
	}
	return l, u
}

// dualBound returns the dual objective of the model at the current multipliers, a lower bound on the
// minimised objective without offset: -Inf where a reduced cost with the wrong sign meets an infinite
// bound.
func (s *Solver) dualBound() float64 {
	tol := s.duals.tol
	sum := 0.0
	for v, c := range s.cost {
		d := c - s.duals.cost[v]
		if s.basis.where[v] < 0 {
			d += s.duals.d[v]
		}
		if d == 0 {
			continue
		}
		b := s.lo[v]
		if d < 0 {
			b = s.up[v]
		}
		if isInf(b) {
			if math.Abs(d) <= tol {
				continue
			}
			return math.Inf(-1)
		}
		sum += d * b
	}
	return sum
}
