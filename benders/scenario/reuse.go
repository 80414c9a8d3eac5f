package scenario

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
)

// solvedThere is how many scenarios are solved at a point whose multipliers its other scenarios take.
const solvedThere = 16

// Reused implements proxy.Reuse. The pool has the certificates of all scenarios at the points that it was asked for
// before, and those of a part of the scenarios that is solved at the point, as a run begins there. Where scenarios do
// not share their certificates it has those of the solved ones alone, each completed anew for every scenario.
func (n *network) Reused(c proxy.Control) (proxy.Predictor, error) {
	m, v, err := meanAndView(n.p)
	if err != nil {
		return nil, err
	}

	all := &ofMean{m, len(n.p.weight)}
	switch c {
	case proxy.Mean:
		return all, nil
	case proxy.Nearest:
		return newNearest(n.p, v)
	case proxy.Pool:
		e, err := newEngine(n.p)
		if err != nil {
			return nil, err
		}

		// Without a pool the solved scenarios stand in for the others.
		if e.pool == nil {
			near, err := newNearest(n.p, v)
			return &ofSolved{near, m}, err
		}
		return &ofPool{e: e, mean: all, view: v}, nil
	}

	// The other controls are networks, and have a predictor of their own.
	return nil, fmt.Errorf("scenario: %w: the control %s", proxy.ErrOptions, c)
}

// ofMean predicts the multipliers of the mean scenario for all scenarios.
type ofMean struct {
	*mean
	count int // scenarios
}

// Predict implements proxy.Predictor.
func (m *ofMean) Predict(y, lambda []float64) error {
	base, _, err := m.at(context.Background(), y)
	if err != nil {
		return err
	}
	for s := range m.count {
		copy(lambda[s*len(base):], base)
	}
	return nil
}

// ofNearest solves some scenarios, evenly spread, and predicts their multipliers for those that are nearest to them: by
// the sum of the squared differences of the scenarios' numbers, each in units of its standard deviation.
type ofNearest struct {
	view    *twostage.View
	count   int   // scenarios
	solved  []int // scenarios that are solved at every point
	nearest []int // position in solved, of each scenario
}

// newNearest chooses the scenarios that are solved, and for every other one the nearest of them.
func newNearest(p *Problem, v *twostage.View) (*ofNearest, error) {
	n := &ofNearest{
		view:    v,
		count:   len(p.weight),
		nearest: make([]int, len(p.weight)),
	}

	// A row of numbers for each scenario. At y = 0 they are those of the scenario alone.
	rows := make([][]float64, n.count)
	y := make([]float64, p.scenarios.Problem().First)
	for s := range rows {
		if err := v.Set(s); err != nil {
			return nil, err
		}
		rows[s] = v.Numbers(nil, y)
	}

	// Each number counts in units of its variance. Differences from the first row keep the sums small.
	scale := make([]float64, len(rows[0]))
	for k := range scale {
		sum, squares := 0.0, 0.0
		for _, row := range rows {
			d := row[k] - rows[0][k]
			sum += d
			squares += d * d
		}

		// A number that is the same in all scenarios has the scale 0, and does not count.
		mean := sum / float64(n.count)
		if variance := squares/float64(n.count) - mean*mean; variance > 0 {
			scale[k] = 1 / variance
		}
	}

	// The solved scenarios are spread evenly over all.
	for k := range min(n.count, solvedThere) {
		n.solved = append(n.solved, k*n.count/min(n.count, solvedThere))
	}

	// Every scenario takes the nearest of these.
	for s, row := range rows {
		least := math.Inf(1)
		for k, other := range n.solved {
			d := 0.0
			for i, v := range row {
				d += (v - rows[other][i]) * (v - rows[other][i]) * scale[i]
			}
			if d < least {
				least, n.nearest[s] = d, k
			}
		}
	}
	return n, nil
}

// Predict implements proxy.Predictor: an infeasible scenario among the solved ones gives zeros.
func (n *ofNearest) Predict(y, lambda []float64) error {
	rows := len(lambda) / n.count
	duals, err := n.solve(y, rows)
	for s, k := range n.nearest {
		if err == nil {
			copy(lambda[s*rows:], duals[k])
		}
	}
	return err
}

// solve returns the multipliers of the scenarios that are solved, zeros where there is no recourse.
func (n *ofNearest) solve(y []float64, rows int) ([][]float64, error) {
	duals := make([][]float64, len(n.solved))
	for k, s := range n.solved {
		// The one view goes from scenario to scenario, and its linear program stays warm.
		if err := n.view.Set(s); err != nil {
			return nil, err
		}
		sep, err := n.view.Separate(context.Background(), y)
		if err != nil {
			return nil, err
		}
		duals[k] = make([]float64, rows)
		if !sep.Infeasible && len(sep.Cuts) > 0 {
			pick(duals[k], sep.Cuts[0].Certificate.Vector(), n.view)
		}
	}
	return duals, nil
}

// ofSolved predicts the multipliers of the solved scenario that certify most.
type ofSolved struct {
	*ofNearest
	mean *mean
}

// Predict implements proxy.Predictor.
func (n *ofSolved) Predict(y, lambda []float64) error {
	rows := len(lambda) / n.count
	duals, err := n.solve(y, rows)
	if err != nil {
		return err
	}
	_, middle, err := n.mean.at(context.Background(), y)
	if err != nil {
		return err
	}

	// Each scenario takes the multipliers that certify most after their completion.
	for s := range n.count {
		if err := n.view.Set(s); err != nil {
			return err
		}
		copy(lambda[s*rows:], duals[better(n.view, duals, nil, middle, y)])
	}
	return nil
}

// ofPool predicts the best of the certificates that are in the pool, and then solves all scenarios, for the next point.
type ofPool struct {
	e    *engine
	mean *ofMean        // where the pool is empty
	view *twostage.View // for the positions of the predicted rows
}

// pick takes the multipliers that are predicted from those of all recourse rows.
func pick(predicted, all []float64, v *twostage.View) {
	for t, k := range v.Predicted() {
		predicted[t] = all[k]
	}
}

// Predict implements proxy.Predictor.
func (q *ofPool) Predict(y, lambda []float64) error {
	// One wave of linear programs, with which a run begins at a point too.
	ctx := context.Background()
	q.e.move(y)
	if _, err := q.e.solve(ctx, func() bool { return true }); err != nil {
		return err
	}

	// The best certificate of each scenario, from this point or an earlier one.
	if q.e.byPool() {
		rows := len(lambda) / len(q.e.answers)
		for s, k := range q.e.pool.by {
			pick(lambda[s*rows:], q.e.pool.duals[k].Lambda(), q.view)
		}
	} else if err := q.mean.Predict(y, lambda); err != nil {
		return err
	}

	// The other scenarios are solved only now, so that their certificates are of use at later points alone.
	_, err := q.e.solveAll(ctx)
	return err
}
