package bnb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// stockModel plans the packs of 7 that are made in each period, with a setup each, and the stock after it.
func stockModel(demand []float64) (m *lp.Model, packs, setups, stocks []lp.Var) {
	m = &lp.Model{}
	for p, d := range demand {
		packs = append(packs, m.AddCol(lp.Col{Cost: 3, Upper: 20, Integer: true}))
		setups = append(setups, m.AddCol(lp.Col{Cost: 25, Upper: 1, Integer: true}))
		stocks = append(stocks, m.AddCol(lp.Col{Cost: 1, Upper: 100, Integer: true}))

		// Stock before + 7 packs - stock after = demand; packs need the setup.
		balance := m.AddRow(lp.Row{Lower: d, Upper: d}, nil, nil)
		m.AddEntry(balance, packs[p], 7)
		m.AddEntry(balance, stocks[p], -1)
		if p > 0 {
			m.AddEntry(balance, stocks[p-1], 1)
		}
		m.AddRow(lp.Row{Lower: -20, Upper: 0}, []int32{int32(packs[p]), int32(setups[p])}, []float64{1, -20})
	}
	return m, packs, setups, stocks
}

// TestDecisions finds the columns that equations determine.
func TestDecisions(t *testing.T) {
	t.Run("stocks", func(t *testing.T) {
		m, packs, setups, _ := stockModel([]float64{10, 24, 3, 17})
		p, err := newProblem(m, DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int32, 0, 8)
		for k := range packs {
			want = append(want, int32(packs[k]), int32(setups[k]))
		}
		if slices.Sort(want); !slices.Equal(p.decisions, want) {
			t.Errorf("decisions %v, want %v", p.decisions, want)
		}
	})

	// One row with the sides and coefficients of each case, over two binary columns, a general one and another.
	for _, c := range []struct {
		name         string
		lower, upper float64
		value        []float64 // of two binary columns, a column from 0 to 9, and another one
		real         bool      // the last column is continuous
		want         []int32   // columns that are no decisions
	}{
		{"divides all", 4, 4, []float64{4, -6, 2, 8}, false, []int32{2}},
		{"of two equal ones the first", 4, 4, []float64{1, 1, -1, 1}, false, []int32{2}},
		{"no equation", 3, 4, []float64{4, -6, 2, 8}, false, nil},
		{"does not divide a binary", 4, 4, []float64{3, -6, 2, 8}, false, nil},
		{"does not divide the other", 4, 4, []float64{4, -6, 2, 2.5}, false, nil},
		{"a continuous column", 4, 4, []float64{4, -6, 2, 8}, true, nil},
		{"a zero", 4, 4, []float64{4, -6, 0, 2}, false, []int32{3}},
		{"only zeros", 0, 0, []float64{4, -6, 0, 0}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &lp.Model{}
			for _, upper := range []float64{1, 1, 9, 9} {
				m.AddCol(lp.Col{Upper: upper, Integer: true})
			}
			m.Cols[3].Integer = !c.real
			m.AddRow(lp.Row{Lower: c.lower, Upper: c.upper}, []int32{0, 1, 2, 3}, c.value)
			p, err := newProblem(m, DefaultOptions().Tolerances)
			if err != nil {
				t.Fatal(err)
			}
			var left []int32
			for _, j := range p.ints {
				if !slices.Contains(p.decisions, j) {
					left = append(left, j)
				}
			}
			if !slices.Equal(left, c.want) {
				t.Errorf("columns %v are determined, want %v", left, c.want)
			}
		})
	}
}

// TestStocksStayFree checks that neighbourhoods of every kind, of the incumbent and of the LP point, leave stocks free.
func TestStocksStayFree(t *testing.T) {
	demand := make([]float64, 12)
	rng := rand.New(rand.NewPCG(5, 8))
	for k := range demand {
		demand[k] = float64(rng.IntN(30))
	}
	m, packs, setups, stocks := stockModel(demand)

	// The incumbent makes in each period what that needs; the LP point is the same one.
	x := make([]float64, len(m.Cols))
	stock := 0.0
	for k, d := range demand {
		for ; stock < d; stock += 7 {
			x[packs[k]]++
			x[setups[k]] = 1
		}
		stock -= d
		x[stocks[k]] = stock
	}
	s := searchAt(t, m, x, x)

	var a adaptive
	h := &neighbourhoods{fixings: 1}
	for step := range 12 {
		near, ok := a.model(s)
		if !ok {
			t.Fatal("no neighbourhood of the incumbent")
		}
		a.learn(subOutcome{complete: step%2 == 0}, false)
		lpNear, ok := h.integralInLP(s)
		if !ok {
			t.Fatal("no neighbourhood of the LP point")
		}
		for _, j := range stocks {
			if !slices.Contains(freeColumns(s, near), int(j)) || !slices.Contains(freeColumns(s, lpNear), int(j)) {
				t.Fatalf("step %d: stock %d is fixed", step, j)
			}
		}
	}
}
