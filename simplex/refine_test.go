package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// Terms of 6e4 leave 9e-5 for a column, of which an equation makes the value of another one, 3e5 times as large: what
// rounds the terms at 1e-12 moves the objective by 1e-3. All is determined, so that a subtraction and two divisions
// give the answer.
func TestObjectiveSeesRounding(t *testing.T) {
	big, small, side := 61157.01283913, 0.0006223, -61157.01274436576 // variables: constants would not be rounded
	m := &lp.Model{Maximize: true}
	a := m.AddCol(lp.Col{Cost: 3.52465439, Lower: math.Inf(-1), Upper: 1})
	b := m.AddCol(lp.Col{Lower: -1, Upper: -1})
	c := m.AddCol(lp.Col{Cost: -0.01938918, Upper: lp.Inf})
	m.AddRow(lp.Row{Lower: side, Upper: side}, []int32{int32(b), int32(c)}, []float64{big, small})
	m.AddRow(lp.Row{Lower: 2.8469733, Upper: 2.8469733}, []int32{int32(a), int32(c)}, []float64{7.267e-05, 18.7007931})
	zc := (side + big) / small
	za := (2.8469733 - 18.7007931*zc) / 7.267e-05
	want := 3.52465439*za - 0.01938918*zc
	s, err := New(m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background(), NoLimits())
	if err != nil || r.Status != lp.Optimal || math.Abs(r.Objective-want) > 1e-7*math.Abs(want) {
		t.Errorf("%v, %v with %.12g, not %.12g", r.Status, err, r.Objective, want)
	}
}

// A row that was added since the last solve has no place in the factors, and the values of the basis none for it.
func TestRefinedBeforeSolve(t *testing.T) {
	s := newSolver(t, transportation(1, 3, 4))
	mustSolve(t, s)
	if x := s.Refined(); len(x) != s.NumCols() {
		t.Fatalf("%d values of %d columns", len(x), s.NumCols())
	}
	s.AddRow(0, 1, []int32{0}, []float64{1})
	if x := s.Refined(); x != nil {
		t.Errorf("values %v of a basis that was not solved", x)
	}
}
