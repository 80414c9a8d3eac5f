package interior

// conjugate are the vectors of conjugate gradients, one entry a row: residual, preconditioned residual, direction, and
// its product.
type conjugate struct {
	*kkt
	res, z, p, q []float64
}

// newConjugate allocates the vectors.
func newConjugate(k *kkt) *conjugate {
	return &conjugate{
		kkt: k,
		res: make([]float64, k.m),
		z:   make([]float64, k.m),
		p:   make([]float64, k.m),
		q:   make([]float64, k.m),
	}
}

// solve finds dx and dy for the regularised D by conjugate gradients on the normal equations, preconditioned by the
// factors, until the largest residual is at most target.
func (c *conjugate) solve(r, s, dx, dy []float64, target float64) {
	// The right-hand side is s + A D^-1 r.
	copy(c.res, s)
	for j := range dx {
		dx[j] = r[j] / c.d[j]
	}
	c.timesColumns(1, dx, c.res)
	clear(dy)

	// Each step is conjugate to those before it (Hestenes and Stiefel 1952).
	rho := 0.0
	for range conjugateMost {
		if !(norm(c.res) > target) {
			break
		}
		c.precondition()
		next := dot(c.res, c.z)
		if !(next > 0) {
			break
		}
		c.turn(next, rho)
		rho = next

		c.timesNormal(dx)
		curvature := dot(c.p, c.q)
		if !(curvature > 0) {
			break
		}
		add(rho/curvature, c.p, dy)
		add(-rho/curvature, c.q, c.res)
	}

	// dx = D^-1 (A'dy - r).
	for j := range dx {
		dx[j] = -r[j]
	}
	c.timesRows(1, dy, dx)
	for j := range dx {
		dx[j] /= c.d[j]
	}
}

// turn makes the direction conjugate to the last one; last is 0 for the first direction.
func (c *conjugate) turn(next, last float64) {
	beta := 0.0
	if last > 0 {
		beta = next / last
	}
	for i := range c.p {
		c.p[i] = c.z[i] + beta*c.p[i]
	}
}

// precondition solves with the factors for the residual.
func (c *conjugate) precondition() {
	clear(c.right)
	copy(c.right, c.res)
	c.factor.Solve(c.right)
	copy(c.z, c.right)
}

// timesNormal computes q = A D^-1 A'p, with work space of one entry a column.
func (c *conjugate) timesNormal(work []float64) {
	clear(work)
	c.timesRows(1, c.p, work)
	for j := range work {
		work[j] /= c.d[j]
	}
	clear(c.q)
	c.timesColumns(1, work, c.q)
}
