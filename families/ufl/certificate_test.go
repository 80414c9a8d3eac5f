package ufl

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// adversarial returns a dual that a broken network might predict.
func adversarial(rng *rand.Rand, row []float64) float64 {
	c := row[rng.IntN(len(row))]
	switch rng.IntN(12) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return math.Inf(-1)
	case 3:
		return math.MaxFloat64
	case 4:
		return -math.MaxFloat64
	case 5:
		return math.SmallestNonzeroFloat64 * float64(rng.IntN(2000)-1000)
	case 6:
		return c
	case 7:
		return math.Nextafter(c, math.Inf(1))
	case 8:
		return math.Nextafter(c, 0)
	case 9:
		return math.Copysign(0, -1)
	case 10:
		return c * (1 + rng.Float64())
	}
	return c * rng.Float64()
}

func adversarialDuals(rng *rand.Rand, in *Instance) []float64 {
	pi := make([]float64, in.Clients)
	for i := range pi {
		pi[i] = adversarial(rng, in.Row(i))
	}
	return pi
}

// cutAt is alpha + beta'y in rational arithmetic at a design.
func cutAt(cut *benders.Cut, open []int32) *big.Rat {
	v := rat(cut.Alpha)
	for k, j := range cut.Index {
		for _, o := range open {
			if o == j {
				v.Add(v, rat(cut.Beta[k]))
			}
		}
	}
	return v
}

// mustHold fails unless the cut holds at every design, exactly.
func mustHold(t *testing.T, in *Instance, cut *benders.Cut) {
	t.Helper()
	eachDesign(in.Facilities, func(open []int32) {
		q := new(big.Rat)
		for i := range in.Clients {
			if cut.Theta == benders.AllEpigraphs || cut.Theta == i {
				q.Add(q, rat(exactRecourse(in, i, open)))
			}
		}
		if v := cutAt(cut, open); v.Cmp(q) > 0 {
			t.Fatalf("cut %+v is %s at design %v, where the recourse costs %s", *cut, v.FloatString(30), open, q.FloatString(30))
		}
	})
	if err := Check(in, cut); err != nil {
		t.Fatalf("cut %+v: %v", *cut, err)
	}
}

func TestCutsFromAnyDualsAreValid(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, aggregated := range []bool{false, true} {
			c := newCertifier(in, aggregated)
			for range 4 {
				pi := adversarialDuals(rng, in)
				notFinite := 0
				for _, v := range pi {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						notFinite++
					}
				}
				if got := c.Project(pi); got != notFinite {
					t.Fatalf("%d projected, want %d", got, notFinite)
				}
				s, err := c.Complete(pi, benders.Point{Y: in.Design([]int32{0})})
				if err != nil {
					t.Fatal(err)
				}
				for k := range s.Cuts {
					mustHold(t, in, &s.Cuts[k])
				}
				if exact := exactValue(in, pi, in.Design([]int32{0})); rat(s.Value).Cmp(exact) > 0 {
					t.Fatalf("the value %g is above the exact %s", s.Value, exact.FloatString(20))
				}
			}
		}
	})
}

// exactValue is sum_i V(pi_i, y) in rational arithmetic.
func exactValue(in *Instance, pi, y []float64) *big.Rat {
	sum := new(big.Rat)
	for i, p := range pi {
		sum.Add(sum, rowValue(in.Row(i), p, y))
	}
	return sum
}

func rowValue(row []float64, pi float64, y []float64) *big.Rat {
	v := rat(pi)
	for j, c := range row {
		if pi > c {
			d := new(big.Rat).Sub(rat(pi), rat(c))
			v.Sub(v, d.Mul(d, rat(y[j])))
		}
	}
	return v
}

// randomPoint is a point of [0,1]^n with sum y >= 1; some entries are exactly 0 or 1.
func randomPoint(rng *rand.Rand, n int) []float64 {
	y := make([]float64, n)
	for {
		sum := 0.0
		for j := range y {
			switch rng.IntN(4) {
			case 0:
				y[j] = 0
			case 1:
				y[j] = float64(rng.IntN(5)) / 4
			default:
				y[j] = rng.Float64()
			}
			sum += y[j]
		}
		if sum >= 1 {
			return y
		}
	}
}

