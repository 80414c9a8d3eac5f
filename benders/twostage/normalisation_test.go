package twostage

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// separators returns exact separators of a problem by the slice and by the box.
func separators(t *testing.T, p *Problem) (bySlice, byBox *Exact) {
	t.Helper()
	o := DefaultExactOptions()
	bySlice, err := NewExact(p, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Normalisation = Box
	byBox, err = NewExact(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return bySlice, byBox
}

// TestBoxNormalisation holds certificates of the box against the paper's proposition 5, on random models: the value is
// positive exactly where that of the slice is, so where there is no recourse; every multiplier is at most 1; the cut
// separates the point with that value, up to rounding, and is not violated where there is a recourse.
func TestBoxNormalisation(t *testing.T) {
	infeasible, mixed := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 211))
		p, err := New(randomModel(rng), nil, Options{})
		if err != nil {
			continue
		}
		bySlice, byBox := separators(t, p)
		for k := range p.parts {
			y, other := randomPoint(rng, p), randomPoint(rng, p)
			_, least, err := bySlice.Infeasibility(t.Context(), k, y)
			if err != nil {
				t.Fatal(err)
			}
			lambda, value, err := byBox.Infeasibility(t.Context(), k, y)
			if err != nil {
				t.Fatal(err)
			}
			if (value > 1e-7) != (least > 1e-7) {
				t.Errorf("seed %d: the box is worth %v, the slice %v", seed, value, least)
			}
			if !(value > 1e-7) || math.IsInf(value, 1) {
				continue
			}
			infeasible++
			if value < least-1e-9*least {
				t.Errorf("seed %d: the box is worth %v, less than the slice, %v", seed, value, least)
			}
			sum := 0.0
			for _, r := range p.parts[k].link {
				sum += math.Abs(lambda[r])
				if math.Abs(lambda[r]) > 1+1e-9 {
					t.Errorf("seed %d: multiplier %v", seed, lambda[r])
				}
			}
			if sum > 1+1e-6 {
				mixed++
			}

			cut, err := byBox.pieces[k].certify.feasibilityCut(lambda)
			if err != nil {
				continue // there may be no exact certificate
			}
			if err := p.Check(&cut); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if !(cut.Value(y) > 0) {
				t.Errorf("seed %d: the cut is worth %v at the point", seed, cut.Value(y))
			}
			if _, least, err := bySlice.Infeasibility(t.Context(), k, other); err == nil && least <= 1e-9 && cut.Value(other) > 1e-6 {
				t.Errorf("seed %d: the cut is violated by %v where there is a recourse", seed, cut.Value(other))
			}
		}
	}
	if infeasible < 100 || mixed < 10 {
		t.Errorf("%d certificates, %d of a sum above 1: the test proves too little", infeasible, mixed)
	}
}

// randomPoint draws a point within the bounds of the first stage, at most 2 from a bound where there is none.
func randomPoint(rng *rand.Rand, p *Problem) []float64 {
	y := make([]float64, p.First)
	for j := range y {
		low, high := p.lower(int32(j)), p.upper(int32(j))
		if math.IsInf(low, -1) {
			low = min(high, 0) - 2
		}
		if math.IsInf(high, 1) {
			high = low + 2
		}
		y[j] = low + rng.Float64()*(high-low)
	}
	return y
}

// TestProxyBox completes random feasibility predictions under the box: every cut has an exact certificate.
func TestProxyBox(t *testing.T) {
	cuts := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 223))
		p, err := New(randomModel(rng), nil, Options{})
		if err != nil {
			continue
		}
		for _, v1 := range []bool{false, true} {
			c, err := NewCertifier(p, CompletionOptions{Feasibility: true, V1: v1, Normalisation: Box})
			if err != nil {
				t.Fatal(err)
			}
			prediction := make([]float64, len(c.rows))
			for k := range prediction {
				prediction[k] = 3 * rng.NormFloat64()
			}
			got, err := c.completeFeasibility(t.Context(), prediction, randomPoint(rng, p))
			if err != nil {
				t.Fatal(err)
			}
			for k := range got {
				cuts++
				if err := p.Check(&got[k]); err != nil || got[k].Kind != benders.Feasibility {
					t.Errorf("seed %d: %+v: %v", seed, got[k], err)
				}
			}
		}
	}
	if cuts < 30 {
		t.Errorf("only %d cuts", cuts)
	}
}

// TestEuclideanProjection projects random multipliers onto V1(B) of random models. The result lies in the set, and the
// variational inequality (x - target)'(v - x) >= 0 holds for every v in it, which a linear program decides: that is so
// at the nearest point alone. In two dimensions it is the projection onto the simplex.
func TestEuclideanProjection(t *testing.T) {
	projected := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 227))
		p, err := New(randomModel(rng), nil, Options{})
		if err != nil {
			continue
		}
		for _, norm := range []Normalisation{Slice, Box} {
			c, err := NewCertifier(p, CompletionOptions{V1: true, Normalisation: norm})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range c.pieces {
				target := make([]float64, len(q.c.rows))
				for _, i := range q.predicted {
					target[i] = rng.NormFloat64()
				}
				x := append([]float64(nil), target...)
				if err := q.ontoV1(t.Context(), x); err != nil {
					t.Fatal(err)
				}

				set := newPolytope(q.certify, benders.Feasibility, q.predicted, false, norm)
				size, at := 0.0, 0.0
				for _, i := range q.predicted {
					g := x[i] - target[i]
					at += g * x[i]
					size += target[i] * target[i]
					if j := set.plus[i]; j >= 0 {
						set.model.Cols[j].Cost = g
					}
					if j := set.minus[i]; j >= 0 {
						set.model.Cols[j].Cost = -g
					}
					if x[i] != 0 {
						projected++
					}
				}
				sol, err := simplex.Solve(t.Context(), set.model, simplex.DefaultOptions())
				if err != nil || sol.Status != lp.Optimal {
					t.Fatalf("seed %d: %v, %v", seed, sol, err)
				}
				if at-sol.Objective > 1e-7*max(1, size) {
					t.Errorf("seed %d: %v is projected to %v, but a point is nearer by %v", seed, target, x, at-sol.Objective)
				}
				for j := range set.model.Cols {
					set.model.Cols[j].Cost = 0
				}
				for i := range x { // the model with x fixed has a solution
					for part, sign := range map[lp.Var]float64{set.plus[i]: 1, set.minus[i]: -1} {
						if v := max(0, sign*x[i]); part >= 0 {
							set.model.Cols[part].Lower, set.model.Cols[part].Upper = v, v
						}
					}
				}
				if sol, err := simplex.Solve(t.Context(), set.model, simplex.DefaultOptions()); err != nil || sol.Status != lp.Optimal {
					t.Errorf("seed %d: %v is not in the set: %v, %v", seed, x, sol.Status, err)
				}
			}
		}
	}
	if projected < 100 {
		t.Errorf("only %d multipliers are not zero", projected)
	}

	p, err := New(example2(), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCertifier(p, CompletionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lambda := []float64{0.8, 0.9}
	if err := projectV1(c, lambda); err != nil || math.Abs(lambda[0]-0.45) > 1e-9 || math.Abs(lambda[1]-0.55) > 1e-9 {
		t.Errorf("0.8, 0.9 is projected to %v, %v; want 0.45, 0.55", lambda, err)
	}
}
