package cap

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families/pipeline"
)

// FuzzCut proves the cuts of any multipliers on a small instance with any three numbers in it.
func FuzzCut(f *testing.F) {
	f.Add(uint64(1), 1.0, 2.0, 3.0, 4.0)
	f.Add(uint64(2), 5e-324, 1e99, 1e-300, 1e99)
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c, d float64) {
		rng := rand.New(rand.NewPCG(seed, 51))
		in := randomInstance(rng, 1+rng.IntN(4), 1+rng.IntN(5))
		in.Capacity[0], in.Demand[0], in.Cost[0] = math.Abs(a), math.Abs(b), math.Abs(c)
		if in.Validate() != nil {
			t.Skip()
		}
		certifier := newCertifier(in)
		lambda := make([]float64, in.Clients)
		for _, kind := range []benders.Kind{benders.Optimality, benders.Feasibility} {
			adversarial(rng, in, lambda)
			lambda[0] = d
			if kind == benders.Optimality {
				certifier.Project(lambda)
			} else {
				certifier.ProjectFeasibility(lambda)
			}
			cut, err := certifier.Cut(kind, lambda)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(in, &cut); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzSolve compares small instances with enumeration.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(4))
	f.Add(uint64(77), uint8(6), uint8(9))
	f.Fuzz(func(t *testing.T, seed uint64, n, m uint8) {
		in := randomInstance(rand.New(rand.NewPCG(seed, 52)), 1+int(n%7), 1+int(m%10))
		want := brute(t, in)
		r, err := pipeline.Solve(context.Background(), in, decompose.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(want, 1) != (r.Design == nil) || !math.IsInf(want, 1) && !(math.Abs(r.Objective-want) <= 1.01e-4*max(1, want)) {
			t.Fatalf("%v: objective %v, optimum %v", r.Status, r.Objective, want)
		}
	})
}

// FuzzTransport solves recourses with any three numbers in the instance: it must end, and where the instance is
// feasible the exact cut must come close to the value.
func FuzzTransport(f *testing.F) {
	f.Add(uint64(1), 1.0, 2.0, 3.0)
	f.Add(uint64(2), 1e-99, 1e99, 1e-300)
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c float64) {
		rng := rand.New(rand.NewPCG(seed, 53))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(8))
		in.Capacity[0], in.Demand[0], in.Cost[0] = math.Abs(a), math.Abs(b), math.Abs(c)
		if in.Validate() != nil {
			t.Skip()
		}
		e := newExact(in)
		y := randomPoint(rng, in.Facilities)
		s, err := e.Separate(context.Background(), benders.Point{Y: y})
		if err != nil || s.Infeasible == in.feasible(y) {
			t.Fatalf("%+v, %v", s, err)
		}
		if err := Check(in, &s.Cuts[0]); err != nil {
			t.Fatal(err)
		}
	})
}