// TestProjectionLosesNothing checks the claim of Project: at any point with sum y >= 1 the projected dual is
// worth at least as much as the nonnegative part of the one predicted.
func TestProjectionLosesNothing(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		c := newCertifier(in, false)
		y := randomPoint(rng, in.Facilities)
		before := adversarialDuals(rng, in)
		after := append([]float64(nil), before...)
		got, notFinite := c.Project(after), 0
		for i, v := range before {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				notFinite++
				continue
			}
			if rowValue(in.Row(i), after[i], y).Cmp(rowValue(in.Row(i), max(0, v), y)) < 0 {
				t.Fatalf("client %d: %g became %g, which is worth less at %v", i, v, after[i], y)
			}
		}
		if got != notFinite {
			t.Fatalf("%d entries counted, %d were not finite", got, notFinite)
		}
	})
}

// TestCompletionIsStrongest checks that no other completion of the same duals gives a better cut: each slope is
// the float64 just below the exact one (one client), or within the stated bound of it (aggregated), and what is
// left out is exactly zero.
func TestCompletionIsStrongest(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		pi := adversarialDuals(rng, in)
		newCertifier(in, false).Project(pi)
		for _, aggregated := range []bool{false, true} {
			cuts, err := newCertifier(in, aggregated).cutsOf(pi)
			if err != nil {
				t.Fatal(err)
			}
			for _, cut := range cuts {
				beta := make([]float64, in.Facilities)
				for k, j := range cut.Index {
					beta[j] = cut.Beta[k]
				}
				for j := range beta {
					kappa := new(big.Rat)
					for i, p := range pi {
						if (aggregated || i == cut.Theta) && p > in.Row(i)[j] {
							kappa.Add(kappa, new(big.Rat).Sub(rat(p), rat(in.Row(i)[j])))
						}
					}
					weakest := -float(kappa) // rounded to nearest
					slack := 2 * outward.Ulp(-weakest)
					if aggregated {
						slack = float64(2*in.Clients+8) * outward.Ulp(-weakest)
					}
					if kappa.Sign() == 0 && beta[j] != 0 || !(beta[j] >= weakest-slack) {
						t.Fatalf("slope %g of facility %d is far below -%s", beta[j], j, kappa.FloatString(20))
					}
				}
				if !aggregated && cut.Alpha != pi[cut.Theta] {
					t.Fatalf("alpha is %g, want %g", cut.Alpha, pi[cut.Theta])
				}
			}
		}
	})
}

func TestCheckRejectsWrongCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	in := randomInstance(rng, 5, 4, "uniform")
	pi := []float64{60, 70, 80, 90}
	c := newCertifier(in, true)
	c.Project(pi)
	one, err := newCertifier(in, false).cutsOf(pi)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.cutsOf(pi)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []benders.Cut{one[0], all[0]} {
		for name, spoil := range map[string]func(c *benders.Cut){
			"alpha up":         func(c *benders.Cut) { c.Alpha = c.Alpha * (1 + 1e-12) },
			"slope up":         func(c *benders.Cut) { c.Beta[0] *= 1 - 1e-12 },
			"slope missing":    func(c *benders.Cut) { c.Index, c.Beta = c.Index[1:], c.Beta[1:] },
			"index twice":      func(c *benders.Cut) { c.Index[1] = c.Index[0] },
			"index outside":    func(c *benders.Cut) { c.Index[0] = 99 },
			"NaN slope":        func(c *benders.Cut) { c.Beta[0] = math.NaN() },
			"infinite alpha":   func(c *benders.Cut) { c.Alpha = math.Inf(-1) },
			"no certificate":   func(c *benders.Cut) { c.Certificate = nil },
			"another client":   func(c *benders.Cut) { c.Theta = 3 },
			"feasibility kind": func(c *benders.Cut) { c.Kind = benders.Feasibility },
			"negative dual": func(c *benders.Cut) {
				c.Certificate = &benders.Multipliers{Values: []float64{-1}}
			},
		} {
			bad := cut
			bad.Index = append([]int32(nil), cut.Index...)
			bad.Beta = append([]float64(nil), cut.Beta...)
			if err := Check(in, &bad); err != nil {
				t.Fatalf("the cut itself: %v", err)
			}
			spoil(&bad)
			if err := Check(in, &bad); !errors.Is(err, errCertificate) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestCompleteRefusesBadDuals(t *testing.T) {
	in := randomInstance(rand.New(rand.NewPCG(2, 2)), 3, 2, "uniform")
	c := newCertifier(in, true)
	p := benders.Point{Y: []float64{1, 1, 1}}
	for _, pi := range [][]float64{{1}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}, {1, 101}} {
		if _, err := c.Complete(pi, p); !errors.Is(err, errCertificate) {
			t.Errorf("%v: %v", pi, err)
		}
	}
	if _, err := c.Complete([]float64{1, 1}, benders.Point{Y: []float64{1}}); !errors.Is(err, instance.ErrInstance) {
		t.Errorf("a short point: %v", err)
	}
}

func TestSupergradient(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		if in.Name == "huge" || in.Name == "subnormal" || in.Name == "magnitudes" || in.Name == "forbidden" {
			return // the inequality below is checked in floats
		}
		c := newCertifier(in, true)
		y := randomPoint(rng, in.Facilities)
		pi, other := make([]float64, in.Clients), make([]float64, in.Clients)
		for i := range pi {
			pi[i] = 100 * rng.Float64()
			other[i] = 100 * rng.Float64()
			if rng.IntN(2) == 0 {
				pi[i] = in.Row(i)[rng.IntN(in.Facilities)] // at a kink
			}
		}
		g := make([]float64, in.Clients)
		value := c.supergradient(g, pi, y)
		if want := float(exactValue(in, pi, y)); !(math.Abs(value-want) <= 1e-9*(1+math.Abs(want))) || value != c.Value(pi, y) {
			t.Fatalf("value %g, want %g", value, want)
		}
		bound := value
		for i := range pi {
			sum := 1.0
			for j, v := range in.Row(i) {
				if pi[i] > v {
					sum -= y[j]
				}
			}
			if math.Abs(sum-g[i]) > 1e-12 {
				t.Fatalf("entry %d is %g, want %g", i, g[i], sum)
			}
			bound += g[i] * (other[i] - pi[i])
		}
		if v := c.Value(other, y); v > bound+1e-9*(1+math.Abs(bound)) {
			t.Fatalf("the value %g elsewhere is above the supergradient's %g", v, bound)
		}
	})
}

// FuzzCuts makes a tiny instance and duals from raw float64 bits and checks every cut at every design.
func FuzzCuts(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"))
	f.Add(make([]byte, 120))
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		n := min(3, len(values)/4) // m rows of n costs and a dual
		if n == 0 {
			return
		}
		m := min(5, len(values)/(n+1))
		in := &Instance{&location.Location{Facilities: n, Clients: m, Fixed: make([]float64, n), Cost: values[:m*n]}}
		pi := append([]float64(nil), values[m*n:m*n+m]...)
		if in.Validate() != nil {
			return
		}
		for _, aggregated := range []bool{false, true} {
			c := newCertifier(in, aggregated)
			c.Project(pi)
			cuts, err := c.cutsOf(pi)
			if err != nil {
				t.Fatal(err)
			}
			for k := range cuts {
				mustHold(t, in, &cuts[k])
			}
		}
	})
}

// supergradient fills dst with the slopes of all rows, 1 - sum_j y_j [pi_i > c_ij], and returns Value.
func (c *certifier) supergradient(dst, pi, y []float64) float64 {
	for i, p := range pi {
		_, dst[i] = c.Row(i, p, y)
	}
	return c.Value(pi, y)
}

// cutsOf returns the cuts of a projected pi for all clients, or the aggregated one.
func (c *certifier) cutsOf(pi []float64) ([]benders.Cut, error) {
	s, err := c.Complete(pi, benders.Point{Y: make([]float64, c.in.Facilities)})
	return s.Cuts, err
}
