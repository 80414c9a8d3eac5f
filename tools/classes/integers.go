package classes

import (
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// integersModel is a program over general integer columns and dense rows, whose coefficients have no common divisor; a
// quarter of them are negative.
func integersModel(rng *rand.Rand) *lp.Model {
	const n, rows = 34, 20
	m := &lp.Model{Maximize: true}
	load := make([][]term, rows)
	for range n {
		j := m.AddCol(lp.Col{Cost: 30 + 120*rng.Float64(), Upper: math.Inf(1), Integer: true})
		for i := range load {
			load[i] = append(load[i], term{j, 2 + 3*rng.NormFloat64()})
		}
	}
	for _, row := range load {
		addTerms(m, math.Inf(-1), 50+200*rng.Float64(), row...)
	}
	return m
}

// coveringModel covers demands by whole packs of several goods each.
func coveringModel(rng *rand.Rand) *lp.Model {
	const n, rows = 30, 12
	m := &lp.Model{}
	goods := make([][]term, rows)
	for range n {
		j := m.AddCol(lp.Col{Upper: 20, Integer: true})
		sum := 0.0
		for i := range goods {
			if rng.IntN(2) == 0 {
				count := float64(1 + rng.IntN(30))
				goods[i] = append(goods[i], term{j, count})
				sum += count
			}
		}
		m.Cols[j].Cost = math.Round(sum*(0.8+0.4*rng.Float64())) + 10
	}
	for _, row := range goods {
		addTerms(m, float64(200+rng.IntN(600)), math.Inf(1), row...)
	}
	return m
}
