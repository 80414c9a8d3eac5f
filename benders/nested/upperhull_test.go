package nested

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestLids brings the upper bounds of random programs down by probes alone: they are never below the optimum of the
// deterministic equivalent, and most reach it.
func TestLids(t *testing.T) {
	solved, closed := 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 12))
		m, err := draw(rng, seed%2 == 1).Multistage(smps.DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		status, value := truth(t, extensive(m))
		if status != lp.Optimal {
			continue
		}
		r, err := newRun(t.Context(), t.Context(), m, DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r.o.Gap = 1e-9
		s := &search{run: r, cost: math.Inf(1), bound: math.Inf(-1)}
		feasible, err := s.probes(2000)
		if errors.Is(err, ErrUnsuited) || errors.Is(err, ErrNumerical) {
			continue
		}
		if err != nil || !feasible {
			t.Fatalf("seed %d: feasible %v, %v", seed, feasible, err)
		}
		solved++
		value = (value - m.Core.Offset) * r.sign
		near := 1e-6 * max(1, math.Abs(value))
		if s.cost < value-near || s.bound > value+near {
			t.Fatalf("seed %d: between %.12g and %.12g, the truth is %.12g", seed, s.bound, s.cost, value)
		}
		if s.cost-s.bound <= near {
			closed++
		}
	}
	if t.Logf("%d of %d closed", closed, solved); solved < 300 || closed < solved*9/10 {
		t.Errorf("probes close %d programs of %d", closed, solved)
	}
}

// inventory is a stock of two goods over periods, whose demands are drawn from as many different numbers as there are
// outcomes, so that no two paths come to the same state.
func inventory(periods, outcomes int) *stoch.Multistage {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &lp.Model{Name: "inventory"}
	p := &stoch.Multistage{Name: m.Name, Core: m, Periods: periods}
	p.Nodes = []stoch.Node{{}}
	const goods = 2
	var kept [goods]lp.Var
	last := []int32{0}
	for t := range int32(periods) {
		var need [goods]lp.Con
		var before = kept
		capacity := m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 12}, nil, nil)
		p.RowPeriod = append(p.RowPeriod, t)
		for g := range goods {
			made := m.AddCol(lp.Col{Cost: 1 + 0.3*float64(g) + 0.5*math.Sin(float64(t)), Upper: lp.Inf})
			kept[g] = m.AddCol(lp.Col{Cost: 0.2, Upper: 15})
			short := m.AddCol(lp.Col{Cost: 9, Upper: lp.Inf})
			over := m.AddCol(lp.Col{Cost: 0.1, Upper: lp.Inf})
			p.ColPeriod = append(p.ColPeriod, t, t, t, t)
			m.AddEntry(capacity, made, 1)
			need[g] = m.AddRow(lp.Row{}, []int32{int32(made), int32(kept[g]), int32(short), int32(over)}, []float64{1, -1, 1, -1})
			p.RowPeriod = append(p.RowPeriod, t)
			if t > 0 {
				m.AddEntry(need[g], before[g], 1)
			}
		}
		if t == 0 {
			continue
		}
		var own []int32
		for range outcomes {
			n := stoch.Node{Period: t}
			for g := range goods {
				v := 10 * rng.Float64()
				n.Changes = append(n.Changes, stoch.SetRowLower(need[g], v), stoch.SetRowUpper(need[g], v))
			}
			own = append(own, int32(len(p.Nodes)))
			p.Nodes = append(p.Nodes, n)
		}
		for _, n := range last {
			for _, to := range own {
				p.Nodes[n].Arcs = append(p.Nodes[n].Arcs, stoch.Arc{To: to, Probability: 1 / float64(outcomes)})
			}
		}
		last = own
	}
	return p
}

// TestTooManyPaths proves a gap where the paths are beyond counting and come to different states.
func TestTooManyPaths(t *testing.T) {
	p := inventory(12, 10)
	o := DefaultOptions()
	o.Gap = 1e-3
	r, err := Solve(t.Context(), p, o)
	if err != nil || r.Status != lp.Optimal || r.Gap > o.Gap || r.Design == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	t.Logf("%g [%g], %d linear programs, %d passes", r.Objective, r.Bound, r.Scenarios.LPs, r.Iterations)
}
