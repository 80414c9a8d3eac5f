package symmetry

import (
	"context"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/internal/splitmix"
)

// Model is what a symmetry preserves. ByCol and ByRow are the matrix A, one transposed to the other.
type Model struct {
	Cost, Lower, Upper []float64 // by column
	Integer            []bool
	RowLower, RowUpper []float64 // by row
	ByCol, ByRow       *sparse.Matrix
}

// Permutation is a permutation of the columns that moves From[k] to To[k] and no other column. From is ascending.
type Permutation struct{ From, To []int32 }

// Options limit a search for symmetries.
type Options struct {
	Work    int // edges visited; see DefaultOptions
	Support int // columns that all permutations together move at most
}

// DefaultOptions returns limits for a model with that number of entries: a search takes about as long as a few hundred
// passes over the matrix at most, and under a second for the largest models.
func DefaultOptions(entries int) Options {
	return Options{Work: min(200*entries+1e6, 1e8), Support: 1e6}
}

// Find returns generators of a group of symmetries of m, the whole group unless a limit or the cancellation of ctx
// ends the search, and the number of edges visited.
func Find(ctx context.Context, m *Model, opt Options) (generators []Permutation, work int) {
	if ctx.Err() != nil {
		return nil, 0
	}
	g := newGraph(m)
	left := newPartition(g, m.keys())
	if !left.refine(func(uint64) bool { return ctx.Err() == nil }) {
		return nil, left.work
	}

	// A discrete partition leaves no symmetry but the identity.
	left.splits = nil
	s := &finder{
		m:     m,
		g:     g,
		opt:   opt,
		left:  left,
		right: left.clone(),
		joins: NewClasses(g.vertices),
		check: newChecker(m),
		seen:  make([]int32, g.vertices),
	}
	s.descend(ctx)
	s.ascend(ctx)
	return s.found, s.work()
}

// keys returns the initial colours of the vertices.
func (m *Model) keys() []uint64 {
	key := make([]uint64, 0, len(m.Cost)+len(m.RowLower))
	for j := range m.Cost {
		kind := 1.0
		if m.Integer[j] {
			kind = 2
		}
		key = append(key, splitmix.Floats(kind, m.Cost[j], m.Lower[j], m.Upper[j]))
	}
	for i := range m.RowLower {
		key = append(key, splitmix.Floats(3, m.RowLower[i], m.RowUpper[i]))
	}
	return key
}
