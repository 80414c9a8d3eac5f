package conformance

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// net is a network with random weights, some of them spoilt, around a plausible prediction. Cuts have to be valid for
// any network, so that the worst ones are of most use here.
type net struct {
	f         *Fixture
	rng       *rand.Rand // that of the suite
	inference *nn.Inference
}

// net returns a network from points to dim multipliers.
func (s *suite) net(dim int) *net {
	n := len(s.problem.Master.Cols)
	m, err := nn.NewMLP(nn.Config{
		Sizes:  []int{n, 8, dim},
		Hidden: autodiff.ReLU,
		Output: autodiff.Identity,
		Seed:   s.rng.Uint64(),
	})
	must(s.t, err)

	// The weights are of a random size from 0.01 to 100000, and in a third of the nets some are extreme or no numbers.
	scale := math.Pow(10, float64(s.rng.IntN(8)-2))
	wild := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 1e300, -1e300, 5e-324}
	spoil := s.rng.IntN(3) == 0
	for _, p := range m.Params() {
		for k := range p.Value {
			if p.Value[k] *= scale; spoil && s.rng.IntN(40) == 0 {
				p.Value[k] = wild[s.rng.IntN(len(wild))]
			}
		}
	}
	return &net{f: s.Fixture, rng: s.rng, inference: m.NewInference()}
}

// Predict implements proxy.Predictor.
func (p *net) Predict(y, prediction []float64) error {
	if err := p.inference.Forward(prediction, y, 1); err != nil {
		return err
	}

	// Two thirds of the predictions are near a plausible one, so that cuts are not all weak.
	if p.f.Predict != nil && p.rng.IntN(3) > 0 {
		for k, v := range p.f.Predict(p.rng, y) {
			prediction[k] = v + 0.1*prediction[k]
		}
	}
	return nil
}

// randomNets proves at least the given number of cuts of random nets, and that none is above the recourse cost.
func (s *suite) randomNets(proofs int) {
	// A net may have no cut, so that the number of tries is limited too.
	c := s.Certifier()
	done := s.count.Cuts + proofs
	for try := 0; s.count.Cuts < done && try < 4*proofs; try++ {
		sep := proxy.NewSeparator(s.net(c.Dim()), c)
		for range 4 {
			y, integer := s.point()
			out, err := sep.Separate(context.Background(), benders.Point{Y: y, Integer: integer})
			if err != nil {
				s.fail("a random net at %v: %v", y, err)
				return
			}
			s.count.Projected += out.Projected
			s.prove(out.Cuts)

			// The comparison takes a linear program, and is made for a part of the nets alone.
			if try < 10 {
				s.oneSided(&out, y)
			}
		}
	}
}

// oneSided compares what a separation certifies at y with the recourse cost there.
func (s *suite) oneSided(out *benders.Separation, y []float64) {
	q := s.recourse(y)
	slack := s.Tolerance * max(1, math.Abs(q))
	if math.IsInf(q, 1) {
		s.count.Infeasible++
		return
	}

	// There is a recourse, so neither may the point be refused nor its value exceed the cost. Without one any value is
	// a lower bound.
	s.failIf(out.Infeasible, "the recourse at %v costs %v but is called infeasible", y, q)
	s.failIf(out.Value > q+slack, "certified value %v at %v, where the recourse costs %v", out.Value, y, q)

	// Nor may the value of a single cut, or of the cuts of all epigraphs together.
	sum := 0.0
	for k := range out.Cuts {
		cut := &out.Cuts[k]
		v := cut.Value(y)
		switch {
		case cut.Kind == benders.Feasibility:
			s.failIf(v > slack, "a feasibility cut is violated by %v at the feasible point %v", v, y)
		case cut.Theta == benders.AllEpigraphs && v > q+slack:
			s.fail("a cut says %v at %v, where the recourse costs %v", v, y, q)
		default:
			sum += v
		}
	}

	// The sum is that of the epigraphs only where each of them has one cut.
	s.failIf(len(out.Cuts) == s.problem.Epigraphs && sum > q+slack,
		"the cuts say %v at %v, where the recourse costs %v", sum, y, q)
}

// explained checks the a-posteriori bound of docs/gap.md: at a fixed point the cost of the design is above the proven
// bound by no more than the recourse error of the certificates there, the gap of the tree and the tolerance of cuts.
func (s *suite) explained(how string, a *benders.Accepted, r *benders.Result, o *benders.Options) {
	if r.Status != lp.FixedPoint || a.Design == nil {
		return
	}

	// Only a fixed point has a gap that the certificates explain; an optimum has none, and a limit may leave any.
	s.count.Explained++

	// Three tolerances add up: the gap of the tree, the violation of the cuts, and that of the comparison.
	slack := o.Gap*max(1, math.Abs(r.Objective)) + o.Violation*a.Scale + s.Tolerance*max(1, math.Abs(a.Value))
	lack := s.recourse(a.Design) - a.Certified // the recourse error
	gap := r.Objective - r.Bound
	s.failIf(gap > lack+slack, "%s: the design costs %v more than the bound, its certificates lack %v", how, gap, lack)
}

