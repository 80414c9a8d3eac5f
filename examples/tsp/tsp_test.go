package main

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// shortest solves an instance by dynamic programming over sets of cities (Held and Karp 1962).
func (t *tsp) shortest() float64 {
	n := t.n - 1 // city n is the start
	best := make([][]float64, 1<<n)
	for set := range best {
		best[set] = make([]float64, n)
		for last := range n {
			best[set][last] = math.Inf(1)
			rest := set &^ (1 << last)
			switch {
			case set>>last&1 == 0:
			case rest == 0:
				best[set][last] = t.distance(n, last)
			default:
				for from := range n {
					if rest>>from&1 == 1 {
						best[set][last] = math.Min(best[set][last], best[rest][from]+t.distance(from, last))
					}
				}
			}
		}
	}
	least := math.Inf(1)
	for last := range n {
		least = math.Min(least, best[len(best)-1][last]+t.distance(last, n))
	}
	return least
}

func TestAgainstDynamicProgramming(t *testing.T) {
	opt := bnb.DefaultOptions()
	opt.Gap = 0
	for seed := range uint64(12) {
		in := random(5+int(seed)%8, seed)
		res, err := in.solve(context.Background(), opt)
		if err != nil || res.Status != lp.Optimal {
			t.Fatalf("seed %d: %v, %v", seed, res.Status, err)
		}
		if want := in.shortest(); math.Abs(res.Objective-want) > 1e-6 {
			t.Errorf("seed %d: length %.9g, want %.9g", seed, res.Objective, want)
		}
		if _, parts := in.components(res.X, 0.5); parts != 1 {
			t.Errorf("seed %d: %d cycles", seed, parts)
		}
	}
}

// TestCutsKeepTours separates points that are no mixtures of tours and checks the cuts against every tour.
func TestCutsKeepTours(t *testing.T) {
	for seed := range uint64(10) {
		in := random(6, seed)
		c := rand.New(rand.NewPCG(seed, 1)).Perm(6)
		prism, triangles := make([]float64, len(in.ends)), make([]float64, len(in.ends))
		for k := range 3 {
			prism[in.column(c[k], c[k+3])] = 1
			for _, part := range [][]int{c[:3], c[3:]} {
				e := in.column(part[k], part[(k+1)%3])
				prism[e], triangles[e] = 0.5, 1
			}
		}
		mixed := in.point(c)
		for e := range mixed {
			mixed[e] = 0.3*mixed[e] + 0.7*triangles[e]
		}
		blossoms, subtours := in.blossoms(prism), append(in.disconnected(triangles, 0.5), in.minimumCuts(mixed)...)
		if len(blossoms) == 0 || len(subtours) < 3 {
			t.Errorf("seed %d: %d blossoms, %d subtours", seed, len(blossoms), len(subtours))
		}
		for _, c := range blossoms {
			if activity(c, prism) > c.Lower-0.5 {
				t.Errorf("seed %d: a blossom is not violated", seed)
			}
		}
		in.eachTour(func(x []float64) {
			for _, c := range append(blossoms, subtours...) {
				if activity(c, x) < c.Lower {
					t.Fatalf("seed %d: a cut %+v excludes the tour %v", seed, c, x)
				}
			}
		})
	}
}

func activity(c bnb.Cut, x []float64) float64 {
	act := 0.0
	for k, j := range c.Index {
		act += c.Value[k] * x[j]
	}
	return act
}

// eachTour visits every tour that starts at city 0.
func (t *tsp) eachTour(visit func(x []float64)) {
	tour := []int{0}
	var walk func(used uint)
	walk = func(used uint) {
		if bits.OnesCount(used) == t.n {
			visit(t.point(tour))
			return
		}
		for i := range t.n {
			if used>>i&1 == 0 {
				tour = append(tour, i)
				walk(used | 1<<i)
				tour = tour[:len(tour)-1]
			}
		}
	}
	walk(1)
}

// TestHundredCities solves ten instances of 100 cities to optimality, each within 30 s of a free processor. It takes
// minutes and runs where the environment variable PROXYBD_SLOW is set.
func TestHundredCities(t *testing.T) {
	if os.Getenv("PROXYBD_SLOW") == "" {
		t.Skip("PROXYBD_SLOW is not set")
	}
	for seed := uint64(1); seed <= 10; seed++ {
		opt := bnb.DefaultOptions()
		opt.TimeLimit = 5 * time.Minute // the processor may be shared
		res, err := random(100, seed).solve(context.Background(), opt)
		if err != nil || res.Status != lp.Optimal {
			t.Errorf("seed %d: %v, %v", seed, res.Status, err)
		}
		t.Logf("seed %d: length %.3f, %d nodes, %v", seed, res.Objective, res.Nodes, res.Elapsed)
	}
}
