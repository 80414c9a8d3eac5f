package simplex

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/farkas"
	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// ErrCertificate is wrapped by the errors of CheckFarkas and CheckPrimalRay.
var ErrCertificate = errors.New("certificate rejected")

// Residuals are the largest violations of the optimality conditions, computed on the model as given
// from X and RowDual alone. Primal is the violation of a row or bound, relative to 1 plus the largest
// term of the row; Dual that of the sign of a reduced cost c_j - a_j'y or a row dual, relative to 1 plus
// its largest term; Complementarity the largest product of a dual value and the distance from the bound
// that it prices, and Gap the difference between the primal and dual objectives, both relative to 1 plus
// the absolute objective.
type Residuals struct{ Primal, Dual, Complementarity, Gap float64 }

// OK reports whether every residual is at most tol.
func (r Residuals) OK(tol float64) bool { return r.Largest() <= tol }

// senseOf returns 1 for a minimisation and -1 for a maximisation.
func senseOf(m *lp.Model) float64 {
	if m.Maximize {
		return -1
	}
	return 1
}

// Largest returns the largest residual.
func (r Residuals) Largest() float64 { return max(r.Primal, r.Dual, r.Complementarity, r.Gap) }

// Check measures an optimal solution against m. Vectors of the wrong length give infinite residuals.
func Check(m *lp.Model, sol *Solution) Residuals {
	a, err := m.Matrix()

	// Without vectors of the right length there is nothing to measure.
	if err != nil || len(sol.X) != len(m.Cols) || len(sol.RowDual) != len(m.Rows) {
		inf := math.Inf(1)
		return Residuals{inf, inf, inf, inf}
	}

	// One pass over column j adds to the activities of its rows and computes its reduced cost c_j - a_j'y.
	c := checker{objective: m.Evaluate(sol.X), dual: m.Offset, sense: senseOf(m)}
	activity := make([]float64, len(m.Rows))
	size := make([]float64, len(m.Rows))
	for j := range m.Cols {
		col := &m.Cols[j]
		d := col.Cost
		dsize := math.Abs(d)
		index, value := a.Vec(j)

		for k, i := range index {
			t := value[k] * sol.X[j]
			activity[i] += t
			size[i] = max(size[i], math.Abs(t))

			t = value[k] * sol.RowDual[i]
			d -= t
			dsize = max(dsize, math.Abs(t))
		}
		c.account(sol.X[j], math.Abs(sol.X[j]), col.Lower, col.Upper, d, dsize)
	}

	// The dual value of a row plays the part of a reduced cost.
	for i := range m.Rows {
		c.account(activity[i], size[i], m.Rows[i].Lower, m.Rows[i].Upper, sol.RowDual[i], math.Abs(sol.RowDual[i]))
	}

	// By strong duality the two objectives of an optimal pair are equal.
	worst(&c.r.Gap, math.Abs(c.objective-c.dual)/(1+math.Abs(c.objective)))
	return c.r
}

// checker adds up the residuals of a solution.
type checker struct {
	r                      Residuals
	objective, dual, sense float64
}

// account adds one variable with value x in [lo, up] and dual value d; xsize and dsize are the
// largest terms in the sums that made x and d.
func (c *checker) account(x, xsize, lo, up, d, dsize float64) {
	// A bound that is violated counts relative to the size of the terms.
	worst(&c.r.Primal, max(lo-x, x-up)/(1+xsize))

	// The sign of d determines the bound that it prices; without that bound d should be zero.
	b := pickBound(c.sense*d < 0, up, lo)
	if isInf(b) {
		worst(&c.r.Dual, math.Abs(d)/(1+dsize))
		return
	}
	c.dual += d * b
	worst(&c.r.Complementarity, math.Abs(d)*math.Abs(x-b)/(1+math.Abs(c.objective)))
}

// dotSize returns the sum of value_k x_index_k and the size of its largest term.
func dotSize(index []int32, value, x []float64) (sum, size float64) {
	// The largest term shows how large the rounding error of the sum may be.
	for k, j := range index {
		t := value[k] * x[j]
		sum += t
		size = max(size, math.Abs(t))
	}
	return sum, size
}

// worst raises *r to v; a NaN counts as infinite.
func worst(r *float64, v float64) {
	// The second comparison is true for NaN alone.
	if v > *r {
		*r = v
	} else if v != v {
		*r = math.Inf(1)
	}
}