// runsEnd solves by proxy and by hybrid with a random net. A net that predicts nonsense may cost the run its design or
// its proof, but not its end, and never the validity of its bound.
func (s *suite) runsEnd() {
	for _, d := range drivers {
		c := s.Certifier()

		// A hybrid has the exact separator behind the net, and ends at the optimum in any case.
		for _, hybrid := range []bool{false, true} {
			// The recorder keeps the point at which the run ends, and proves all cuts on the way.
			o := benders.DefaultOptions()
			why := &benders.Accepted{Master: s.problem.Master, Next: prover{s}}
			o.Recorder = why
			sep := benders.Separator(proxy.NewSeparator(s.net(c.Dim()), c))
			if hybrid {
				sep = benders.NewHybrid(sep, s.Exact(), o.Violation)
			}

			// The run ends as a proxy run may: at the optimum or at a fixed point, on the right side of it.
			r, err := d.solve(context.Background(), s.Problem(), sep, o)
			if err != nil {
				s.fail("%s by %s: %v", sep.Source(), d.name, err)
				continue
			}
			slack := s.Tolerance * max(1, math.Abs(s.optimum))
			if math.IsInf(s.optimum, 1) {
				// Predictions alone need not prove infeasibility, but no design may pass as feasible.
				s.failIf(r.Design != nil || hybrid && r.Status != lp.Infeasible,
					"%s by %s: %v with design %v, the whole model is infeasible", sep.Source(), d.name, r.Status, r.Design)
				continue
			}
			s.failIf(r.Status != lp.Optimal && (r.Status != lp.FixedPoint || hybrid), "%s by %s: %v", sep.Source(), d.name,
				r.Status)
			s.failIf(r.Bound > s.optimum+slack || r.Objective < s.optimum-slack,
				"%s by %s: objective %v bound %v, optimum %v", sep.Source(), d.name, r.Objective, r.Bound, s.optimum)

			s.explained(d.name, why, r, &o)

			// A design that is called optimal is so within the gap.
			s.failIf(r.Status == lp.Optimal && !(r.Objective <= s.optimum+o.Gap*math.Abs(s.optimum)+slack),
				"%s by %s: %v is called optimal, the optimum is %v", sep.Source(), d.name, r.Objective, s.optimum)
		}
	}
}

// completion compares the certified value of a prediction with the linear program over all its completions, and its
// supergradient with finite differences. Predictions that cannot be completed are left out.
func (s *suite) completion() {
	if s.Predicted == nil || s.Value == nil || s.Predict == nil {
		return
	}

	// A plausible prediction, since a wild one has no completion in many families.
	y, _ := s.point()
	c := s.Certifier()
	lambda := make([]float64, c.Dim())
	copy(lambda, s.Predict(s.rng, y))
	c.Project(lambda)

	// The strongest completion is the optimum of the program in which the predicted rows are priced.
	want := s.relaxed(y, lambda)
	if math.IsInf(want, 0) || math.IsNaN(want) {
		return
	}

	// It is what the certifier returns, and its supergradient is compared below.
	g := make([]float64, len(lambda))
	got, err := s.Value(g, lambda, y)
	if err != nil {
		s.fail("the value of a prediction: %v", err)
		return
	}
	s.count.Strongest++
	s.failIf(!s.near(got, want), "a completion is worth %v at %v, the strongest %v", got, y, want)

	// Where the value is smooth in a multiplier, differences over a small step on both sides are its slope.
	h := 1e-6
	for k := range s.Predicted {
		// The value with one multiplier moved, and false where it has no completion.
		one := func(step float64) (float64, bool) {
			moved := slices.Clone(lambda)
			moved[k] += step
			if math.IsInf(s.relaxed(y, moved), 0) {
				return 0, false
			}
			v, err := s.Value(nil, moved, y)
			return v, err == nil
		}

		// At zero the side that a multiplier prices changes, which is a kink.
		if math.Abs(lambda[k]) <= 2*h {
			continue
		}

		// At the edge of the multipliers that can be completed there is no difference on one side.
		above, ok := one(h)
		below, ok2 := one(-h)
		if !ok || !ok2 {
			continue
		}

		// The two sides differ at a kink, where any slope between them is a supergradient, and by rounding.
		right, left := (above-got)/h, (got-below)/h
		if math.Abs(right-left) > 1e-4*max(1, math.Abs(left)) {
			continue
		}
		s.count.Smooth++
		s.failIf(math.Abs(g[k]-left) > 1e-3*max(1, math.Abs(left)),
			"the supergradient in multiplier %d is %v, the slope %v", k, g[k], left)
	}
}
