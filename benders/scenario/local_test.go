package scenario

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// locations is facility location in miniature: seven sites, three customers, and demands that differ by scenario. Too
// few sites serve nobody.
func locations() *stoch.Program {
	const sites, customers = 7, 3
	m := &lp.Model{}

	// The first stage opens sites, the second one ships from every site to every customer.
	for i := range sites {
		m.AddCol(lp.Col{Cost: float64(5 + i%3), Upper: 1, Integer: true})
	}
	for k := range sites * customers {
		m.AddCol(lp.Col{Cost: float64(1 + k*k%11), Upper: lp.Inf})
	}
	x := func(i, j int) int32 { return int32(sites + i*customers + j) }
	p := &stoch.Program{Core: m, First: sites}

	// Every customer gets the demand, whose value of 2 is replaced in each scenario.
	for j := range customers {
		index, ones := []int32(nil), []float64(nil)
		for i := range sites {
			index, ones = append(index, x(i, j)), append(ones, 1)
		}
		m.AddRow(lp.Row{Lower: 2, Upper: lp.Inf}, index, ones)
	}

	// An open site ships at most 4 units, a closed one none.
	for i := range sites {
		m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{int32(i), x(i, 0), x(i, 1), x(i, 2)}, []float64{4, -1, -1, -1})
	}

	// The scenarios differ in the demands and in the capacity of the first site.
	for s := range 5 {
		var list []stoch.Change
		for j := range customers {
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: lp.Con(j), Value: float64(1 + (s*(j+2))%4)})
		}
		list = append(list, stoch.Change{Kind: stoch.Entry, Row: lp.Con(customers), Col: 0, Value: float64(3 + s%2)})
		p.Add("", 0.2, list...)
	}
	return p
}

// TestPriceOfInfeasible prices designs that have been priced already, as a heuristic does at the point that was
// separated last: a design without a recourse stays one.
func TestPriceOfInfeasible(t *testing.T) {
	for _, count := range []int{1, 5} {
		program := locations()
		program.Scenarios = program.Scenarios[:count]
		program.Normalise()
		p, err := New(program)
		if err != nil {
			t.Fatal(err)
		}
		r := &solvers{p: p}
		l, err := r.newSearch()
		if err != nil || l == nil {
			t.Fatalf("no search: %v", err)
		}

		none := 0
		for k := range 1 << program.First {
			y := make([]float64, program.First)
			for j := range y {
				y[j] = float64(k >> j & 1)
			}
			_, feasible, err := r.cost(t.Context(), y)
			if err != nil {
				t.Fatal(err)
			}
			if feasible {
				continue
			}
			none++
			for range 2 * count {
				if cost, err := l.Price(t.Context(), y); err != nil || !math.IsInf(cost, 1) {
					t.Fatalf("%d scenarios, design %b without a recourse: price %g, %v", count, k, cost, err)
				}
			}
		}
		if none == 0 {
			t.Errorf("%d scenarios: every design has a recourse", count)
		}
	}
}

// TestSearchPrices prices every design twice, by the search and by a program without one. A price is right, or says
// that the design is no better than the best before it and is at most right; every cut is below the price of every
// design; and the least price is the optimum.
func TestSearchPrices(t *testing.T) {
	p, err := New(locations())
	if err != nil {
		t.Fatal(err)
	}

	// The search has its own solvers, so that the prices to compare with do not use its certificates.
	r, plain := &solvers{p: p}, &solvers{p: p}
	l, err := r.newSearch()
	if err != nil || l == nil {
		t.Fatalf("no search: %v", err)
	}
	const n = 7
	truth := make([]float64, 1<<n)
	design := func(k int) []float64 {
		y := make([]float64, n)
		for j := range y {
			y[j] = float64(k >> j & 1)
		}
		return y
	}

	// All designs are priced without the search. The price is infinite where there is no recourse.
	for k := range truth {
		plain.engine = nil // a new one has no certificates
		cost, feasible, err := plain.cost(t.Context(), design(k))
		if err != nil {
			t.Fatal(err)
		}
		if truth[k] = cost; !feasible {
			truth[k] = math.Inf(1)
		}
	}

	// The search prices all designs in a scattered order: 37 and the number of designs have no common factor.
	best, bounds, some := math.Inf(1), 0, 0
	for i := range truth {
		k := i * 37 % len(truth)
		y := design(k)
		cost, err := l.Price(t.Context(), y)
		if err != nil {
			t.Fatal(err)
		}

		// A price that is not below the best one before may be a lower bound. Any other price is the cost of the design.
		switch {
		case math.IsInf(cost, 1) || math.IsInf(truth[k], 1):
			if cost != truth[k] {
				t.Fatalf("design %b costs %g, priced %g", k, truth[k], cost)
			}
			continue
		case cost > truth[k]+1e-9 || cost < best && math.Abs(cost-truth[k]) > 1e-9:
			t.Fatalf("design %b costs %g, priced %g with a best of %g", k, truth[k], cost, best)
		case cost < truth[k]-1e-9:
			bounds++
		}

		// The cut of the design is its price there, and no more than the cost at every other design.
		best = min(best, cost)
		slope := make([]float64, n)
		constant := l.Cut(slope)
		for other, v := range truth {
			at := constant
			for j, b := range design(other) {
				at += slope[j] * b
			}
			if at > v+1e-9 || other == k && math.Abs(at-cost) > 1e-9 {
				t.Fatalf("the cut of %b is %g at %b, which costs %g", k, at, other, v)
			}
		}
		some++
	}

	// The least price is the optimum. Some prices are lower bounds, and enough designs have a recourse.
	least := math.Inf(1)
	for _, v := range truth {
		least = min(least, v)
	}
	if best != least || bounds == 0 || some < 20 {
		t.Errorf("least price %g, optimum %g, %d designs with a recourse, %d with a bound alone", best, least, some, bounds)
	}

	// a descent ends where no neighbour is better
	r.engine = nil
	if l, err = r.newSearch(); err != nil {
		t.Fatal(err)
	}

	// The descent has no limit on linear programs and begins with all sites open.
	l.Enough = nil
	if _, err := l.Descend(t.Context(), design(1<<n-1), descent); err != nil || l.Best.Y == nil {
		t.Fatalf("%+v, %v", l.Best, err)
	}

	// The cost of its last design is exact, and lower than that of the first one.
	end := 0
	for j, v := range l.Best.Y {
		end |= int(v) << j
	}
	if math.Abs(l.Best.Cost-truth[end]) > 1e-9 || truth[end] >= truth[1<<n-1] {
		t.Errorf("the design %b costs %g, not %g", end, truth[end], l.Best.Cost)
	}

	// The neighbours of a design differ in one site, or in one site that is closed and one that is opened.
	for j := range n {
		for i := range j {
			near := []int{end ^ 1<<j}
			if (end>>i&1)+(end>>j&1) == 1 { // one is closed and one opened
				near = append(near, end^1<<i^1<<j)
			}

			for _, k := range near {
				if truth[k] < truth[end]-1e-9 {
					t.Errorf("the descent ends at %b, %g; %b costs %g", end, truth[end], k, truth[k])
				}
			}
		}
	}
}
