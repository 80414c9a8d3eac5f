package lp_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// ExampleModel builds max 3x + 2y, x + y <= 4, x + 3y <= 6, x <= 3, and evaluates a point.
func ExampleModel() {
	m := &lp.Model{Name: "example", Maximize: true}
	x := m.AddCol(lp.Col{Name: "x", Cost: 3, Upper: 3})
	y := m.AddCol(lp.Col{Name: "y", Cost: 2, Upper: lp.Inf})
	index := []int32{int32(x), int32(y)}
	m.AddRow(lp.Row{Name: "sum", Lower: -lp.Inf, Upper: 4}, index, []float64{1, 1})
	m.AddRow(lp.Row{Name: "mix", Lower: -lp.Inf, Upper: 6}, index, []float64{1, 3})
	if err := m.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Rows), len(m.Cols), m.NumEntries(), m.Evaluate([]float64{3, 1}))
	// Output: 2 2 4 11
}

func TestMatrixIsByColumns(t *testing.T) {
	m := &lp.Model{}
	for range 3 {
		m.AddCol(lp.Col{Upper: 1})
	}
	m.AddRow(lp.Row{Upper: 1}, []int32{2, 0}, []float64{5, 1})
	m.AddRow(lp.Row{Upper: 1}, []int32{0, 1}, []float64{2, 3})
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]string{{"[0 1]", "[1 2]"}, {"[1]", "[3]"}, {"[0]", "[5]"}}
	for j, w := range want {
		index, value := a.Vec(j)
		if fmt.Sprint(index) != w[0] || fmt.Sprint(value) != w[1] {
			t.Errorf("column %d: %v %v, want %v", j, index, value, w)
		}
	}
	m.AddEntry(1, 2, 7) // the cached matrix must not survive
	if a, err = m.Matrix(); err != nil || a.NNZ() != 5 {
		t.Errorf("after AddEntry: %v entries, %v", a.NNZ(), err)
	}
}

// TestValidateNamesTheFault makes one fault at a time and expects an error that names its place.
func TestValidateNamesTheFault(t *testing.T) {
	base := func() *lp.Model {
		m := &lp.Model{}
		m.AddCol(lp.Col{Name: "x", Upper: 1})
		m.AddRow(lp.Row{Name: "r", Upper: 1}, []int32{0}, []float64{1})
		return m
	}
	faults := []struct {
		name string
		make func(*lp.Model)
		want string
	}{
		{"nan cost", func(m *lp.Model) { m.Cols[0].Cost = math.NaN() }, "column x: cost NaN"},
		{"infinite offset", func(m *lp.Model) { m.Offset = lp.Inf }, "objective offset +Inf"},
		{"lower +inf", func(m *lp.Model) { m.Cols[0].Lower = lp.Inf }, "column x: bounds"},
		{"nan row", func(m *lp.Model) { m.Rows[0].Upper = math.NaN() }, "row r: bounds"},
		{"upper -inf", func(m *lp.Model) { m.Rows[0].Upper = -lp.Inf }, "row r: bounds"},
		{"duplicate", func(m *lp.Model) { m.AddEntry(0, 0, 2) }, "two coefficients for row r, column x"},
		{"outside", func(m *lp.Model) { m.AddEntry(0, 3, 2) }, "outside a model with 1 rows and 1 columns"},
		{"negative", func(m *lp.Model) { m.AddEntry(-1, 0, 2) }, "outside a model"},
		{"lengths", func(m *lp.Model) { m.AddRow(lp.Row{}, []int32{0}, nil) }, "1 indices but 0 values"},
		{"infinite entry", func(m *lp.Model) { m.AddRow(lp.Row{Name: "s"}, []int32{0}, []float64{-lp.Inf}) }, "coefficient -Inf at row s, column x"},
	}
	for _, f := range faults {
		m := base()
		if err := m.Validate(); err != nil {
			t.Fatalf("the base model is invalid: %v", err)
		}
		f.make(m)
		if err := m.Validate(); !errors.Is(err, lp.ErrModel) || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: got %v, want %q", f.name, err, f.want)
		}
	}
	crossed := base()
	crossed.Cols[0].Lower = 2
	if err := crossed.Validate(); err != nil {
		t.Errorf("crossed bounds are infeasible, not invalid: %v", err)
	}
}

func TestCloneIsDeep(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Name: "x", Cost: 1, Integer: true})
	m.AddRow(lp.Row{Name: "r"}, []int32{0}, []float64{1})
	c := m.Clone()
	c.Cols[0].Cost = 9
	c.AddCol(lp.Col{})
	c.AddRow(lp.Row{}, []int32{1}, []float64{4})
	if m.Cols[0].Cost != 1 || len(m.Cols) != 1 || len(m.Rows) != 1 || m.NumEntries() != 1 || m.NumInteger() != 1 {
		t.Errorf("the clone changed its source: %+v", m)
	}
}

func TestStatusNames(t *testing.T) {
	if lp.Status(0) != lp.NotSolved || lp.TimeLimit.String() != "time_limit" || lp.FixedPoint.String() != "fixed_point" || lp.Stalled.String() != "stalled" {
		t.Error("status names have moved")
	}
	for s := lp.NotSolved; s <= lp.Stalled; s++ {
		limited := s == lp.TimeLimit || s == lp.IterationLimit || s == lp.NodeLimit || s == lp.WorkLimit ||
			s == lp.MemoryLimit || s == lp.ObjectiveLimit || s == lp.Interrupted
		if s.Limited() != limited {
			t.Errorf("%v: Limited() = %v", s, s.Limited())
		}
	}
}

// TestGrow checks that room made in advance is used.
func TestGrow(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{})
	for range 64 {
		m.AddRow(lp.Row{}, nil, nil)
	}
	m.Grow(64)
	i := 0
	if n := testing.AllocsPerRun(63, func() { m.AddEntry(lp.Con(i), 0, 1); i++ }); n != 0 {
		t.Errorf("%g allocations an entry", n)
	}
	if m.NumEntries() != 64 {
		t.Errorf("%d entries", m.NumEntries())
	}
}

func TestMinimize(t *testing.T) {
	m := &lp.Model{Maximize: true, Offset: 3}
	x := m.AddCol(lp.Col{Cost: 2, Upper: 5})
	for range 2 { // the second time nothing is left to do
		m.Minimize()
		if m.Maximize || m.Offset != -3 || m.Cols[x].Cost != -2 || m.Evaluate([]float64{5}) != -13 {
			t.Errorf("%+v", m)
		}
	}
}

// TestGrowByRows makes room for one coefficient at a time, as a model that is built row by row does: the room may not be
// copied each time.
func TestGrowByRows(t *testing.T) {
	const n = 20_000
	m := &lp.Model{}
	x := m.AddCol(lp.Col{Name: "x", Upper: 1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		i := m.AddRow(lp.Row{Upper: 1}, nil, nil)
		m.Grow(1)
		m.AddEntry(i, x, 1)
	}
	runtime.ReadMemStats(&after)

	// Rows and coefficients take a few megabytes; copied each time, the coefficients alone would take gigabytes.
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1e8 {
		t.Errorf("%d coefficients took %d bytes", n, bytes)
	}
	if m.NumEntries() != n || m.Validate() != nil {
		t.Errorf("%d coefficients, %v", m.NumEntries(), m.Validate())
	}
}
