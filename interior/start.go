package interior

// start sets the first iterate: the centre of the homogeneous model, or the columns and prices of least squares.
func (it *iterate) start(f *form) {
	for j := range f.n {
		if !f.free[j] {
			it.x[j] = 1
			it.z[j] = 1
		}
		if f.boxed(j) {
			it.w[j] = 1
			it.v[j] = 1
		}
	}
	it.tau = 1
	it.kappa = 1
}
