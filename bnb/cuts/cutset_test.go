package cuts

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// chains sends two units through two chains of that many arcs, to their common end, from a node before them. The rows
// come in another order, times numbers of either sign.
func chains(arcs int) *lp.Model {
	m := &lp.Model{}
	nodes := 2*arcs - 1 // the end, and the others of the chains
	index, value := make([][]int32, nodes), make([][]float64, nodes)
	put := func(v int, x int32, a float64) {
		index[v], value[v] = append(index[v], x), append(value[v], a)
	}
	for chain := range 2 {
		for k := range arcs { // towards the end, which is node 0
			x := int32(m.AddCol(lp.Col{Upper: math.Inf(1)}))
			y := int32(m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true}))
			m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x, y}, []float64{1, -100})
			if k > 0 {
				put(1+chain*(arcs-1)+k-1, x, -1)
			}
			if k < arcs-1 {
				put(1+chain*(arcs-1)+k, x, 1)
			} else {
				put(0, x, 1)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, v := range rng.Perm(nodes) {
		need, f := 0.0, float64(rng.IntN(5)+1)*float64(2*rng.IntN(2)-1)
		if v == 0 {
			need = 2 * f
		}
		for k := range value[v] {
			value[v][k] *= f
		}
		m.AddRow(lp.Row{Lower: need, Upper: need}, index[v], value[v])
	}
	return m
}

// halfOpen is a point of chains whose arcs are all half open, and its fractional columns.
func halfOpen(s *small) (x []float64, fractional []int32) {
	x = make([]float64, len(s.m.Cols))
	for j := range x {
		x[j] = 1
		if j%2 == 1 {
			x[j] = 0.5
			fractional = append(fractional, int32(j))
		}
	}
	return x, fractional
}

// TestFarCutSet closes the first arcs of two long chains more than the others: a walk from the end does not get there.
func TestFarCutSet(t *testing.T) {
	const arcs = 3 * aggregateLen
	s, err := newSmall(chains(arcs))
	if err != nil {
		t.Fatal(err)
	}
	x, fractional := halfOpen(s)
	first := [2]int{1, 2*arcs + 1}
	x[first[0]], x[first[1]] = 0.2, 0.3
	opt := DefaultOptions()
	for k := range opt.Off {
		opt.Off[k] = Kind(k) != CutSet
	}
	list, _ := New(s.model, s, opt).Separate(x, fractional, Limits{Cuts: 30, Work: math.MaxInt})
	if len(list) != 1 || len(list[0].Index) != 2 {
		t.Fatalf("%v are not one cut of two columns", list)
	}
	for k, j := range list[0].Index {
		if c := list[0].Value[k] / list[0].Upper; int(j) != first[k] || math.Abs(c-1) > 1e-6 {
			t.Errorf("the cut is %v x%v <= %g", list[0].Value, list[0].Index, list[0].Upper)
		}
	}
}

// TestNetwork reads a network with a row that has the wrong sign for all others, one that gives as much as is asked
// for, and a capacity of two flows together.
func TestNetwork(t *testing.T) {
	m := &lp.Model{}
	for range 4 {
		m.AddCol(lp.Col{Upper: 10})
	}
	inf := math.Inf(1)
	m.AddRow(lp.Row{Lower: -inf, Upper: 8}, []int32{0, 1}, []float64{1, 1})     // node 2: gives at most 8
	m.AddRow(lp.Row{Lower: -3, Upper: -3}, []int32{0, 2}, []float64{-1, 1})     // node 0: needs 3
	m.AddRow(lp.Row{Lower: 8, Upper: 8}, []int32{1, 2, 3}, []float64{2, 2, -2}) // node 1: needs 4
	m.AddRow(lp.Row{Lower: -inf, Upper: 9}, []int32{0, 2}, []float64{1, 1})     // of one sign where its columns have two
	m.AddRow(lp.Row{Lower: -inf, Upper: 9}, []int32{0, 2}, []float64{1, 3})
	s, err := newSmall(m)
	if err != nil {
		t.Fatal(err)
	}
	n := newNetwork(s.model)
	if n == nil || len(n.row) != 3 || n.row[0] != 1 || n.row[1] != 2 || n.row[2] != 0 {
		t.Fatalf("%+v", n)
	}
	sign := -n.weight[0] // the first node may be either way round
	if sign*n.weight[1] != 0.5 || sign*n.weight[2] != -1 {
		t.Errorf("weights %v", n.weight)
	}
	lower := [3]float64{3, 4, -8}
	for v, want := range lower {
		got := n.lower[v]
		if sign < 0 {
			got = -n.upper[v]
		}
		if got != want {
			t.Errorf("node %d needs %g, not %g", v, got, want)
		}
	}
	ends := map[int32][2]int32{0: {2, 0}, 1: {2, 1}, 2: {0, 1}, 3: {1, 3}}
	for k, j := range n.column {
		tail, head := n.tail[k], n.head[k]
		if sign < 0 {
			tail, head = head, tail
		}
		if j >= 0 && ends[j] != [2]int32{tail, head} {
			t.Errorf("column %d goes from %d to %d", j, tail, head)
		}
	}
}
