package symmetry

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/internal/countdown"
	"github.com/proxybd/proxybd/internal/sparse"
)

// randomModel draws a small model with few different numbers, so that symmetries are frequent.
func randomModel(rng *rand.Rand, n, rows int) *Model {
	m := &Model{}
	for range n {
		m.Cost = append(m.Cost, float64(rng.IntN(2)))
		m.Lower = append(m.Lower, 0)
		m.Upper = append(m.Upper, 1)
		m.Integer = append(m.Integer, rng.IntN(5) > 0)
	}
	var entries []sparse.Triplet
	for i := range rows {
		m.RowLower = append(m.RowLower, 0)
		m.RowUpper = append(m.RowUpper, float64(rng.IntN(2)))
		for j := range n {
			if v := rng.IntN(5); v < 2 {
				entries = append(entries, sparse.Triplet{Major: int32(j), Minor: int32(i), Value: float64(v)})
			}
		}
	}
	m.ByCol, _ = sparse.Compress(n, rows, entries)
	m.ByRow = m.ByCol.Transpose()
	return m
}

// dense returns row i.
func (m *Model) dense(i int) []float64 {
	out := make([]float64, len(m.Cost))
	index, value := m.ByRow.Vec(i)
	for k, j := range index {
		out[j] = value[k]
	}
	return out
}

// symmetric reports whether the map of the columns is a symmetry: the sorted rows are the same after it.
func (m *Model) symmetric(image []int32) bool {
	var before, after [][]float64
	for j, l := range image {
		if m.Cost[j] != m.Cost[l] || m.Integer[j] != m.Integer[l] {
			return false
		}
	}
	for i := range m.RowLower {
		row := m.dense(i)
		moved := make([]float64, len(row)+2)
		for j, v := range row {
			moved[image[j]] = v
		}
		moved[len(row)] = m.RowUpper[i]
		before = append(before, append(row, m.RowUpper[i], 0))
		after = append(after, moved)
	}
	slices.SortFunc(before, slices.Compare)
	slices.SortFunc(after, slices.Compare)
	return slices.EqualFunc(before, after, slices.Equal)
}

// count returns the number of symmetries by enumeration, and joins the orbits.
func (m *Model) count(joins Classes) int {
	n := len(m.Cost)
	image := make([]int32, n)
	for j := range image {
		image[j] = int32(j)
	}

	// All permutations of the columns are tried.
	total := 0
	var walk func(k int)
	walk = func(k int) {
		if k == n {
			if m.symmetric(image) {
				total++
				for j, l := range image {
					joins.Join(int32(j), l)
				}
			}
			return
		}

		// Each column that is in no place before k is put into place k in turn.
		for i := k; i < n; i++ {
			image[k], image[i] = image[i], image[k]
			walk(k + 1)
			image[k], image[i] = image[i], image[k]
		}
	}

	walk(0)
	return total
}

// order returns the order of the group that the generators generate, by enumeration.
func order(n int, generators []Permutation) int {
	start := make([]int32, n)
	for j := range start {
		start[j] = int32(j)
	}

	key := func(p []int32) string {
		b := make([]byte, n)
		for j, l := range p {
			b[j] = byte(l)
		}
		return string(b)
	}

	// Products of known elements and generators are added until none is new; in a finite group these are all elements.
	known := map[string]bool{key(start): true}
	list := [][]int32{start}
	for k := 0; k < len(list); k++ {
		for _, g := range generators {
			next := slices.Clone(list[k])
			for i, j := range g.From {
				next[j] = list[k][g.To[i]]
			}
			if !known[key(next)] {
				known[key(next)] = true
				list = append(list, next)
			}
		}
	}

	return len(list)
}

// TestFindAgainstEnumeration compares the order of the group and its orbits with those of all permutations.
func TestFindAgainstEnumeration(t *testing.T) {
	nontrivial := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 2 + rng.IntN(5)
		m := randomModel(rng, n, 1+rng.IntN(5))

		// The enumeration gives the number of symmetries, and the orbits in joins.
		joins := NewClasses(n)
		want := m.count(joins)
		generators, _ := Find(context.Background(), m, DefaultOptions(100))
		if got := order(n, generators); got != want {
			t.Errorf("seed %d: order %d, want %d", seed, got, want)
		}

		// The group has the same orbits, and each of the elements that it keeps is a symmetry.
		g := NewGroup(n, generators)
		all := []int32{0, 1, 2, 3, 4, 5}[:n]
		if want := joins.Among([][]int32{all}); !slices.EqualFunc(g.Orbits, want, slices.Equal) {
			t.Errorf("seed %d: orbits %v, want %v", seed, g.Orbits, want)
		}

		for _, e := range g.Elements {
			image := make([]int32, n)
			for j := range image {
				image[j] = int32(j)
			}
			for k, j := range e.From {
				image[j] = e.To[k]
			}
			if !m.symmetric(image) {
				t.Errorf("seed %d: %v is no symmetry", seed, e)
			}
		}

		// Models without symmetries show little, so enough models with some must be drawn.
		if want > 1 {
			nontrivial++
		}
	}
	if nontrivial < 200 {
		t.Errorf("only %d models have symmetries", nontrivial)
	}
}

