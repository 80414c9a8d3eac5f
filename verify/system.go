package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
)

// negativeInfinity is the lower side of a row that has none.
var negativeInfinity = math.Inf(-1)

// system is a linear program with an approximate solution in floats, near a vertex. The floats show which bounds and
// rows are tight there. The equations of these are solved in rationals, and the result must satisfy every row and bound
// exactly. Its cost is then proven.
type system struct {
	// Of the columns: their costs, bounds, and approximate values.
	cost, lower, upper []float64
	near               []float64

	// Of the rows: their sides and entries.
	rowLower, rowUpper []float64
	rows               [][]entry

	// A cost in addition to that of the columns.
	fixed *big.Rat
}

// entry is an entry of a row.
type entry struct {
	col   int
	value float64
}

// addRow adds a row without entries and returns its number.
func (s *system) addRow(lower, upper float64) int {
	s.rowLower = append(s.rowLower, lower)
	s.rowUpper = append(s.rowUpper, upper)
	s.rows = append(s.rows, nil)
	return len(s.rows) - 1
}

// addColumn adds a column and returns its number.
func (s *system) addColumn(cost, lower, upper, near float64) int {
	s.cost = append(s.cost, cost)
	s.lower = append(s.lower, lower)
	s.upper = append(s.upper, upper)
	s.near = append(s.near, near)
	return len(s.cost) - 1
}

// add adds an entry; a column may have several in a row, which are added up.
func (s *system) add(row, col int, value float64) {
	if value != 0 {
		s.rows[row] = append(s.rows[row], entry{col, value})
	}
}

// solve returns the exact cost of an exact solution near the approximate one. What counts as tight is tried from
// loose to strict.
func (s *system) solve(ctx context.Context) (*big.Rat, error) {
	var err error
	for _, tol := range []float64{1e-7, 1e-9, 1e-11} {
		// A loose tolerance finds more equations than a vertex has where values are near bounds by chance.
		x := s.vertex(ctx, tol)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err = s.satisfied(x); err != nil {
			continue
		}

		// The point satisfies everything, so that its cost is that of a feasible recourse.
		total := new(big.Rat).Set(s.fixed)
		for j, v := range x {
			// Most values are zero, and their products are left out.
			if s.cost[j] != 0 && v.Sign() != 0 {
				total.Add(total, new(big.Rat).Mul(exactly(s.cost[j]), v))
			}
		}
		return total, nil
	}
	return nil, err
}

// tight reports a value that is at a bound up to a relative tolerance.
func tight(v, bound, tol float64) bool {
	return !math.IsInf(bound, 0) && math.Abs(v-bound) <= tol*math.Max(1, math.Abs(bound))
}

// vertex solves the tight equations. Columns at a bound are put on it; those that the equations leave free keep their
// approximate values. A cancelled context leaves it unfinished.
func (s *system) vertex(ctx context.Context, tol float64) []*big.Rat {
	x := make([]*big.Rat, len(s.cost)) // nil while unknown
	// A value near a bound is taken to be the bound itself.
	for j, v := range s.near {
		switch {
		case tight(v, s.lower[j], tol):
			x[j] = exactly(s.lower[j])
		case tight(v, s.upper[j], tol):
			x[j] = exactly(s.upper[j])
		}
	}

	// The tight rows are equations in the other columns.
	var list []*equation
	for i := range s.rows {
		if q := s.equation(i, x, tol); q != nil {
			list = append(list, q)
		}
	}
	eliminate(ctx, list)

	// Columns that are no pivot are free.
	for j := range x {
		if x[j] == nil {
			x[j] = exactly(s.near[j])
		}
	}

	// With the free columns known, the pivots follow.
	substitute(list, x)
	return x
}

// equation is sum coef[j] x_j = side over unknown columns; pivot is the column that it determines.
type equation struct {
	coef  map[int]*big.Rat
	side  *big.Rat
	pivot int
}

// equation returns row i as an equation in the unknown columns, nil if it has none or is not tight.
func (s *system) equation(i int, x []*big.Rat, tol float64) *equation {
	// The activity in floats decides which side is tight.
	activity := 0.0
	scale := 1.0
	unknown := false
	for _, e := range s.rows[i] {
		activity += e.value * s.near[e.col]
		scale = math.Max(scale, math.Abs(e.value*s.near[e.col]))
		unknown = unknown || x[e.col] == nil
	}

	// Tight is relative to the largest term.
	side := s.rowLower[i]
	// The upper side is tried where the lower one is not tight.
	if !tight(activity/scale, side/scale, tol) {
		side = s.rowUpper[i]
	}
	if !unknown || !tight(activity/scale, side/scale, tol) {
		return nil
	}

	q := &equation{coef: make(map[int]*big.Rat), side: exactly(side), pivot: -1}
	for _, e := range s.rows[i] {
		value := exactly(e.value)
		// Known columns are moved to the right-hand side.
		if x[e.col] != nil {
			q.side.Sub(q.side, value.Mul(value, x[e.col]))
			continue
		}
		q.plus(e.col, value)
	}
	return q
}

