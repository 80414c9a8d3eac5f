package conformance

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// net is a network with random weights, some of them spoilt, around a plausible prediction.
type net struct {
	f         *Fixture
	rng       *rand.Rand
	inference *nn.Inference
}

func (s *suite) net(dim int) *net {
	n := len(s.problem.Master.Cols)
	m, err := nn.NewMLP(nn.Config{Sizes: []int{n, 8, dim}, Hidden: autodiff.ReLU, Output: autodiff.Identity,
		Seed: s.rng.Uint64()})
	if err != nil {
		s.t.Fatal(err)
	}
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
	if p.f.Predict != nil && p.rng.IntN(3) > 0 {
		for k, v := range p.f.Predict(p.rng, y) {
			prediction[k] = v + 0.1*prediction[k]
		}
	}
	return nil
}

// randomNets proves at least the given number of cuts of random nets, and that none says more than the recourse costs.
func (s *suite) randomNets(proofs int) {
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
			if try < 10 {
				s.oneSided(&out, y)
			}
		}
	}
}

// oneSided compares what a separation says at y with the recourse cost there.
func (s *suite) oneSided(out *benders.Separation, y []float64) {
	q := s.recourse(y)
	slack := s.Tolerance * max(1, math.Abs(q))
	if math.IsInf(q, 1) {
		s.count.Infeasible++
		return
	}

	// There is a recourse, so neither may the point be refused nor its value exceed the cost.
	if out.Infeasible {
		s.fail("the recourse at %v costs %v but is called infeasible", y, q)
	}
	if out.Value > q+slack {
		s.fail("certified value %v at %v, where the recourse costs %v", out.Value, y, q)
	}

	// Nor may the value of a single cut, or of the cuts of all epigraphs together.
	sum := 0.0
	for k := range out.Cuts {
		cut := &out.Cuts[k]
		v := cut.Value(y)
		switch {
		case cut.Kind == benders.Feasibility:
			if v > slack {
				s.fail("a feasibility cut is violated by %v at the feasible point %v", v, y)
			}
		case cut.Theta == benders.AllEpigraphs && v > q+slack:
			s.fail("a cut says %v at %v, where the recourse costs %v", v, y, q)
		default:
			sum += v
		}
	}
	if len(out.Cuts) == s.problem.Epigraphs && sum > q+slack {
		s.fail("the cuts say %v at %v, where the recourse costs %v", sum, y, q)
	}
}

// explained checks the a-posteriori bound of docs/gap.md: at a fixed point the cost of the design is above the proven
// bound by no more than the recourse error of the certificates there, the gap of the tree and the tolerance of cuts.
func (s *suite) explained(how string, a *benders.Accepted, r *benders.Result, o *benders.Options) {
	if r.Status != lp.FixedPoint || a.Design == nil {
		return
	}
	s.count.Explained++
	slack := o.Gap*max(1, math.Abs(r.Objective)) + o.Violation*a.Scale + s.Tolerance*max(1, math.Abs(a.Value))
	lack := s.recourse(a.Design) - a.Certified
	if r.Objective-r.Bound > lack+slack {
		s.fail("%s: the design costs %v more than the bound, its certificates lack %v", how, r.Objective-r.Bound, lack)
	}
}

// runsEnd solves by proxy and by hybrid with a random net.
func (s *suite) runsEnd() {
	for _, d := range drivers {
		c := s.Certifier()
		for _, hybrid := range []bool{false, true} {
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
			switch {
			case math.IsInf(s.optimum, 1):
				if r.Design != nil || hybrid && r.Status != lp.Infeasible {
					s.fail("%s by %s: %v with design %v, the whole model is infeasible", sep.Source(), d.name, r.Status, r.Design)
				}
				continue
			case r.Status != lp.Optimal && (r.Status != lp.FixedPoint || hybrid):
				s.fail("%s by %s: %v", sep.Source(), d.name, r.Status)
			case r.Bound > s.optimum+slack || r.Objective < s.optimum-slack:
				s.fail("%s by %s: objective %v bound %v, optimum %v", sep.Source(), d.name, r.Objective, r.Bound, s.optimum)
			}

			s.explained(d.name, why, r, &o)

			// Who says optimal must have proven it.
			if r.Status == lp.Optimal && !(r.Objective <= s.optimum+o.Gap*math.Abs(s.optimum)+slack) {
				s.fail("%s by %s: %v is called optimal, the optimum is %v", sep.Source(), d.name, r.Objective, s.optimum)
			}
		}
	}
}

// completion compares the certified value of a prediction with the linear program over all its completions, and its
// supergradient with finite differences. Predictions that cannot be completed are left out.
func (s *suite) completion() {
	if s.Predicted == nil || s.Value == nil || s.Predict == nil {
		return
	}

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

	// It is what the certifier returns.
	g := make([]float64, len(lambda))
	got, err := s.Value(g, lambda, y)
	if err != nil {
		s.fail("the value of a prediction: %v", err)
		return
	}
	s.count.Strongest++
	if !s.near(got, want) {
		s.fail("a completion is worth %v at %v, the strongest %v", got, y, want)
	}

	// Where the value is smooth in a multiplier, differences over a small step on both sides are its slope.
	h := 1e-6
	for k := range s.Predicted {
		one := func(step float64) (float64, bool) {
			moved := append([]float64(nil), lambda...)
			moved[k] += step
			if c.Project(append([]float64(nil), moved...)); math.IsInf(s.relaxed(y, moved), 0) {
				return 0, false
			}
			v, err := s.Value(nil, moved, y)
			return v, err == nil
		}

		if lambda[k] != 0 && math.Abs(lambda[k]) <= 2*h {
			continue
		}
		above, ok := one(h)
		below, ok2 := one(-h)
		if !ok || !ok2 || lambda[k] == 0 {
			continue
		}

		// The two sides differ at a kink, where any slope between them is a supergradient.
		right, left := (above-got)/h, (got-below)/h
		if math.Abs(right-left) > 1e-4*max(1, math.Abs(left)) {
			continue // a kink, or rounding
		}
		s.count.Smooth++
		if math.Abs(g[k]-left) > 1e-3*max(1, math.Abs(left)) {
			s.fail("the supergradient in multiplier %d is %v, the slope %v", k, g[k], left)
		}
	}
}
