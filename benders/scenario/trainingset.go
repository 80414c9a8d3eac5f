package scenario

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
)

// lesson implements proxy.TrainingSet: a row is a scenario, and its value what its multipliers certify of its recourse
// cost after the step that runs take too, as a share of the state's recourse cost and times its probability and the
// number of scenarios, so that the mean over rows is the value of the state.
type lesson struct {
	*mean
	p *Problem
	sight
	y       [][]float64
	middles [][]float64 // numbers of the mean scenario at each
	bases   [][]float64 // multipliers of the mean scenario
	insets  [][]float64 // and those with a distance from what columns without a bound ask of them
	units   []float64   // recourse cost at each, of a sample of the scenarios, at least 1

	lambda, slope []float64
}

// TrainingSet implements proxy.View. States at which one of the scenarios that are asked has no recourse teach nothing.
func (n *network) TrainingSet(ctx context.Context, states []benders.State) (proxy.TrainingSet, error) {
	v, err := n.p.scenarios.View()
	if err != nil {
		return nil, err
	}
	m, err := newMean(n.p, v)
	if err != nil {
		return nil, err
	}

	// The states are valued by linear programs of a few scenarios.
	exact, err := (&solvers{p: n.p}).separator(1)
	if err != nil {
		return nil, err
	}
	exact.focus(true)
	rows := len(v.Predicted())
	l := &lesson{mean: m, p: n.p, sight: sight{view: v}, lambda: make([]float64, rows), slope: make([]float64, rows)}
	for _, state := range states {
		if len(state.Y) != len(n.p.master.Cols) {
			return nil, fmt.Errorf("scenario: %w: a state of %s with %d columns", proxy.ErrOptions, n.p.Name, len(state.Y))
		}

		// The unit of a state is the mean size of its recourse costs.
		unit, ok, err := exact.sampled(ctx, state.Y)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}

		// What the network starts from at the state: the multipliers of the mean scenario, and a point between the
		// scenarios.
		base, inset, err := m.at(ctx, state.Y)
		if err != nil {
			return nil, err
		}
		middle, err := l.middle(n.p.weight, state.Y, nil)
		if err != nil {
			return nil, err
		}

		l.y = append(l.y, state.Y)
		l.bases = append(l.bases, slices.Clone(base))
		l.insets = append(l.insets, slices.Clone(inset))
		l.middles = append(l.middles, middle)
		l.units = append(l.units, unit)
	}
	return l, ctx.Err()
}

// sampled returns the mean size of the recourse costs at a point of the scenarios that are asked, at least 1, and
// false if one of them has none.
func (e *engine) sampled(ctx context.Context, y []float64) (size float64, ok bool, err error) {
	e.move(y)
	failed, err := e.solve(ctx, func() bool { return false })
	if err != nil || len(failed) > 0 {
		return 0, false, err
	}
	for _, a := range e.answers {
		size += math.Abs(a.value)
	}
	return max(1, size/float64(e.active())), true, nil
}

// States implements proxy.TrainingSet.
func (l *lesson) States() int { return len(l.y) }

// Rows implements proxy.TrainingSet.
func (l *lesson) Rows(int) int { return len(l.p.weight) }

// Fill implements proxy.TrainingSet.
func (l *lesson) Fill(x, _ []float64, state int, rows []int) {
	to := x[:0]
	for _, s := range rows {
		if err := l.view.Set(s); err != nil { // TrainingSet has seen all of them
			panic(err)
		}
		to = l.of(to, l.y[state], l.middles[state], l.bases[state], l.span)
	}
}

// Certify implements proxy.TrainingSet.
func (l *lesson) Certify(value, slope, out, _ []float64, state int, rows []int) error {
	n := len(l.lambda)
	for k, s := range rows {
		v, err := l.row(s, state, out[k*n:][:n])
		if err != nil {
			return err
		}
		weight := l.p.weight[s] * float64(len(l.p.weight)) / l.units[state]
		value[k] = weight * v
		for i, g := range l.slope {
			slope[k*n+i] = weight * l.span * g
		}
	}
	return nil
}

// row leaves the slope of a scenario's value in l.slope; where nothing completes the multipliers both are zero.
func (l *lesson) row(s, state int, out []float64) (float64, error) {
	if err := l.view.Set(s); err != nil {
		return 0, err
	}
	l.set(l.lambda, out, l.insets[state])
	v := l.view.Supergradient(l.slope, l.lambda, l.insets[state], l.y[state])
	if math.IsNaN(v) {
		v = 0
	}
	return v, nil
}

// Value implements proxy.TrainingSet. It is that of the outputs alone: where the multipliers of the mean scenario are
// better a run takes those, and nothing would be seen of what is learnt there.
func (l *lesson) Value(out, _ []float64, state int) (total float64, err error) {
	n := len(l.lambda)
	for s, weight := range l.p.weight {
		v, err := l.row(s, state, out[s*n:][:n])
		if err != nil {
			return 0, err
		}
		total += weight * v / l.units[state]
	}
	return total, nil
}
