package cap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// randomInstance makes a small instance; integral data make ties and exactly full facilities.
func randomInstance(rng *rand.Rand, n, m int) *Instance {
	in := &Instance{&location.Location{Name: "random", Facilities: n, Clients: m}}
	integral := rng.IntN(2) == 0
	number := func(top float64) float64 {
		if v := top * rng.Float64(); integral {
			return math.Floor(v)
		} else {
			return v
		}
	}
	total := 0.0
	for range m {
		d := number(10)
		in.Demand = append(in.Demand, d)
		total += d
	}
	for range n {
		in.Capacity = append(in.Capacity, number((1+2*rng.Float64())*total/float64(n)+2))
		in.Fixed = append(in.Fixed, number(40))
	}
	for range n * m {
		in.Cost = append(in.Cost, number(30))
	}
	return in
}

func randomPoint(rng *rand.Rand, n int) []float64 {
	y := make([]float64, n)
	kind := rng.IntN(4)
	for j := range y {
		switch {
		case kind == 0:
			y[j] = math.Round(rng.Float64() + 0.2)
		case kind == 1:
			y[j] = float64(rng.IntN(5)) / 4
		case rng.IntN(3) > 0:
			y[j] = rng.Float64()
		}
	}
	return y
}

// recourseModel is the recourse at y as a linear program; the first m rows are the demand rows.
func recourseModel(in *Instance, y []float64) *lp.Model {
	model := &lp.Model{}
	n, m := in.Facilities, in.Clients
	for i := range m {
		for j := range n {
			model.AddCol(lp.Col{Cost: in.Cost[i*n+j], Upper: y[j]})
		}
	}
	for i := range m {
		row := model.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, nil, nil)
		for j := range n {
			model.AddEntry(row, lp.Var(i*n+j), 1)
		}
	}
	for j := range n {
		row := model.AddRow(lp.Row{Lower: math.Inf(-1), Upper: in.Capacity[j] * y[j]}, nil, nil)
		for i := range m {
			if in.Demand[i] > 0 {
				model.AddEntry(row, lp.Var(i*n+j), in.Demand[i])
			}
		}
	}
	return model
}

// TestTransportEqualsSimplex compares value and feasibility with the simplex at designs and fractional points, and
// checks the shares and that the duals are worth the value.
func TestTransportEqualsSimplex(t *testing.T) {
	feasible, infeasible := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 11))
		in := randomInstance(rng, 1+rng.IntN(7), 1+rng.IntN(9))
		tr := newTransport(in)
		for range 3 {
			y := randomPoint(rng, in.Facilities)
			want, err := simplex.Solve(context.Background(), recourseModel(in, y), simplex.DefaultOptions())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got, ok, err := tr.Solve(context.Background(), y)
			if err != nil || ok != (want.Status == lp.Optimal) {
				t.Fatalf("seed %d: feasible %v, simplex says %v (%v), y %v", seed, ok, want.Status, err, y)
			}
			if !ok {
				infeasible++
				continue
			}
			feasible++
			if !(math.Abs(got-want.Objective) <= 1e-7*max(1, got)) {
				t.Fatalf("seed %d: value %v, simplex %v, y %v", seed, got, want.Objective, y)
			}
			if err := checkShares(in, y, tr); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, centre := range [][]float64{nil, make([]float64, in.Clients), want.RowDual[:in.Clients]} {
				lambda := make([]float64, in.Clients)
				tr.Duals(lambda, centre)
				if v := dualValue(in, lambda, y); !(math.Abs(v-got) <= 1e-7*max(1, got)) {
					t.Fatalf("seed %d: the duals are worth %v, the recourse costs %v", seed, v, got)
				}
			}
		}
	}
	if feasible < 500 || infeasible < 500 {
		t.Errorf("%d feasible and %d infeasible points", feasible, infeasible)
	}
}

func checkShares(in *Instance, y []float64, tr *transportProblem) error {
	n := in.Facilities
	x := make([]float64, n*in.Clients)
	tr.Assignment(x)
	load := make([]float64, n)
	for i := range in.Clients {
		served := 0.0
		for j := range n {
			v := x[i*n+j]
			if !(v >= 0 && v <= y[j]+1e-9) {
				return fmt.Errorf("client %d: share %v of facility %d, open %v", i, v, j, y[j])
			}
			served += v
			load[j] += v * in.Demand[i]
		}
		if !(served >= 1-1e-7) {
			return fmt.Errorf("client %d is served %v", i, served)
		}
	}
	for j, v := range load {
		if !(v <= in.Capacity[j]*y[j]+1e-7*(1+v)) {
			return fmt.Errorf("facility %d serves %v of %v", j, v, in.Capacity[j]*y[j])
		}
	}
	return nil
}

