package simplex

import "math"

// fingerprint checks A x = s and d = c - A'y in time linear in rows and columns, after Freivalds (1979):
// both sides are compared under a fixed random weighting. Equations that hold pass; those that fail
// escape only if their errors cancel under the weights or drown in the rounding of the sum.
type fingerprint struct {
	ok      bool
	rowSide []float64 // A v, by row, v the weights of the columns
	colSide []float64 // A'w, by column, w the weights of the rows
	weight  []float64 // weightAt of the numbers computed so far
}

// weights returns weightAt of the numbers below n.
func (g *fingerprint) weights(n int) []float64 {
	// The weights depend on their number alone, so that those computed before stay valid.
	for k := len(g.weight); k < n; k++ {
		g.weight = append(g.weight, weightAt(k))
	}
	return g.weight[:n]
}

// weightAt returns a number in [1, 2) that depends on k alone.
func weightAt(k int) float64 { return 1 + mix(uint64(k)*0x9e3779b97f4a7c15+0x632be59bd9b4e019) }

// compute makes the two sides from the matrix.
func (g *fingerprint) compute(a *matrix) {
	g.rowSide = resize(g.rowSide, a.m)
	g.colSide = resize(g.colSide, a.n)
	clear(g.rowSide)

	// One pass over the columns serves both sides.
	weight := g.weights(max(a.m, a.n))
	for j := range a.n {
		index, value := a.cols.Vec(j)
		v := weight[j]
		sum := 0.0
		for k, i := range index {
			sum += value[k] * weight[i]
			g.rowSide[i] += value[k] * v
		}
		g.colSide[j] = sum
	}
	g.ok = true
}

// invalidate marks the sides as those of another matrix.
func (g *fingerprint) invalidate() { g.ok = false }

// appendRow accounts for the new row m of a with scaled coefficients value[k] * scale * colScale.
func (g *fingerprint) appendRow(a *matrix, index []int32, value []float64, scale float64) {
	if !g.ok {
		return
	}

	w := weightAt(a.m)
	sum := 0.0
	for k, j := range index {
		v := value[k] * scale * a.colScale[j]
		sum += v * weightAt(int(j))
		g.colSide[j] += v * w
	}
	g.rowSide = append(g.rowSide, sum)
}

// holds compares both pairs of sides; false means that the full check must decide.
func (g *fingerprint) holds(s *basicSolution) bool {
	if !g.ok {
		g.compute(&s.matrix)
		s.factor.charge(s.cols.NNZ())
	}

	// w'(A x - s) and v'(c - A'y - d) are zero.
	var primal, dual weighted
	weight := g.weights(max(s.m, s.n))
	cost, reduced, side := s.cost[:s.n], s.duals.d[:s.n], g.colSide[:s.n]
	for j, w := range weight[:s.n] {
		if x := s.value(j); x != 0 {
			primal.add(side[j] * x)
		}
		dual.add(w * cost[j])
		dual.add(-w * reduced[j])
	}

	for i := range s.m {
		primal.add(-weight[i] * s.value(s.n+i))
		dual.add(-g.rowSide[i] * s.duals.d[s.n+i])
	}

	// Both sums are zero but for rounding, in proportion to the sizes of their terms.
	s.factor.charge(s.n + s.m)
	return primal.isZero() && dual.isZero()
}

// weighted is a sum that should be zero, and the sum of the absolute terms.
type weighted struct{ sum, size float64 }

// add adds the term t.
func (w *weighted) add(t float64) {
	w.sum += t
	w.size += math.Abs(t)
}

// isZero reports whether the sum is zero but for rounding.
func (w *weighted) isZero() bool { return math.Abs(w.sum) <= fingerprintTol*(1+w.size) }

// fingerprintTol is the relative error of a weighted sum that rounding may account for.
const fingerprintTol = 1e-11
