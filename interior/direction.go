package interior

import (
	"math"
	"slices"
)

// newton solves the linearised equations of the homogeneous model at one iterate. With D = z/x + v/w the equations
//
//	A dx - b dtau              = eta r_primal
//	dx + dw - u dtau           = eta r_upper
//	A'dy + dz - dv - c dtau    = eta r_dual
//	-c'dx + b'dy - u'dv - dkappa = eta r_gap
//	x dz + z dx = p,  w dv + v dw = q,  tau dkappa + kappa dtau = t
//
// become two systems of the matrix of kkt, one of which has the same right-hand side for all eta, p, q and t.
type newton struct {
	*kkt
	it  *iterate
	res *residuals

	d      []float64 // D
	origin []float64 // u for the columns whose upper bound is the active one, else 0
	qx, qy []float64 // the solution for the right-hand side c - u v/w, b, less origin
	pivot  float64   // what dtau is divided by

	r, s []float64 // right-hand side
}

// target is the right-hand side of the complementarity equations.
type target struct {
	p, q []float64
	t    float64
}

// newNewton allocates the vectors.
func newNewton(k *kkt, it *iterate, res *residuals) *newton {
	return &newton{
		kkt:    k,
		it:     it,
		res:    res,
		d:      make([]float64, k.n),
		origin: make([]float64, k.n),
		qx:     make([]float64, k.n),
		qy:     make([]float64, k.m),
		r:      make([]float64, k.n),
		s:      make([]float64, k.m),
	}
}

// prepare factorises the matrix of the current iterate and solves for the right-hand side that all directions share.
func (w *newton) prepare() error {
	it := w.it
	for j := range w.d {
		w.d[j] = 0
		w.origin[j] = 0
		w.r[j] = w.cost[j]
		if w.free[j] {
			continue
		}
		w.d[j] = it.z[j] / it.x[j]
		if !w.boxed(j) {
			continue
		}

		// Measured from the active bound, the right-hand side has the price of the other bound alone, which is small.
		price := it.v[j] / it.w[j]
		if price > w.d[j] {
			w.origin[j] = w.upper[j]
			w.r[j] += w.upper[j] * w.d[j]
		} else {
			w.r[j] -= w.upper[j] * price
		}
		w.d[j] += price
	}
	if err := w.factorize(w.d); err != nil {
		return err
	}
	copy(w.s, w.kkt.form.right)
	w.timesColumns(-1, w.origin, w.s)
	if err := w.solveShared(); err != nil {
		return err
	}

	// This sum of squares is b'qy - (c + u v/w)'qx + u^2 v/w + kappa/tau, without cancellation.
	w.pivot = it.kappa / it.tau
	for j, x := range w.qx {
		if !w.free[j] {
			v := x + w.origin[j]
			w.pivot += it.z[j] / it.x[j] * v * v
		}
		if w.boxed(j) {
			if w.origin[j] == 0 {
				x -= w.upper[j]
			}
			w.pivot += it.v[j] / it.w[j] * x * x
		}
	}
	return nil
}

// solveShared solves for the right-hand side that all directions of an iterate share. Where the residual says that the
// factors are of no use, stronger regularisation is tried, and kept for this iterate as long as it helps.
func (w *newton) solveShared() error {
	defer func() { w.growth = relativeShift }()
	off := w.solve(w.d, w.r, w.s, w.qx, w.qy)
	for !(off <= uselessFrom) && w.growth < strongestShift {
		x, y := slices.Clone(w.qx), slices.Clone(w.qy)
		w.growth *= strongerShift
		if err := w.factorize(w.d); err != nil {
			return err
		}
		now := w.solve(w.d, w.r, w.s, w.qx, w.qy)
		if now < shiftGain*off {
			off = now
			continue
		}

		copy(w.qx, x)
		copy(w.qy, y)
		w.growth /= strongerShift
		return w.factorize(w.d)
	}
	return nil
}

