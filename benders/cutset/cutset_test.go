package cutset_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
)

// network draws a graph with node demands in every case: what leaves a node less what enters it.
func network(rng *rand.Rand, nodes, extra, cases int) (cutset.Network, [][]float64) {
	n := cutset.Network{Nodes: nodes}
	for v := range nodes {
		n.Tail, n.Head = append(n.Tail, int32(v)), append(n.Head, int32((v+1)%nodes))
	}
	for range extra {
		v := rng.IntN(nodes)
		n.Tail, n.Head = append(n.Tail, int32(v)), append(n.Head, int32((v+1+rng.IntN(nodes-1))%nodes))
	}
	demand := make([][]float64, cases)
	for k := range demand {
		capacity := make([]float64, len(n.Tail))
		for j := range capacity {
			capacity[j] = float64(rng.IntN(8)) + 0.1*float64(rng.IntN(3))
		}
		n.Capacity = append(n.Capacity, capacity)
		demand[k] = make([]float64, nodes)
		for range 2 {
			v, w, d := rng.IntN(nodes), rng.IntN(nodes), float64(1+rng.IntN(6))
			demand[k][v] += d
			demand[k][w] -= d
		}
	}
	n.Leaving = func(inside []bool, k int) float64 {
		total := 0.0
		for v, b := range demand[k] {
			if inside[v] {
				total += b
			}
		}
		return total
	}
	return n, demand
}

// routes reports whether the open arcs carry the demands of a case, by augmenting paths.
func routes(n cutset.Network, capacity, demand []float64, open func(j int) bool) bool {
	source, sink := n.Nodes, n.Nodes+1
	rest := make([][]float64, n.Nodes+2)
	for v := range rest {
		rest[v] = make([]float64, n.Nodes+2)
	}
	want := 0.0
	for v, b := range demand {
		if b > 0 {
			rest[source][v] += b
			want += b
		} else {
			rest[v][sink] -= b
		}
	}
	for j := range n.Tail {
		if open(j) {
			rest[n.Tail[j]][n.Head[j]] += capacity[j]
		}
	}
	for flow := 0.0; ; {
		from := make([]int, len(rest))
		for v := range from {
			from[v] = -1
		}
		from[source] = source
		for queue := []int{source}; len(queue) > 0; queue = queue[1:] {
			for w, r := range rest[queue[0]] {
				if r > 1e-9 && from[w] < 0 {
					from[w] = queue[0]
					queue = append(queue, w)
				}
			}
		}
		if from[sink] < 0 {
			return flow >= want-1e-7
		}
		step := math.Inf(1)
		for w := sink; w != source; w = from[w] {
			step = min(step, rest[from[w]][w])
		}
		for w := sink; w != source; w = from[w] {
			rest[from[w]][w] -= step
			rest[w][from[w]] += step
		}
		flow += step
	}
}

// TestInequalitiesHoldForAllDesigns separates at random points of networks that are listed and that are not, and holds
// what is found against every design that routes the demands of all cases. A violated inequality is one at the point.
func TestInequalitiesHoldForAllDesigns(t *testing.T) {
	found, designs := 0, 0
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 1))
		nodes, extra := 4, 6
		if seed%4 == 3 {
			nodes, extra = 11, 2
		}
		n, demand := network(rng, nodes, extra, 2)
		if seed%2 == 1 {
			n.Balance = demand
		}
		s := cutset.New(n, cutset.All)
		var cuts []benders.Cut
		for range 15 {
			y := make([]float64, len(n.Tail))
			for j := range y {
				y[j] = min(1, 1.4*rng.Float64())
			}
			at := s.Cuts(context.Background(), y, 5)
			for _, c := range at {
				if v := c.Value(y); v < 5e-5 {
					t.Errorf("seed %d: an inequality that is violated by %g only", seed, v)
				}
			}
			cuts = append(cuts, at...)
		}
		found += len(cuts)
		y := make([]float64, len(n.Tail))
		for mask := range 1 << len(y) {
			possible := true
			for k := 0; k < len(demand) && possible; k++ {
				possible = routes(n, n.Capacity[k], demand[k], func(j int) bool { return mask>>j&1 == 1 })
			}
			if !possible {
				continue
			}
			designs++
			for j := range y {
				y[j] = float64(mask >> j & 1)
			}
			for _, c := range cuts {
				if v := c.Value(y); v > 1e-9 {
					t.Fatalf("seed %d: design %b is cut off by %g: %+v", seed, mask, v, c)
				}
			}
		}
	}
	if found < 200 || designs < 500 {
		t.Errorf("%d inequalities, %d designs", found, designs)
	}
}

// inner counts how often it is asked.
type inner int

func (i *inner) Source() benders.Source { return "exact" }
func (i *inner) Separate(context.Context, benders.Point) (benders.Separation, error) {
	*i++
	return benders.Separation{Exact: true, Value: 7}, nil
}

// TestDesignsNeedNoMore asks the separator within at fractional points and at designs that satisfy the sets, and not at
// others.
func TestDesignsNeedNoMore(t *testing.T) {
	n := cutset.Network{Nodes: 2, Tail: []int32{0, 1}, Head: []int32{1, 0}, Capacity: [][]float64{{3, 3}},
		Leaving: func(inside []bool, _ int) float64 {
			if inside[0] {
				return 2
			}
			return -2
		}}
	var calls inner
	s := cutset.New(n, cutset.All).Before(&calls)
	for _, c := range []struct {
		y      []float64
		design bool
		calls  inner
		cuts   int
	}{{[]float64{0, 1}, true, 0, 1}, {[]float64{0.5, 0}, false, 1, 1}, {[]float64{1, 0}, true, 2, 0}} {
		r, err := s.Separate(context.Background(), benders.Point{Y: c.y, Integer: c.design})
		if err != nil || calls != c.calls || len(r.Cuts) != c.cuts || r.Infeasible != (c.design && c.cuts > 0) {
			t.Errorf("%+v: %+v, %v, asked %d times", c, r, err, calls)
		}
	}
}

// TestLeast has values by hand.
func TestLeast(t *testing.T) {
	capacity := []float64{5, 9, 2}
	arcs := []int32{0, 1, 2}
	cutset.Sort(arcs, capacity)
	for demand, want := range map[float64]int{0: 0, 9: 1, 9.1: 2, 14: 2, 16: 3, 17: 4} {
		if got := cutset.Least(arcs, capacity, demand); got != want {
			t.Errorf("%g: %d arcs, want %d", demand, got, want)
		}
	}
}
