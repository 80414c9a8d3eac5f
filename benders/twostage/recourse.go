package twostage

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// recourse is the linear program min { q'x : L - A y <= B x <= U - A y, l <= x <= u } of one component, warm-started
// from point to point: only bounds change. Its rows are those with more than one column; the others are bounds.
type recourse struct {
	p       *Problem
	c       *component
	singles *singles
	solver  *warm
	solved  bool           // result is that of the current bounds
	begun   bool           // it has been solved: there is a basis to begin at
	result  simplex.Result // of the last solve that ended optimal or infeasible
}

// columnModel returns a model with the recourse columns of a component and their bounds, and no rows yet; the costs are
// those of certificates of the kind, zero for feasibility.
func (p *Problem) columnModel(kind benders.Kind, c *component) *lp.Model {
	m := &lp.Model{}
	for _, j := range c.cols {
		m.AddCol(lp.Col{Cost: p.cost(kind, j), Lower: p.Compact.Cols[j].Lower, Upper: p.Compact.Cols[j].Upper})
	}
	return m
}

// newRecourse returns the linear program of a component, with the sides that its rows have at y = 0.
func newRecourse(p *Problem, c *component) (*recourse, error) {
	m := p.columnModel(benders.Optimality, c)

	// Rows with one recourse column are bounds of it, which each point sets.
	own := findSingles(c)
	for _, k := range own.kept {
		r := p.Compact.Rows[c.rows[k]]
		m.AddRow(lp.Row{Lower: r.Lower, Upper: r.Upper}, c.recourse[k].index, c.recourse[k].value)
	}
	s, err := newWarm(m)
	if err != nil {
		return nil, err
	}
	return &recourse{p: p, c: c, singles: own, solver: s}, nil
}

// solve solves at y. A recourse without a bound is an error that wraps ErrUnbounded.
func (r *recourse) solve(ctx context.Context, y []float64) (lp.Status, error) {
	return r.solveWithin(ctx, y, 0)
}

// solveWithin solves at y with the sides of the rows with first-stage columns moved out by room.
func (r *recourse) solveWithin(ctx context.Context, y []float64, room float64) (lp.Status, error) {
	// The first-stage part of a row moves to its sides.
	moved := false
	for _, k := range r.c.link {
		if i := r.singles.at[k]; i >= 0 {
			row := &r.p.Compact.Rows[r.c.rows[k]]
			a := r.c.at[k].dot(y)
			moved = r.solver.setRow(lp.Con(i), row.Lower-a-room, row.Upper-a+room) || moved
		}
	}

	// Rows with one column are bounds of it.
	for t := range r.singles.cols {
		q := &r.singles.cols[t]
		lower, upper := q.bounds(r, y, room)
		moved = r.solver.setCol(lp.Var(q.col), lower, upper) || moved
	}

	// Where nothing has moved, the last result still holds.
	r.solved = r.solved && !moved
	if r.solved {
		return r.result.Status, nil
	}

	// An error leaves the last result as it is, and solved false.
	result, err := r.solver.solve(ctx)
	if err != nil {
		return lp.NotSolved, err
	}
	if result.Status == lp.Unbounded {
		return result.Status, r.unbounded()
	}

	r.result, r.solved, r.begun = result, true, true
	return result.Status, nil
}

// setSide gives row k, which has no first-stage column, the sides that the problem has now.
func (r *recourse) setSide(k int) {
	if i := r.singles.at[k]; i >= 0 {
		row := &r.p.Compact.Rows[r.c.rows[k]]
		r.solver.setRow(lp.Con(i), row.Lower, row.Upper)
	}
}

// setBounds gives column j the bounds that the problem has now. Those of columns with rows of their own are set when
// they are solved.
func (r *recourse) setBounds(j int) {
	if r.singles.of[j] < 0 {
		col := &r.p.Compact.Cols[r.c.cols[j]]
		r.solver.setCol(lp.Var(j), col.Lower, col.Upper)
	}
}

// unbounded names the columns along which the recourse cost falls without bound.
func (r *recourse) unbounded() error {
	const (
		maxNames = 5    // in the message; more would hide the rest of it
		moves    = 1e-9 // a smaller entry of the ray is taken for rounding
	)
	var names []string
	for k, v := range r.solver.ray() {
		if math.Abs(v) > moves {
			if len(names) == maxNames {
				names = append(names, "...")
				break
			}
			names = append(names, r.p.Compact.ColName(lp.Var(r.c.cols[k])))
		}
	}
	return fmt.Errorf("twostage: %w: the cost falls without end along %s", ErrUnbounded, strings.Join(names, ", "))
}

