package mcndp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/internal/outward"
)

// noise returns multipliers of all sorts: moderate, huge, tiny, and not finite.
func noise(rng *rand.Rand, n int) []float64 {
	u := make([]float64, n)
	scale := math.Pow(10, 12*rng.Float64()-4)
	for k := range u {
		switch v := rng.NormFloat64(); rng.IntN(40) {
		case 0:
			u[k] = math.NaN()
		case 1:
			u[k] = math.Inf(1 - 2*rng.IntN(2))
		case 2:
			u[k] = v * 1e300
		case 3:
			u[k] = v * 1e-300
		default:
			u[k] = v * scale
		}
	}
	return u
}

// TestCutsHoldInExactArithmetic certifies anything and proves the cuts in rationals; and they are one-sided.
func TestCutsHoldInExactArithmetic(t *testing.T) {
	for seed := range uint64(30) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		if seed%3 == 0 { // numbers that are not exact
			for j := range in.Cost {
				in.Cost[j] *= rng.Float64()
				in.Capacity[j] *= math.Exp(rng.NormFloat64())
			}
			for i := range in.Demand {
				in.Demand[i] *= math.Exp(3 * rng.NormFloat64())
			}
		}
		heads, r := newTwoHeads(in), mustRecourse(t, in)
		for range 25 {
			u := noise(rng, heads.Dim())
			heads.Project(u)
			y := make([]float64, in.arcs())
			for j := range y {
				y[j] = float64(rng.IntN(2))
				if seed%2 == 1 {
					y[j] = min(1, 1.3*rng.Float64())
				}
			}
			for kind, v := range [][]float64{u[:in.size()], u[in.size():]} {
				cut, err := heads.certifier.Cut(benders.Kind(kind), v)
				if err != nil {
					t.Fatal(err)
				}
				if err := check(in, &cut); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				q, feasible, err := r.Solve(context.Background(), y)
				if err != nil {
					t.Fatal(err)
				}
				if kind == 1 {
					q = 0
				}
				if feasible && cut.Value(y) > q+1e-7*max(1, q) {
					t.Errorf("seed %d kind %d: a cut of value %g at a point of cost %g", seed, kind, cut.Value(y), q)
				}
			}
			s, err := heads.Complete(u, benders.Point{Y: y})
			if err != nil || len(s.Cuts) != 1 {
				t.Fatalf("seed %d: %d cuts, %v", seed, len(s.Cuts), err)
			}
		}
	}
}

// TestCheckRefuses changes sound cuts in ways that make them unsound.
func TestCheckRefuses(t *testing.T) {
	in, err := generate(context.Background(), class{Nodes: 5, Arcs: 12, Commodities: 6, FixedRatio: 0.05, Tightness: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExact(in)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Separate(context.Background(), benders.Point{Y: slices.Repeat([]float64{1}, in.arcs())})
	if err != nil || s.Infeasible {
		t.Fatal(err, s.Infeasible)
	}
	for name, spoil := range map[string]func(*benders.Cut){
		"alpha":    func(c *benders.Cut) { c.Alpha *= 1 + 1e-12 },
		"slope":    func(c *benders.Cut) { c.Beta[0] *= 1 - 1e-9 },
		"missing":  func(c *benders.Cut) { c.Index, c.Beta = c.Index[1:], c.Beta[1:] },
		"repeated": func(c *benders.Cut) { c.Index[1] = c.Index[0] },
		"kind":     func(c *benders.Cut) { c.Kind = benders.Feasibility },
		"NaN":      func(c *benders.Cut) { c.Alpha = math.NaN() },
		"negative": func(c *benders.Cut) { c.Certificate.Vector()[0] = -1 },
	} {
		cut, err := e.certifier.Cut(benders.Optimality, e.u)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(in, &cut); err != nil {
			t.Fatal(err)
		}
		if spoil(&cut); check(in, &cut) == nil {
			t.Errorf("a cut with %s spoilt passes", name)
		}
	}
}

// TestExactCutsAreExact separates at random points: the value is Q(y), or the point is cut off, and all cuts are
// proven.
func TestExactCutsAreExact(t *testing.T) {
	for seed := range uint64(30) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		e, err := newExact(in)
		if err != nil {
			t.Fatal(err)
		}
		r, sets := mustRecourse(t, in), in.cutSets(cutset.Proven)
		for k := range 12 {
			y := make([]float64, in.arcs())
			for j := range y {
				y[j] = float64(rng.IntN(2))
				if k%2 == 0 {
					y[j] = min(1, 1.6*rng.Float64())
				}
			}
			s, err := e.Separate(context.Background(), benders.Point{Y: y, Integer: k%2 == 1})
			if err != nil {
				t.Fatal(err)
			}
			q, feasible, err := r.Solve(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case s.Infeasible == feasible:
				t.Errorf("seed %d: infeasible %v, the recourse says feasible %v", seed, s.Infeasible, feasible)
			case feasible && (!s.Exact || !near(s.Value, q)):
				t.Errorf("seed %d: value %g at a point of cost %g", seed, s.Value, q)
			case !feasible && !(s.Cuts[0].Value(y) > 1e-9):
				t.Errorf("seed %d: an infeasible point is not cut off: %g", seed, s.Cuts[0].Value(y))
			}
			for _, cut := range append(s.Cuts, sets.Cuts(t.Context(), y, 100)...) {
				if err := check(in, &cut); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		}
	}
}

// TestCutSetsHold checks cut-set inequalities at all designs with a feasible recourse.
func TestCutSetsHold(t *testing.T) {
	for seed := range uint64(10) {
		in := random(seed)
		if in.arcs() > 9 {
			continue
		}
		r, sets, rng := mustRecourse(t, in), in.cutSets(cutset.Proven), rand.New(rand.NewPCG(seed, 6))
		var cuts []benders.Cut
		for range 20 {
			y := make([]float64, in.arcs())
			for j := range y {
				y[j] = rng.Float64()
			}
			cuts = append(cuts, sets.Cuts(t.Context(), y, 20)...)
		}
		y := make([]float64, in.arcs())
		for mask := range 1 << len(y) {
			for j := range y {
				y[j] = float64(mask >> j & 1)
			}
			_, feasible, err := r.Solve(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			if feasible && !sets.MayBeFeasible(y) {
				t.Errorf("seed %d: a design with a recourse lacks capacity on a cut set", seed)
			}
			for _, cut := range cuts {
				if feasible && cut.Value(y) > 1e-9 {
					t.Errorf("seed %d: a cut set cuts off a design with a recourse", seed)
				}
			}
		}
	}
}

// TestSupergradient compares with finite differences; away from kinks they agree.
func TestSupergradient(t *testing.T) {
	const h = 1e-5
	for seed := range uint64(20) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 7))
		c := newCertifier(in)
		u, g, y := make([]float64, in.size()), make([]float64, in.size()), make([]float64, in.arcs())
		for k := range u {
			u[k] = 3000 * rng.Float64()
		}
		for j := range y {
			y[j] = rng.Float64()
		}
		for kind := benders.Optimality; kind <= benders.Feasibility; kind++ {
			at := c.Supergradient(kind, g, u, y)
			if !near(at, c.Value(kind, u, y)) {
				t.Errorf("seed %d: value %g with, %g without the supergradient", seed, at, c.Value(kind, u, y))
			}
			agree := 0
			for k := range u {
				saved := u[k]
				u[k] = saved + h
				up := c.Value(kind, u, y)
				u[k] = saved - h
				down := c.Value(kind, u, y)
				u[k] = saved
				if up > at+h*g[k]+1e-6 || down > at-h*g[k]+1e-6 {
					t.Errorf("seed %d: no supergradient at %d", seed, k)
				}
				if math.Abs((up-down)/(2*h)-g[k]) < 1e-3 {
					agree++
				}
			}
			if agree < len(u)*9/10 {
				t.Errorf("seed %d: %d of %d slopes agree with finite differences", seed, agree, len(u))
			}
		}
	}
}

