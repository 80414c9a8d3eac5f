package presolve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// stateModel draws equations that carry a state from one to the next. Each 0-1 column enters the state in a row, and
// most leave it in a later one. Some models have what the reduction must leave alone or end at: a row of the state
// besides, a cost, a last row that is no equation, an entry that is not a multiple.
func stateModel(rng *rand.Rand) *lp.Model {
	const rows = 4
	m := &lp.Model{Maximize: rng.IntN(2) == 0}
	cons := make([]lp.Con, rows)
	sign := []float64{-1, -1, 1, 2}[rng.IntN(4)]
	for t := range cons {
		side := float64(rng.IntN(3) - 1)
		cons[t] = m.AddRow(lp.Row{Lower: side, Upper: side}, nil, nil)
	}
	for t := range cons {
		c := lp.Col{Lower: float64(-rng.IntN(2)), Integer: t > 1 || rng.IntN(3) > 0} // enumeration takes two continuous columns
		c.Upper = c.Lower + float64(2+rng.IntN(2))
		if rng.IntN(12) == 0 {
			c.Cost = float64(rng.IntN(3) - 1)
		}

		// The last state is in one row only, or there is none.
		if t == rows-1 && rng.IntN(2) == 0 {
			break
		}
		use := m.AddCol(c)
		m.AddEntry(cons[t], use, sign)
		if t+1 < rows {
			m.AddEntry(cons[t+1], use, []float64{-sign, -sign, -sign, sign}[rng.IntN(4)])
		}
		if rng.IntN(12) == 0 {
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 1}, []int32{int32(use)}, []float64{1})
		}
	}

	for range 5 {
		x := m.AddCol(lp.Col{Cost: float64(rng.IntN(9) - 4), Upper: 1, Integer: true})
		size := math.Abs(sign) * float64(1+rng.IntN(2))
		if rng.IntN(20) == 0 {
			size += 0.5
		}
		from := rng.IntN(rows)
		m.AddEntry(cons[from], x, size)
		if to := from + 1 + rng.IntN(2); to < rows {
			m.AddEntry(cons[to], x, -size)
		}
	}
	if rng.IntN(3) == 0 {
		m.Rows[cons[rows-1]].Upper++
	}
	return m
}

// TestStates compares optima of models with states with those of the reduced models.
func TestStates(t *testing.T) {
	seen := func(r *Reduced) bool { return r.Counts.States > 0 }
	found, _ := compareDrawn(t, count(t, 1000), 41, stateModel, States|ImpliedIntegers|Slacks, seen)
	t.Logf("%d models with a chain", found)
	if !testing.Short() && found < 100 {
		t.Errorf("%d models with a chain: too few", found)
	}
}

// addState appends columns of a state and the equations that carry it: what enters, of the given size, leaves after
// the given number of rows, never where that is zero.
func addState(m *lp.Model, rows, size, after int) {
	cons := make([]lp.Con, rows)
	for t := range cons {
		cons[t] = m.AddRow(lp.Row{}, nil, nil)
	}

	for t := range cons {
		use := m.AddCol(lp.Col{Upper: 10})
		m.AddEntry(cons[t], use, -1)
		if t+1 < rows {
			m.AddEntry(cons[t+1], use, 1)
		}
		x := m.AddCol(lp.Col{Cost: -1 - float64(t%3), Upper: 1, Integer: true})
		m.AddEntry(cons[t], x, float64(size))
		if after > 0 && t+after < rows {
			m.AddEntry(cons[t+after], x, -float64(size))
		}
	}
}

// TestStatesBecomeKnapsacks checks the rows that take the place of a state: each has the columns that may have entered
// and not left by then, and nothing else. Which points satisfy them is checked by TestStates.
func TestStatesBecomeKnapsacks(t *testing.T) {
	const rows, size, after = 12, 4, 3
	var m lp.Model
	addState(&m, rows, size, after)
	r, err := Reduce(context.Background(), &m, Options{Reductions: States | ImpliedIntegers | Slacks, Feasibility: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counts.States != rows-1 || len(r.Model.Cols) != rows {
		t.Fatalf("%d states and %d columns, want %d and %d", r.Counts.States, len(r.Model.Cols), rows-1, rows)
	}

	// Two may be there at the same time, so that the first two rows hold anyway and are gone.
	b := newBrute(r.Model, 1)
	if len(b.rows) != rows-2 {
		t.Errorf("%d rows, want %d", len(b.rows), rows-2)
	}
	for i, row := range b.rows {
		for j, v := range row {
			if inside := j <= i+2 && i+2 < j+after; inside != (v > 0) || v < 0 {
				t.Errorf("row %d, column %d: entry %g", i, j, v)
			}
		}
	}
}

// TestStocksStay checks that a state which columns enter and never leave is kept, also where the last equation has none:
// the sums would get longer and longer.
func TestStocksStay(t *testing.T) {
	for _, last := range []float64{10, 0} {
		var m lp.Model
		const rows = 12
		addState(&m, rows, 4, 0)
		m.Cols[2*(rows-1)].Upper = last
		r, err := Reduce(context.Background(), &m, Options{Reductions: States | ImpliedIntegers | Slacks, Feasibility: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts.States != 0 {
			t.Errorf("last state at most %g: %d states were summed", last, r.Counts.States)
		}
	}
}
