package simplex

import (
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/internal/farkas"
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
func (r Residuals) OK(tol float64) bool {
	return r.Primal <= tol && r.Dual <= tol && r.Complementarity <= tol && r.Gap <= tol
}

// Largest returns the largest residual.
func (r Residuals) Largest() float64 { return max(r.Primal, r.Dual, r.Complementarity, r.Gap) }

// Check measures an optimal solution against m. Vectors of the wrong length give infinite residuals.
func Check(m *lp.Model, sol *Solution) Residuals {
	inf := math.Inf(1)
	a, err := m.Matrix()
	if err != nil || len(sol.X) != len(m.Cols) || len(sol.RowDual) != len(m.Rows) {
		return Residuals{inf, inf, inf, inf}
	}
	sense := 1.0
	if m.Maximize {
		sense = -1
	}
	c := checker{objective: m.Evaluate(sol.X), dual: m.Offset, sense: sense}
	activity, size := make([]float64, len(m.Rows)), make([]float64, len(m.Rows))
	for j := range m.Cols {
		col := &m.Cols[j]
		d, dsize := col.Cost, math.Abs(col.Cost)
		index, value := a.Vec(j)
		for k, i := range index {
			t := value[k] * sol.X[j]
			activity[i] += t
			size[i] = max(size[i], math.Abs(t))
			t = value[k] * sol.RowDual[i]
			d -= t
			dsize = max(dsize, math.Abs(t))
		}
		c.see(sol.X[j], math.Abs(sol.X[j]), col.Lower, col.Upper, d, dsize)
	}
	for i := range m.Rows {
		c.see(activity[i], size[i], m.Rows[i].Lower, m.Rows[i].Upper, sol.RowDual[i], math.Abs(sol.RowDual[i]))
	}
	c.r.Gap = math.Abs(c.objective-c.dual) / (1 + math.Abs(c.objective))
	if c.r.Gap != c.r.Gap {
		c.r.Gap = inf
	}
	return c.r
}

type checker struct {
	r                      Residuals
	objective, dual, sense float64
}

// see accounts for one variable with value x in [lo, up] and dual value d; xsize and dsize are the
// largest terms in the sums that made x and d.
func (c *checker) see(x, xsize, lo, up, d, dsize float64) {
	worst(&c.r.Primal, max(lo-x, x-up)/(1+xsize))
	b := lo
	if c.sense*d < 0 {
		b = up
	}
	if isInf(b) {
		worst(&c.r.Dual, math.Abs(d)/(1+dsize))
		return
	}
	c.dual += d * b
	worst(&c.r.Complementarity, math.Abs(d)*math.Abs(x-b)/(1+math.Abs(c.objective)))
}

// worst raises *r to v; a NaN counts as infinite.
func worst(r *float64, v float64) {
	if v > *r {
		*r = v
	} else if v != v {
		*r = math.Inf(1)
	}
}

// CheckFarkas verifies that ray proves m infeasible, as the package comment says. A zero ray is accepted
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
	g := gap{}
	for i, r := range ray {
		if r != 0 {
			g.add(r, math.Abs(r), pickBound(r > 0, m.Rows[i].Lower, m.Rows[i].Upper))
		}
	}
	for j := range m.Cols {
		index, value := a.Vec(j)
		z, size := 0.0, 0.0
		for k, i := range index {
			t := value[k] * ray[i]
			z += t
			size = max(size, math.Abs(t))
		}
		b := pickBound(z > 0, m.Cols[j].Upper, m.Cols[j].Lower)
		if z == 0 || math.Abs(z) <= farkasZero*size && isInf(b) {
			continue
		}
		g.add(-z, size, b)
	}
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

func crossed(m *lp.Model) bool {
	for j := range m.Cols {
		if m.Cols[j].Lower > m.Cols[j].Upper {
			return true
		}
	}
	for i := range m.Rows {
		if m.Rows[i].Lower > m.Rows[i].Upper {
			return true
		}
	}
	return false
}

func pickBound(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// gap sums products, keeps the largest one, and adds up what rounding is in proportion to.
type gap struct{ sum, scale, total float64 }

// add accounts for coef*bound, where the largest term of coef has the given size.
func (g *gap) add(coef, size, bound float64) {
	if isInf(bound) {
		g.sum = math.Inf(-1)
		return
	}
	g.sum += coef * bound
	g.scale = max(g.scale, math.Abs(coef*bound))
	g.total += size * math.Abs(bound)
}

// CheckPrimalRay verifies that ray is a direction along which m improves for ever, from any feasible point.
func CheckPrimalRay(m *lp.Model, ray []float64) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	if len(ray) != len(m.Cols) {
		return fmt.Errorf("simplex: %w: %d entries for %d columns", ErrCertificate, len(ray), len(m.Cols))
	}
	largest := 0.0
	for _, v := range ray {
		largest = max(largest, math.Abs(v))
	}
	activity, size := make([]float64, len(m.Rows)), make([]float64, len(m.Rows))
	improve := 0.0
	for j, v := range ray {
		improve += m.Cols[j].Cost * v
		if leavesCone(v, m.Cols[j].Lower, m.Cols[j].Upper, rayTol*largest) {
			return fmt.Errorf("simplex: %w: column %s leaves its bounds", ErrCertificate, m.ColName(lp.Var(j)))
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
			size[i] = max(size[i], math.Abs(value[k]*v))
		}
	}
	for i := range m.Rows {
		if leavesCone(activity[i], m.Rows[i].Lower, m.Rows[i].Upper, rayTol*(largest+size[i])) {
			return fmt.Errorf("simplex: %w: row %s leaves its bounds", ErrCertificate, m.RowName(lp.Con(i)))
		}
	}
	if m.Maximize {
		improve = -improve
	}
	if !(improve < 0) {
		return fmt.Errorf("simplex: %w: the objective does not improve", ErrCertificate)
	}
	return nil
}
