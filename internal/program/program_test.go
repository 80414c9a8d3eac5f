package program

import (
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// example is max -x - 2y - 3z + 1 with 0 <= x, y <= 4, z free and the rows 2x + y + z = 6, y - z >= -1, x <= 3.
func example(t *testing.T) *Program {
	t.Helper()
	m := &lp.Model{Maximize: true, Offset: 1}
	m.AddCol(lp.Col{Cost: -1, Upper: 4})
	m.AddCol(lp.Col{Cost: -2, Upper: 4})
	m.AddCol(lp.Col{Cost: -3, Lower: math.Inf(-1), Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: 6, Upper: 6}, []int32{0, 1, 2}, []float64{2, 1, 1})
	m.AddRow(lp.Row{Lower: -1, Upper: lp.Inf}, []int32{1, 2}, []float64{1, -1})
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 3}, []int32{0}, []float64{1})
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	p := New(m, a)
	return &p
}

func TestNewMinimises(t *testing.T) {
	p := example(t)
	if !slices.Equal(p.Cost, []float64{1, 2, 3}) || p.Offset != -1 || p.A.NNZ != 6 || p.RowQueue.Len()+p.ColQueue.Len() != 0 {
		t.Errorf("%+v", p)
	}
}

func TestImpliedBounds(t *testing.T) {
	p := example(t)
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12 }
	for _, c := range []struct {
		row, col   int32
		v, lo, up  float64
		free, rows bool
	}{
		{0, 2, 1, -6, 6, true, true}, // z = 6 - 2x - y
		{0, 0, 2, math.Inf(-1), math.Inf(1), false, false},
		{1, 2, -1, math.Inf(-1), 5, true, true},
		{2, 0, 1, math.Inf(-1), 3, false, false},
	} {
		lo, up := p.ImpliedBounds(c.row, c.col, c.v)
		if !near(lo, c.lo) || !near(up, c.up) || p.ImpliedByRow(c.row, c.col, c.v) != c.free || p.impliedByRows(c.col) != c.rows {
			t.Errorf("row %d, column %d: [%g, %g], want [%g, %g]", c.row, c.col, lo, up, c.lo, c.up)
		}
	}
	if k, _ := p.Substitutable(2); k < 0 || p.A.E[k].Row != 0 || p.A.E[k].Val != 1 {
		t.Errorf("z is substituted by entry %d", k)
	}
	if k, _ := p.Substitutable(0); k >= 0 {
		t.Errorf("x, whose bounds no row implies, is substituted by entry %d", k)
	}
}

// TestNetworkArcIsFree has a node x = y + z with an upper bound on y alone: that x >= 0 follows, without a slop.
func TestNetworkArcIsFree(t *testing.T) {
	m := &lp.Model{}
	for _, up := range []float64{math.Inf(1), 758, math.Inf(1)} {
		m.AddCol(lp.Col{Upper: up})
	}
	m.AddRow(lp.Row{}, []int32{0, 1, 2}, []float64{1, -1, -1})
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	p := New(m, a)
	if lo, up := p.ImpliedBounds(0, 0, 1); lo != 0 || !math.IsInf(up, 1) {
		t.Errorf("x in [%g, %g], want [0, +Inf]", lo, up)
	}
	if k, _ := p.Substitutable(0); k < 0 || p.A.E[k].Row != 0 {
		t.Errorf("x is substituted by entry %d", k)
	}
	p.Lo[1] = 0.1
	p.TouchRow(0)
	if lo, _ := p.ImpliedBounds(0, 0, 1); !(lo < 0.1 && lo > 0.1-1e-10) {
		t.Errorf("y >= 0.1: x >= %g, want a little less", lo)
	}
}

