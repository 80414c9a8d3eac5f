package twostage

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// inside returns multipliers with a distance to what columns without an upper bound ask for, nil where there are none.
func (s *Scenarios) inside(t *testing.T, y []float64, distance float64) []float64 {
	t.Helper()
	m := s.base.Compact.Clone()
	for j := range m.Cols {
		if c := &m.Cols[j]; j < s.base.First {
			c.Lower, c.Upper = y[j], y[j]
		} else if math.IsInf(c.Upper, 1) {
			c.Cost -= distance
		}
	}
	sol, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
	if err != nil || sol.Status != lp.Optimal {
		return nil
	}
	view, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	var middle []float64
	for _, k := range view.Predicted() {
		middle = append(middle, sol.RowDual[s.base.parts[0].rows[k]])
	}
	return middle
}

// TestPredictedMultipliers moves random multipliers inside: the value that is said of them is that of their cut, and
// no more than the recourse cost; its slope is that of differences.
func TestPredictedMultipliers(t *testing.T) {
	checked, moved, sloped := 0, 0, 0
	for seed := range uint64(300) {
		s, view := sharedView(t, seed)
		rng := rand.New(rand.NewPCG(seed, 17))
		y := s.somewhere(rng)
		middle := s.inside(t, y, 0.05)
		if middle == nil {
			continue
		}

		// The seed chooses the scenario. Every recourse row has a finite side, and so at least one number.
		n := len(s.program.Scenarios)
		if err := view.Set(int(seed) % n); err != nil {
			t.Fatal(err)
		}
		if got, other := len(view.Numbers(nil, y)), len(s.base.parts[0].rows); got < other {
			t.Fatalf("seed %d: %d numbers of %d rows", seed, got, other)
		}

		// The predictions are the middle with random errors. Their value is a number, since the middle is dual feasible.
		given := make([]float64, len(view.Predicted()))
		for i := range given {
			given[i] = middle[i] + rng.NormFloat64()/4
		}
		slope, scratch := make([]float64, len(given)), make([]float64, len(given))
		value := view.Supergradient(slope, given, middle, y)
		if math.IsNaN(value) {
			t.Fatalf("seed %d: the middle is not dual feasible", seed)
		}

		// The value is a lower bound on the recourse cost.
		q, feasible, err := view.Value(t.Context(), y)
		if err != nil {
			t.Fatal(err)
		}
		if tol := 1e-7 * max(1, math.Abs(value)); feasible && value > q+tol {
			t.Errorf("seed %d: multipliers of value %g, the recourse costs %g", seed, value, q)
		}

		// The cut that is certified for the multipliers is at least as high as their value.
		lambda, _ := view.Inside(given, middle, y)
		cut, err := view.Certify(benders.Optimality, lambda)
		if err != nil || !(cut.Value(y) >= value-1e-6*max(1, math.Abs(value))) {
			t.Errorf("seed %d: a cut of %g, for a value of %g: %v", seed, cut.Value(y), value, err)
		}
		checked++

		if s := view.inside(given, middle, y); s.length > 0 {
			moved++
		}

		// The slope is compared with differences of the value in both directions.
		const h = 1e-6
		for i := range given {
			at := func(d float64) float64 {
				x := append([]float64(nil), given...)
				x[i] += d
				return view.Supergradient(scratch, x, middle, y)
			}

			up, down := (at(h)-value)/h, (value-at(-h))/h
			r := s.base.Compact.Rows[s.base.parts[0].rows[view.Predicted()[i]]]
			if math.Abs(up-down) > 1e-3*max(1, math.Abs(up)) || math.IsInf(r.Lower, -1) && given[i] > 0 ||
				math.IsInf(r.Upper, 1) && given[i] < 0 {
				continue // a kink, or a sign that the row has no side for
			}

			sloped++
			if math.Abs(slope[i]-up) > 1e-3*max(1, math.Abs(up)) {
				t.Errorf("seed %d, multiplier %d: slope %g, differences %g and %g", seed, i, slope[i], up, down)
			}
		}
	}

	if checked < 100 || moved < 30 || sloped < 100 {
		t.Errorf("%d checked, %d moved, %d slopes", checked, moved, sloped)
	}
}

