package interior

import "math"

// start sets the first iterate: the point of least norm that satisfies the rows, and the prices of the least dual
// slacks, shifted to positive values (S. Mehrotra, SIAM Journal on Optimization 2, 1992, section 7), with tau 1.
func (w *newton) start() error {
	it := w.it
	for j := range w.d {
		w.d[j] = 1
		w.r[j] = 0
	}
	if err := w.factorize(w.d); err != nil {
		return err
	}
	w.solve(w.d, w.r, w.kkt.form.right, it.x, w.qy)
	clear(w.s)
	w.solve(w.d, w.cost, w.s, w.qx, it.y)

	// The dual slacks are divided by their signs where a column has two bounds.
	for j, slack := range w.qx {
		switch {
		case w.free[j]:
			continue
		case !w.boxed(j):
			it.z[j] = -slack
			continue
		}
		it.w[j] = w.upper[j] - it.x[j]
		it.z[j] = max(-slack, 0)
		it.v[j] = max(slack, 0)
	}
	w.shiftInside()
	return nil
}

// shiftInside makes the values positive, and balances products of pairs.
func (w *newton) shiftInside() {
	// The first shift makes the least value positive, unless that would move all others by more than their mean size: in
	// an extensive form, where the prices of a scenario are small as its probability is, one price of the first stage is
	// hundreds of times the mean. What is below the mean size after the shift is raised to it.
	least, mean := w.sizes()
	w.raise(min(-1.5*least.primal, mean.primal), min(-1.5*least.dual, mean.dual))
	w.raiseTo(mean.primal, mean.dual)

	// The second shift is half the mean product over the mean value.
	it := w.it
	products, primals, duals := 0.0, 0.0, 0.0
	for j := range w.d {
		if !w.free[j] {
			products += it.x[j] * it.z[j]
			primals += it.x[j]
			duals += it.z[j]
		}
		if w.boxed(j) {
			products += it.w[j] * it.v[j]
			primals += it.w[j]
			duals += it.v[j]
		}
	}
	primal := max(startLeast, ratio(0.5*products, duals))
	dual := max(startLeast, ratio(0.5*products, primals))
	w.raise(primal, dual)
	it.tau = 1
	it.kappa = ratio(products, float64(w.pairs)) + primal*dual
}

// values are those of columns, and of their prices.
type values struct{ primal, dual float64 }

// sizes returns the least of the values, at most 0, and the mean of their sizes.
func (w *newton) sizes() (least, mean values) {
	look := func(primal, dual float64) {
		least.primal = min(least.primal, primal)
		least.dual = min(least.dual, dual)
		mean.primal += math.Abs(primal)
		mean.dual += math.Abs(dual)
	}
	for j := range w.d {
		if !w.free[j] {
			look(w.it.x[j], w.it.z[j])
		}
		if w.boxed(j) {
			look(w.it.w[j], w.it.v[j])
		}
	}

	pairs := float64(w.pairs)
	return least, values{ratio(mean.primal, pairs), ratio(mean.dual, pairs)}
}

// raise adds to all values that have bounds, and to their prices.
func (w *newton) raise(primal, dual float64) {
	it := w.it
	for j := range w.d {
		if !w.free[j] {
			it.x[j] += primal
			it.z[j] += dual
		}
		if w.boxed(j) {
			it.w[j] += primal
			it.v[j] += dual
		}
	}
}

// raiseTo makes all values that have bounds, and their prices, at least as large.
func (w *newton) raiseTo(primal, dual float64) {
	it := w.it
	for j := range w.d {
		if !w.free[j] {
			it.x[j] = max(it.x[j], primal)
			it.z[j] = max(it.z[j], dual)
		}
		if w.boxed(j) {
			it.w[j] = max(it.w[j], primal)
			it.v[j] = max(it.v[j], dual)
		}
	}
}

// ratio returns a/b, 0 where b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
