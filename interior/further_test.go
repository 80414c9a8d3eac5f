package interior

import (
	"math/rand/v2"
	"testing"
)

// TestFurtherIterations compares runs with and without the iterations that come before a crossover. Their number is
// limited, and most have to end with small products of the pairs. The sum of these is about the duality gap of a point
// that nearly satisfies the equations.
func TestFurtherIterations(t *testing.T) {
	more, reached := 0, 0
	for seed := range uint64(20) {
		m := twoStage(rand.New(rand.NewPCG(seed, 13)))
		o := DefaultOptions()
		first := methodFor(t, m, o)
		first.opt.Crossover = false
		last := methodFor(t, m, o)
		if a, b := first.run(), last.run(); a != optimal || b != optimal {
			t.Fatalf("seed %d: %v without further iterations, %v with them", seed, a, b)
		}

		if last.iterations > first.iterations+max(5, first.iterations/4) {
			t.Errorf("seed %d: %d iterations instead of %d", seed, last.iterations, first.iterations)
		}
		before, after := first.complementarity(), last.complementarity()
		if after > before {
			t.Errorf("seed %d: products of %g become %g", seed, before, after)
		}
		if after < before {
			more++
		}
		if after <= fastProducts {
			reached++
		}
		if gap := first.last.gap; !(before < 10*gap && gap < 10*before) {
			t.Errorf("seed %d: products of %g, but a gap of %g", seed, before, gap)
		}
	}
	if more < 10 || reached < 15 {
		t.Errorf("%d of 20 runs went on, and %d came to small products", more, reached)
	}
}
