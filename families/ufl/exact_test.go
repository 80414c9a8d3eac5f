package ufl

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
)

// exactFractional is Q_i(y) for any y in rational arithmetic: V(., y) is concave and piecewise linear, so the
// best of its breakpoints is its maximum.
func exactFractional(in *Instance, i int, y []float64) *big.Rat {
	var best *big.Rat
	for _, c := range in.Row(i) {
		if v := rowValue(in.Row(i), c, y); best == nil || v.Cmp(best) > 0 {
			best = v
		}
	}
	return best
}

func separate(t *testing.T, s benders.Separator, p benders.Point) benders.Separation {
	t.Helper()
	out, err := s.Separate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestExactSeparation(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, aggregated := range []bool{false, true} {
			e := newExact(in, aggregated)
			for round := range 12 {
				p := benders.Point{Y: randomPoint(rng, in.Facilities)}
				if round%2 == 1 {
					p.Integer = true
					for j, v := range p.Y {
						p.Y[j] = math.Round(v)
					}
					p.Y[rng.IntN(in.Facilities)] = 1
				}
				s := separate(t, e, p)
				checkSeparation(t, in, e, p, s)
			}
		}
	})
}

// checkSeparation checks value, duals and cuts at p against exact arithmetic.
func checkSeparation(t *testing.T, in *Instance, e *exactSeparator, p benders.Point, s benders.Separation) {
	t.Helper()
	total, scale := new(big.Rat), 0.0
	for i := range in.Clients {
		q := exactFractional(in, i, p.Y)
		total.Add(total, q)
		scale += slices.Max(in.Row(i))
		v := rowValue(in.Row(i), e.pi[i], p.Y)
		// massTolerance may cost that much of the difference of two costs.
		if miss := float(new(big.Rat).Sub(q, v)); !(miss <= 2*massTolerance*slices.Max(in.Row(i))+math.SmallestNonzeroFloat64) {
			t.Fatalf("client %d: the dual %g is worth %g less than Q = %g at %v", i, e.pi[i], miss, float(q), p.Y)
		}
	}
	if !s.Exact || rat(s.Value).Cmp(total) > 0 || !(float(total)-s.Value <= 2*massTolerance*scale+100*math.SmallestNonzeroFloat64) {
		t.Fatalf("value %g for Q = %s at %v", s.Value, total.FloatString(20), p.Y)
	}
	if e.aggregated && len(s.Cuts) != 1 {
		t.Fatalf("%d aggregated cuts", len(s.Cuts))
	}
	sum := 0.0
	for k := range s.Cuts {
		mustHold(t, in, &s.Cuts[k])
		sum += s.Cuts[k].Value(p.Y)
	}
	if e.aggregated && !(math.Abs(sum-float(total)) <= 2*massTolerance*scale+1e-12*scale+100*math.SmallestNonzeroFloat64) {
		t.Fatalf("the cut is worth %g at %v, where Q = %g", sum, p.Y, float(total))
	}
}

func TestOnlyViolatedCutsAtDesigns(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(4, 4)), 12, 30, "uniform")
	open := []int32{2, 7}
	q := make([]float64, in.Clients)
	p := benders.Point{Y: in.Design(open), Theta: q, Integer: true}
	in.recourse(p.Y, q)
	e := newExact(in, false)
	if s := separate(t, e, p); len(s.Cuts) != 0 || s.Value > in.TotalCost(open) {
		t.Errorf("%d cuts at an exact point", len(s.Cuts))
	}
	q[3] *= 0.999
	q[9] = 0
	s := separate(t, e, p)
	if len(s.Cuts) != 2 || s.Cuts[0].Theta != 3 || s.Cuts[1].Theta != 9 {
		t.Errorf("cuts %+v", s.Cuts)
	}
	p.Integer, p.Theta = false, make([]float64, in.Clients)
	if s = separate(t, e, p); len(s.Cuts) == 0 || len(s.Cuts) > in.Clients {
		t.Errorf("%d cuts at a fractional point", len(s.Cuts))
	}
}

// TestDualChoice checks the interval of optimal duals at a design, and that the core point's dual is the best in
// it for the core point (Magnanti and Wong).
func TestDualChoice(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		in := randomInstance(rng, 9, 7, "uniform")
		open := []int32{1, 4, 6}
		p := benders.Point{Y: in.Design(open), Integer: true}
		core := randomPoint(rng, 9)
		e := newExact(in, true)
		copy(e.core, core)
		separate(t, e, p)
		for i := range in.Clients {
			costs := []float64{in.Row(i)[1], in.Row(i)[4], in.Row(i)[6]}
			slices.Sort(costs)
			low, high, mid := costs[0], costs[1], e.pi[i]
			if mid < low || mid > high {
				t.Fatalf("client %d: dual %g for nearest costs %v", i, mid, costs)
			}
			best := float(rowValue(in.Row(i), mid, core))
			for _, c := range append(slices.Clone(in.Row(i)), low, high) {
				if c >= low && c <= high && float(rowValue(in.Row(i), c, core)) > best+1e-9 {
					t.Fatalf("client %d: %g is better at the core point than %g", i, c, mid)
				}
			}
		}
	}
}

