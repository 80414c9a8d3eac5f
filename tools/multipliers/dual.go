package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// scenario is the Lagrangian dual of one scenario at a point of the first stage,
//
//	max over pi of L(pi) - pi'point,   L(pi) = min { q'x + pi'z : (z, x) a point of the scenario },
//
// whose value is what a Lagrangian cut is worth at the point.
type scenario struct {
	model  *lp.Model // with its copy z of the first stage in front
	point  []float64
	rhs    []float64 // sides of the rows of the recourse, to find near scenarios by
	base   float64   // value of the linear relaxation at the point: what a Benders cut is worth
	lp     []float64 // multipliers of the linear relaxation of the given program
	split  []float64 // and of the one with disaggregated rows
	before []float64 // what the ascent found at another point
	best   []float64 // what a long ascent found
	top    float64   // and its value
	calls  int       // mixed-integer programs that were solved
	spent  time.Duration
}

// maxNodes limits the search of a mixed-integer program, whose bound holds in any case.
const maxNodes = 100

// value solves the mixed-integer program of the scenario for multipliers: the value of the dual there, by the proven
// bound, and a supergradient, the copy of the first stage less the point.
func (s *scenario) value(ctx context.Context, pi []float64) (v float64, slope []float64, err error) {
	began := time.Now()
	m := *s.model
	m.Cols = slices.Clone(m.Cols)
	for j, w := range pi {
		m.Cols[j].Cost = w
	}

	// The gap is small, since the bound is the value.
	o := bnb.DefaultOptions()
	o.Gap = 1e-6
	o.MaxNodes = maxNodes
	out, err := bnb.Solve(ctx, &m, o, bnb.Hooks{})
	if err != nil {
		return 0, nil, err
	}
	if out.X == nil {
		return 0, nil, fmt.Errorf("a scenario ended with the status %v", out.Status)
	}
	s.calls++
	s.spent += time.Since(began)

	// The multipliers times the point are no part of the scenario's own cost.
	slope = make([]float64, len(pi))
	v = min(out.Bound, out.Objective)
	for j := range pi {
		slope[j] = out.X[j] - s.point[j]
		v -= pi[j] * s.point[j]
	}
	return v, slope, nil
}

// member is a point of a scenario that bounds the dual: pi -> cost + pi'(z - point).
type member struct {
	cost  float64
	slope []float64
}

// widest is the largest trust region, in units of the costs of the members found.
const widest = 10

// ascend maximises the dual from multipliers by cutting planes in a trust region (boxstep), with at most that many
// mixed-integer programs. It returns the best multipliers and their value.
func (s *scenario) ascend(ctx context.Context, from []float64, calls int) ([]float64, float64, error) {
	var list []member
	best := slices.Clone(from)
	top := math.Inf(-1)
	step := 0.3
	pi := best
	for k := range calls {
		v, slope, err := s.value(ctx, pi)
		if err != nil {
			return nil, 0, err
		}

		// The point of the scenario bounds the dual everywhere.
		cost := v
		for j := range pi {
			cost -= pi[j] * slope[j]
		}
		list = append(list, member{cost, slope})

		// The trust region grows around better multipliers, and shrinks after worse ones.
		if v > top {
			if k > 0 {
				step = min(2*step, widest)
			}
			best, top = pi, v
		} else {
			step /= 4
		}
		if k+1 == calls {
			break
		}

		// The next multipliers are the best ones of the model within the region, unless nothing is gained there.
		next, most, err := s.ascendModel(ctx, list, best, step)
		if err != nil {
			return nil, 0, err
		}
		if most-top <= 1e-6*max(1, math.Abs(top)) {
			if step >= widest {
				break
			}
			step = widest // nothing is gained near the best multipliers
		}
		pi = next
	}
	return best, top, nil
}

// ascendModel maximises the upper bound of the members over multipliers near the center.
func (s *scenario) ascendModel(ctx context.Context, list []member, center []float64, step float64) ([]float64,
	float64, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range list {
		low = min(low, m.cost)
		high = max(high, m.cost)
	}
	unit := max(high-low, 0.05*max(1, math.Abs(high)))
	var m lp.Model
	m.Maximize = true
	for j := range center {
		m.Between("", 0, center[j]-step*unit, center[j]+step*unit)
	}
	v := m.Free("", 1)
	for _, e := range list {
		index := []int32{int32(v)}
		coef := []float64{1}
		for j, g := range e.slope {
			if g != 0 {
				index = append(index, int32(j))
				coef = append(coef, -g)
			}
		}
		m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: e.cost}, index, coef)
	}
	sol, err := simplex.Solve(ctx, &m, simplex.DefaultOptions())
	if err != nil {
		return nil, 0, err
	}
	if sol.Status != lp.Optimal {
		return center, math.Inf(-1), nil
	}
	return sol.X[:len(center)], sol.Objective, nil
}

