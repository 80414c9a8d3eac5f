package interior

import "math"

// refinement corrects solutions of the linear system of kkt by its residuals. Each correction is made orthogonal to
// those before it, in the sense that their products with the matrix are, and is taken as far as makes the residual the
// smallest (generalised conjugate residuals with the regularised factors as preconditioner; S. C. Eisenstat, H. C.
// Elman and M. H. Schultz, Variational iterative methods for nonsymmetric systems of linear equations, SIAM Journal on
// Numerical Analysis 20, 1983). Where the factors are wrong in a few directions alone, as those of the regularisation
// are, a few corrections suffice, while the corrections of iterative refinement shrink by a constant factor at best.
type refinement struct {
	corrections []correction // allocated as they are needed
	used        int
}

// correction is a direction of the solution, and its product with the matrix of the system.
type correction struct {
	dx, dy []float64
	qx, qy []float64
	square float64 // |q|^2
}

// next returns room for another correction. After mostCorrections the earlier ones are forgotten.
func (f *refinement) next(n, m int) *correction {
	if f.used == mostCorrections {
		f.used = 0
	}
	if f.used == len(f.corrections) {
		f.corrections = append(f.corrections, correction{
			dx: make([]float64, n),
			dy: make([]float64, m),
			qx: make([]float64, n),
			qy: make([]float64, m),
		})
	}
	f.used++
	return &f.corrections[f.used-1]
}

// subtract takes t times another correction, and its product, off c.
func (c *correction) subtract(t float64, other *correction) {
	add(-t, other.dx, c.dx)
	add(-t, other.dy, c.dy)
	add(-t, other.qx, c.qx)
	add(-t, other.qy, c.qy)
}

// solve finds dx and dy for the D of the last factorize. It returns the largest entry of what is missing, relative to
// the right-hand side.
func (k *kkt) solve(d, r, s, dx, dy []float64) float64 {
	k.solveOnce(r, s, dx, dy)
	size := 1 + norm(r) + norm(s)
	off := k.residual(d, r, s, dx, dy)
	last := k.residualLength()

	// The residual is updated with each correction. Once it seems small enough it is computed anew, and the corrections
	// begin again if rounding errors have made it larger.
	k.refine.used = 0
	begin := off
	for range refineMost {
		if off <= refineTo*size {
			off = k.residual(d, r, s, dx, dy)
			if off <= refineTo*size || off > begin/2 {
				return off / size
			}
			k.refine.used = 0
			begin = off
			last = k.residualLength()
		}

		if !k.correct(d, dx, dy) {
			break
		}
		off = max(norm(k.resX), norm(k.resY))
		now := k.residualLength()
		if !(now < refineGain*last) {
			break
		}
		last = now
	}

	// Where the corrections have ended without success the updated residual need not be the true one.
	return k.residual(d, r, s, dx, dy) / size
}

// correct adds to dx and dy the correction that the factors give for the residual, and updates the residual. It returns
// false where there is none.
func (k *kkt) correct(d, dx, dy []float64) bool {
	c := k.refine.next(k.n, k.m)
	k.solveOnce(k.resX, k.resY, c.dx, c.dy)
	for j, x := range c.dx {
		c.qx[j] = -d[j] * x
	}
	k.timesRows(1, c.dy, c.qx)
	clear(c.qy)
	k.timesColumns(1, c.dx, c.qy)

	// The product becomes orthogonal to those of the corrections before it.
	for i := range k.refine.corrections[:k.refine.used-1] {
		other := &k.refine.corrections[i]
		c.subtract((dot(other.qx, c.qx)+dot(other.qy, c.qy))/other.square, other)
	}

	// This step makes the residual the shortest. A correction that depends on the others has no product but rounding
	// errors, and no step.
	c.square = dot(c.qx, c.qx) + dot(c.qy, c.qy)
	step := (dot(c.qx, k.resX) + dot(c.qy, k.resY)) / c.square
	if step == 0 || math.IsNaN(step) || math.IsInf(step, 0) {
		return false
	}

	add(step, c.dx, dx)
	add(step, c.dy, dy)
	add(-step, c.qx, k.resX)
	add(-step, c.qy, k.resY)
	return true
}

// residualLength returns the Euclidean norm of the residual.
func (k *kkt) residualLength() float64 {
	return math.Sqrt(dot(k.resX, k.resX) + dot(k.resY, k.resY))
}
