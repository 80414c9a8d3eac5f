package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// Sizes of an ascent, as in package integer.
const (
	maxNodes  = 100 // of a mixed-integer program
	firstStep = 0.3 // half-width of the first trust region, in units of cost
	slopeSize = 10  // slopes that span the multipliers
)

// scenario is a scenario with its copy of the first stage in front.
type scenario struct {
	model  *lp.Model
	first  int
	linear *simplex.Solver // of its relaxation
	short  *simplex.Solver // of the least violation of its rows, nil before it is needed

	pi     []float64 // multipliers of the relaxation at the last point: the negative slope; nil without a recourse
	last   []float64 // multipliers of the last Lagrangian cut
	slopes [][]float64
	list   []member
}

// member is a point of the scenario: its copy of the first stage and the cost of its recourse.
type member struct {
	z    []float64
	cost float64
}

// newScenario returns a scenario of a program without its last rows, as many as drop.
func newScenario(p *stoch.Program, s, drop int) (*scenario, error) {
	m, err := p.Model(s)
	if err != nil {
		return nil, err
	}
	m.Offset = 0
	for i := len(m.Rows) - drop; i < len(m.Rows); i++ {
		m.Rows[i].Lower = math.Inf(-1)
		m.Rows[i].Upper = math.Inf(1)
	}
	sc := &scenario{model: m, first: p.First}

	relaxed := *m
	relaxed.Cols = slices.Clone(m.Cols)
	for j := range relaxed.Cols {
		relaxed.Cols[j].Integer = false
		if j < p.First {
			relaxed.Cols[j].Cost = 0
		}
	}
	sc.linear, err = simplex.New(&relaxed, simplex.DefaultOptions())
	return sc, err
}

// relax solves the linear relaxation at a point: its value and multipliers, false where there is no solution.
func (s *scenario) relax(ctx context.Context, at []float64) (value float64, pi []float64, ok bool, err error) {
	for j, v := range at {
		s.linear.SetColBounds(lp.Var(j), v, v)
	}
	res, err := s.linear.Solve(ctx, simplex.NoLimits())
	switch {
	case err != nil:
		return 0, nil, false, err
	case res.Status == lp.Infeasible:
		return 0, make([]float64, len(at)), false, nil
	case res.Status != lp.Optimal:
		return 0, nil, false, fmt.Errorf("a relaxation ended with the status %v", res.Status)
	}
	return res.Objective, slopes(s.linear, len(at)), true, nil
}

// shortage is the least violation of the rows at a point, whose slope gives a cut where there is no recourse.
func (s *scenario) shortage(ctx context.Context, at []float64) (value float64, pi []float64, err error) {
	if s.short == nil {
		m := s.model.Clone()
		for j := range m.Cols {
			m.Cols[j].Integer = false
			m.Cols[j].Cost = 0
		}
		for i := range m.Rows {
			for _, sign := range []float64{1, -1} {
				v := m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
				m.AddEntry(lp.Con(i), v, sign)
			}
		}
		if s.short, err = simplex.New(m, simplex.DefaultOptions()); err != nil {
			return 0, nil, err
		}
	}

	// Only the point is another one than before, so that the program goes on from its last basis.
	for j, v := range at {
		s.short.SetColBounds(lp.Var(j), v, v)
	}
	res, err := s.short.Solve(ctx, simplex.NoLimits())
	if err == nil && res.Status != lp.Optimal {
		err = fmt.Errorf("a least violation ended with the status %v", res.Status)
	}
	if err != nil {
		return 0, nil, err
	}
	return res.Objective, slopes(s.short, len(at)), nil
}

// slopes are the multipliers of fixed first-stage columns: the value of the program falls by them as the columns grow.
func slopes(s *simplex.Solver, first int) []float64 {
	pi := make([]float64, first)
	for j, d := range s.ReducedCost()[:first] {
		pi[j] = -d
	}
	return pi
}

// solve solves the mixed-integer program of the scenario with costs of the first stage and, where it is fixed, at a
// design.
func (s *scenario) solve(ctx context.Context, pi, fixed []float64, o bnb.Options) (bnb.Result, error) {
	m := *s.model
	m.Cols = slices.Clone(m.Cols)
	for j := range s.first {
		m.Cols[j].Cost = 0
		if pi != nil {
			m.Cols[j].Cost = pi[j]
		}
		if fixed != nil {
			m.Cols[j].Lower = fixed[j]
			m.Cols[j].Upper = fixed[j]
		}
	}
	o.Gap = 1e-7
	return bnb.Solve(ctx, &m, o, bnb.Hooks{})
}

