package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestSteepRay solves max x s.t. x <= f y, x, y >= 0: the entry of y in the ray is 1/f of that of x, and
// without it the row leaves its bounds.
func TestSteepRay(t *testing.T) {
	for _, f := range []float64{1e3, 1e8, 1e10, 1e12} {
		m := &lp.Model{Maximize: true}
		m.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
		m.AddCol(lp.Col{Upper: math.Inf(1)})
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{0, 1}, []float64{1, -f})
		sol, err := Solve(context.Background(), m, plainOptions())
		if err != nil || sol.Status != lp.Unbounded {
			t.Errorf("factor %g: %+v, %v", f, sol, err)
			continue
		}
		if err := CheckPrimalRay(m, sol.Ray); err != nil {
			t.Errorf("factor %g: %v", f, err)
		}
	}
}

// TestNarrowGap solves x + y <= b, x - y <= 0, x >= b/2 + w, which is infeasible by 2 w, for w far above the
// tolerance but small relative to b.
func TestNarrowGap(t *testing.T) {
	for _, b := range []float64{10, 1e3, 1e5, 1e6} {
		for _, w := range []float64{1e-2, 1e-4, 1e-5} {
			m := &lp.Model{}
			m.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
			m.AddCol(lp.Col{Cost: 1, Upper: math.Inf(1)})
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: b}, []int32{0, 1}, []float64{1, 1})
			m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{0, 1}, []float64{1, -1})
			m.AddRow(lp.Row{Lower: b + 2*w, Upper: math.Inf(1)}, []int32{0}, []float64{2})
			sol, err := Solve(context.Background(), m, plainOptions())
			if err != nil || sol.Status != lp.Infeasible {
				t.Errorf("size %g, gap %g: %+v, %v", b, w, sol, err)
				continue
			}
			if err := CheckFarkas(m, sol.Ray); err != nil {
				t.Errorf("size %g, gap %g: %v", b, w, err)
			}
		}
	}
}

// TestRecession checks that phase 1 finds rays of unbounded models, and of no others unless they are infeasible.
func TestRecession(t *testing.T) {
	found := 0
	for seed := range uint64(3000) {
		c := newCertified(seed)
		s, err := New(c.model, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background(), NoLimits())
		if err != nil || r.Status != c.status {
			t.Fatalf("seed %d: %+v, %v, made to be %v", seed, r, err, c.status)
		}
		if s.rays.recession == nil {
			continue
		}
		found++
		if c.status == lp.Optimal {
			t.Fatalf("seed %d: a ray of a model that has an optimum", seed)
		}
		if err := CheckPrimalRay(c.model, s.rays.recession); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if found < 100 {
		t.Errorf("%d rays", found)
	}
}

// plainOptions are the default options without presolve.
func plainOptions() Options {
	opt := DefaultOptions()
	opt.Presolve = false
	return opt
}