// TestMiddleAtVertex takes the multipliers of an optimal basis for the middle: the reduced costs of its basic columns are
// zero up to rounding, and a step all the way to it is feasible for any prediction.
func TestMiddleAtVertex(t *testing.T) {
	moved := 0
	for seed := range uint64(300) {
		s, view := sharedView(t, seed)
		rng := rand.New(rand.NewPCG(seed, 23))

		// The middle has no distance to the constraints of the dual, so that it is a vertex.
		y := s.somewhere(rng)
		middle := s.inside(t, y, 0)
		if middle == nil {
			continue
		}

		// The predictions are far from dual feasible.
		given := make([]float64, len(middle))
		for i := range given {
			given[i] = 10 * rng.NormFloat64()
		}

		// The middle is dual feasible up to rounding, so that a step of length 1 is always enough.
		step := view.inside(given, middle, y)
		if !(step.length <= 1) {
			t.Errorf("seed %d: no step of length 1, reduced cost %g in the prediction, %g in the middle", seed, step.z,
				step.far)
		}
		if step.length == 1 {
			moved++
		}
	}

	if moved < 30 {
		t.Errorf("%d steps all the way", moved)
	}
}

// TestStepOutOfTheDual has random multipliers and a random middle, which may lack other bounds than these do, or have
// signs that no side allows: a step may mend one column and break another. What has a value is worth no more than the
// recourse costs.
func TestStepOutOfTheDual(t *testing.T) {
	broken := 0
	for seed := range uint64(300) {
		s, view := sharedView(t, seed)
		rng := rand.New(rand.NewPCG(seed, 29))

		y := s.somewhere(rng)
		start := s.inside(t, y, 0.05)
		if start == nil {
			continue
		}

		// Predictions and middle have errors of their own, so that neither has to be dual feasible.
		given := make([]float64, len(start))
		middle := make([]float64, len(start))
		for i := range given {
			given[i] = start[i] + rng.NormFloat64()/2
			middle[i] = start[i] + rng.NormFloat64()/4
		}

		// The value is NaN where the step does not make the multipliers dual feasible.
		value := view.Supergradient(nil, given, middle, y)
		if math.IsNaN(value) {
			broken++
			continue
		}

		// Any other value is a lower bound on the recourse cost.
		if q, feasible, err := view.Value(t.Context(), y); err != nil || feasible && value > q+1e-7*max(1, math.Abs(value)) {
			t.Errorf("seed %d: multipliers of value %g, the recourse costs %g, %v", seed, value, q, err)
		}
	}

	if broken < 10 {
		t.Errorf("%d steps were refused", broken)
	}
}

// TestUnusablePredictions makes multipliers of what is no number, and refuses a middle that is not dual feasible.
func TestUnusablePredictions(t *testing.T) {
	refused := 0
	for seed := range uint64(60) {
		s, view := sharedView(t, seed)
		middle := s.inside(t, make([]float64, s.base.First), 0.05)
		if middle == nil {
			continue
		}

		// Predictions that are not finite, or too large, are replaced, so that all multipliers are moderate numbers.
		lambda := make([]float64, len(view.Predicted()))
		for i := range lambda {
			lambda[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300}[i%4]
		}
		y := make([]float64, s.base.First)
		inside, ok := view.Inside(lambda, middle, y)
		if !ok {
			t.Fatalf("seed %d: no numbers are not inside", seed)
		}
		for i, v := range inside {
			if math.IsNaN(v) || math.Abs(v) > 1e50 {
				t.Errorf("seed %d: multiplier %d is %g", seed, i, v)
			}
		}

		// With large multipliers in the middle no step makes the predictions dual feasible.
		far := make([]float64, len(lambda))
		for i := range lambda {
			lambda[i], far[i] = 1e6, 1e6
		}
		if _, ok := view.Inside(lambda, far, y); !ok {
			refused++
		}
	}

	if refused < 10 {
		t.Errorf("%d middles that are not dual feasible were refused", refused)
	}
}
