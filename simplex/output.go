package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// outputs says which of the result vectors belong to the last Solve.
type outputs struct {
	x, activity, rowDual, reduced, ray bool
}

// outVectors hold the result vectors, in the units and the sense of the model.
type outVectors struct {
	activity, rowDual, reduced []float64
}

// value returns the scaled value of variable v.
func (s *Solver) value(v int) float64 {
	if p := s.basis.where[v]; p >= 0 && s.basis.ok {
		return s.primals.basic[p]
	}
	return s.primals.nonbasic[v]
}

// clamped returns the scaled value of v, moved onto a bound that it violates by no more than the
// tolerance.
func (s *Solver) clamped(v int) float64 {
	x := s.value(v)
	if x < s.lo[v] && x >= s.lo[v]-s.primals.tol {
		return s.lo[v]
	}
	if x > s.up[v] && x <= s.up[v]+s.primals.tol {
		return s.up[v]
	}
	return x
}

// X returns the values of the columns, a view valid until the next Solve or change.
func (s *Solver) X() []float64 {
	if !s.outOK.x {
		s.xOut = resize(s.xOut, s.n)
		for j := range s.xOut {
			s.xOut[j] = s.clamped(j) * s.colScale[j]
		}
		s.outOK.x = true
	}
	return s.xOut
}

// RowActivity returns the values of the rows, a view valid until the next Solve or change.
func (s *Solver) RowActivity() []float64 {
	if !s.outOK.activity {
		s.out.activity = resize(s.out.activity, s.m)
		for i := range s.out.activity {
			s.out.activity[i] = s.value(s.n+i) / s.rowScale[i]
		}
		s.outOK.activity = true
	}
	return s.out.activity
}

// RowDual returns the dual values of the rows, a view valid until the next Solve or change. See the
// package comment for their signs.
func (s *Solver) RowDual() []float64 {
	if !s.outOK.rowDual {
		s.out.rowDual = resize(s.out.rowDual, s.m)
		for i := range s.out.rowDual {
			s.out.rowDual[i] = s.sense*s.duals.d[s.n+i]*s.rowScale[i] + 0 // no negative zeros
		}
		s.outOK.rowDual = true
	}
	return s.out.rowDual
}

// ReducedCost returns the reduced costs of the columns, a view valid until the next Solve or change.
func (s *Solver) ReducedCost() []float64 {
	if !s.outOK.reduced {
		s.out.reduced = resize(s.out.reduced, s.n)
		for j := range s.out.reduced {
			s.out.reduced[j] = s.sense*s.duals.d[j]/s.colScale[j] + 0
		}
		s.outOK.reduced = true
	}
	return s.out.reduced
}

// Ray returns the certificate of the last Solve: a Farkas ray (one entry a row) after Infeasible, a
// primal ray (one entry a column) after Unbounded, nil otherwise. Where a lower bound exceeds its upper
// one, that alone proves infeasibility and the ray is zero.
func (s *Solver) Ray() []float64 {
	if !s.rays.ok {
		return nil
	}
	return s.rays.ray
}

// objectiveValue returns the objective of the current basic solution in the model's sense.
func (s *Solver) objectiveValue() float64 {
	sum := 0.0
	for j := range s.n {
		if c := s.cost[j]; c != 0 {
			sum += c * s.clamped(j)
		}
	}
	return s.sense*sum + s.offset
}

// Solution is the answer of one cold Solve, with vectors of its own.
type Solution struct {
	Result
	X, RowActivity       []float64
	RowDual, ReducedCost []float64
	Basis                Basis
	Ray                  []float64
}

// Solve solves m from scratch.
func Solve(ctx context.Context, m *lp.Model, opt Options) (*Solution, error) {
	at := logged{started: time.Now()}
	if opt.Fold {
		if sol, err := solveFolded(ctx, m, opt, at); sol != nil || err != nil {
			return sol.tidied(m, opt.Tolerances.Primal), err
		}
	}
	sol, err := solveCold(ctx, m, opt, at)
	return sol.tidied(m, opt.Tolerances.Primal), err
}

// Solution copies the result vectors of the last Solve, which returned r.
func (s *Solver) Solution(r Result) *Solution {
	sol := &Solution{Result: r}
	sol.X = append(sol.X, s.X()...)
	sol.RowActivity = append(sol.RowActivity, s.RowActivity()...)
	sol.RowDual = append(sol.RowDual, s.RowDual()...)
	sol.ReducedCost = append(sol.ReducedCost, s.ReducedCost()...)
	sol.Ray = append(sol.Ray, s.Ray()...)
	s.GetBasis(&sol.Basis)
	return sol
}

// verifyOptimal checks the current basic solution against the bounds, and the rows and costs as given.
// The full check is left out after a few pivots if the fingerprint holds.
func (s *Solver) verifyOptimal() bool {
	if len(s.primals.infeasible.list) > 0 {
		s.ctl.why = "bounds do not hold"
		return false
	}
	if s.ctl.iterations < fullCheck && s.print.holds(s) {
		return true
	}
	if !s.rowsHold() {
		s.ctl.why = "rows do not hold"
		return false
	}
	if !s.dualsHold() {
		s.ctl.why = "reduced costs do not hold"
		return false
	}
	return true
}

// rowsHold compares the value of each logical with the activity of its row.
func (s *Solver) rowsHold() bool {
	for i := range s.m {
		index, value := s.rows.Vec(i)
		sum, size := 0.0, 0.0
		for k, j := range index {
			t := value[k] * s.value(int(j)) * s.colScale[j]
			sum += t
			size = max(size, math.Abs(t))
		}
		have := s.value(s.n+i) / s.rowScale[i]
		if !(math.Abs(sum-have) <= residualTol*(1+size)) {
			return false
		}
	}
	s.factor.work += float64(s.rows.NNZ())
	return true
}

// dualsHold compares the reduced costs with the costs and row duals.
func (s *Solver) dualsHold() bool {
	for j := range s.n {
		index, value := s.cols.Vec(j)
		sum, size := s.cost[j], math.Abs(s.cost[j])
		for k, i := range index {
			t := value[k] * s.duals.d[s.n+int(i)]
			sum -= t
			size = max(size, math.Abs(t))
		}
		if !(math.Abs(sum-s.duals.d[j]) <= residualTol*(1+size)) {
			return false
		}
	}
	s.factor.work += float64(s.cols.NNZ())
	return true
}

// residualTol is what an answer may violate its defining equations by, relative to 1 plus the largest
// term.
const residualTol = 1e-7

// fullCheck is the number of iterations from which on an answer is always checked in full.
const fullCheck = 50
