package integer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// bundle bounds the dual function of all scenarios from above,
//
//	max { sum_s p_s v_s : v_s <= cost + pi_s'z for every member (z, cost) of s, sum_s p_s pi_s = f, pi in a trust region },
//
// as one linear program that stays warm. The multipliers of the rows sum_s p_s pi_s = f are the first stage of the
// convex combination of members that has the least cost.
type bundle struct {
	solver *simplex.Solver
	first  int    // first-stage columns
	count  int    // scenarios
	idle   []int  // of every row of a member: solves for which it was slack
	known  []bool // scenarios that have had a member
}

// maxSlack is the number of solves after which a row of a member that was slack in all of them leaves the bundle. It
// was not tuned.
const maxSlack = 20

// newBundle returns the bundle without members for costs f of the first stage and probabilities of scenarios.
func newBundle(f, weight []float64) (*bundle, error) {
	b := &bundle{first: len(f), count: len(weight), known: make([]bool, len(weight))}
	m := lp.Model{Maximize: true}
	for range weight {
		for range f {
			m.Free("", 0)
		}
	}
	for _, p := range weight {
		m.Between("", p, 0, 0)
	}
	for j, c := range f {
		index := make([]int32, len(weight))
		for s := range index {
			index[s] = int32(b.column(s, j))
		}
		m.AddRow(lp.Row{Lower: c, Upper: c}, index, weight)
	}

	var err error
	b.solver, err = simplex.New(&m, simplex.DefaultOptions())
	return b, err
}

// column returns the column of a multiplier, value that of the value of a scenario.
func (b *bundle) column(s, j int) lp.Var { return lp.Var(s*b.first + j) }
func (b *bundle) value(s int) lp.Var     { return lp.Var(b.count*b.first + s) }

// add adds a member of a scenario.
func (b *bundle) add(s int, z []float64, cost float64) {
	index := []int32{int32(b.value(s))}
	coef := []float64{1}
	for j, v := range z {
		if v != 0 {
			index = append(index, int32(b.column(s, j)))
			coef = append(coef, -v)
		}
	}
	b.solver.AddRow(math.Inf(-1), cost, index, coef)
	b.idle = append(b.idle, 0)
	if !b.known[s] {
		b.known[s] = true
		b.solver.SetColBounds(b.value(s), math.Inf(-1), math.Inf(1))
	}
}

// limit makes a number the value of a scenario that has no member yet.
func (b *bundle) limit(s int, v float64) {
	if !b.known[s] && !math.IsInf(v, 0) {
		b.solver.SetColBounds(b.value(s), v, v)
	}
}

// proposal is a maximum of the bundle.
type proposal struct {
	pi    [][]float64
	value float64
	y     []float64 // the first stage of the best convex combination of members
}

// maxMultiplier is the size of multipliers from which on the bundle is given up. The dual of a program without a design
// may have no maximum: its multipliers grow until the sums of their programs overflow.
const maxMultiplier = 1e15

// propose maximises the bundle with each multiplier within reach of the centre, by columns. It reports false where the
// linear program has no answer, or none of numbers that can be used.
func (b *bundle) propose(ctx context.Context, center [][]float64, reach []float64) (out proposal, ok bool, err error) {
	for s, pi := range center {
		for j, v := range pi {
			b.solver.SetColBounds(b.column(s, j), v-reach[j], v+reach[j])
		}
	}
	res, err := b.solver.Solve(ctx, simplex.NoLimits())
	switch {
	case ctx.Err() != nil:
		return out, false, ctx.Err()
	case errors.Is(err, simplex.ErrNumerical):
		// What the rounds so far have proven holds without a next one.
		return out, false, nil
	case err != nil:
		return out, false, fmt.Errorf("integer: %w", err)
	case res.Status != lp.Optimal:
		return out, false, nil
	}

	x := b.solver.X()
	for s := range b.count {
		out.pi = append(out.pi, slices.Clone(x[b.column(s, 0):b.column(s, 0)+lp.Var(b.first)]))
		for _, v := range out.pi[s] {
			if !(math.Abs(v) <= maxMultiplier) {
				return out, false, nil
			}
		}
	}
	out.value = res.Objective
	out.y = slices.Clone(b.solver.RowDual()[:b.first])
	b.forget()
	return out, true, nil
}

// forget takes members out that have been slack for long.
func (b *bundle) forget() {
	var gone []lp.Con
	var kept []int
	for k, age := range b.idle {
		row := lp.Con(b.first + k)
		if b.solver.RowStatus(row) != simplex.Basic {
			age = -1
		}
		if age >= maxSlack {
			gone = append(gone, row)
		} else {
			kept = append(kept, age+1)
		}
	}
	b.solver.DeleteRows(gone)
	b.idle = kept
}

// inBounds returns a bound of a column as a finite number: a column without one is within twostage.Reach.
func inBounds(lower, upper float64) (l, u float64) {
	return max(lower, -twostage.Reach), min(upper, twostage.Reach)
}
