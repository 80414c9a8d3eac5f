package ufl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSearchFindsOptimaOfTinyInstances(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		best, _ := bruteForce(in)
		d := search(context.Background(), in, defaultSearch)
		if d.Cost != in.TotalCost(d.Open) || !slices.IsSorted(d.Open) {
			t.Fatalf("design %+v", d)
		}
		if v := float(exactTotal(in, d.Open)); v > float(best)*(1+1e-9)+1e-300 {
			t.Fatalf("found %g, the optimum is %g", v, float(best))
		}
	})
}

// TestSavings compares every saving that the local search keeps, after any sequence of moves, with the exact
// difference of two costs, and that the incremental and the fresh computation agree.
func TestSavings(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 3 + rng.IntN(40)
		in := randomInstance(rng, n, 1+rng.IntN(40), []string{"uniform", "ties", "forbidden"}[seed%3])
		s := newLocalSearch(in)
		s.Set(randomDesign(rng, n))
		for range 12 {
			checkSavings(t, seed, in, s)
			var b move
			b.in, b.out = -1, -1
			if in := int32(rng.IntN(n)); s.slot[in] < 0 {
				b.in = in
			}
			if rng.IntN(2) == 0 && (len(s.open) > 1 || b.in >= 0) {
				b.out = int32(rng.IntN(len(s.open)))
			}
			if b.in >= 0 || b.out >= 0 {
				if len(s.open) > 2 && rng.IntN(3) > 0 { // the incremental path, whatever the number open
					s.updates++
					if b.in >= 0 {
						s.insert(b.in)
					}
					if b.out >= 0 {
						s.remove(b.out)
					}
				} else {
					s.apply(b)
				}
			}
		}
	}
}

func randomDesign(rng *rand.Rand, n int) []int32 {
	open := []int32{}
	for j := range n {
		if rng.IntN(3) == 0 {
			open = append(open, int32(j))
		}
	}
	if len(open) == 0 {
		open = append(open, int32(rng.IntN(n)))
	}
	return open
}

func checkSavings(t *testing.T, seed uint64, in *Instance, s *localSearch) {
	t.Helper()
	cost := in.TotalCost(s.open)
	scale := 1e-9 * (1 + cost + slices.Max(in.Cost)*float64(in.Clients))
	same := func(what string, got float64, next []int32) {
		if want := cost - in.TotalCost(next); !(math.Abs(got-want) <= scale) {
			t.Fatalf("seed %d: %s saves %g, want %g", seed, what, got, want)
		}
	}
	for j := range in.Facilities {
		if s.slot[j] >= 0 {
			continue
		}
		if len(s.open) > 1 { // with one open the gain is still right
			same("opening", s.gain[j], append(slices.Clone(s.open), int32(j)))
		}
		for r := range s.open {
			next := slices.Clone(s.open)
			next[r] = int32(j)
			same("a swap", s.gain[j]-s.loss[r]+s.extra[r][j], next)
		}
	}
	for r := range s.open {
		if len(s.open) > 1 {
			same("closing", -s.loss[r], slices.Delete(slices.Clone(s.open), r, r+1))
		}
	}
}

func TestDescendNeverLoses(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		in := randomInstance(rng, 5+rng.IntN(60), 5+rng.IntN(60), kinds[seed%uint64(len(kinds))])
		open := randomDesign(rng, in.Facilities)
		s := newLocalSearch(in)
		s.Set(open)
		cost := s.Descend(context.Background())
		if cost != in.TotalCost(s.Open()) || cost > in.TotalCost(open) {
			t.Fatalf("seed %d: from %g to %g, which is %g", seed, in.TotalCost(open), cost, in.TotalCost(s.Open()))
		}
		for j := range in.Facilities { // locally optimal: no facility opened, closed or swapped saves anything
			next := slices.Clone(s.open)
			if k := slices.Index(next, int32(j)); k >= 0 {
				next = slices.Delete(next, k, k+1)
			} else {
				next = append(next, int32(j))
			}
			if v := in.TotalCost(next); v < cost*(1-1e-9) {
				t.Fatalf("seed %d: changing facility %d alone improves %g to %g", seed, j, cost, v)
			}
		}
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		s.Set(open)
		if got := s.Descend(cancelled); got != in.TotalCost(open) {
			t.Fatalf("seed %d: a cancelled descent moved", seed)
		}
	}
}

func TestSearchIsDeterministic(t *testing.T) {
	in, err := generate(customClass(80, 90), 5)
	if err != nil {
		t.Fatal(err)
	}
	a := search(context.Background(), in, defaultSearch)
	b := search(context.Background(), in.Clone(), defaultSearch)
	if a.Cost != b.Cost || !slices.Equal(a.Open, b.Open) {
		t.Errorf("%+v and %+v", a, b)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if d := search(cancelled, in, defaultSearch); d.Cost != in.TotalCost(d.Open) {
		t.Errorf("cancelled: %+v", d)
	}
}

// TestSearchOnLibrary checks that the default search reaches the published value on every M instance.
func TestSearchOnLibrary(t *testing.T) {
	values := optima(t)
	for _, class := range []string{"MO", "MP", "MQ", "MR"} {
		for _, number := range []string{"1", "2", "3", "4"} {
			name := class + number
			in := load(t, name)
			d := search(context.Background(), in, defaultSearch)
			if !(math.Abs(d.Cost-values[name]) <= 1e-6*values[name]) {
				t.Errorf("%s: found %.6f, published %.6f", name, d.Cost, values[name])
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{"MO", "MR"} {
		c, err := classOf(name)
		if err != nil {
			b.Fatal(err)
		}
		in, err := generate(c, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				search(context.Background(), in, defaultSearch)
			}
		})
	}
}
