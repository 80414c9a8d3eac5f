package lp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func ExampleModel_AtMost() {
	m := &lp.Model{Maximize: true}
	weight, value := []float64{3, 4, 5}, []float64{4, 5, 7}
	var take []lp.Var
	for k, v := range value {
		take = append(take, m.Binary(fmt.Sprintf("take%d", k), v))
	}
	m.AtMost(8, lp.Dot(weight, take))
	m.Equal(0, take[0], take[1].Times(-1)) // both or none
	fmt.Println(len(m.Cols), "columns,", len(m.Rows), "rows,", m.NumEntries(), "coefficients,", m.Validate())
	// Output:
	// 3 columns, 2 rows, 5 coefficients, <nil>
}

// TestBoundsAreWhatTheNamesSay checks the five kinds of columns and the four of rows.
func TestBoundsAreWhatTheNamesSay(t *testing.T) {
	m := &lp.Model{}
	x := m.Binary("b", 1)
	m.Integer("i", 2, -3, lp.Inf)
	m.Nonnegative("n", 3)
	m.Between("w", 4, 1, 2)
	m.Free("f", 5)
	want := []lp.Col{{Name: "b", Cost: 1, Upper: 1, Integer: true}, {Name: "i", Cost: 2, Lower: -3, Upper: lp.Inf, Integer: true},
		{Name: "n", Cost: 3, Upper: lp.Inf}, {Name: "w", Cost: 4, Lower: 1, Upper: 2}, {Name: "f", Cost: 5, Lower: -lp.Inf, Upper: lp.Inf}}
	for j, w := range want {
		if m.Cols[j] != w {
			t.Errorf("column %d: %+v, want %+v", j, m.Cols[j], w)
		}
	}
	m.AtMost(1, x)
	m.AtLeast(2, x)
	m.Equal(3, x)
	m.Rows[m.Range(4, 5, x)].Name = "last"
	for i, w := range []lp.Row{{Lower: -lp.Inf, Upper: 1}, {Lower: 2, Upper: lp.Inf}, {Lower: 3, Upper: 3}, {Name: "last", Lower: 4, Upper: 5}} {
		if m.Rows[i] != w {
			t.Errorf("row %d: %+v, want %+v", i, m.Rows[i], w)
		}
	}
	if i, err := m.FindCon("last"); i != 3 || err != nil {
		t.Errorf("row %d, %v", i, err)
	}
	if j, err := m.FindVar("w"); j != 3 || err != nil {
		t.Errorf("column %d, %v", j, err)
	}
	if _, err := m.FindVar("none"); !errors.Is(err, lp.ErrModel) || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("got %v", err)
	}
}

// TestSumsAddUp puts a column into a row several times, and takes one out.
func TestSumsAddUp(t *testing.T) {
	m := &lp.Model{}
	x, y := m.Free("x", 0), m.Free("y", 0)
	m.AtMost(1, x, y, lp.Total(x, y), x.Times(2), y.Times(-2))
	list, err := m.Triplets()
	if err != nil || len(list) != 1 || list[0] != (lp.Triplet{Row: 0, Col: x, Value: 4}) {
		t.Errorf("%v, %v", list, err)
	}
	n := &lp.Model{}
	n.Free("x", 0)
	n.AtMost(1)
	n.AddTriplets(list)
	if again, err := n.Triplets(); err != nil || len(again) != 1 || again[0] != list[0] {
		t.Errorf("%v, %v", again, err)
	}
}

// TestUnequalLengthsAreReported checks that Validate returns an error for both ways in which the lengths of Dot may
// differ.
func TestUnequalLengthsAreReported(t *testing.T) {
	for _, coef := range [][]float64{{1}, {1, 2, 3}} {
		m := &lp.Model{}
		m.AtMost(1, lp.Dot(coef, []lp.Var{m.Free("x", 0), m.Free("y", 0)}))
		if err := m.Validate(); !errors.Is(err, lp.ErrModel) {
			t.Errorf("%v: got %v", coef, err)
		}
	}
}
