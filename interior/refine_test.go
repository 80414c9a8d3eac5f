package interior

import (
	"math/rand/v2"
	"testing"
)

// TestRefinement solves systems of late iterates whose factors are of a matrix with much larger diagonals. The residual
// has to be what solve says, and small; iterative refinement has to leave far more after as many solves, or the models
// would be too easy.
func TestRefinement(t *testing.T) {
	hardest := 0.0
	for seed := range uint64(5) {
		m := twoStage(rand.New(rand.NewPCG(seed, 9)))
		o := DefaultOptions()
		o.Limits.Iterations = 9
		o.Crossover = false
		w := methodFor(t, m, o)
		w.run()

		// The factors are of a matrix with other diagonals, and the right-hand side is random.
		k := w.kkt
		k.growth = 1e-4
		if err := k.factorize(w.d); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 10))
		for j := range w.r {
			w.r[j] = rng.NormFloat64()
		}
		for i := range w.s {
			w.s[i] = rng.NormFloat64()
		}
		dx, dy := make([]float64, k.n), make([]float64, k.m)
		off := k.solve(w.d, w.r, w.s, dx, dy)
		size := 1 + norm(w.r) + norm(w.s)
		real := k.residual(w.d, w.r, w.s, dx, dy) / size

		// Iterative refinement adds the corrections as they are.
		k.solveOnce(w.r, w.s, dx, dy)
		x, y := make([]float64, k.n), make([]float64, k.m)
		for range refineMost {
			k.residual(w.d, w.r, w.s, dx, dy)
			k.solveOnce(k.resX, k.resY, x, y)
			add(1, x, dx)
			add(1, y, dy)
		}
		hardest = max(hardest, k.residual(w.d, w.r, w.s, dx, dy)/size)
		if !(real < 1e-8 && off < 4*real && real < 4*off) {
			t.Errorf("seed %d: residual %g, solve says %g", seed, real, off)
		}
	}
	if hardest < 1e-4 {
		t.Errorf("iterative refinement leaves %g at most", hardest)
	}
}
