package ufl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

func TestProblem(t *testing.T) {
	seeds(t, 8, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, aggregated := range []bool{false, true} {
			p := in.problem(aggregated)
			if err := p.Master.Validate(); err != nil {
				t.Fatal(err)
			}
			if len(p.Master.Cols) != in.Facilities || p.Master.NumInteger() != in.Facilities || len(p.Master.Rows) != 1 ||
				p.Epigraphs != len(p.ThetaLower) || p.Epigraphs != map[bool]int{false: in.Clients, true: 1}[aggregated] {
				t.Fatalf("shape: %d columns, %d epigraphs", len(p.Master.Cols), p.Epigraphs)
			}
			q := make([]float64, p.Epigraphs)
			eachDesign(in.Facilities, func(open []int32) {
				y := in.Design(open)
				feasible, err := p.Recourse(context.Background(), y, q)
				if err != nil || !feasible {
					t.Fatalf("%v: %v %v", open, feasible, err)
				}
				total := p.Master.Evaluate(y)
				for k, v := range q {
					total += v
					if v < p.ThetaLower[k] {
						t.Fatalf("Q_%d is %g at %v, below %g", k, v, open, p.ThetaLower[k])
					}
				}
				if want := in.TotalCost(open); !(math.Abs(total-want) <= 1e-12*want) {
					t.Fatalf("%v costs %g, want %g", open, total, want)
				}
				better, err := p.Improve(context.Background(), y)
				if err != nil || in.TotalCost(instance.Open(better)) > in.TotalCost(open) {
					t.Fatalf("%v was made worse: %v %v", open, better, err)
				}
			})
			if feasible, err := p.Recourse(context.Background(), make([]float64, in.Facilities), q); feasible || err != nil {
				t.Fatalf("the empty design: %v %v", feasible, err)
			}
			empty := make([]float64, in.Facilities)
			if same, err := p.Improve(context.Background(), empty); err != nil || len(instance.Open(same)) != 0 {
				t.Fatalf("the empty design is improved to %v: %v", same, err)
			}
		}
	})
}

func TestApplyAndReduce(t *testing.T) {
	in, err := generate(customClass(40, 40), 2)
	if err != nil {
		t.Fatal(err)
	}
	d := search(context.Background(), in, defaultSearch)
	pi := levelDuals(in)
	o := dualOptions
	o.Probe = 30
	r, err := raiseDual(context.Background(), in, pi, d.Cost, o)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Relaxation.Known().Fixing()
	if len(f.Closed) < 10 || len(f.Closed) > 39 {
		t.Fatalf("%v", f)
	}
	if text := f.String(); !strings.Contains(text, "columns closed") {
		t.Error(text)
	}
	p := in.problem(false)
	if err := f.Apply(p); err != nil {
		t.Fatal(err)
	}
	for j, c := range p.Master.Cols {
		closed, opened := slices.Contains(f.Closed, int32(j)), slices.Contains(f.Opened, int32(j))
		if (c.Upper == 0) != closed || (c.Lower == 1) != opened {
			t.Errorf("facility %d: bounds [%g, %g]", j, c.Lower, c.Upper)
		}
	}
	if err := (lagrange.Fixing{Closed: []int32{40}}).Apply(p); !errors.Is(err, benders.ErrProblem) {
		t.Errorf("a facility that is not there: %v", err)
	}
	checkReduction(t, in, f, d)
	all := lagrange.Fixing{}
	for j := range in.Facilities {
		all.Closed = append(all.Closed, int32(j))
	}
	if _, _, err := in.Without(all); !errors.Is(err, benders.ErrProblem) {
		t.Errorf("closing everything: %v", err)
	}
}

func checkReduction(t *testing.T, in *Instance, f lagrange.Fixing, d pricedDesign) {
	t.Helper()
	data, r, err := in.Without(f)
	if err != nil {
		t.Fatal(err)
	}
	small := &Instance{data}
	if err := small.Validate(); err != nil {
		t.Fatal(err)
	}
	y, whole := r.Restrict(in.Design(d.Open))
	if !whole || small.TotalCost(instance.Open(y)) != d.Cost || !slices.Equal(instance.Open(r.Expand(y)), d.Open) {
		t.Fatalf("design %v, whole %v, cost %g, want %g", instance.Open(y), whole, small.TotalCost(instance.Open(y)), d.Cost)
	}
	for k, j := range r.Left.Opened {
		if r.Keep[j] != f.Opened[k] {
			t.Errorf("open facility %d became %d", f.Opened[k], r.Keep[j])
		}
	}
	if _, whole := r.Restrict(in.Design(f.Closed[:1])); whole {
		t.Error("a design with a closed facility is whole")
	}
	s := newLocalSearch(small)
	s.Set(instance.Open(y))
	if cost := s.Descend(context.Background()); cost != d.Cost {
		t.Errorf("the reduced instance has a design at %g, below %g", cost, d.Cost)
	}
}

