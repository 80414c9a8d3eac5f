package twostage

import (
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/internal/rational"
)

// Limits of the exact solution, which bound its time.
const (
	largestExact = 400 // equations that solveExactly takes on
	largestFirst = 100 // columns of a component for which it is tried before anything else
	maxRounds    = 50  // of solveExactly: a wrong sign may show only where another one is gone
)

// lacks reports whether a column has a reduced cost of a sign that no bound prices.
func (s *certifying) lacks(kind benders.Kind, lambda []float64) bool {
	for k := range s.c.cols {
		if s.p.lack(kind, s.c, k, lambda) > 0 {
			return true
		}
	}
	return false
}

// equation is column'lambda = cost in the multipliers lambda.
type equation struct {
	column *segment
	cost   float64
}

// lack is cost - column'lambda in rationals: zero where the equation holds.
func (e *equation) lack(lambda []*big.Rat) *big.Rat {
	z, t := outward.Rat(e.cost), new(big.Rat)
	for k, i := range e.column.index {
		if lambda[i].Sign() != 0 {
			z.Sub(z, t.Mul(outward.Rat(e.column.value[k]), lambda[i]))
		}
	}
	return z
}

// noise is the size of a multiplier, relative to the largest, and of a slope, relative to the terms of its sum, below
// which it is taken for the rounding of zero.
const noise = 1e-12

// delicately makes multipliers dual feasible in rationals where the slope on a column that lacks a bound is noise, or
// would be after a small step to the interior: a master would follow that slope as far as its tolerances go. What is
// noise becomes exactly zero. Where no slope is near zero there is nothing to protect, and it reports false.
func (s *certifying) delicately(kind benders.Kind, lambda []float64) ([]*big.Rat, bool) {
	top := 0.0 // largest multiplier
	for _, v := range lambda {
		top = max(top, math.Abs(v))
	}

	// Multipliers that are noise become zero.
	clean := slices.Clone(lambda)
	for i, v := range clean {
		if math.Abs(v) <= noise*top {
			clean[i] = 0
		}
	}

	// The slopes that have to vanish exactly. Without any there is nothing to protect.
	slopes := s.vanishing(kind, clean)
	if len(slopes) == 0 {
		return nil, false
	}

	// Multipliers that are dual feasible, with slopes that vanish exactly, need no change.
	lacks := s.lacks(kind, lambda)
	if slices.Equal(clean, lambda) && !lacks && holdExactly(slopes, lambda) {
		return nil, false
	}

	// Where the slopes cannot vanish, dual feasibility alone is the next best.
	exact, ok := s.solveExactly(kind, clean, slopes)
	if !ok && lacks {
		exact, ok = s.solveExactly(kind, clean, nil)
	}
	return exact, ok
}

