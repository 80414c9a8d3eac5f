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

// TestSameCutsInOrder checks that cut sets alone, and Gomory cuts alone, are those of one thread where the work has no
// limit.
func TestSameCutsInOrder(t *testing.T) {
	for _, kind := range []Kind{CutSet, Gomory} {
		count := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 7))
			m := networkOf(rng, 30+rng.IntN(30), 1, 100+rng.IntN(100))
			var runs [3][]Cut
			for k := range runs {
				opt := DefaultOptions()
				opt.Threads = k + 1
				for other := range opt.Off {
					opt.Off[other] = Kind(other) != kind
				}
				s, err := newSmall(m)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.separate(opt); err != nil {
					t.Fatal(err)
				}
				runs[k] = s.cuts
			}
			if !reflect.DeepEqual(runs[0], runs[1]) || !reflect.DeepEqual(runs[0], runs[2]) {
				t.Fatalf("%v, seed %d: %v, %v and %v", kind, seed, runs[0], runs[1], runs[2])
			}
			count += len(runs[0])
		}
		if count < 100 {
			t.Errorf("%v: only %d cuts", kind, count)
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