// relaxation is the linear program that measures how far a component is from feasible at y,
//
//	min t  s.t.  L - A y <= B x + t,  B x - t <= U - A y  on the rows with first-stage columns, the other rows as they are
//
// Its row duals are the feasibility certificate that separates y best among those whose absolute multipliers of the
// rows with first-stage columns sum to at most one (paper, section 3.1): the optimum is on an extreme ray of the cone
// of certificates. Under Box every such row has a t of its own. A row with two sides is there twice.
type relaxation struct {
	p      *Problem
	c      *component
	solver *warm
	lowers []lp.Con // row of the program that has the lower side of each row, -1 if none
	uppers []lp.Con // and of the upper side; the same row where both sides are those of the model
}

// newRelaxation returns the program of a component, with the sides that its rows have at y = 0.
func newRelaxation(p *Problem, c *component, norm Normalisation) (*relaxation, error) {
	m := p.columnModel(benders.Feasibility, c)
	r := &relaxation{p: p, c: c}

	// The column t, at the price 1, moves all sides that depend on y outwards. A row with such a side has a row of the
	// program for each of its finite sides, since t has a different sign in them.
	measure := norm.measure(m)
	for k, i := range c.rows {
		row := p.Compact.Rows[i]
		s := &c.recourse[k]
		at := [2]lp.Con{-1, -1}
		if len(c.at[k].index) == 0 {
			at[0] = m.AddRow(lp.Row{Lower: row.Lower, Upper: row.Upper}, s.index, s.value)
			at[1] = at[0]
		} else {
			if !math.IsInf(row.Lower, -1) {
				at[0] = m.AddRow(lp.Row{Lower: row.Lower, Upper: lp.Inf}, s.index, s.value)
				measure(at[0], 1)
			}
			if !math.IsInf(row.Upper, 1) {
				at[1] = m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: row.Upper}, s.index, s.value)
				measure(at[1], -1)
			}
		}
		r.lowers, r.uppers = append(r.lowers, at[0]), append(r.uppers, at[1])
	}

	var err error
	if r.solver, err = newWarm(m); err != nil {
		return nil, err
	}
	return r, nil
}

// solve returns the multipliers of the best certificate at y and its value, 0 where y is feasible. If the rows without
// first-stage columns have no solution on their own the multipliers are a ray that proves that, and the value is +Inf.
func (r *relaxation) solve(ctx context.Context, y []float64) (lambda []float64, value float64, err error) {
	for _, k := range r.c.link {
		row := &r.p.Compact.Rows[r.c.rows[k]]
		a := r.c.at[k].dot(y)
		if i := r.lowers[k]; i >= 0 {
			r.solver.setRow(i, row.Lower-a, lp.Inf)
		}
		if i := r.uppers[k]; i >= 0 {
			r.solver.setRow(i, math.Inf(-1), row.Upper-a)
		}
	}

	// The duals are the certificate; where t does not help, a ray over the rows that it does not move is one.
	result, err := r.solver.solve(ctx)
	if err != nil {
		return nil, 0, err
	}
	dual, value := r.solver.dual(), result.Objective
	if result.Status == lp.Infeasible {
		dual, value = r.solver.ray(), math.Inf(1)
	}

	// The multiplier of a row is the sum of those of its sides.
	lambda = make([]float64, len(r.c.rows))
	for k := range lambda {
		if i := r.lowers[k]; i >= 0 {
			lambda[k] += dual[i]
		}
		if i := r.uppers[k]; i >= 0 && i != r.lowers[k] {
			lambda[k] += dual[i]
		}
	}
	return lambda, value, nil
}

// times returns a part multiplied by two to the power exponent, which is exact.
func (q part) times(exponent int) part {
	out := part{component: q.component, lambda: slices.Clone(q.lambda), faint: q.faint}
	for i, v := range out.lambda {
		out.lambda[i] = math.Ldexp(v, exponent)
	}
	if q.exact != nil {
		factor := new(big.Rat).SetFloat64(math.Ldexp(1, exponent))
		for _, v := range q.exact {
			out.exact = append(out.exact, new(big.Rat).Mul(v, factor))
		}
	}
	return out
}

// scaled multiplies a feasibility part by the power of two that makes its largest slope about one, so that violations
// mean the same whatever the size of its multipliers. The certificate stays exact.
func (p *Problem) scaled(q part) part {
	c := &p.parts[q.component]

	// The slope of first-stage column k of touches is, up to the sign, the product of its column and the multipliers.
	largest := 0.0
	for k := range c.touches {
		largest = max(largest, math.Abs(c.first[k].dot(q.lambda)))
	}
	if largest == 0 {
		return q
	}

	// Frexp has largest = f * 2^exponent with f in [1/2, 1), so that the result has its largest slope in [1, 2).
	_, exponent := math.Frexp(largest)
	return q.times(1 - exponent)
}
