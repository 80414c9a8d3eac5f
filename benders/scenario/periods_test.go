package scenario_test

import (
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// stock has a capacity to build and, in every scenario, a number of periods in which what is made or kept meets the
// demand; the capacity limits what is made in two periods together. Costs differ where they are random.
func stock(periods, count int, random bool) *stoch.Program {
	rng := rand.New(rand.NewPCG(8, 8))
	m := &lp.Model{Name: "stock"}
	p := &stoch.Program{Name: m.Name, Core: m, First: 1}
	y := m.AddCol(lp.Col{Cost: float64(20 * periods), Upper: 40})
	made, kept := make([]lp.Var, periods), make([]lp.Var, periods)
	demand := make([]lp.Con, periods)
	for t := range periods {
		made[t] = m.AddCol(lp.Col{Cost: 1 + rng.Float64(), Upper: lp.Inf})
		kept[t] = m.AddCol(lp.Col{Cost: 0.3 + 0.2*rng.Float64(), Upper: lp.Inf})
		short := m.AddCol(lp.Col{Cost: 90, Upper: lp.Inf})
		demand[t] = m.AddRow(lp.Row{Lower: 5, Upper: 5}, []int32{int32(made[t]), int32(kept[t]), int32(short)}, []float64{1, -1, 1})
		if t > 0 {
			m.AddEntry(demand[t], kept[t-1], 1)
			m.AddRow(lp.Row{Lower: -lp.Inf}, []int32{int32(made[t]), int32(made[t-1]), int32(y)}, []float64{1, 1, -1})
		}
	}
	for range count {
		var list []stoch.Change
		for t := range periods {
			d := 2 + 6*rng.Float64()
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: demand[t], Value: d}, stoch.Change{Kind: stoch.RowUpper, Row: demand[t], Value: d})
			if random {
				list = append(list, stoch.Change{Kind: stoch.Cost, Col: made[t], Value: 1 + 2*rng.Float64()})
			}
		}
		p.Add("", 1/float64(count), list...)
	}
	return p
}

// TestLargeRecourse solves programs whose scenarios begin at the basis of another one, beside the deterministic
// equivalent.
func TestLargeRecourse(t *testing.T) {
	for _, random := range []bool{false, true} {
		equivalent(t, stock(900, 4, random))
	}
}