// TestStrongestCompletion compares the slope with the best of many prices.
func TestStrongestCompletion(t *testing.T) {
	for seed := range uint64(20) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 8))
		c, m := newCertifier(in), in.commodities()
		u := make([]float64, in.size())
		for k := range u {
			u[k] = 5000 * rng.Float64()
		}
		for j := range in.arcs() {
			kappa := c.solve(benders.Optimality, u, j)
			best := math.Inf(1)
			profit := func(i int) float64 {
				return u[int(in.Tail[j])*m+i] - u[int(in.Head[j])*m+i] - in.Demand[i]*in.Cost[j]
			}
			for k := -1; k < m; k++ {
				rho := 0.0
				if k >= 0 {
					rho = max(0, profit(k)/in.Demand[k])
				}
				worth := in.Capacity[j] * rho
				for i, d := range in.Demand {
					worth += max(0, profit(i)-d*rho)
				}
				best = min(best, worth)
			}
			if !near(kappa, best) {
				t.Errorf("seed %d arc %d: the completion gives %g, the best price %g", seed, j, kappa, best)
			}
		}
	}
}

// TestCappedSimplex compares the projection with the conditions that define it.
func TestCappedSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		x := make([]float64, 1+rng.IntN(8))
		for k := range x {
			x[k] = 2 * rng.Float64() * float64(rng.IntN(2))
		}
		p := slices.Clone(x)
		cappedSimplex(p)
		total, threshold := outward.Total(p), 0.0
		for k := range x {
			threshold = max(threshold, x[k]-p[k])
		}
		if total > 1 || threshold > 1e-12 && total < 1-1e-9 {
			t.Fatalf("%v becomes %v", x, p)
		}
		for k := range x {
			if math.Abs(p[k]-max(0, x[k]-threshold)) > 1e-12 {
				t.Fatalf("%v becomes %v", x, p)
			}
		}
	}
}

// TestCappedSimplexEnds projects vectors whose sums are a few roundings above 1, where a threshold can let an entry
// back in.
func TestCappedSimplexEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 200000 {
		x := make([]float64, 2+rng.IntN(9))
		for k := range x {
			x[k] = math.Exp(-40*rng.Float64()*float64(rng.IntN(2))) * rng.Float64()
		}
		total := outward.Total(x)
		for k := range x {
			x[k] /= total
		}
		x[rng.IntN(len(x))] *= 1 + 4e-16*float64(rng.IntN(3))
		if cappedSimplex(x); outward.Total(x) > 1+1e-15 {
			t.Fatalf("a sum of 1 + %g: %v", outward.Total(x)-1, x)
		}
	}
}

// TestProjectionNeverWeakens takes multipliers that are useful already, spoils nodes beyond the ends, and compares.
func TestProjectionNeverWeakens(t *testing.T) {
	for seed := range uint64(20) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 10))
		c := newCertifier(in)
		u, y := make([]float64, in.size()), make([]float64, in.arcs())
		for k := range u {
			u[k] = c.penalty * in.Demand[k%in.commodities()] * rng.Float64()
		}
		for j := range y {
			y[j] = rng.Float64()
		}
		before := c.Value(benders.Optimality, u, y)
		if notFinite := c.Project(u); notFinite != 0 {
			t.Errorf("seed %d: %d entries are not finite", seed, notFinite)
		}
		if after := c.Value(benders.Optimality, u, y); after < before-1e-9*math.Abs(before) {
			t.Errorf("seed %d: %g before, %g after the projection", seed, before, after)
		}
	}
}
