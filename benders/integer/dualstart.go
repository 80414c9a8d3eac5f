package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Rounds of cuts for the first multipliers. Without the cuts of groups, those of scenarios alone were at -567 after 40
// rounds on sslp_10_50-50, whose relaxation is at -371.
const (
	startRounds = 40   // of cuts of scenarios, at most
	startSlack  = 2e-2 // by how much, relative, cuts of groups are lowered, so that those of scenarios replace them
	startShare  = 1e-3 // share of the multipliers that the cuts of groups may still have at the end
)

// linearStart finds multipliers for which the linear programs of the scenarios prove the bound of the relaxation: the
// master of the relaxation gets an epigraph for every scenario and cuts of these, and the multipliers of a scenario are
// the negative slopes of its cuts, weighted by the multipliers of their rows. It returns nil where the relaxation gives
// none, or time is up.
type linearStart struct {
	*scenarioDual
	lp     *simplex.Solver
	given  int // rows before the cuts
	groups [][]int
	cuts   []startCut
}

// startCut is a cut in the master: of a scenario, or of the group of scenarios that the relaxation made it for.
type startCut struct {
	scenarios []int
	ofGroup   bool
	slope     []float64 // of the mean of the scenarios, by their probabilities
}

// firstMultipliers returns the multipliers that the search begins with.
func (d *scenarioDual) firstMultipliers(ctx context.Context) ([][]float64, error) {
	l := &linearStart{scenarioDual: d}
	if err := l.begin(ctx); err != nil {
		return nil, err
	}

	// The last point of the master is separated, halfway to the one before.
	var pi [][]float64
	var center []float64
	for range startRounds {
		y, err := l.solve(ctx)
		if err != nil {
			return nil, err
		}
		if y == nil {
			break // a master without a bound has no multipliers: those of the last round stand
		}
		var coarse float64
		if pi, coarse = l.multipliers(); coarse <= startShare {
			break
		}
		for j := range center {
			y[j] = (y[j] + center[j]) / 2
		}
		center = y
		if err := l.cut(ctx, y); err != nil {
			return nil, err
		}
	}

	// Without a relaxation every scenario begins with the costs of the first stage.
	if pi == nil {
		for range d.p.weight {
			pi = append(pi, slices.Clone(d.f))
		}
	}
	return pi, nil
}

// solve solves the master. It returns a nil point where that has no optimum.
func (l *linearStart) solve(ctx context.Context) ([]float64, error) {
	res, err := l.lp.Solve(ctx, simplex.NoLimits())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || res.Status != lp.Optimal {
		return nil, nil // another start is as valid
	}
	return slices.Clone(l.lp.X()[:len(l.f)]), nil
}

// begin makes the master with the cuts of the relaxation.
func (l *linearStart) begin(ctx context.Context) error {
	problem, err := l.run.problem(ctx, false)
	if err != nil {
		return err
	}
	m := l.p.master.Clone()
	l.given = len(m.Rows)
	for _, p := range l.p.weight {
		m.Free("", p)
	}
	if l.lp, err = simplex.New(m, simplex.DefaultOptions()); err != nil {
		return prefixed(err)
	}
	l.groups = l.p.relaxed.Groups(false)
	for g, low := range problem.ThetaLower {
		if !math.IsInf(low, 0) {
			l.addOfGroup(&benders.Cut{Theta: g, Alpha: low})
		}
	}
	for _, list := range [][]benders.Cut{problem.Initial, problem.Known} {
		for k := range list {
			if c := &list[k]; c.Kind == benders.Optimality && c.Theta >= 0 {
				l.addOfGroup(c)
			}
		}
	}
	return nil
}

// addOfGroup adds a cut of the relaxation.
func (l *linearStart) addOfGroup(c *benders.Cut) {
	low := *c
	low.Alpha -= startSlack * max(1, math.Abs(c.Alpha))
	l.add(&low, l.groups[c.Theta], 1)
	l.cuts[len(l.cuts)-1].ofGroup = true
}

// add adds a cut, scaled, of scenarios whose values have their probabilities as weights.
func (l *linearStart) add(c *benders.Cut, scenarios []int, scale float64) {
	total := 0.0
	for _, s := range scenarios {
		total += l.p.weight[s]
	}
	cut := startCut{scenarios: scenarios, slope: make([]float64, len(l.f))}
	var index []int32
	var value []float64
	for k, j := range c.Index {
		cut.slope[j] = scale * c.Beta[k] / total
		index = append(index, j)
		value = append(value, -scale*c.Beta[k])
	}
	for _, s := range scenarios {
		index = append(index, int32(len(l.f)+s))
		value = append(value, l.p.weight[s])
	}
	l.lp.AddRow(scale*c.Alpha, math.Inf(1), index, value)
	l.cuts = append(l.cuts, cut)
}

// cut adds the cuts of the linear programs of all scenarios at a point.
func (l *linearStart) cut(ctx context.Context, y []float64) error {
	cuts := make([]*benders.Cut, len(l.p.weight))
	err := l.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			if err := c.view.Set(s); err != nil {
				return prefixed(err)
			}
			sep, err := c.view.Separate(ctx, y)
			if err != nil {
				return prefixed(err)
			}
			for k := range sep.Cuts {
				if sep.Cuts[k].Kind == benders.Optimality {
					cuts[s] = &sep.Cuts[k]
				}
			}
		}
		return nil
	})
	for s, c := range cuts {
		if c != nil {
			l.add(c, []int{s}, l.p.weight[s])
		}
	}
	return err
}

// multipliers are those of the solution of the master, with the share of them that rests on cuts of groups.
func (l *linearStart) multipliers() (pi [][]float64, coarse float64) {
	pi = make([][]float64, len(l.p.weight))
	for s := range pi {
		pi[s] = make([]float64, len(l.f))
	}
	dual := l.lp.RowDual()[l.given:]
	for k, c := range l.cuts {
		if dual[k] == 0 {
			continue
		}
		for _, s := range c.scenarios {
			if c.ofGroup {
				coarse += dual[k] * l.p.weight[s]
			}
			for j, v := range c.slope {
				pi[s][j] -= dual[k] * v
			}
		}
	}
	return pi, coarse
}
