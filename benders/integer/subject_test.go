package integer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
)

// TestSubjectByManyThreads makes what a recorded run needs by several threads, each of which proves the lower bounds of
// some scenarios. The race detector has to find nothing, and the bounds are those of one thread.
func TestSubjectByManyThreads(t *testing.T) {
	var lower [][]float64
	for _, threads := range []int{1, 8} {
		p, err := New(binaryProgram(rand.New(rand.NewPCG(5, 1))))
		if err != nil {
			t.Fatal(err)
		}
		r := &run{p: p, base: p.relaxed.Program(), best: math.Inf(1)}
		o := decompose.DefaultOptions()
		o.Threads = threads
		r.begin(&o)
		s, err := r.subject(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}

		// Every epigraph has a proven bound.
		for k, cut := range s.Lower {
			if cut.Certificate == nil || math.IsInf(cut.Alpha, 0) || cut.Alpha != s.Problem.ThetaLower[k] {
				t.Errorf("%d threads: the bound of epigraph %d is %+v", threads, k, cut)
			}
		}
		lower = append(lower, s.Problem.ThetaLower)
	}
	for k, v := range lower[0] {
		if lower[1][k] != v {
			t.Errorf("epigraph %d: %v by one thread, %v by eight", k, v, lower[1][k])
		}
	}
}