// direction solves the equations for eta and the target, into dir.
func (w *newton) direction(eta float64, to *target, dir *iterate) {
	it := w.it

	// p/x - q/w and the like are the parts of dz and dv that do not depend on dx and dtau.
	sum := eta*w.res.gap + to.t/it.tau
	for j := range w.r {
		w.r[j] = eta * w.res.dual[j]
		if !w.free[j] {
			w.r[j] -= to.p[j] / it.x[j]
		}
		if w.boxed(j) {
			w.r[j] += (to.q[j] - it.v[j]*eta*w.res.upper[j]) / it.w[j]
		}
	}
	for i := range w.s {
		w.s[i] = eta * w.res.primal[i]
	}
	w.solve(w.d, w.r, w.s, dir.x, dir.y)

	// The last equation gives dtau.
	for j, x := range dir.x {
		sum += w.cost[j] * x
		if w.boxed(j) {
			sum += w.upper[j] * ((to.q[j] - it.v[j]*(eta*w.res.upper[j]-x)) / it.w[j])
		}
	}
	for i, y := range dir.y {
		sum -= w.kkt.form.right[i] * y
	}
	dir.tau = sum / w.pivot
	dir.kappa = (to.t - it.kappa*dir.tau) / it.tau
	add(dir.tau, w.qy, dir.y)
	for j, x := range dir.x {
		x += dir.tau * w.qx[j]
		dir.x[j] = x + dir.tau*w.origin[j]
		if !w.free[j] {
			dir.z[j] = (to.p[j] - it.z[j]*dir.x[j]) / it.x[j]
		}

		// Where the upper bound is active, u dtau is in neither term: it would cancel.
		if w.boxed(j) {
			dir.w[j] = (w.upper[j]-w.origin[j])*dir.tau - x + eta*w.res.upper[j]
			dir.v[j] = (to.q[j] - it.v[j]*dir.w[j]) / it.w[j]
		}
	}
}

// affine sets the target of a full step to complementarity.
func (to *target) affine(it *iterate) {
	for j := range to.p {
		to.p[j] = -it.x[j] * it.z[j]
		to.q[j] = -it.w[j] * it.v[j]
	}
	to.t = -it.tau * it.kappa
}

// correct sets the target of products mu, with the second-order terms of the affine direction (S. Mehrotra, On the
// implementation of a primal-dual interior point method, SIAM Journal on Optimization 2, 1992).
func (to *target) correct(it, affine *iterate, mu float64) {
	for j := range to.p {
		to.p[j] = mu - it.x[j]*it.z[j] - affine.x[j]*affine.z[j]
		to.q[j] = mu - it.w[j]*it.v[j] - affine.w[j]*affine.v[j]
	}
	to.t = mu - it.tau*it.kappa - affine.tau*affine.kappa
}

// centre sets the target to what takes the products at the end of a longer step into the neighbourhood of mu (J.
// Gondzio, Multiple centrality corrections in a primal-dual method for linear programming, Computational Optimization
// and Applications 6, 1996).
func (to *target) centre(f *form, it, dir *iterate, aim steps, mu float64) {
	total := 0.0
	change := func(x, dx, z, dz float64) float64 {
		t := 0.0
		switch v := (x + aim.primal*dx) * (z + aim.dual*dz); {
		case v < mu/spread:
			t = mu/spread - v
		case v > mu*spread:
			t = max(mu*spread-v, -mu*spread)
		}
		total += t
		return t
	}

	for j := range to.p {
		if !f.free[j] {
			to.p[j] = change(it.x[j], dir.x[j], it.z[j], dir.z[j])
		}
		if f.boxed(j) {
			to.q[j] = change(it.w[j], dir.w[j], it.v[j], dir.v[j])
		}
	}
	to.t = change(it.tau, dir.tau, it.kappa, dir.kappa)

	// The mean of the products is to stay.
	total /= float64(f.pairs + 1)
	for j := range to.p {
		to.p[j] -= total
		to.q[j] -= total
	}
	to.t -= total
}

// finite reports whether a direction has no NaN or infinity.
func (it *iterate) finite() bool {
	sum := it.tau + it.kappa + norm(it.x) + norm(it.y)
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
