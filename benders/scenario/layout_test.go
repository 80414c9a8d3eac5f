package scenario

import "testing"

// TestLayout holds what the chunks of a program are: all scenarios have one, few scenarios one each, and those of the
// coarse relaxation are about as many for any number of chunks.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ scenarios, chunks int }{
		{1, 1}, {63, 63}, {64, 64}, {1000, 64}, {16384, 64}, {25600, 100}, {100_000, 390}, {1_000_000, 1024},
	} {
		if got := ChunksOf(c.scenarios); got != c.chunks {
			t.Errorf("%d scenarios: %d chunks, want %d", c.scenarios, got, c.chunks)
		}
	}
	for n := minChunks; n <= maxChunks; n++ {
		coarse := (n + coarseStep(n) - 1) / coarseStep(n)
		if coarse < minChunks || coarse >= 2*minChunks {
			t.Fatalf("%d chunks: a coarse relaxation of %d scenarios", n, coarse)
		}
	}
}
