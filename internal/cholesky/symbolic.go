package cholesky

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/proxybd/proxybd/internal/ordering"
)

// Symbolic is the analysis of a pattern: an ordering, the structure of the factor, and predictions. It is read-only
// after Analyse, so that several factors may share it.
type Symbolic struct {
	n       int
	given   int // entries of the given pattern
	method  Ordering
	threads int
	stop    func() bool // never nil, see Options.Stop

	perm     []int32 // perm[k] is the row of A that is row k of P A P'
	place    []int32 // the inverse of perm
	nonZeros int64
	flops    float64

	fronts   []front
	children [][]int32 // of each front, in ascending order
	rows     []int32   // rows of the fronts below their pivots
	parentAt []int32   // for each of them, its place among the rows of the parent's front
	entries  assembly
	schedule schedule
	solution solution
}

// front is the dense matrix in which the pivots of a supernode are eliminated: the rows of its pivots, and the update
// matrix that remains of the others for the parent.
type front struct {
	first  int32 // first pivot
	pivots int32
	size   int32 // rows, with those of the pivots
	parent int32 // -1 for a root
	rows   int   // where the rows below the pivots begin
	values int   // where the values begin: pivots times size numbers, by rows
	flops  float64

	// In the update matrix: the first rows are pivots of the parent; places in the parent are consecutive from tail on.
	passed, tail int
}

// below returns the order of the update matrix.
func (f *front) below() int { return int(f.size - f.pivots) }

// Analyse orders a symmetric pattern of order n, compressed by columns (see the package comment), and predicts its
// factor. The error wraps ErrPattern, ErrOptions, ErrMemory if the factor would need more than MaxBytes, ErrFlops if
// a factorisation would take more than MaxFlops, or ErrStopped.
func Analyse(n int, colPtr, rowIdx []int32, opts Options) (*Symbolic, error) {
	if err := opts.Validate(n); err != nil {
		return nil, err
	}
	if err := checkPattern(n, colPtr, rowIdx); err != nil {
		return nil, err
	}

	s := &Symbolic{n: n, given: len(rowIdx), threads: opts.Threads, stop: opts.Stop}
	if s.threads == 0 {
		s.threads = runtime.GOMAXPROCS(0)
	}
	if s.stop == nil {
		s.stop = func() bool { return false }
	}
	g := graphOf(n, colPtr, rowIdx)

	// The sum of the squares of the column counts is least where L has no fill and all columns have the same count.
	entries := float64(n + len(g.Adj)/2)
	if err := affordable(entries*entries/float64(max(1, n)), opts.MaxFlops); err != nil {
		return nil, err
	}
	e := s.order(g, opts)
	if e == nil {
		return nil, ErrStopped
	}
	s.nonZeros, s.flops = e.size()
	if err := affordable(s.flops, opts.MaxFlops); err != nil {
		return nil, err
	}

	// Amalgamation and the order of the stack number the columns once more.
	nodes := fundamental(e).amalgamate()
	nodes, columns := nodes.reorder(nodes.stackOrder())
	s.perm = make([]int32, n)
	for k, j := range columns {
		s.perm[k] = e.perm[j]
	}
	s.place = inverse(s.perm)
	s.children = nodes.children()
	s.makeFronts(nodes)
	s.schedule = newSchedule(s.fronts, s.threads)
	if err := s.fits(opts.MaxBytes); err != nil {
		return nil, err
	}

	// The rows of the fronts take memory, too, and decide the last few numbers of a factor.
	s.findRows(g)
	s.solution = newSolution(s)
	if err := s.fits(opts.MaxBytes); err != nil {
		return nil, err
	}
	s.entries = newAssembly(s, colPtr, rowIdx)
	return s, nil
}

// fits returns an error if a factor needs more than a limit, 0 for none.
func (s *Symbolic) fits(limit int64) error {
	if need := s.Bytes(); limit > 0 && need > limit {
		return fmt.Errorf("%w: the factor needs %d bytes, the limit is %d", ErrMemory, need, limit)
	}
	return nil
}

// affordable returns an error if a factorisation takes more operations than a limit, 0 for none.
func affordable(flops, limit float64) error {
	if limit > 0 && flops > limit {
		return fmt.Errorf("%w: a factorisation takes at least %.3g operations, the limit is %.3g", ErrFlops, flops, limit)
	}
	return nil
}

