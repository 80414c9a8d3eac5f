package ordering

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNestedDissection orders random graphs, with the same result for any number of threads.
func TestNestedDissection(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(r)
		order := NestedDissection(g, 1, nil)
		checkPermutation(t, order, g.Order())
		if !slices.Equal(order, NestedDissection(g, 4, nil)) {
			t.Errorf("seed %d: another order with four threads", seed)
		}
	}
}

// TestDissectionOfGrids compares the fill with that of minimum degree on grids: nested dissection has the least order
// of growth there, which shows in three dimensions first.
func TestDissectionOfGrids(t *testing.T) {
	for _, shape := range [][3]int{{60, 60, 1}, {13, 13, 13}} {
		g := grid(shape[0], shape[1], shape[2])
		order := NestedDissection(g, 2, nil)
		checkPermutation(t, order, g.Order())
		dissection := fill(g, order)
		degree := fill(g, MinimumDegree(g, nil))
		t.Logf("grid %v: nested dissection %d, minimum degree %d", shape, dissection, degree)
		if float64(dissection) > 1.05*float64(degree) {
			t.Errorf("grid %v: nested dissection %d, minimum degree %d", shape, dissection, degree)
		}
	}
}

// TestSeparators checks that separators of random graphs separate, that their sums are right after refinement, and that
// a grid has one about as small as its side.
func TestSeparators(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 6))
		g, _ := compress(randomGraph(r), make([]bool, 300))
		checkSeparator(t, g, bisect(g, r))
	}
	g, _ := compress(grid(50, 30, 1), make([]bool, 1500))
	side := bisect(g, rand.New(rand.NewPCG(1, 1)))
	checkSeparator(t, g, side)
	if size := newSeparator(g, side).parts[middle]; size > 33 {
		t.Errorf("separator of %d vertices of a 50 x 30 grid", size)
	}
}

// checkSeparator fails if a vertex of the left is a neighbour of one of the right.
func checkSeparator(t *testing.T, g *weighted, side []int8) {
	t.Helper()
	for v := range int32(g.order()) {
		adj, _ := g.neighbours(v)
		for _, u := range adj {
			if side[v]+side[u] == left+right && side[v] != side[u] {
				t.Fatalf("vertices %d and %d are neighbours on different sides", v, u)
			}
		}
	}
}

// TestSeparatorSums moves vertices at random and compares the sums with those of a new separator.
func TestSeparatorSums(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 7))
		g, _ := compress(randomGraph(r), make([]bool, 300))
		s := newSeparator(g, grow(g, int32(r.IntN(g.order()))))

		// A pass to both sides begins, in which all vertices of the separator may move.
		s.pass = 1
		s.toward = middle
		for v, side := range s.side {
			if side == middle {
				s.enqueue(int32(v))
			}
		}

		// The sums are right after the moves, and again when all of them are undone.
		start := slices.Clone(s.side)
		for range 20 {
			v, to := s.choose()
			if v < 0 {
				break
			}
			s.move(v, to)
		}
		compareSums(t, s)
		checkSeparator(t, g, s.side)
		s.rollBack(0)
		compareSums(t, s)
		if !slices.Equal(s.side, start) {
			t.Errorf("seed %d: the sides are not those of the start", seed)
		}
	}
}

// compareSums fails if the sums of a separator differ from those of its sides.
func compareSums(t *testing.T, s *separator) {
	t.Helper()
	want := newSeparator(s.g, s.side)
	if s.parts != want.parts {
		t.Fatalf("weights %v, want %v", s.parts, want.parts)
	}
	for v, side := range s.side {
		if side == middle && s.near[v] != want.near[v] {
			t.Fatalf("vertex %d: weights of neighbours %v, want %v", v, s.near[v], want.near[v])
		}
	}
}

// TestCompress merges the twins of a graph in which each vertex was replaced by a clique.
func TestCompress(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 8))
		small := randomGraph(r)
		n := small.Order()

		// The copies of a vertex are neighbours of each other and of all copies of its neighbours.
		const copies = 3
		var edges [][2]int32
		for v := range int32(n) {
			for a := range int32(copies) {
				for b := range a {
					edges = append(edges, [2]int32{v*copies + a, v*copies + b})
				}
				for _, u := range small.Neighbours(v) {
					for b := range int32(copies) {
						edges = append(edges, [2]int32{v*copies + a, u*copies + b})
					}
				}
			}
		}

		// These have the same neighbours, so that they become one vertex, which has their weight.
		c, to := compress(fromEdges(copies*n, edges), make([]bool, copies*n))
		for v := range n {
			if to[copies*v] != to[copies*v+1] || to[copies*v] != to[copies*v+2] {
				t.Fatalf("seed %d: the copies of vertex %d are different", seed, v)
			}
		}
		if c.total != int64(copies*n) {
			t.Errorf("seed %d: weight %d of %d vertices", seed, c.total, copies*n)
		}
	}
}

// FuzzOrderings orders graphs of any bytes, every two of them an edge.
func FuzzOrderings(f *testing.F) {
	f.Add(uint8(0), []byte{})
	f.Add(uint8(5), []byte{0, 1, 1, 2, 2, 3, 3, 4})
	f.Fuzz(func(t *testing.T, order uint8, data []byte) {
		n := int(order)
		var edges [][2]int32
		for len(data) >= 2 && n > 0 {
			edges = append(edges, [2]int32{int32(int(data[0]) % n), int32(int(data[1]) % n)})
			data = data[2:]
		}
		g := fromEdges(n, edges)
		checkPermutation(t, MinimumDegree(g, nil), n)
		checkPermutation(t, NestedDissection(g, 1, nil), n)
	})
}

// BenchmarkOrderings orders grids.
func BenchmarkOrderings(b *testing.B) {
	for _, c := range []struct {
		name string
		g    *Graph
	}{{"flat", grid(300, 300, 1)}, {"cube", grid(30, 30, 30)}} {
		b.Run(c.name+"/degree", func(b *testing.B) {
			for b.Loop() {
				MinimumDegree(c.g, nil)
			}
		})
		b.Run(c.name+"/dissection", func(b *testing.B) {
			for b.Loop() {
				NestedDissection(c.g, 1, nil)
			}
		})
	}
}
