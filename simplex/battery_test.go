package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"gonum.org/v1/gonum/mat"
	independent "gonum.org/v1/gonum/optimize/convex/lp"
)

// batteryCases is the share of the battery that every test run solves.
const batteryCases = 4000

// TestCertifiedBattery solves random models whose answers follow from how they were made: degenerate, unbounded,
// infeasible, with free and fixed columns, over a huge range of units, empty. Each is solved with and without
// presolve, with and without scaling and perturbation, and its status, objective and certificate are checked. The
// environment variable PROXYBD_BATTERY gives the number of models; 100000 is the full battery.
func TestCertifiedBattery(t *testing.T) {
	cases := uint64(batteryCases)
	if v, err := strconv.ParseUint(os.Getenv("PROXYBD_BATTERY"), 10, 64); err == nil {
		cases = v
	}
	counts := map[lp.Status]int{}
	seeds := []uint64{142269} // without scaling no pivot is acceptable
	for seed := range cases {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		c := newCertified(seed)
		counts[c.status]++
		for _, presolve := range [2]bool{true, false} {
			if err := c.solve(seed, presolve); err != nil {
				t.Errorf("seed %d, presolve %t: %v", seed, presolve, err)
			}
		}
	}
	t.Log(counts)
	for _, st := range [...]lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if counts[st] == 0 {
			t.Errorf("no model is %v", st)
		}
	}
}

// solve solves the model and compares the answer with what is known.
func (c *certified) solve(seed uint64, presolve bool) error {
	opt := DefaultOptions()
	opt.Presolve = presolve
	opt.Scale = seed%3 != 0
	opt.Perturb = seed%5 != 0
	opt.noInverse = seed%2 == 0
	sol, err := Solve(context.Background(), c.model, opt)
	if err != nil {
		return err
	}
	if sol.Status != c.status {
		return fmt.Errorf("status %v, made to be %v", sol.Status, c.status)
	}
	switch sol.Status {
	case lp.Infeasible:
		return CheckFarkas(c.model, sol.Ray)
	case lp.Unbounded:
		return CheckPrimalRay(c.model, sol.Ray)
	}
	if math.Abs(sol.Objective-c.objective) > 1e-6*(1+math.Abs(c.objective)+c.size) {
		return fmt.Errorf("objective %.10g, made to be %.10g", sol.Objective, c.objective)
	}
	if r := Check(c.model, sol); !r.OK(1e-6) {
		return fmt.Errorf("residuals %+v", r)
	}
	return nil
}

// FuzzCertified is the battery over seeds of the fuzzer's choice.
func FuzzCertified(f *testing.F) {
	f.Add(uint64(1), true)
	f.Add(uint64(2), false)
	f.Fuzz(func(t *testing.T, seed uint64, presolve bool) {
		c := newCertified(seed)
		if err := c.solve(seed, presolve); err != nil {
			t.Error(err)
		}
	})
}

// gonumForm writes a model as min c'x, Ax = b, x >= 0: columns are split into differences, rows get slack
// columns. Rows and columns without coefficients must be absent.
func gonumForm(m *lp.Model) (c []float64, a *mat.Dense, b []float64) {
	matrix, _ := m.Matrix()
	n := len(m.Cols)
	type row struct {
		value []float64
		slack float64
		right float64
	}
	var rows []row
	dense := make([][]float64, len(m.Rows))
	for i := range dense {
		dense[i] = make([]float64, n)
	}
	for j := range n {
		index, value := matrix.Vec(j)
		for k, i := range index {
			dense[i][j] = value[k]
		}
	}
	add := func(value []float64, lo, up float64) {
		switch {
		case lo == up:
			rows = append(rows, row{value, 0, lo})
		default:
			if !isInf(lo) {
				rows = append(rows, row{value, -1, lo})
			}
			if !isInf(up) {
				rows = append(rows, row{value, 1, up})
			}
		}
	}
	for i, r := range m.Rows {
		add(dense[i], r.Lower, r.Upper)
	}
	for j, col := range m.Cols {
		unit := make([]float64, n)
		unit[j] = 1
		add(unit, col.Lower, col.Upper)
	}
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	width := 2*n + len(rows)
	c, b = make([]float64, width), make([]float64, len(rows))
	for j, col := range m.Cols {
		c[j], c[n+j] = sense*col.Cost, -sense*col.Cost
	}
	if len(rows) == 0 {
		return c, nil, b
	}
	a = mat.NewDense(len(rows), width, nil)
	for i, r := range rows {
		for j, v := range r.value {
			a.Set(i, j, v)
			a.Set(i, n+j, -v)
		}
		a.Set(i, 2*n+i, r.slack)
		b[i] = r.right
	}
	return c, a, b
}

// independentAnswer solves m by gonum's dense simplex; ok is false where that gives no answer.
func independentAnswer(m *lp.Model) (st lp.Status, objective float64, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	c, a, b := gonumForm(m)
	if a == nil {
		return 0, 0, false
	}
	sum, _, err := independent.Simplex(c, a, b, 1e-10, nil)
	switch {
	case err == nil:
		if m.Maximize {
			sum = -sum
		}
		return lp.Optimal, sum + m.Offset, true
	case errors.Is(err, independent.ErrInfeasible):
		return lp.Infeasible, math.NaN(), true
	case errors.Is(err, independent.ErrUnbounded):
		return lp.Unbounded, math.NaN(), true
	}
	return 0, 0, false
}

// TestIndependent compares answers with those of gonum's dense simplex. Where they differ, ours must carry its
// proof: Check or the check of its ray, which use nothing of the solver.
func TestIndependent(t *testing.T) {
	answers, agree := 0, 0
	for seed := range uint64(1500) {
		c := newCertified(seed)
		st, objective, ok := independentAnswer(c.model)
		if !ok {
			continue
		}
		answers++
		sol, err := Solve(context.Background(), c.model, DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		near := math.Abs(sol.Objective-objective) <= 1e-6*(1+math.Abs(objective)+c.size)
		if sol.Status == st && (st != lp.Optimal || near) {
			agree++
			continue
		}
		if err := c.solve(seed, true); err != nil {
			t.Errorf("seed %d: %v; gonum says %v %g", seed, err, st, objective)
		}
	}
	t.Logf("%d answers, %d alike", answers, agree)
	if answers < 300 || agree < answers*9/10 {
		t.Errorf("only %d of %d answers are alike", agree, answers)
	}
}