// CheckFarkas verifies that ray proves m infeasible, in the sense of the package comment. A zero ray is accepted
// where a lower bound exceeds its upper one.
func CheckFarkas(m *lp.Model, ray []float64) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	if len(ray) != len(m.Rows) {
		return fmt.Errorf("simplex: %w: %d entries for %d rows", ErrCertificate, len(ray), len(m.Rows))
	}
	if crossed(m) {
		return nil
	}

	// The least value of r'(row activity) over the sides of the rows, less the largest one of z'x over the bounds.
	var g gap
	for i, r := range ray {
		if r != 0 {
			g.add(r, math.Abs(r), pickBound(r > 0, m.Rows[i].Lower, m.Rows[i].Upper))
		}
	}
	for j := range m.Cols {
		index, value := a.Vec(j)
		z, size := dotSize(index, value, ray)

		// An entry that is rounding of its terms does not count where the bound is infinite.
		b := pickBound(z > 0, m.Cols[j].Upper, m.Cols[j].Lower)
		if z == 0 || math.Abs(z) <= farkasZero*size && isInf(b) {
			continue
		}
		g.add(-z, size, b)
	}

	// Where rounding could account for the gap, doubled precision decides.
	if !(g.sum > min(farkasGapTol*g.scale, farkasRounding*g.total)) && !provesExactly(m, a.Transpose(), ray) {
		return fmt.Errorf("simplex: %w: gap %g with terms up to %g", ErrCertificate, g.sum, g.scale)
	}
	return nil
}

// provesExactly adds the ray up in doubled precision.
func provesExactly(m *lp.Model, rows *lp.Matrix, ray []float64) bool {
	f := farkas.New(len(m.Cols))
	for i, r := range ray {
		index, value := rows.Vec(i)
		f.Add(r, m.Rows[i].Lower, m.Rows[i].Upper, index, value)
	}
	return f.Proves(func(j int) (lower, upper float64) { return m.Cols[j].Lower, m.Cols[j].Upper })
}

// crossed reports whether a lower bound or side exceeds its upper one.
func crossed(m *lp.Model) bool {
	return slices.ContainsFunc(m.Cols, func(c lp.Col) bool { return c.Lower > c.Upper }) ||
		slices.ContainsFunc(m.Rows, func(r lp.Row) bool { return r.Lower > r.Upper })
}

// pickBound returns a or else b.
func pickBound(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// gap sums products, keeps the largest one, and adds up what rounding is in proportion to.
type gap struct{ sum, scale, total float64 }

// add accounts for coef*bound, where the largest term of coef has the given size. It returns false where the bound is
// infinite, so that nothing is proven.
func (g *gap) add(coef, size, bound float64) bool {
	// An infinite bound makes the least value of the sum infinite, so that it proves nothing.
	if isInf(bound) {
		g.sum = math.Inf(-1)
		return false
	}

	g.sum += coef * bound
	g.scale = max(g.scale, math.Abs(coef*bound))
	g.total += size * math.Abs(bound)
	return true
}

// CheckPrimalRay verifies that ray is a direction along which m improves without bound, from any feasible point.
func CheckPrimalRay(m *lp.Model, ray []float64) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	if len(ray) != len(m.Cols) {
		return fmt.Errorf("simplex: %w: %d entries for %d columns", ErrCertificate, len(ray), len(m.Cols))
	}

	// Columns and rows may leave the recession cone by rounding only.
	largest := sparse.Largest(ray)
	improve := 0.0
	for j, v := range ray {
		improve += m.Cols[j].Cost * v
		if leavesCone(v, m.Cols[j].Lower, m.Cols[j].Upper, rayTol*largest) {
			return fmt.Errorf("simplex: %w: column %s leaves its bounds", ErrCertificate, m.ColName(lp.Var(j)))
		}
	}

	// The activities of the rows change at these rates along the ray.
	rows := a.Transpose()
	for i := range m.Rows {
		index, value := rows.Vec(i)
		activity, size := dotSize(index, value, ray)
		if leavesCone(activity, m.Rows[i].Lower, m.Rows[i].Upper, rayTol*(largest+size)) {
			return fmt.Errorf("simplex: %w: row %s leaves its bounds", ErrCertificate, m.RowName(lp.Con(i)))
		}
	}

	// The ray must improve the objective strictly.
	if !(senseOf(m)*improve < 0) {
		return fmt.Errorf("simplex: %w: the objective does not improve", ErrCertificate)
	}
	return nil
}