func TestFeatures(t *testing.T) {
	seeds(t, 8, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, kind := range featureKinds {
			for _, k := range []int{1, 3, in.Facilities, in.Facilities + 4} {
				f, err := newFeatures(in, kind, k)
				if err != nil {
					t.Fatal(err)
				}
				checkFeatures(t, rng, in, f)
			}
		}
	})
	in := randomInstance(rand.New(rand.NewPCG(1, 1)), 3, 3, "uniform")
	if _, err := newFeatures(in, supportRow, 0); !errors.Is(err, families.ErrOptions) {
		t.Errorf("k = 0: %v", err)
	}
}

func checkFeatures(t *testing.T, rng *rand.Rand, in *Instance, f *features) {
	t.Helper()
	y := randomPoint(rng, in.Facilities)
	open := []int32{0, int32(in.Facilities - 1)}[:min(2, in.Facilities)]
	dst := make([]float64, f.Size())
	for i := range in.Clients {
		for k := range dst {
			dst[k] = math.NaN()
		}
		normal := f.FillRow(dst, i, y)
		for k, v := range dst {
			if math.IsNaN(v) || math.IsInf(v, 0) && in.Name != "subnormal" {
				t.Fatalf("kind %d, k %d: input %d is %g", f.Kind, f.K, k, v)
			}
		}
		if !(normal.Span > 0) || math.IsInf(normal.Span, 0) {
			t.Fatalf("kind %d: %+v", f.Kind, normal)
		}
		if f.Kind == supportRow {
			normal := f.FillRow(dst, i, in.Design(open))
			if got, want := normal.Dual(dst[0]), exactRecourse(in, i, open); in.Name != "subnormal" && !(math.Abs(got-want) <= 1e-9*slices.Max(in.Row(i))) {
				t.Fatalf("the first input stands for %g, the nearest open facility costs %g", got, want)
			}
		}
	}
}

// TestSupportFeatures compares the features of the support with a sort of it, on points with fewer and with more
// facilities than positions, and with equal costs.
func TestSupportFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for trial := range 200 {
		in := randomInstance(rng, 1+rng.IntN(24), 3, "uniform")
		for k := range in.Cost {
			if trial%2 == 0 {
				in.Cost[k] = math.Floor(4 * in.Cost[k] / slices.Max(in.Cost))
			}
		}
		y := randomPoint(rng, in.Facilities)
		f, err := newFeatures(in, supportRow, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.Clients {
			dst := make([]float64, f.Size())
			normal := f.FillRow(dst, i, y)
			order, cost := in.Ranked().Row(i)
			at, sum := 0, 0.0
			for r, j := range order {
				if y[j] <= massTolerance || at == f.K {
					continue
				}
				sum += y[j]
				if got := normal.Dual(dst[at]); !(math.Abs(got-cost[r]) <= 1e-9*(1+cost[len(cost)-1])) || dst[f.K+at] != min(1, sum) {
					t.Fatalf("trial %d: position %d stands for %g with mass %g, want %g with %g", trial, at, got, dst[f.K+at], cost[r], min(1, sum))
				}
				at++
			}
		}
	}
}

// TestFeaturesAreCanonical checks that renumbering the facilities, scaling a row and adding a constant to it leave
// the inputs of supportRow as they are.
func TestFeaturesAreCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	in := randomInstance(rng, 9, 4, "uniform")
	y := randomPoint(rng, 9)
	perm := rng.Perm(9)
	moved, z := in.Clone(), make([]float64, 9)
	for j, to := range perm {
		z[to] = y[j]
		for i := range 4 {
			moved.Row(i)[to] = 4*in.Row(i)[j] + 64
		}
	}
	a, _ := newFeatures(in, supportRow, 4)
	b, _ := newFeatures(moved, supportRow, 4)
	u, v := make([]float64, a.Size()), make([]float64, b.Size())
	for i := range 4 {
		p, q := a.FillRow(u, i, y), b.FillRow(v, i, z)
		for k := range u {
			if !(math.Abs(u[k]-v[k]) <= 1e-9) {
				t.Fatalf("client %d: input %d is %g and %g", i, k, u[k], v[k])
			}
		}
		if got, want := q.Dual(0.3), 4*p.Dual(0.3)+64; !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("dual %g, want %g", got, want)
		}
	}
}

// TestThresholdRounding compares the design with the cheapest of all thresholds of the list.
func TestThresholdRounding(t *testing.T) {
	seeds(t, 20, func(t *testing.T, rng *rand.Rand, in *Instance) {
		y := randomPoint(rng, in.Facilities)
		want := math.Inf(1)
		for _, threshold := range thresholds {
			above := make([]float64, len(y))
			for j, v := range y {
				if v >= threshold {
					above[j] = 1
				}
			}
			want = min(want, in.TotalCost(instance.Open(above)))
		}
		design := in.round(y)
		if design == nil {
			if !math.IsInf(want, 1) {
				t.Errorf("rounds %v to nothing, the best threshold costs %g", y, want)
			}
			return
		}
		open := instance.Open(design)
		cost := in.TotalCost(open)
		if cost != want {
			t.Errorf("rounds %v to %v at %g, the best threshold costs %g", y, design, cost, want)
		}
	})
}
