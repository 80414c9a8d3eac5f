package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// vectors are the result vectors in the units and the sense of the model, each made at the first call for it.
type vectors struct {
	x, activity, rowDual, reduced vector
}

// invalidateValues invalidates the values alone.
func (v *vectors) invalidateValues() {
	v.x.ok = false
	v.activity.ok = false
}

// vector is one of them.
type vector struct {
	value []float64
	ok    bool // it belongs to the last Solve
}

// invalidate invalidates all vectors, for a new solution.
func (v *vectors) invalidate() {
	v.invalidateValues()
	v.rowDual.ok = false
	v.reduced.ok = false
}

// fill makes the vector of n entries, unless it is there.
func (v *vector) fill(n int, entry func(k int) float64) []float64 {
	if !v.ok {
		v.value = resize(v.value, n)
		v.ok = true
		for k := range v.value {
			v.value[k] = entry(k)
		}
	}
	return v.value
}

// X returns the values of the columns, a view valid until the next Solve or change.
func (s *Solver) X() []float64 {
	return s.vectors.x.fill(s.n, func(j int) float64 { return s.clamped(j) * s.colScale[j] })
}

// RowActivity returns the values of the rows, a view valid until the next Solve or change.
func (s *Solver) RowActivity() []float64 {
	return s.vectors.activity.fill(s.m, func(i int) float64 { return s.value(s.n+i) / s.rowScale[i] })
}

// RowDual returns the dual values of the rows, a view valid until the next Solve or change. See the
// package comment for their signs.
func (s *Solver) RowDual() []float64 {
	return s.vectors.rowDual.fill(s.m, func(i int) float64 {
		return s.sense*s.duals.d[s.n+i]*s.rowScale[i] + 0 // no negative zeros
	})
}

// ReducedCost returns the reduced costs of the columns, a view valid until the next Solve or change.
func (s *Solver) ReducedCost() []float64 {
	return s.vectors.reduced.fill(s.n, func(j int) float64 { return s.sense*s.duals.d[j]/s.colScale[j] + 0 })
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
func (s *basicSolution) objectiveValue() float64 {
	sum := 0.0
	for j := range s.n {
		if c := s.cost[j]; c != 0 {
			sum += c * s.clamped(j)
		}
	}
	return s.sense*sum + s.offset
}

// Solution is an answer with vectors of its own, in the units and the sense of the model.
type Solution struct {
	Result
	X, RowActivity       []float64 // one entry a column, and a row
	RowDual, ReducedCost []float64 // one entry a row, and a column; signs as in the package comment
	Basis                Basis
	Ray                  []float64 // as of Solver.Ray

	// Residuals are those of Check for an optimal solution of Solve, and Tolerance is the one that they are within:
	// that of the options, or a wider one where no attempt reached it. Both are zero for other solutions.
	Residuals Residuals
	Tolerance float64

	// Exact is true where float64 did not decide and exact arithmetic did (package exact). Status and objective are
	// certain then; the vectors and the ray are the nearest in float64, and Residuals are what that rounding costs.
	Exact bool
}

// Solve solves m from scratch. Limits and cancellation are statuses. An optimal solution is held against m as it is
// given, whatever scaling, presolve and recoveries led to it; see Solution.Tolerance. An error wraps ErrOptions,
// ErrNumerical, or that of m.Validate.
func Solve(ctx context.Context, m *lp.Model, opt Options) (*Solution, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}

	at := logged{started: time.Now()}

	// A model with symmetry is folded first, if the options have it.
	if opt.Fold {
		if sol, err := solveFolded(ctx, m, opt, at); sol != nil || err != nil {
			return sol.tidied(m, opt.Tolerances.Primal).judged(ctx, m, opt, at.started, err)
		}
	}

	sol, err := solveCold(ctx, m, opt, at)
	return sol.tidied(m, opt.Tolerances.Primal).judged(ctx, m, opt, at.started, err)
}

// Solution copies the result vectors of the last Solve, which returned r.
func (s *Solver) Solution(r Result) *Solution {
	sol := &Solution{
		Result:      r,
		X:           append([]float64(nil), s.X()...),
		RowActivity: append([]float64(nil), s.RowActivity()...),
		RowDual:     append([]float64(nil), s.RowDual()...),
		ReducedCost: append([]float64(nil), s.ReducedCost()...),
		Ray:         append([]float64(nil), s.Ray()...),
	}
	s.GetBasis(&sol.Basis)
	return sol
}

// verifyOptimal checks the current basic solution against the bounds, and the rows and costs as given.
// The full check is left out after a few pivots if the fingerprint holds.
func (s *Solver) verifyOptimal() bool {
	// The checks go from the cheapest to the most expensive one.
	if !s.primals.feasible() {
		return s.ctl.fail("bounds do not hold")
	}
	if s.ctl.iterations < fullCheck && s.fingerprint.holds(&s.basicSolution) {
		return true
	}

	if !s.rowsHold() {
		return s.ctl.fail("rows do not hold")
	}
	if !s.dualsHold() {
		return s.ctl.fail("reduced costs do not hold")
	}
	return true
}

// rowsHold compares the value of each logical with the activity of its row.
func (s *basicSolution) rowsHold() bool {
	for i := range s.m {
		index, value := s.rows.Vec(i)
		sum := 0.0
		size := 0.0
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
	s.factor.charge(s.rows.NNZ())
	return true
}

// dualsHold compares the reduced costs with the costs and row duals.
func (s *basicSolution) dualsHold() bool {
	for j := range s.n {
		index, value := s.cols.Vec(j)
		sum := s.cost[j]
		size := math.Abs(sum)
		for k, i := range index {
			t := value[k] * s.duals.d[s.n+int(i)]
			sum -= t
			size = max(size, math.Abs(t))
		}

		if !(math.Abs(sum-s.duals.d[j]) <= residualTol*(1+size)) {
			return false
		}
	}
	s.factor.charge(s.cols.NNZ())
	return true
}

// residualTol is what an answer may violate its defining equations by, relative to 1 plus the largest
// term.
const residualTol = 1e-7

// fullCheck is the number of iterations from which on an answer is always checked in full. The full check costs as much
// as a few pivots, which is much for the short solves of a tree alone.
const fullCheck = 50