// vanishing lists the slopes on first-stage columns without a bound that are, but for noise, zero or what takes the
// whole cost of the column off the master.
func (s *certifying) vanishing(kind benders.Kind, lambda []float64) []equation {
	var out []equation
	for at, j := range s.c.touches {
		if !math.IsInf(s.p.lower(j), -1) && !math.IsInf(s.p.upper(j), 1) {
			continue
		}

		// A slope of minus the cost leaves the column without a cost in the master.
		cost := s.p.cost(kind, j)
		for _, target := range []float64{0, cost} {
			if e := (equation{&s.c.first[at], target}); e.holds(lambda) {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

// holds reports that the equation holds but for noise.
func (e *equation) holds(lambda []float64) bool {
	var d outward.Dot
	d.Add(e.cost, 1)
	for k, i := range e.column.index {
		d.Add(-e.column.value[k], lambda[i])
	}
	v, _ := d.Value()
	return math.Abs(v) <= noise*e.largestTerm(lambda)
}

// largestTerm is the magnitude of the largest term of the sum cost - column'lambda, by which its rounding is measured.
func (e *equation) largestTerm(lambda []float64) float64 {
	largest := math.Abs(e.cost)
	for k, i := range e.column.index {
		largest = max(largest, math.Abs(e.column.value[k]*lambda[i]))
	}
	return largest
}

// rationals returns a vector of float64 numbers as fractions, without rounding.
func rationals(v []float64) []*big.Rat {
	exact := make([]*big.Rat, len(v))
	for i := range v {
		exact[i] = outward.Rat(v[i])
	}
	return exact
}

// holdExactly reports whether all equations hold in exact arithmetic.
func holdExactly(equations []equation, lambda []float64) bool {
	exact := rationals(lambda)
	return !slices.ContainsFunc(equations, func(e equation) bool { return e.lack(exact).Sign() != 0 })
}

// faint reports that every reduced cost of a sign that no bound prices is the rounding of zero.
func (s *certifying) faint(kind benders.Kind, lambda []float64) bool {
	const rounding = 1e-14 // of the largest term
	for k, j := range s.c.cols {
		e := equation{&s.c.columns[k], s.p.cost(kind, j)}
		if s.p.lack(kind, s.c, k, lambda) > rounding*e.largestTerm(lambda) {
			return false
		}
	}
	return true
}

// movesFar reports that the exact multipliers differ from the given ones by more than rounding explains: equations that
// have no solution but zero, because of the rounding of their data, set multipliers to zero.
func movesFar(exact []*big.Rat, lambda []float64) bool {
	const near = 1e-3 // relative to the largest multiplier
	largest, change := 0.0, 0.0
	for i, r := range exact {
		v, _ := r.Float64()
		largest = max(largest, math.Abs(lambda[i]))
		change = max(change, math.Abs(v-lambda[i]))
	}
	return change > near*largest
}

// solveExactly returns rational multipliers near lambda that are dual feasible and solve the given equations: the
// reduced costs of columns without bounds, and of those that lack a bound to price a tiny wrong sign, become exactly
// zero by a change of as many multipliers. It reports false if the result has a sign that its row or another column
// does not allow.
func (s *certifying) solveExactly(kind benders.Kind, lambda []float64, equations []equation) ([]*big.Rat, bool) {
	exact := rationals(lambda)
	zero := make([]bool, len(s.c.cols)) // columns with an equation
	grown := len(equations) > 0         // equations that do not hold yet
	for range maxRounds {
		// Every column whose sign no bound prices gets an equation: its reduced cost is zero.
		for k, j := range s.c.cols {
			noLower, noUpper := math.IsInf(s.p.lower(j), -1), math.IsInf(s.p.upper(j), 1)
			if zero[k] || !noLower && !noUpper {
				continue
			}
			sign := s.p.reducedExact(kind, s.c, k, exact).Sign()
			free := noLower && noUpper
			if free || unpriced(sign, noLower, noUpper) {
				zero[k], grown = true, true
				equations = append(equations, equation{&s.c.columns[k], s.p.cost(kind, j)})
			}
		}

		// Without a new equation all reduced costs are priced. The equations may have given a multiplier a sign that its row
		// has no side for: then the try has failed.
		if !grown {
			return exact, s.signsHold(exact)
		}
		grown = false
		if len(equations) > largestExact || !s.eliminate(equations, lambda, exact) {
			return nil, false
		}
	}
	return nil, false
}

// signsHold reports whether every row has the side that the sign of its multiplier prices.
func (s *certifying) signsHold(lambda []*big.Rat) bool {
	// A positive multiplier prices the lower side, a negative one the upper side, and zero prices none.
	for k, i := range s.c.rows {
		r := &s.p.Compact.Rows[i]
		sign := lambda[k].Sign()
		if sign != 0 && math.IsInf(pick(sign > 0, r.Lower, r.Upper), 0) {
			return false
		}
	}
	return true
}

// eliminate makes equations hold. Each changes one multiplier, the one farthest from zero, so that none leaves its sign
// by a tiny change; multipliers of equality rows may take any sign and go first.
func (s *certifying) eliminate(chosen []equation, lambda []float64, exact []*big.Rat) bool {
	var list []rational.Equation
	for _, given := range chosen {
		e := rational.Equation{Coef: map[int32]*big.Rat{}, Lack: given.lack(exact)}
		for t, i := range given.column.index {
			e.Coef[i] = outward.Rat(given.column.value[t])
		}
		list = append(list, e)
	}

	// The room of a multiplier is its distance from a sign that its row has no side for.
	return rational.Solve(list, exact, func(i int32) float64 {
		r := &s.p.Compact.Rows[s.c.rows[i]]
		if !math.IsInf(r.Lower, -1) && !math.IsInf(r.Upper, 1) {
			return math.Inf(1)
		}
		return math.Abs(lambda[i])
	})
}