// longAscent is how many mixed-integer programs the best known multipliers may take.
const longAscent = 60

// duals prepares the duals of all scenarios of a program at the point of its linear relaxation with disaggregated rows.
func duals(ctx context.Context, p *stoch.Program) ([]*scenario, error) {
	q, err := integer.New(p)
	if err != nil {
		return nil, err
	}
	tight := q.Disaggregated()
	point, err := relaxed(ctx, tight)
	if err != nil {
		return nil, err
	}
	earlier, err := relaxed(ctx, p)
	if err != nil {
		return nil, err
	}

	var out []*scenario
	for k := range p.Scenarios {
		s := &scenario{point: point}
		if s.model, err = tight.Model(k); err != nil {
			return nil, err
		}
		s.model.Offset = 0
		for i := range p.Core.Rows {
			side := s.model.Rows[i].Lower
			if math.IsInf(side, 0) {
				side = s.model.Rows[i].Upper
			}
			s.rhs = append(s.rhs, side)
		}
		if _, err := s.model.Matrix(); err != nil {
			return nil, err
		}

		// Multipliers of both linear relaxations.
		given, err := p.Model(k)
		if err != nil {
			return nil, err
		}
		if s.lp, _, err = prices(ctx, given, point); err != nil {
			return nil, err
		}
		if s.split, s.base, err = prices(ctx, s.model, point); err != nil {
			return nil, err
		}

		// What an earlier round would have left: a short ascent at another point.
		s.point = earlier
		if s.before, _, err = s.ascend(ctx, s.split, 8); err != nil {
			return nil, err
		}
		s.point = point
		if s.best, s.top, err = s.ascend(ctx, s.split, longAscent); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, improve(ctx, out)
}

// improve goes on from the best multipliers of other scenarios, where these are better than what the ascent of a
// scenario has found.
func improve(ctx context.Context, list []*scenario) error {
	found := make([][]float64, len(list))
	for k, s := range list {
		found[k] = s.best
	}

	// Each scenario begins at the best multipliers that any scenario has found.
	for k, s := range list {
		start := found[k]
		most := s.top
		for _, pi := range found {
			v, _, err := s.value(ctx, pi)
			if err != nil {
				return err
			}
			if v > most {
				most = v
				start = pi
			}
		}

		// What the second ascent finds replaces the first where it is better.
		pi, v, err := s.ascend(ctx, start, longAscent/2)
		if err != nil {
			return err
		}
		if v > s.top {
			s.best = pi
			s.top = v
		}
	}
	return nil
}

// relaxed returns the first stage of the linear relaxation of the deterministic equivalent.
func relaxed(ctx context.Context, p *stoch.Program) ([]float64, error) {
	m, err := p.Extensive()
	if err != nil {
		return nil, err
	}
	for j := range m.Cols {
		m.Cols[j].Integer = false
	}
	sol, err := simplex.Solve(ctx, m, simplex.DefaultOptions())
	if err != nil {
		return nil, err
	}
	if sol.Status != lp.Optimal {
		return nil, fmt.Errorf("the relaxation is %v", sol.Status)
	}
	return sol.X[:p.First], nil
}

// prices returns the multipliers of the copy of the first stage at a point, by the linear relaxation of a scenario, and
// the value of that.
func prices(ctx context.Context, m *lp.Model, point []float64) ([]float64, float64, error) {
	own := m.Clone()
	own.Offset = 0
	for j := range own.Cols {
		own.Cols[j].Integer = false
		if j < len(point) {
			own.Cols[j].Lower, own.Cols[j].Upper, own.Cols[j].Cost = point[j], point[j], 0
		}
	}
	sol, err := simplex.Solve(ctx, own, simplex.DefaultOptions())
	if err != nil {
		return nil, 0, err
	}
	if sol.Status != lp.Optimal {
		return nil, 0, fmt.Errorf("a relaxation is %v", sol.Status)
	}

	// The reduced cost of a fixed column is the slope of the value; the multiplier is its negative.
	pi := make([]float64, len(point))
	for j := range pi {
		pi[j] = -sol.ReducedCost[j]
	}
	return pi, sol.Objective, nil
}