// order returns the elimination of the chosen ordering, nil if it was stopped.
func (s *Symbolic) order(g *ordering.Graph, opts Options) *elimination {
	s.method = opts.Ordering
	switch opts.Ordering {
	case Natural:
		order := make([]int32, s.n)
		for k := range order {
			order[k] = int32(k)
		}
		return eliminate(g, order)
	case Given:
		return eliminate(g, slices.Clone(opts.Permutation))
	case NestedDissection:
		return s.eliminateBy(g, ordering.NestedDissection(g, s.threads, s.stop))
	case MinimumDegree:
		return s.eliminateBy(g, ordering.MinimumDegree(g, s.stop))
	default:
		return s.orderBest(g, opts.MaxFlops)
	}
}

// eliminateBy returns the elimination of an order, nil if the ordering was stopped.
func (s *Symbolic) eliminateBy(g *ordering.Graph, order []int32) *elimination {
	if s.stop() {
		return nil
	}
	return eliminate(g, order)
}

// dissectionFlops are the operations of a factorisation for each edge from which nested dissection is tried after
// minimum degree. It takes about a microsecond for each edge, in which a factorisation does some 20,000 operations; an
// interior point method makes tens of factorisations, and nested dissection may save a part of their time.
const dissectionFlops = 2000

// dissectionGain is the factor by which nested dissection is expected to lower the operations of minimum degree at
// most. Where a limit is farther away it is not tried: on the matrix of ssn with 500 scenarios and all of its dense
// columns it took 20 seconds to save 8%, where a ten thousandth of the operations was needed.
const dissectionGain = 10

// orderBest returns the elimination with fewer operations, of minimum degree and of nested dissection; limit is that of
// the operations, 0 for none. It returns nil if it was stopped.
func (s *Symbolic) orderBest(g *ordering.Graph, limit float64) *elimination {
	s.method = MinimumDegree
	degree := s.eliminateBy(g, ordering.MinimumDegree(g, s.stop))
	if degree == nil {
		return nil
	}
	_, least := degree.size()
	hopeless := limit > 0 && least > dissectionGain*limit
	if hopeless || least < dissectionFlops*float64(len(g.Adj)/2) {
		return degree
	}
	dissection := s.eliminateBy(g, ordering.NestedDissection(g, s.threads, s.stop))
	if dissection == nil {
		return nil
	}
	if _, flops := dissection.size(); flops < least {
		s.method = NestedDissection
		return dissection
	}
	return degree
}

// makeFronts makes a front for each supernode.
func (s *Symbolic) makeFronts(f *partition) {
	s.fronts = make([]front, len(f.nodes))
	column, rows, values := int64(0), int64(0), int64(0)
	for k, node := range f.nodes {
		s.fronts[k] = front{
			first:  int32(column),
			pivots: int32(node.pivots),
			size:   int32(node.rows),
			parent: node.parent,
			rows:   int(rows),
			values: int(values),
			flops:  frontFlops(node.pivots, node.rows),
		}
		column += node.pivots
		rows += node.rows - node.pivots
		values += node.pivots * node.rows
	}
}

// frontFlops returns the operations of a front, explicit zeros included: the sum of the squares of its column counts.
func frontFlops(pivots, rows int64) float64 {
	squares := func(k int64) float64 { return float64(k) * float64(k+1) * float64(2*k+1) / 6 }
	return squares(rows) - squares(rows-pivots)
}

// Order returns the order of the matrix.
func (s *Symbolic) Order() int { return s.n }

// Method returns the ordering that was chosen.
func (s *Symbolic) Method() Ordering { return s.method }

// NonZeros returns the number of entries of L, its diagonal included, without explicit zeros.
func (s *Symbolic) NonZeros() int64 { return s.nonZeros }

// Flops returns the floating-point operations of a factorisation, the sum of the squares of the column counts of L.
func (s *Symbolic) Flops() float64 { return s.flops }

// Bytes returns the memory of a factor: its values, explicit zeros included, and the update matrices, which depend on
// the number of threads.
func (s *Symbolic) Bytes() int64 {
	return 8 * (s.stored() + s.schedule.kept + s.schedule.stacked() + s.work())
}

// stored returns the number of values of the fronts.
func (s *Symbolic) stored() int64 {
	if len(s.fronts) == 0 {
		return 0
	}
	last := s.fronts[len(s.fronts)-1]
	return int64(last.values) + int64(last.pivots)*int64(last.size)
}

// Permutation returns a copy of the order of elimination: element k is the row of the matrix that is eliminated as
// number k.
func (s *Symbolic) Permutation() []int32 { return slices.Clone(s.perm) }
