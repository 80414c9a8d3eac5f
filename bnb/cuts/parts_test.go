package cuts

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestThreads separates with several threads: the cuts are valid, and the same ones on every run.
func TestThreads(t *testing.T) {
	for threads := 2; threads <= 3; threads++ {
		opt := DefaultOptions()
		opt.Threads = threads
		divided := 0
		for seed := range uint64(300) {
			// Networks have many aggregations, which are divided.
			rng := rand.New(rand.NewPCG(seed, 6))
			m := drawNetwork(rng)

			// Both runs begin anew.
			var runs [2][]Cut
			for k := range runs {
				s, err := newSmall(m)
				if err != nil {
					t.Fatal(err)
				}
				count, err := s.separate(opt)
				if err == nil {
					err = s.verify()
				}
				if err != nil {
					t.Fatalf("%d threads, seed %d: %v", threads, seed, err)
				}

				runs[k] = s.cuts
				divided += count[Rounding] + count[FlowCover]
			}
			if !reflect.DeepEqual(runs[0], runs[1]) {
				t.Fatalf("%d threads, seed %d: %v and %v", threads, seed, runs[0], runs[1])
			}
		}
		if divided < 100 {
			t.Errorf("%d threads: only %d cuts of aggregations", threads, divided)
		}
	}
}

// TestSpan compares the span of a call with its work.
func TestSpan(t *testing.T) {
	for _, threads := range []int{1, 2} {
		s, err := newSmall(chains(40))
		if err != nil {
			t.Fatal(err)
		}
		opt := DefaultOptions()
		opt.Threads = threads
		g := New(s.model, s, opt)
		x, fractional := halfOpen(s)
		_, work := g.Separate(x, fractional, Limits{Cuts: 30, Work: 1 << 30})
		switch span := g.Span(); {
		case threads == 1 && span != work:
			t.Errorf("one thread: span %d of work %d", span, work)
		case threads == 2 && (span >= work || 2*span < work):
			t.Errorf("two threads: span %d of work %d", span, work)
		}
	}
}
