package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// latticeModel draws a model with one or two equations with coefficients of thousands over a few integer columns, an
// inequality, and bounds that brute force can enumerate. Half of the sides are those of a point.
func latticeModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(2) == 0}
	n := 3 + rng.IntN(2)
	var cols []int32
	point := make([]float64, n)
	for j := range n {
		lower := float64(rng.IntN(7) - 3)
		m.AddCol(lp.Col{Cost: float64(rng.IntN(19) - 9), Lower: lower, Upper: lower + float64(rng.IntN(20)), Integer: true})
		cols = append(cols, int32(j))
		point[j] = lower + math.Floor(rng.Float64()*(m.Cols[j].Upper-lower+1))
	}
	feasible := rng.IntN(2) == 0
	for range 1 + rng.IntN(2) {
		value := make([]float64, n)
		side := 0.0
		for j := range value {
			value[j] = float64(rng.IntN(9000) - 3000)
			side += value[j] * point[j]
		}
		if !feasible {
			side += float64(rng.IntN(4000))
		}
		m.AddRow(lp.Row{Lower: side, Upper: side}, cols, value)
	}
	value := make([]float64, n)
	for j := range value {
		value[j] = float64(rng.IntN(5) - 1)
	}
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: float64(rng.IntN(60))}, cols, value)
	return m
}

// best enumerates the integer points within the bounds; it returns a NaN where none satisfies the rows.
func best(m *lp.Model) float64 {
	value := math.NaN()
	x := make([]float64, len(m.Cols))
	var visit func(j int)
	visit = func(j int) {
		if j == len(x) {
			if v := m.Evaluate(x); m.Check(x) == nil && (value != value || v < value != m.Maximize && v != value) {
				value = v
			}
			return
		}
		for v := m.Cols[j].Lower; v <= m.Cols[j].Upper; v++ {
			x[j] = v
			visit(j + 1)
		}
	}
	visit(0)
	return value
}

// TestLattice compares models that are solved over a lattice with enumeration.
func TestLattice(t *testing.T) {
	counts := map[lp.Status]int{}
	for seed := range uint64(60) {
		m := latticeModel(rand.New(rand.NewPCG(seed, 0x1a77)))
		want := best(m)
		for _, presolve := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve, opt.Gap = presolve, 0
			j := job{model: m, opt: opt}
			r, ok := j.solveOverLattice(t.Context())
			if !ok {
				t.Fatalf("seed %d: not solved over a lattice", seed)
			}
			counts[r.Status]++
			if want != want {
				if r.Status != lp.Infeasible {
					t.Errorf("seed %d: %v, is infeasible", seed, r.Status)
				}
			} else if r.Status != lp.Optimal || r.Objective != want || m.Check(r.X) != nil {
				t.Errorf("seed %d: %v %g %v, is %g", seed, r.Status, r.Objective, r.X, want)
			}
		}
	}
	if counts[lp.Optimal] < 20 || counts[lp.Infeasible] < 20 {
		t.Errorf("the models do not cover both outcomes: %v", counts)
	}
}

// TestLatticeWithoutBounds has systems that branching on the columns does not decide: by divisibility, and by few
// points of a lattice between bounds that are far away.
func TestLatticeWithoutBounds(t *testing.T) {
	for _, c := range []struct {
		rows   [][]float64
		sides  []float64
		status lp.Status
	}{
		{[][]float64{{3, -3}}, []float64{1}, lp.Infeasible},
		{[][]float64{{6, 10, 15}, {2, 2, 5}}, []float64{31, 10}, lp.Infeasible}, // an odd and an even sum of the third
		{[][]float64{{12223, 12224, 36674, 61119, 85569}}, []float64{89643481}, lp.Infeasible},
		{[][]float64{{12223, 12224, 36674, 61119, 85569}}, []float64{89643482}, lp.Optimal},
	} {
		m := &lp.Model{}
		var cols []int32
		for range c.rows[0] {
			cols = append(cols, int32(m.AddCol(lp.Col{Cost: 1, Upper: 1e15, Integer: true})))
		}
		for i, row := range c.rows {
			m.AddRow(lp.Row{Lower: c.sides[i], Upper: c.sides[i]}, cols, row)
		}
		for _, presolve := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve, opt.MaxNodes = presolve, 1000
			r, err := Solve(context.Background(), m, opt, Hooks{})
			if err != nil || r.Status != c.status {
				t.Errorf("%v = %v, presolve %v: %v after %d nodes, %v", c.rows, c.sides, presolve, r.Status, r.Nodes, err)
			}
		}
	}
}
