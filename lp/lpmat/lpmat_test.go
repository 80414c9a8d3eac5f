package lpmat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/lpmat"
	"github.com/proxybd/proxybd/simplex"
)

// Dantzig's first example of a production plan, from a matrix and a vector.
func ExampleAddRows() {
	a := mat.NewDense(3, 2, []float64{1, 0, 0, 2, 3, 2})
	m := &lp.Model{Maximize: true}
	vars := []lp.Var{m.Nonnegative("x", 3), m.Nonnegative("y", 5)}
	rows, err := lpmat.AddRows(m, nil, a, vars, []float64{4, 12, 18})
	if err != nil {
		fmt.Println(err)
		return
	}
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	var activity mat.VecDense
	activity.MulVec(a, mat.NewVecDense(len(sol.X), sol.X))
	fmt.Println(sol.Status, sol.Objective, activity.RawVector().Data, sol.RowDual[rows[1]])
	// Output: optimal 36 [2 12 18] 1.5
}

// TestThereAndBack takes a matrix in, with columns in another order, and out again.
func TestThereAndBack(t *testing.T) {
	m := &lp.Model{}
	x, y := m.Free("x", 1), m.Free("y", 1)
	a := mat.NewDense(2, 2, []float64{1, 2, 0, 4})
	rows, err := lpmat.AddRows(m, []float64{-1, -2}, a, []lp.Var{y, x}, nil)
	if err != nil || len(rows) != 2 || m.Rows[rows[1]] != (lp.Row{Lower: -2, Upper: lp.Inf}) || m.NumEntries() != 3 {
		t.Fatalf("%v, %+v, %v", rows, m.Rows, err)
	}
	back, err := lpmat.Matrix(m)
	if err != nil || !mat.Equal(back, mat.NewDense(2, 2, []float64{2, 1, 4, 0})) {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range [][]float64{{}, {1}, {1, 2, 3}} {
		if _, err := lpmat.AddRows(m, bad, a, []lp.Var{x, y}, nil); !errors.Is(err, lp.ErrModel) || len(m.Rows) != 2 {
			t.Errorf("%d lower sides: %v", len(bad), err)
		}
	}
	if _, err := lpmat.AddRows(m, nil, a, []lp.Var{x}, nil); !errors.Is(err, lp.ErrModel) {
		t.Errorf("one column for two: %v", err)
	}
	if none, err := lpmat.Matrix(&lp.Model{}); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
}
