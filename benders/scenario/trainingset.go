package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
)

// trainingSet implements proxy.TrainingSet: a row is a scenario, and its value what its multipliers certify of its
// recourse cost after the step that runs take too, as a share of the state's recourse cost and times its probability
// and the number of scenarios, so that the mean over rows is the value of the state.
type trainingSet struct {
	*mean
	p *Problem
	sight
	states []trainingState

	fallback fallback             // of the value of multipliers that cannot be completed
	lowest   map[int]*benders.Cut // its cuts by scenario, nil for scenarios that have none

	// Scratch of one row: the multipliers, and the slope of their value in them.
	lambda, slope []float64
}

// trainingState is a point of the first stage with what the inputs and values of all scenarios at it share.
type trainingState struct {
	y      []float64
	middle []float64 // numbers of the mean scenario at y
	base   []float64 // multipliers of the mean scenario
	inset  []float64 // those with a distance from what columns without a bound ask of them
	unit   float64   // mean size of the recourse cost at y, of a sample of the scenarios, at least 1
}

// TrainingSet implements proxy.View. States at which one of the sampled scenarios has no recourse are left out.
func (n *network) TrainingSet(ctx context.Context, states []benders.State) (proxy.TrainingSet, error) {
	m, v, err := meanAndView(n.p)
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
	l := &trainingSet{
		mean:   m,
		p:      n.p,
		sight:  sight{view: v},
		lambda: make([]float64, rows),
		slope:  make([]float64, rows),
		lowest: map[int]*benders.Cut{},
	}
	for _, state := range states {
		if len(state.Y) != len(n.p.master.Cols) {
			return nil, fmt.Errorf("scenario: %w: a state of %s with %d columns", proxy.ErrOptions, n.p.name, len(state.Y))
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

		// The multipliers are copied, since they are valid until the next state alone.
		l.states = append(l.states, trainingState{
			y:      state.Y,
			middle: middle,
			base:   slices.Clone(base),
			inset:  slices.Clone(inset),
			unit:   unit,
		})
	}
	return l, ctx.Err()
}

// sampled returns the mean size of the recourse costs at a point of the active scenarios, at least 1, and false if one
// of them has none.
func (e *engine) sampled(ctx context.Context, y []float64) (size float64, ok bool, err error) {
	e.move(y)
	failed, err := e.solveAll(ctx)
	if err != nil || len(failed) > 0 {
		return 0, false, err
	}

	// Scenarios that are not active have no answer, and the value 0.
	for _, a := range e.answers {
		size += math.Abs(a.value)
	}
	return max(1, size/float64(e.active())), true, nil
}

// States implements proxy.TrainingSet.
func (l *trainingSet) States() int { return len(l.states) }

// Rows implements proxy.TrainingSet.
func (l *trainingSet) Rows(int) int { return len(l.p.weight) }

// Fill implements proxy.TrainingSet.
func (l *trainingSet) Fill(x, _ []float64, state int, rows []int) {
	q := &l.states[state]
	to := x[:0]
	for _, s := range rows {
		// TrainingSet has set every scenario once, so that this cannot fail.
		if err := l.view.Set(s); err != nil {
			panic(err)
		}
		to = l.of(to, q.y, q.middle, q.base, l.span)
	}
}

// Certify implements proxy.TrainingSet.
func (l *trainingSet) Certify(value, slope, out, _ []float64, state int, rows []int) error {
	n := len(l.lambda)
	for k, s := range rows {
		v, err := l.row(s, state, out[k*n:][:n])
		if err != nil {
			return err
		}

		// By the chain rule: an output counts in spans.
		weight := l.p.weight[s] * float64(len(l.p.weight)) / l.states[state].unit
		value[k] = weight * v
		for i, g := range l.slope {
			slope[k*n+i] = weight * l.span * g
		}
	}
	return nil
}

// row returns the value of a scenario's outputs, and leaves its slope in the multipliers in l.slope. The slope is zero
// where no step completes the multipliers.
func (l *trainingSet) row(s, state int, out []float64) (float64, error) {
	if err := l.view.Set(s); err != nil {
		return 0, err
	}
	q := &l.states[state]
	l.set(l.lambda, out, q.inset)
	if v := l.view.Supergradient(l.slope, l.lambda, q.inset, q.y); !math.IsNaN(v) {
		return v, nil
	}
	return l.incomplete(s, q)
}

// incomplete returns the value of the multipliers in l.lambda, which no step towards the middle makes dual feasible for
// scenario s: the value of the cut that a run makes of them.
func (l *trainingSet) incomplete(s int, q *trainingState) (float64, error) {
	// Their own cut prices the columns that lack a bound at bounds that rows imply.
	cut, err := ownCut(l.view, l.lambda, q.inset, q.y)
	if err == nil {
		return cut.ValueDown(q.y), nil
	}
	if !errors.Is(err, twostage.ErrCertificate) {
		return 0, err
	}

	// Where that fails the cut of a lower bound stands in. It does not depend on the multipliers, so that it is made once.
	low, known := l.lowest[s]
	if !known {
		cut, ok, err := l.fallback.cut(l.view)
		if err != nil {
			return 0, err
		}
		if ok {
			low = &cut
		}
		l.lowest[s] = low
	}
	if low != nil {
		return low.ValueDown(q.y), nil
	}

	// Without a lower bound a run has no cut, and the value is -Inf. But a loss has to be finite: the recourse cost less
	// the mean size of such costs stands in. A scenario without a recourse may have any value.
	cost, feasible, err := l.view.Value(context.Background(), q.y)
	if err != nil || !feasible {
		cost = 0
	}
	return cost - q.unit, err
}

// Value implements proxy.TrainingSet. It is that of the outputs alone: a run takes the multipliers of the mean scenario
// where they are better, which would hide what training changes there.
func (l *trainingSet) Value(out, _ []float64, state int) (total float64, err error) {
	n := len(l.lambda)
	for s, weight := range l.p.weight {
		v, err := l.row(s, state, out[s*n:][:n])
		if err != nil {
			return 0, err
		}
		total += weight * v / l.states[state].unit
	}
	return total, nil
}
