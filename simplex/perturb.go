package simplex

import (
	"math"
	"slices"
)

// random returns the next number of a splitmix64 sequence, in [0, 1).
func (s *Solver) random() float64 {
	s.duals.rng += 0x9e3779b97f4a7c15
	z := s.duals.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// perturbationUnit returns the usual size of a perturbation of a cost of zero (Koberstein 2005, 6.3).
func (s *Solver) perturbationUnit() float64 {
	largest, boxed := 0.0, 0
	for j := range s.n {
		largest = max(largest, math.Abs(s.cost[j]))
		if !isInf(s.lo[j]) && !isInf(s.up[j]) {
			boxed++
		}
	}
	if largest > 100 {
		largest = math.Sqrt(math.Sqrt(largest))
	}
	if 100*boxed < s.n {
		largest = min(largest, 1)
	}
	return 5e-7 * max(largest, 1e-3)
}

// coldFactor returns how much larger than usual the perturbation of a cold solve is. Where the costs have few
// different values the dual is so degenerate that steps of the usual size lead nowhere.
func (s *Solver) coldFactor() float64 {
	sizes := make([]float64, s.n)
	for j := range sizes {
		sizes[j] = math.Abs(s.cost[j] / s.colScale[j])
	}
	slices.Sort(sizes)
	if float64(len(slices.Compact(sizes))) >= wideDistinct*float64(s.n) {
		return 1
	}
	return wideFactor
}

// perturbCosts moves the working costs of the columns at random, each in the direction that keeps its
// reduced cost feasible, by factor times the usual amount.
func (s *Solver) perturbCosts(factor float64) {
	base := s.perturbationUnit() * factor
	for j := range s.n {
		amount := (math.Abs(s.duals.cost[j]) + 1) * base * (1 + s.random())
		noLo, noUp := isInf(s.lo[j]), isInf(s.up[j])
		switch {
		case s.lo[j] == s.up[j] || noLo && noUp:
		case noUp || !noLo && s.duals.cost[j] >= 0:
			s.duals.cost[j] += amount
		default:
			s.duals.cost[j] -= amount
		}
	}
	s.duals.modified, s.duals.perturbed, s.duals.ok = true, true, false
}

// restoreCosts undoes all perturbations and shifts.
func (s *Solver) restoreCosts() {
	if !s.duals.modified {
		return
	}
	basic := false
	for v, c := range s.cost {
		if delta := c - s.duals.cost[v]; delta != 0 {
			s.duals.cost[v] = c
			s.duals.d[v] += delta // of a basic variable too: RowDual and ReducedCost stay consistent
			basic = basic || s.basis.status[v] == Basic
		}
	}
	s.duals.modified, s.duals.perturbed = false, false
	if basic {
		s.duals.ok = false
	}
}

// infeasibleDual reports whether the reduced cost of the nonbasic variable v has the wrong sign by more
// than tol.
func (s *Solver) infeasibleDual(v int, tol float64) bool {
	right := AtLower // where the sign of the reduced cost is right
	switch d := s.duals.d[v]; {
	case d > tol:
	case d < -tol:
		right = AtUpper
	default:
		return false
	}
	st := s.basis.status[v]
	return st != right && st != Basic && s.bounds.lo[v] != s.bounds.up[v]
}

// countDualInfeasible returns the number of reduced costs with the wrong sign.
func (s *Solver) countDualInfeasible() int {
	tol, n := s.duals.tol, 0
	for v := range s.duals.d {
		if s.infeasibleDual(v, tol) {
			n++
		}
	}
	return n
}

// correctDual makes the basis dual feasible for the working problem: boxed variables go to the bound
// that their reduced cost asks for; the costs of the others are shifted. Values of basic variables
// follow where they are valid.
func (s *Solver) correctDual() {
	tol := s.duals.tol
	s.flip.Clear()
	flipped := false
	for v := range s.duals.d {
		if !s.infeasibleDual(v, tol) {
			continue
		}
		if isInf(s.bounds.lo[v]) || isInf(s.bounds.up[v]) {
			s.shiftCost(v)
			continue
		}
		flipped = true
		if s.basis.status[v] == AtZero {
			s.basis.status[v] = AtUpper // at zero inside a phase 1 box
		}
		s.flipVariable(int32(v), s.flip)
	}
	if flipped && s.primals.ok && s.factor.ok {
		s.subtractFlips()
	} else if flipped {
		s.primals.ok = false
	}
	s.flip.Clear()
}

// shiftCost changes the working cost of v so that its reduced cost is feasible and not quite zero.
func (s *Solver) shiftCost(v int) {
	want := (1 + s.random()) * s.duals.tol
	switch {
	case s.basis.status[v] == AtZero:
		want = 0
	case s.basis.status[v] == AtUpper:
		want = -want
	}
	s.duals.cost[v] += want - s.duals.d[v]
	s.duals.d[v] = want
	s.duals.modified = true
}

// workingObjective returns the working cost of the current basic solution, which is the dual
// objective of the working problem.
func (s *Solver) workingObjective() float64 {
	sum := 0.0
	for v, c := range s.duals.cost {
		if c == 0 {
			continue
		}
		if p := s.basis.where[v]; p >= 0 {
			sum += c * s.primals.basic[p]
		} else {
			sum += c * s.primals.nonbasic[v]
		}
	}
	return sum
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
