package twostage

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// sharedDuals makes a program whose scenarios differ in sides, bounds and coefficients of the first stage.
func sharedDuals(seed uint64) *stoch.Program {
	rng := rand.New(rand.NewPCG(seed, 7))
	num := func() float64 { return math.Round(100*(10*rng.Float64()-4)) / 100 }
	m := &lp.Model{Name: "shared"}
	first, recourse := 1+rng.IntN(3), 2+rng.IntN(4)
	for range first {
		m.AddCol(lp.Col{Lower: float64(rng.IntN(3) - 1), Upper: float64(2 + rng.IntN(3))})
	}
	for range recourse {
		c := lp.Col{Cost: math.Abs(num()) / 3, Upper: float64(1 + rng.IntN(9))}
		if rng.IntN(3) == 0 {
			c.Upper = lp.Inf
		}
		m.AddCol(c)
	}
	for range 1 + rng.IntN(4) {
		i := m.AddRow(lp.Row{Lower: num(), Upper: lp.Inf}, nil, nil)
		if rng.IntN(4) == 0 {
			m.Rows[i].Upper = m.Rows[i].Lower + float64(rng.IntN(3))
		}
		for j := range first + recourse {
			if v := num(); rng.IntN(3) > 0 {
				m.AddEntry(i, lp.Var(j), v)
			}
		}
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: first}
	for range 4 {
		var list []stoch.Change
		for i, r := range m.Rows {
			shift := num() / 3
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: lp.Con(i), Value: r.Lower + shift})
			if !math.IsInf(r.Upper, 1) {
				list = append(list, stoch.Change{Kind: stoch.RowUpper, Row: lp.Con(i), Value: r.Upper + shift})
			}
			list = append(list, stoch.Change{Kind: stoch.Entry, Row: lp.Con(i), Col: lp.Var(rng.IntN(first)), Value: num()})
		}
		for j := first; j < len(m.Cols); j++ {
			if u := m.Cols[j].Upper; !math.IsInf(u, 1) && rng.IntN(2) == 0 {
				list = append(list, stoch.Change{Kind: stoch.ColUpper, Col: lp.Var(j), Value: u + math.Abs(num())},
					stoch.Change{Kind: stoch.ColLower, Col: lp.Var(j), Value: -rng.Float64()})
			}
		}
		p.Add("", 0.25, list...)
	}
	return p
}

// sharedView returns such a program with a view of it.
func sharedView(t *testing.T, seed uint64) (*Scenarios, *View) {
	t.Helper()
	s, err := NewScenarios(sharedDuals(seed))
	if err != nil {
		t.Fatal(err)
	}
	view, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	return s, view
}

// somewhere is a random point within the bounds of the first stage.
func (s *Scenarios) somewhere(rng *rand.Rand) []float64 {
	y := make([]float64, s.base.First)
	for j := range y {
		c := &s.base.Compact.Cols[j]
		y[j] = c.Lower + (c.Upper-c.Lower)*rng.Float64()
	}
	return y
}

// TestSharedCertificatesHold proves the cuts that certificates of one scenario make for others in rationals, and
// compares them with the loads in which the scenarios differ.
func TestSharedCertificatesHold(t *testing.T) {
	proven, other := 0, 0
	for seed := range uint64(150) {
		s, view := sharedView(t, seed)
		rng := rand.New(rand.NewPCG(seed, 8))
		for k := range s.program.Scenarios {
			y := s.somewhere(rng)
			if err := view.Set(k); err != nil {
				t.Fatal(err)
			}
			sep, err := view.Separate(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			for c := range sep.Cuts {
				if err := alone(t, view).Check(&sep.Cuts[c]); err != nil {
					t.Fatalf("seed %d: the scenario's own cut: %v", seed, err)
				}
				d := s.Dual(&sep.Cuts[c])
				if d == nil {
					continue
				}
				for to := range s.program.Scenarios {
					checkShared(t, seed, view, d, &Certificate{kind: d.kind, parts: []part{{lambda: d.lambda}}}, to, y)
					proven++
					if to != k {
						other++
					}
				}
			}
		}
	}
	if proven < 500 || other < 300 {
		t.Errorf("%d cuts, %d of other scenarios", proven, other)
	}
}

// alone returns the problem of the scenario that a view shows, with its matrix by rows, which Check reads.
func alone(t *testing.T, v *View) *Problem {
	t.Helper()
	m, err := v.s.Full().Model(v.at)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	p := *v.p
	p.rows = a.Transpose()
	return &p
}

func checkShared(t *testing.T, seed uint64, view *View, d *Dual, c *Certificate, to int, y []float64) {
	t.Helper()
	cut, ok := d.Cut(to, 0)
	if !ok {
		t.Fatalf("seed %d: no cut for scenario %d", seed, to)
	}
	if err := view.Set(to); err != nil {
		t.Fatal(err)
	}
	w := d.s.NewWeighted()
	for _, weight := range []float64{0.7, 1 - 0.7} { // 1 in exact arithmetic
		w.AddDual(weight, d, to)
	}
	sum, ok := w.Cut(cut.Theta)
	if !ok {
		t.Fatalf("seed %d: no sum for scenario %d", seed, to)
	}
	sum.Kind = cut.Kind
	for _, one := range []*benders.Cut{&cut, &sum} {
		one.Certificate = c
		if err := alone(t, view).Check(one); err != nil {
			t.Fatalf("seed %d: the cut for scenario %d: %v", seed, to, err)
		}
	}
	value, beta := d.Base()
	for j, b := range beta {
		value += b * y[j]
	}
	for _, change := range d.s.Full().Scenarios[to].Changes {
		place, times := change, 1.0
		place.Value = 0
		if change.Kind == stoch.Entry {
			times = y[change.Col]
		}
		value += d.Load(place) * (change.Value - d.s.Skeleton(place)) * times
	}
	if at := cut.Value(y); !(math.Abs(at-value) <= 1e-7*max(1, math.Abs(value))) {
		t.Errorf("seed %d: the cut for scenario %d is %g, the loads say %g", seed, to, at, value)
	}
}
