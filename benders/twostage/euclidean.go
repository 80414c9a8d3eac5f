package twostage

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// euclidean projects multipliers onto a polytope in the sense of least squares, by the algorithm of P. Wolfe (Finding
// the nearest point in a polytope, Mathematical Programming 11, 1976). The projection is a convex combination of a
// few vertices. Each step solves a linear program over the polytope for the vertex that lies deepest in the direction
// from the projection so far to the target, adds it to the combination, and moves to the nearest point of all
// combinations; vertices whose weights would be negative leave.
type euclidean struct {
	*polytope
	predicted []int // positions of the predicted rows in the component
	program   *warm // the polytope; only its costs change
}

// newEuclidean returns the projection of the predicted rows of a component onto the multipliers of a polytope.
func newEuclidean(p *polytope, predicted []int) (*euclidean, error) {
	program, err := newWarm(p.model)
	return &euclidean{p, predicted, program}, err
}

// mixture is a convex combination of points, all less the target.
type mixture struct {
	points [][]float64
	weight []float64
}

// point returns the combination.
func (m *mixture) point() []float64 {
	// Points are added in their order, which fixes the rounding of the sum.
	x := make([]float64, len(m.points[0]))
	for k, p := range m.points {
		for i, v := range p {
			x[i] += m.weight[k] * v
		}
	}
	return x
}

// drop removes point k.
func (m *mixture) drop(k int) {
	m.points = slices.Delete(m.points, k, k+1)
	m.weight = slices.Delete(m.weight, k, k+1)
}

// Limits of the projection.
const (
	farther  = 1e-10 // by how much the squared distance may be above the least one, relative to the target
	noWeight = 1e-12 // up to this a weight is none
	maxSteps = 1000
)

// project overwrites lambda, one entry a row of the component, by the nearest multipliers in the predicted rows; the
// others become 0. The polytope contains 0.
func (e *euclidean) project(ctx context.Context, lambda []float64) error {
	// All points are taken less the target, so that the nearest point is the shortest vector. The combination begins with
	// the origin, which is a point of the polytope.
	target := make([]float64, len(e.predicted))
	origin := make([]float64, len(e.predicted))
	for t, i := range e.predicted {
		target[t] = lambda[i]
		origin[t] = -lambda[i]
	}
	m := &mixture{points: [][]float64{origin}, weight: []float64{1}}
	x := m.point()
	for range maxSteps {
		// The vertex of least x'v. Where it is no less than x'x, nothing in the polytope is nearer than x.
		vertex, err := e.deepest(ctx, x, target)
		if err != nil {
			return err
		}
		size := dot(x, x)
		if size-dot(x, vertex) <= farther*max(1, dot(target, target)) {
			break
		}

		// The vertex enters with weight zero, which leaves the combination what it is.
		m.points = append(m.points, vertex)
		m.weight = append(m.weight, 0)
		m.shorten()

		// Rounding ends the descent where the tolerance does not.
		next := m.point()
		if !(dot(next, next) < size) {
			break
		}
		x = next
	}

	// Back to the coordinates of the multipliers.
	clear(lambda)
	for t, i := range e.predicted {
		lambda[i] = x[t] + target[t]
	}
	return nil
}

// deepest returns the vertex, less the target, that minimises the product with x.
func (e *euclidean) deepest(ctx context.Context, x, target []float64) ([]float64, error) {
	// The costs of the two parts of a multiplier have opposite signs; a part that there is not needs none.
	for t, i := range e.predicted {
		if j := e.plus[i]; j >= 0 {
			e.program.setCost(j, x[t])
		}
		if j := e.minus[i]; j >= 0 {
			e.program.setCost(j, -x[t])
		}
	}
	r, err := e.program.solve(ctx)
	if err != nil {
		return nil, err
	}
	if r.Status != lp.Optimal {
		return nil, errEmptyDual
	}

	vertex := make([]float64, len(target))
	for t, i := range e.predicted {
		vertex[t] = e.value(e.program.x(), i) - target[t]
	}
	return vertex, nil
}

// shorten moves the weights to the shortest combination of the points with weights of sum one and none negative: to the
// shortest with weights of any sign, or as far towards it as all stay nonnegative, where a point leaves, and again.
func (m *mixture) shorten() {
	for {
		want, ok := m.affine()
		if !ok { // the points depend on each other: the last one adds nothing
			m.drop(len(m.points) - 1)
			return
		}

		// The longest step towards these weights on which none becomes negative.
		step := 1.0
		for k, w := range want {
			if w < noWeight && m.weight[k] > w {
				step = min(step, m.weight[k]/(m.weight[k]-w))
			}
		}

		// Points whose weight has become zero leave, from the last one on so that positions stay valid.
		for k := len(want) - 1; k >= 0; k-- {
			m.weight[k] += step * (want[k] - m.weight[k])
			if m.weight[k] <= noWeight && len(m.points) > 1 {
				m.drop(k)
			}
		}
		m.normalise()
		if step >= 1 {
			return
		}
	}
}

// normalise scales the weights to the sum one.
func (m *mixture) normalise() {
	sum := 0.0
	for _, w := range m.weight {
		sum += w
	}
	for k := range m.weight {
		m.weight[k] /= sum
	}
}

// affine returns the weights of sum one, of any sign, whose combination is shortest: with the matrix G of the products
// of the points and that of ones E, they are proportional to the solution of (E + G) w = 1. It reports false where the
// points depend on each other.
func (m *mixture) affine() ([]float64, bool) {
	// The matrix, with the right-hand side as a last column.
	n := len(m.points)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n+1)
		for k := range n {
			rows[i][k] = 1 + dot(m.points[i], m.points[k])
		}
		rows[i][n] = 1
	}

	// Elimination without exchanges, since the matrix is positive definite.
	for i := range rows {
		pivot := rows[i][i]
		if !(pivot > noWeight*(1+dot(m.points[i], m.points[i]))) {
			return nil, false
		}
		for k := i + 1; k < n; k++ {
			f := rows[k][i] / pivot
			for c := i; c <= n; c++ {
				rows[k][c] -= f * rows[i][c]
			}
		}
	}

	// Back substitution, then the scale at which the weights sum to one.
	w := make([]float64, n)
	sum := 0.0
	for i := n - 1; i >= 0; i-- {
		w[i] = rows[i][n]
		for k := i + 1; k < n; k++ {
			w[i] -= rows[i][k] * w[k]
		}
		w[i] /= rows[i][i]
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, !math.IsNaN(sum) && sum != 0
}

// dot is the inner product.
func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