// dualValue computes sum lambda - sum_j y_j kappa_j by sorting, independently of lagrange.Knapsack.
func dualValue(in *Instance, lambda, y []float64) float64 {
	v := 0.0
	for _, l := range lambda {
		v += l
	}
	for j := range in.Facilities {
		profit := make([]float64, in.Clients)
		for i := range profit {
			profit[i] = lambda[i] - in.Cost[i*in.Facilities+j]
		}
		v -= y[j] * greedyKappa(profit, in.Demand, in.Capacity[j])
	}
	return v
}

func greedyKappa(profit, weight []float64, capacity float64) float64 {
	used := make([]bool, len(profit))
	value := 0.0
	for {
		best := -1
		for i, r := range profit {
			if r > 0 && !used[i] && (best < 0 || r*weight[best] > profit[best]*weight[i]) {
				best = i
			}
		}
		if best < 0 {
			return value
		}
		used[best] = true
		if weight[best] <= capacity {
			value += profit[best]
			capacity -= weight[best]
			continue
		}
		return value + profit[best]*capacity/weight[best]
	}
}

func BenchmarkTransport(b *testing.B) {
	in, err := generate(class{Facilities: 100, Clients: 1000, Ratio: 5}, 1)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	design, spread, all := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for j := range all {
		if j%3 == 0 {
			design[j] = 1
		}
		if j%2 == 0 {
			spread[j] = 0.5 + 0.2*rng.Float64()
		}
		all[j] = 0.22 + 0.1*rng.Float64()
	}
	for name, y := range map[string][]float64{"design": design, "spread": spread, "all": all} {
		b.Run(name, func(b *testing.B) {
			tr := newTransport(in)
			for b.Loop() {
				if _, ok, err := tr.Solve(context.Background(), y); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// TestTransportOnLargerPoints compares with the simplex at points whose every client is shared by many facilities, and
// where most capacities bind.
func TestTransportOnLargerPoints(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 12))
		in, err := generate(class{Facilities: 20, Clients: 80, Ratio: 4}, seed)
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, in.Facilities)
		for j := range y {
			y[j] = 0.26 + 0.1*float64(seed%3)*rng.Float64()
		}
		want, err := simplex.Solve(context.Background(), recourseModel(in, y), simplex.DefaultOptions())
		if err != nil || want.Status != lp.Optimal {
			t.Fatal(want, err)
		}
		tr := newTransport(in)
		got, ok, err := tr.Solve(context.Background(), y)
		if err != nil || !ok || !(math.Abs(got-want.Objective) <= 1e-8*got) {
			t.Errorf("seed %d: value %v, simplex %v (%v)", seed, got, want.Objective, err)
		}
		lambda := make([]float64, in.Clients)
		tr.Duals(lambda, nil)
		if v := dualValue(in, lambda, y); !(math.Abs(v-got) <= 1e-8*got) {
			t.Errorf("seed %d: the duals are worth %v of %v", seed, v, got)
		}
		if err := checkShares(in, y, tr); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestTransportWithTinyMasses solves a point of an in-out separation, where most facilities have a mass of 1e-7: no client
// takes the way over these, 1e-7 at a time, which is as long as the one without them.
func TestTransportWithTinyMasses(t *testing.T) {
	in, err := generate(class{Facilities: 25, Clients: 50, Ratio: 3}, 5001)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, in.Facilities)
	for j := range y {
		y[j] = 1.2120928955078124e-07
	}
	for j, v := range map[int]float64{3: 2.3020063999720996e-07, 5: 0.15812409126843235, 6: 0.8444724339549957,
		7: 0.9578584374644489, 12: 1, 13: 4.4309466859619777e-07, 17: 0.6256225776160447, 18: 1, 19: 0.011187572394979101,
		20: 0.9999991719292052, 22: 2.2171908270143996e-07, 23: 0.40273555561324065} {
		y[j] = v
	}
	tr := newTransport(in)
	got, ok, err := tr.Solve(context.Background(), y)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	want, err := simplex.Solve(context.Background(), recourseModel(in, y), simplex.DefaultOptions())
	if err != nil || !(math.Abs(got-want.Objective) <= 1e-7*got) {
		t.Errorf("%v, the simplex says %v, %v", got, want.Objective, err)
	}
	if tr.steps > 1000 {
		t.Errorf("%d augmentations", tr.steps)
	}
	t.Logf("%d augmentations", tr.steps)
}