func TestPointsWithoutEnoughMass(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(6, 6)), 5, 4, "uniform")
	for _, p := range []benders.Point{{Y: make([]float64, 5)}, {Y: make([]float64, 5), Integer: true}, {Y: []float64{.1, .2, .3, 0, 0}}} {
		for _, aggregated := range []bool{false, true} {
			s := separate(t, newExact(in, aggregated), p)
			if s.Exact {
				t.Errorf("%v: exact, though there is no recourse", p.Y)
			}
			for k := range s.Cuts {
				mustHold(t, in, &s.Cuts[k])
			}
		}
	}
	// A mass that is short of one by the tolerance of the simplex is one.
	if s := separate(t, newExact(in, false), benders.Point{Y: []float64{.5, .25, .25 - 1e-10, 0, 0}}); !s.Exact {
		t.Error("a mass of 1 - 1e-10 does not count as one")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newExact(in, false).Separate(cancelled, benders.Point{Y: make([]float64, 5)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := newExact(in, false).Separate(context.Background(), benders.Point{Y: make([]float64, 4)}); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("a short point: %v", err)
	}
}

// TestMargot is the validity test of Margot that Fischetti, Ljubic and Sinnl use: cuts separated at
// perturbations of the best design, at every scale, must leave it feasible at its exact cost.
func TestMargot(t *testing.T) {
	in, err := generate(customClass(40, 50), 3)
	if err != nil {
		t.Fatal(err)
	}
	best := search(context.Background(), in, defaultSearch)
	rounds := 10000
	if testing.Short() {
		rounds = 500
	}
	design := in.Design(best.Open)
	for _, aggregated := range []bool{false, true} {
		e := newExact(in, aggregated)
		rng := rand.New(rand.NewPCG(1, 1))
		y := make([]float64, in.Facilities)
		for round := range rounds {
			size := math.Pow(10, float64(round%9-9))
			for j, v := range design {
				y[j] = min(1, max(0, v+size*(2*rng.Float64()-1)))
			}
			s := separate(t, e, benders.Point{Y: y})
			for k := range s.Cuts {
				cutOff(t, in, &s.Cuts[k], best.Open)
			}
		}
	}
}

// cutOff fails if the cut is above the recourse at a design. A float comparison decides what is clear.
func cutOff(t *testing.T, in *Instance, cut *benders.Cut, open []int32) {
	t.Helper()
	q := 0.0
	for i := range in.Clients {
		if cut.Theta == benders.AllEpigraphs || cut.Theta == i {
			q += exactRecourse(in, i, open)
		}
	}
	if cut.Value(in.Design(open)) < q*(1-1e-9) {
		return
	}
	exact := new(big.Rat)
	for i := range in.Clients {
		if cut.Theta == benders.AllEpigraphs || cut.Theta == i {
			exact.Add(exact, rat(exactRecourse(in, i, open)))
		}
	}
	if cutAt(cut, open).Cmp(exact) > 0 {
		t.Fatalf("the cut %+v removes the design", *cut)
	}
}

// TestExactSteadyState checks that an aggregated call allocates the cut and nothing else.
func TestExactSteadyState(t *testing.T) {
	in, err := generate(customClass(60, 60), 1)
	if err != nil {
		t.Fatal(err)
	}
	e := newExact(in, true)
	p := benders.Point{Y: randomPoint(rand.New(rand.NewPCG(1, 1)), 60)}
	separate(t, e, p)
	if n := testing.AllocsPerRun(20, func() { separate(t, e, p) }); n > 6 {
		t.Errorf("%v allocations for an aggregated cut: slices of cuts, slopes, indices and duals, scratch, certificate", n)
	}
	e = newExact(in, false)
	separate(t, e, p)
	if n := testing.AllocsPerRun(20, func() { separate(t, e, p) }); n > 4 {
		t.Errorf("%v allocations for a call: cuts, certificates, values, indices", n)
	}
}

// fractional returns a point like those of a master's relaxation: mass p spread over 3p facilities.
func fractional(n int, p float64) []float64 {
	rng := rand.New(rand.NewPCG(5, 5))
	y := make([]float64, n)
	k := int(3 * p)
	for _, j := range rng.Perm(n)[:k] {
		y[j] = p / float64(k) * (0.7 + 0.6*rng.Float64())
	}
	return y
}

func BenchmarkExact(b *testing.B) {
	for _, name := range []string{"MP", "MR", "MT"} {
		c, err := classOf(name)
		if err != nil {
			b.Fatal(err)
		}
		in, err := generate(c, 1)
		if err != nil {
			b.Fatal(err)
		}
		points := map[string]benders.Point{"fractional": {Y: fractional(c.Facilities, 8)},
			"integer": {Y: in.Design([]int32{3, 30, 60, 90, 120, 150}), Integer: true}}
		for _, where := range []string{"fractional", "integer"} {
			for _, aggregated := range []bool{false, true} {
				e := newExact(in, aggregated)
				b.Run(name+"/"+where+"/"+string(e.Source()), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := e.Separate(context.Background(), points[where]); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