// price returns a proven bound on the recourse at a design.
func (s *scenario) price(ctx context.Context, design []float64) (low float64, nodes int, err error) {
	out, err := s.solve(ctx, nil, design, bnb.DefaultOptions())
	if err != nil {
		return 0, 0, err
	}
	return min(out.Bound, out.Objective), out.Nodes, nil
}

// ascend maximises L(pi) - pi'at by cutting planes in a trust region, and returns the best L with its multipliers.
// Under stop a program ends where its bound is above theta by half of what the members promise.
func (s *scenario) ascend(ctx context.Context, r *root, at []float64, theta float64) (low float64, best []float64,
	err error) {
	pi := s.pi
	if r.warm && s.last != nil {
		pi = s.last
	}
	if !r.warm {
		s.list = nil
	}

	// A step that is better doubles the trust region, another one makes it a quarter.
	top := math.Inf(-1)
	step := firstStep
	promised := math.Inf(1)
	for k := range r.steps {
		o := bnb.DefaultOptions()
		o.MaxNodes = maxNodes
		if r.stop && !math.IsInf(promised, 0) {
			o.HasCutoff = true
			o.Cutoff = (theta+promised)/2 + dot(pi, at)
		}
		out, err := s.solve(ctx, pi, nil, o)
		if err != nil {
			return 0, nil, err
		}
		r.mips++
		r.nodes += out.Nodes
		bound := out.Bound
		switch {
		case out.X != nil:
			z := slices.Clone(out.X[:s.first])
			s.list = append(s.list, member{z, out.Objective - dot(pi, z)})
			bound = min(bound, out.Objective)
		case o.HasCutoff && out.Status == lp.Infeasible:
			bound = o.Cutoff
		}
		value := bound - dot(pi, at)
		if best == nil || value > top {
			if best != nil {
				step *= 2
			}
			best, top, low = pi, value, bound
		} else {
			step /= 4
		}
		if r.stop && out.X == nil || k+1 == r.steps {
			break
		}
		if pi, promised, err = s.next(ctx, at, best, step, r.span); err != nil {
			return 0, nil, err
		}
		if promised-top <= 1e-6*max(1, math.Abs(top)) {
			break
		}
	}
	s.last = best
	s.list = s.list[max(0, len(s.list)-60):]
	return low, best, nil
}

// next maximises what the members promise over multipliers near the best ones.
func (s *scenario) next(ctx context.Context, at, center []float64, step float64, span bool) ([]float64, float64,
	error) {
	lowest := math.Inf(1)
	highest := math.Inf(-1)
	for _, m := range s.list {
		lowest = min(lowest, m.cost)
		highest = max(highest, m.cost)
	}
	unit := max(highest-lowest, 1e-2*max(1, math.Abs(highest)))

	// The multipliers stay in a trust region around the best ones.
	var m lp.Model
	m.Maximize = true
	for j := range at {
		width := s.model.Cols[j].Upper - s.model.Cols[j].Lower
		reach := step * unit / min(max(width, 1e-6), max(1, math.Abs(at[j])))
		m.Between("", 0, center[j]-reach, center[j]+reach)
	}
	value := m.Free("", 1)
	for _, e := range s.list {
		index := []int32{int32(value)}
		coef := []float64{1}
		for j := range at {
			if v := e.z[j] - at[j]; v != 0 {
				index = append(index, int32(j))
				coef = append(coef, -v)
			}
		}
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: e.cost}, index, coef)
	}

	// In the span, the multipliers are a combination of the last slopes and of the center, which is one of them.
	if span {
		list := append([][]float64{center}, s.slopes[max(0, len(s.slopes)-slopeSize):]...)
		var lambda []lp.Var
		for range list {
			lambda = append(lambda, m.Free("", 0))
		}
		for j := range at {
			index := []int32{int32(j)}
			coef := []float64{1}
			for k, b := range list {
				if b[j] != 0 {
					index = append(index, int32(lambda[k]))
					coef = append(coef, -b[j])
				}
			}
			m.AddRow(lp.Row{Lower: 0, Upper: 0}, index, coef)
		}
	}
	sol, err := simplex.Solve(ctx, &m, simplex.DefaultOptions())
	if err != nil {
		return nil, 0, err
	}
	if sol.Status != lp.Optimal {
		return center, math.Inf(-1), nil
	}
	return sol.X[:len(at)], sol.Objective, nil
}
