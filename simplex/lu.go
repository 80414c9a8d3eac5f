package simplex

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// factor holds the basis matrix B as L R^-1 U = B up to permutations (Forrest and Tomlin 1972; Suhl and
// Suhl 1990). Every pivot is named by its row, its id; the basic variable of a pivot is head[id],
// so that positions in the basis and rows of the model are the same numbers.
//
//   - L: one column eta for each pivot that eliminated something, in the order of lOrder.
//   - R: one row eta for each update.
//   - U: by columns (u) and by rows (ut), triangular in the order of order[first:].
//
// A basis of few rows has its inverse too, which then takes the place of the factors in solves and updates.
type factor struct {
	updated
	m int

	l, lt  lists   // etas of L by pivot, and its rows
	lOrder []int32 // ids with an eta, in pivot order
	ltIDs  []int32 // ids with a row in lt, in reverse pivot order

	rPivot []int32 // R etas: x[rPivot] += rValue'x[rIndex]
	rStart []int
	rIndex []int32
	rValue []float64

	updates  int
	builds   int     // factorisations, ever
	buildNNZ int     // entries of L and U after build
	work     float64 // nonzeros touched, ever
	drop     float64 // entries below it are dropped from a solve
	spike    savedVector
	row      savedVector
	dropped  []int32 // candidates that build could not pivot
	filled   []int32 // rows that got their logical instead
	space    searchSpace
	b        builder

	ok        bool    // the factors are those of the basis, but for rows added since
	threshold float64 // a pivot is at least this fraction of the largest entry of its column
	least     float64 // ... and at least this large
	inverted  bool    // bases of few rows get their inverse
	density   densities
	way       partSolve      // of tau
	scratch   *sparse.Vector // of update and invert
	dense     []float64      // scratch of solves by the inverse
	entering  []float64      // the column that the last ftran by the inverse has saved
}

// searchSpace is the work space of reach.
type searchSpace struct {
	topo     []int32 // the result
	stack    []int32 // path of the depth-first search ...
	stackPos []int32 // ... and for each id there the next entry to look at
	mark     []int32 // stamp where an id is marked
	stamp    int32
}

// resize fits the space to m rows.
func (w *searchSpace) resize(m int) {
	// The marks grow with room to spare, since they must be cleared when they move.
	if len(w.mark) < m {
		w.mark = make([]int32, m+m/4+8)
		w.stamp = 0
	}
	w.topo = resize(w.topo, m)
	w.stack = resize(w.stack, m)
	w.stackPos = resize(w.stackPos, m)
}

// nextStamp unmarks all ids.
func (w *searchSpace) nextStamp() {
	// The stamps begin anew before they overflow.
	if w.stamp == math.MaxInt32 {
		clear(w.mark)
		w.stamp = 0
	}
	w.stamp++
}

// updated is what updates change of a factor, apart from R.
type updated struct {
	pivot []float64 // diagonal of U, by id
	order []int32   // ids in triangular order, -1 where a pivot has moved
	pos   []int32   // place of an id in order
	first int       // order[:first] is room for rows added later
	u, ut lists
	clock clock

	inverse inverse
}

// copyFrom makes z equal to f and reuses its storage.
func (z *updated) copyFrom(f *updated) {
	copyTo(&z.pivot, f.pivot)
	copyTo(&z.order, f.order)
	copyTo(&z.pos, f.pos)
	z.first = f.first
	z.u.copyFrom(&f.u)
	z.ut.copyFrom(&f.ut)
	z.clock = f.clock
	z.inverse.copyFrom(&f.inverse)
}

// densities are running densities of the results of each kind of solve.
type densities struct{ btran, ftran, tau, flip float64 }

// invalidate marks the factors as wrong; the basis must be factored anew.
func (f *factor) invalidate() { f.ok = false }

// setLeast sets the least absolute size of the pivots of the next factorisations.
func (f *factor) setLeast(size float64) { f.least = size }

// setThreshold sets the least size of the pivots of the next factorisations, relative to the others of their columns.
func (f *factor) setThreshold(threshold float64) { f.threshold = threshold }

// setInverse sets whether the next factorisations of bases of few rows make the inverse.
func (f *factor) setInverse(inverse bool) { f.inverted = inverse }

// charge counts n units of work, about one a nonzero touched.
func (f *factor) charge(n int) { f.work += float64(n) }

// chargeMoves counts entries of the partition that were looked at, which cost less.
func (f *factor) chargeMoves(n int) { f.work += float64(n) / 4 }

// savedVector is a partial solve that update needs: the spike R L^-1 a_q, or the row U^-T e_p.
type savedVector struct {
	index []int32
	value []float64
	id    int32 // of the row: p; -1 when nothing is saved
}

// save keeps the entries of x that are not rounding.
func (s *savedVector) save(x *sparse.Vector) {
	// A vector without a pattern is searched as a whole.
	s.index = s.index[:0]
	s.value = s.value[:0]

	if x.N < 0 {
		for i, v := range x.Value {
			s.add(int32(i), v)
		}
		return
	}
	for _, i := range x.Index[:x.N] {
		s.add(i, x.Value[i])
	}
}

// add appends an entry, unless it is rounding.
func (s *savedVector) add(i int32, v float64) {
	if math.Abs(v) > dropTol {
		s.index = append(s.index, i)
		s.value = append(s.value, v)
	}
}

// clearSaved forgets the partial solves of an update that will not follow.
func (f *factor) clearSaved() {
	// No variable has the number -1.
	f.spike.id = -1
	f.row.id = -1
}

// clearUpdates makes R the identity.
func (f *factor) clearUpdates() {
	f.rPivot = f.rPivot[:0]
	f.rStart = append(f.rStart[:0], 0)
	f.rIndex = f.rIndex[:0]
	f.rValue = f.rValue[:0]
	f.updates = 0
	f.clearSaved()
}

// reset makes room for the factors of a basis of m rows.
func (f *factor) reset(m int) {
	f.m = m

	// There is room for half as many rows more, and some.
	f.first = m/2 + 64
	f.order = resize(f.order, f.first)[:f.first]
	fill(f.order, -1)

	f.pos = resize(f.pos, m)
	f.pivot = resize(f.pivot, m)
	f.lOrder = f.lOrder[:0]
	f.ltIDs = f.ltIDs[:0]
	f.dropped = f.dropped[:0]
	f.filled = f.filled[:0]
	f.drop = dropTol
	f.clearUpdates()
	f.sizeScratch()
}

// sizeScratch fits the work space to the number of rows.
func (f *factor) sizeScratch() {
	if f.scratch == nil {
		f.scratch = sparse.NewVector(f.m)
	}
	f.space.resize(f.m)
}

// follow makes z a copy of f for solves at the same time as those of f: it has the factors of f, as long as they do not
// change, and a work space of its own. Only solves that save nothing for an update may be made with it.
func (z *factor) follow(f *factor) {
	space := z.space
	*z = *f
	z.space = space
	z.space.resize(f.m)
}

// pushPivot appends the pivot v of row id to the triangular order.
func (f *factor) pushPivot(id int32, v float64) {
	f.pivot[id] = v
	f.pos[id] = int32(len(f.order))
	f.order = append(f.order, id)
}
