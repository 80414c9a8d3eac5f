package integer

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestWaves lists the scenarios whose cost is not known, each once: few in the first wave and twice as many in the next,
// in each those of the longest searches first.
func TestWaves(t *testing.T) {
	r := &pricer{values: make([]value, 60), nodes: make([]int, 60)}
	for s := range r.nodes {
		r.nodes[s] = s * 7 % 5
		if s%10 == 3 {
			r.values[s].state = exact
		}
	}

	var sizes, all []int
	for wave := range r.waves() {
		sizes = append(sizes, len(wave))
		for k, s := range wave {
			if k > 0 && r.nodes[wave[k-1]] < r.nodes[s] {
				t.Errorf("a search of %d nodes after one of %d", r.nodes[s], r.nodes[wave[k-1]])
			}
			if s%10 == 3 {
				t.Errorf("scenario %d is known", s)
			}
		}
		all = append(all, wave...)
	}
	if want := []int{16, 32, 6}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("waves of %v scenarios, want %v", sizes, want)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 54 {
		t.Errorf("%v has a scenario twice", all)
	}
}

// TestLagrangianCutsHoldInAnyOrderOfBoxes makes cuts of the same scenarios in one random box after the other, so that
// searches begin with points of other boxes, and holds them against the cost of every design by enumeration.
func TestLagrangianCutsHoldInAnyOrderOfBoxes(t *testing.T) {
	begun, outside := 0, 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, r := prepared(t, binaryProgram(rng))
		d := newLagrangian(r)
		n := len(p.master.Cols)
		for range 4 {
			in := box{make([]float64, n), make([]float64, n)}
			at := make([]float64, n)
			for j := range n {
				in.lower[j] = float64(rng.IntN(2) * rng.IntN(2))
				in.upper[j] = max(in.lower[j], float64(rng.IntN(4)))
				in.upper[j] = min(1, in.upper[j])
				at[j] = in.lower[j] + rng.Float64()*(in.upper[j]-in.lower[j])
			}
			for s := range d.ascents {
				switch a := &d.ascents[s]; {
				case a.start(in) != nil:
					begun++
				case a.point != nil:
					outside++
				}
			}

			slopes := make([][]float64, len(p.weight))
			for s := range slopes {
				slopes[s] = make([]float64, n)
				for j := range n {
					slopes[s][j] = rng.NormFloat64() * 5
				}
			}
			planes, err := d.planes(t.Context(), in, at, slopes, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, y := range designs(n) {
				if !in.holds(y) {
					continue
				}
				if _, feasible, err := r.price(t.Context(), y, math.Inf(1)); err != nil || !feasible {
					t.Fatalf("seed %d: %v %v", seed, feasible, err)
				}
				for s := range planes {
					cut := planes[s].cut()
					if v := cut.Value(y); v > r.values[s].high+1e-7*max(1, math.Abs(v)) {
						t.Errorf("seed %d, scenario %d: %v at %v, and the cost is %v", seed, s, v, y, r.values[s].high)
					}
				}
			}
		}
	}
	if begun == 0 || outside == 0 {
		t.Errorf("%d searches begin with a point, %d points are outside of the box", begun, outside)
	}
}