// assignment is the model of k equal bins and given items: an equation an item, a capacity and an opening a bin.
func assignment(sizes []float64, bins int) *Model {
	m := &Model{}
	items := len(sizes)
	var entries []sparse.Triplet

	// A column is an item in a bin, or the opening of a bin.
	add := func(cost float64) int {
		m.Cost = append(m.Cost, cost)
		m.Lower = append(m.Lower, 0)
		m.Upper = append(m.Upper, 1)
		m.Integer = append(m.Integer, true)
		return len(m.Cost) - 1
	}

	// Row i puts item i into exactly one bin.
	for range items {
		m.RowLower = append(m.RowLower, 1)
		m.RowUpper = append(m.RowUpper, 1)
	}

	// By the row of a bin, the sizes of its items sum to at most 100 if it is open, and to 0 if it is not.
	for b := range bins {
		m.RowLower = append(m.RowLower, -100)
		m.RowUpper = append(m.RowUpper, 0)
		row := int32(items + b)

		y := add(1)
		entries = append(entries, sparse.Triplet{Major: int32(y), Minor: row, Value: -100})
		for i, size := range sizes {
			x := int32(add(0))
			entries = append(entries, sparse.Triplet{Major: x, Minor: int32(i), Value: 1},
				sparse.Triplet{Major: x, Minor: row, Value: size})
		}
	}

	m.ByCol, _ = sparse.Compress(len(m.Cost), len(m.RowLower), entries)
	m.ByRow = m.ByCol.Transpose()
	return m
}

// TestEqualBins checks that bins are exchanged by all transpositions, and that the work is moderate.
func TestEqualBins(t *testing.T) {
	sizes := []float64{11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}
	m := assignment(sizes, 12)
	generators, work := Find(context.Background(), m, DefaultOptions(m.ByCol.NNZ()))
	g := NewGroup(len(m.Cost), generators)
	if len(generators) != 11 || len(g.Elements) != 66 || len(g.Orbits) != 13 {
		t.Errorf("%d generators, %d elements, %d orbits", len(generators), len(g.Elements), len(g.Orbits))
	}
	if work > 200*m.ByCol.NNZ() {
		t.Errorf("work %d", work)
	}
}

// TestWorkLimit checks that a limit ends a search with what it has.
func TestWorkLimit(t *testing.T) {
	m := assignment([]float64{1, 1, 1, 1, 1, 1}, 8)
	opt := DefaultOptions(m.ByCol.NNZ())
	all, work := Find(context.Background(), m, opt)
	opt.Work = work / 2
	some, spent := Find(context.Background(), m, opt)
	if len(some) >= len(all) || spent > work {
		t.Errorf("%d generators of %d with %d of the work %d", len(some), len(all), spent, work)
	}
}

// TestCancellation ends the search at each call of its context, the first refinement too: it then has the first of the
// generators, for a part of the work, and without any time none for no work.
func TestCancellation(t *testing.T) {
	m := assignment([]float64{1, 1, 2, 2, 3, 3}, 4)
	opt := DefaultOptions(m.ByCol.NNZ())
	all, work := Find(context.Background(), m, opt)

	last := 0
	for calls := 0; ; calls++ {
		ctx := countdown.After(calls)
		some, spent := Find(ctx, m, opt)
		if !ctx.Over() {
			break
		}
		first := slices.EqualFunc(some, all[:min(len(some), len(all))], func(a, b Permutation) bool {
			return slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To)
		})
		if !first || spent < last || spent > work || calls == 0 && spent > 0 {
			t.Errorf("%d calls: %d generators of %d, work %d of %d after %d", calls, len(some), len(all), spent, work, last)
		}
		last = spent
	}
	if last == 0 || last >= work {
		t.Errorf("the last interrupted search did the work %d of %d", last, work)
	}
}
