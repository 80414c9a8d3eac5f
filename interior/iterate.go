package interior

import (
	"math"
)

// iterate is a point of the homogeneous model of a form,
//
//	A x = tau b,  x + w = tau u,  A'y + z - v = tau c,  c'x - b'y + u'v + kappa = 0,
//	x z = 0,  w v = 0,  tau kappa = 0,  all but y and free x at least 0
//
// (X. Xu, P.-F. Hung and Y. Ye, Annals of Operations Research 62, 1996; E. D. Andersen and K. D. Andersen, in High
// Performance Optimization, 2000). Entries of z for free columns, and of w and v for columns without an upper bound,
// stay zero. A solution with tau > 0 is an optimum times tau, one with kappa > 0 a proof that there is none.
type iterate struct {
	x, w, y, z, v []float64
	tau, kappa    float64
}

// newIterate returns a zero iterate for f.
func newIterate(f *form) *iterate {
	return &iterate{
		x: make([]float64, f.n),
		w: make([]float64, f.n),
		y: make([]float64, f.m),
		z: make([]float64, f.n),
		v: make([]float64, f.n),
	}
}

// residuals are what an iterate misses of the equations of the homogeneous model, and its objectives.
type residuals struct {
	primal []float64 // tau b - A x
	upper  []float64 // tau u - x - w
	dual   []float64 // tau c - A'y - z + v
	gap    float64   // kappa + c'x - b'y + u'v

	cost float64 // c'x
	sum  float64 // b'y - u'v
	mu   float64 // mean product of a pair
}

// update computes the residuals of it.
func (r *residuals) update(f *form, it *iterate) {
	for i, b := range f.right {
		r.primal[i] = it.tau * b
	}
	f.timesColumns(-1, it.x, r.primal)
	for j, c := range f.cost {
		r.dual[j] = it.tau*c - it.z[j] + it.v[j]
	}
	f.timesRows(-1, it.y, r.dual)

	// The objectives and the products go over the same entries.
	r.cost = 0
	r.sum = 0
	for i, b := range f.right {
		r.sum += b * it.y[i]
	}
	products := it.tau * it.kappa
	for j := range f.n {
		r.cost += f.cost[j] * it.x[j]
		products += it.x[j] * it.z[j]
		r.upper[j] = 0
		if f.boxed(j) {
			r.upper[j] = it.tau*f.upper[j] - it.x[j] - it.w[j]
			r.sum -= f.upper[j] * it.v[j]
			products += it.w[j] * it.v[j]
		}
		if f.free[j] {
			products -= it.x[j] * it.z[j]
		}
	}
	r.gap = it.kappa + r.cost - r.sum
	r.mu = products / float64(f.pairs+1)
}

// errors are the relative violations of the conditions of an optimum at x/tau.
type violations struct{ primal, dual, gap float64 }

// relative returns the violations of the conditions of an optimum at x/tau.
func (r *residuals) relative(f *form, it *iterate) violations {
	// The gap is relative to the objective in the units of the model, unless it is below what can be computed.
	primal := r.cost / it.tau
	dual := r.sum / it.tau
	unit := f.size * f.price
	gap := math.Abs(primal - dual)
	relative := unit * gap / (1 + min(math.Abs(unit*primal+f.offset), math.Abs(unit*dual+f.offset)))
	return violations{
		primal: max(norm(r.primal)/(1+f.rightSize), norm(r.upper)/(1+f.upperSize)) / it.tau,
		dual:   norm(r.dual) / it.tau / (1 + f.costSize),
		gap:    min(relative, smallGap*gap/(1+min(math.Abs(primal), math.Abs(dual)))),
	}
}

// largest returns the largest violation; NaN where there is one.
func (v violations) largest() float64 { return max(v.primal, v.dual, v.gap) }

// within reports whether all violations are at most tol.
func (v violations) within(tol float64) bool { return v.primal <= tol && v.dual <= tol && v.gap <= tol }

// steps are the lengths of a step of x and w, and of y, z and v.
type steps struct{ primal, dual float64 }

// shorter returns the smaller one.
func (s steps) shorter() float64 { return min(s.primal, s.dual) }

// longest returns the largest steps in [0, 1] that keep x + step dx and the others at least 0.
func (f *form) longest(it, dir *iterate) steps {
	s := steps{1, 1}
	for j := range f.n {
		if f.free[j] {
			continue
		}
		limit(&s.primal, it.x[j], dir.x[j])
		limit(&s.dual, it.z[j], dir.z[j])
		if f.boxed(j) {
			limit(&s.primal, it.w[j], dir.w[j])
			limit(&s.dual, it.v[j], dir.v[j])
		}
	}

	// tau and kappa belong to both.
	both := 1.0
	limit(&both, it.tau, dir.tau)
	limit(&both, it.kappa, dir.kappa)
	return steps{min(s.primal, both), min(s.dual, both)}
}

// limit shortens a step such that x + step dx is at least 0.
func limit(step *float64, x, dx float64) {
	if dx < 0 && -x > *step*dx {
		*step = -x / dx
	}
}

// move takes steps along dir. Where they differ, the parts are scaled to the same tau, the smaller one (Andersen and
// Andersen 2000, section 2.3): the equations of the homogeneous model but for that of the gap hold for both.
func (it *iterate) move(s steps, dir *iterate) {
	add(s.primal, dir.x, it.x)
	add(s.primal, dir.w, it.w)
	add(s.dual, dir.y, it.y)
	add(s.dual, dir.z, it.z)
	add(s.dual, dir.v, it.v)
	if s.primal == s.dual {
		it.tau += s.primal * dir.tau
		it.kappa += s.primal * dir.kappa
		return
	}

	tauPrimal := it.tau + s.primal*dir.tau
	tauDual := it.tau + s.dual*dir.tau
	it.tau = min(tauPrimal, tauDual)
	it.kappa += s.shorter() * dir.kappa
	scale(it.tau/tauPrimal, it.x, it.w)
	scale(it.tau/tauDual, it.y, it.z, it.v)
}

// scale multiplies vectors by t.
func scale(t float64, vectors ...[]float64) {
	if t == 1 {
		return
	}
	for _, x := range vectors {
		for k := range x {
			x[k] *= t
		}
	}
}

// copyFrom makes it a copy of other.
func (it *iterate) copyFrom(other *iterate) {
	copy(it.x, other.x)
	copy(it.w, other.w)
	copy(it.y, other.y)
	copy(it.z, other.z)
	copy(it.v, other.v)
	it.tau = other.tau
	it.kappa = other.kappa
}