// TestChangesReachTheRanges moves bounds and takes columns and rows out, and compares ranges with fresh ones.
func TestChangesReachTheRanges(t *testing.T) {
	p := example(t)
	p.Lo[2], p.Up[2] = -6, 6
	p.TouchRow(0)
	if r := p.Activity(0); r.Lower() != -6 || r.Upper() != 18 {
		t.Errorf("row 0 in [%g, %g]", r.Lower(), r.Upper())
	}
	p.MoveTerm(0, 2, 0, 4, 1, 3)
	p.Lo[0], p.Up[0] = 1, 3
	if r := p.Activity(0); r.Lower() != -4 || r.Upper() != 16 {
		t.Errorf("row 0 in [%g, %g] after x moved", r.Lower(), r.Upper())
	}
	p.ShiftRow(0, 1, 2*1.5)
	p.DropCol(0)
	if r := p.Activity(0); r.Lower() != -6 || r.Upper() != 10 || p.RowLo[0] != 3 || p.A.RowLen[2] != 0 || p.Removed != 1 {
		t.Errorf("row 0 in [%g, %g], side %g after x left", r.Lower(), r.Upper(), p.RowLo[0])
	}
	p.DropRow(2)
	var rows, cols []int32
	p.Drain(func() bool { return true }, func(i int32) {
		rows = append(rows, i)
		if i == 0 && len(rows) == 1 {
			p.TouchCols(0)
		}
	}, func(j int32) {
		cols = append(cols, j)
		if j == 1 && len(rows) == 1 {
			p.RowQueue.Add(1)
		}
	})
	if !slices.Equal(rows, []int32{0, 1}) || !slices.Equal(cols, []int32{1, 2}) {
		t.Errorf("visited rows %v, columns %v", rows, cols)
	}
	if p.Minus(1, 1+1e-16) != 0 || p.Minus(math.Inf(1), 1) != math.Inf(1) || p.Minus(3, 1) != 2 {
		t.Error("differences")
	}
}

// TestParallel finds the row that is twice another, and none where it is not to go on.
func TestParallel(t *testing.T) {
	m := &lp.Model{}
	for range 3 {
		m.AddCol(lp.Col{Upper: 1})
	}
	m.AddRow(lp.Row{Upper: 1}, []int32{0, 1}, []float64{1, 3})
	m.AddRow(lp.Row{Upper: 1}, []int32{1, 2}, []float64{1, 3})
	m.AddRow(lp.Row{Upper: 1}, []int32{0, 1}, []float64{2, 6})
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	p := New(m, a)
	for _, running := range []bool{true, false} {
		found := 0
		p.ParallelRows(func() bool { return running }, func(i, r int32) {
			if s, ok := p.A.RowRatio(i, r); ok && i == 0 && r == 2 && s == 2 {
				found++
			}
		})
		if found == 1 != running {
			t.Errorf("running %v: %d pairs", running, found)
		}
	}
	p.ParallelCols(func() bool { return true }, func(j, k int32) {
		if _, ok := p.A.ColRatio(j, k); ok {
			t.Errorf("columns %d and %d are parallel", j, k)
		}
	})
}

// TestDrivenRow has x <= 480 y with y <= u and y <= w: y may be x/480 unless it is paid to rise, or another row or its
// bound holds it up.
func TestDrivenRow(t *testing.T) {
	for _, c := range []struct {
		cost, lower float64
		held, want  bool
	}{{0, 0, false, true}, {3, 0, false, true}, {-1, 0, false, false}, {0, 0.5, false, false}, {0, 0, true, false}} {
		m := &lp.Model{}
		x := int32(m.AddCol(lp.Col{Upper: 400}))
		y := int32(m.AddCol(lp.Col{Cost: c.cost, Lower: c.lower, Upper: math.Inf(1)}))
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x, y}, []float64{1, -480})
		for range 2 {
			u := int32(m.AddCol(lp.Col{Upper: 1}))
			m.AddRow(lp.Row{Lower: 0, Upper: math.Inf(1)}, []int32{u, y}, []float64{1, -1})
			if c.held {
				m.Rows[len(m.Rows)-1].Upper = 1
			}
		}
		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		p := New(m, a)
		k, side := p.Substitutable(y)
		if (k >= 0) != c.want || k >= 0 && (p.A.E[k].Row != 0 || side != 0) {
			t.Errorf("%+v: entry %d, side %g", c, k, side)
		}
	}
}