// plus adds a coefficient.
func (q *equation) plus(col int, v *big.Rat) {
	c := q.coef[col]
	if c == nil {
		q.coef[col] = v
		return
	}

	// Coefficients that cancel are removed, so that the length of an equation is right.
	if c.Add(c, v); c.Sign() == 0 {
		delete(q.coef, col)
	}
}

// eliminate gives each equation a pivot that is in no later one: the shortest equation first, its least column that
// fewest others have. Equations that vanish get none.
func eliminate(ctx context.Context, list []*equation) {
	for k := range list {
		if ctx.Err() != nil {
			return
		}

		// Short equations cause the least fill-in.
		best := -1
		for i := k; i < len(list); i++ {
			if n := len(list[i].coef); n > 0 && (best < 0 || n < len(list[best].coef)) {
				best = i
			}
		}
		if best < 0 {
			return
		}

		// It comes to place k, and its pivot leaves all behind it.
		list[k], list[best] = list[best], list[k]
		q := list[k]
		q.pivot = q.rarest(list[k+1:])
		// The pivot is eliminated from all equations that have it.
		for _, other := range list[k+1:] {
			if c := other.coef[q.pivot]; c != nil {
				other.minus(q, new(big.Rat).Quo(c, q.coef[q.pivot]))
			}
		}
	}
}

// rarest returns the column of q that the fewest of the other equations have, the least one of several.
func (q *equation) rarest(others []*equation) int {
	best := -1
	fewest := 0
	for col := range q.coef {
		// The number of equations that an elimination would change.
		count := 0
		for _, o := range others {
			if o.coef[col] != nil {
				count++
			}
		}
		tie := count == fewest && col < best // so that the order of the map does not matter
		if best < 0 || count < fewest || tie {
			best = col
			fewest = count
		}
	}
	return best
}

// minus subtracts factor*p.
// The difference is a sum with negated terms, since plus takes over what it is given.
func (q *equation) minus(p *equation, factor *big.Rat) {
	for col, v := range p.coef {
		q.plus(col, new(big.Rat).Neg(new(big.Rat).Mul(factor, v)))
	}
	q.side.Sub(q.side, new(big.Rat).Mul(factor, p.side))
}

// substitute computes the pivots from the last equation to the first.
func substitute(list []*equation, x []*big.Rat) {
	// An equation refers to free columns and to pivots of later equations, which are known by now.
	for k := len(list) - 1; k >= 0; k-- {
		q := list[k]
		if q.pivot < 0 {
			continue
		}
		v := new(big.Rat).Set(q.side)
		for col, c := range q.coef {
			if col != q.pivot {
				v.Sub(v, new(big.Rat).Mul(c, x[col]))
			}
		}
		x[q.pivot] = v.Quo(v, q.coef[q.pivot])
	}
}

// satisfied checks every bound and every row exactly.
func (s *system) satisfied(x []*big.Rat) error {
	// Bounds come first, since they are cheap to check.
	for j, v := range x {
		if !within(v, s.lower[j], s.upper[j]) {
			return fmt.Errorf("the recourse solution breaks the bounds [%g, %g] of column %d: %.17g", s.lower[j], s.upper[j], j,
				nearest(v))
		}
	}
	for i, row := range s.rows {
		// The activity is exact.
		sum := new(big.Rat)
		for _, e := range row {
			if x[e.col].Sign() != 0 {
				sum.Add(sum, new(big.Rat).Mul(exactly(e.value), x[e.col]))
			}
		}
		if !within(sum, s.rowLower[i], s.rowUpper[i]) {
			return fmt.Errorf("the recourse solution breaks the sides [%g, %g] of row %d: %.17g", s.rowLower[i], s.rowUpper[i],
				i, nearest(sum))
		}
	}
	return nil
}

// within compares a rational with two sides, either of which may be infinite.
func within(v *big.Rat, lower, upper float64) bool {
	above := math.IsInf(lower, -1) || v.Cmp(exactly(lower)) >= 0
	below := math.IsInf(upper, 1) || v.Cmp(exactly(upper)) <= 0
	return above && below
}
