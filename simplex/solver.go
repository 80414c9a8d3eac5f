package simplex

import (
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/internal/sparse"
	"github.com/proxybd/proxybd/lp"
)

// ErrNumerical is wrapped by the error of a Solve whose answer failed its check after every recovery.
var ErrNumerical = errors.New("numerical failure")

// ErrIndex is wrapped by the error of the first Solve after a change that named a row or column that
// does not exist, repeated an index, or held a value with no meaning. That change was not made.
var ErrIndex = errors.New("invalid change")

// Solver is a linear program with a basis. It is changed and solved again any number of times, each
// time from the basis that the last Solve ended with. It is not safe for concurrent use. Variables are
// numbered as in the package comment: k < n structural, n+i the logical of row i.
type Solver struct {
	basicSolution
	opt      Options
	start    headStart
	changes  changes
	snapshot snapshot
	taboo    taboo
	ratio    ratioTest
	devex    devex
	rays     rays
	ctl      control
	logged   logged
	result   Result
	xOut     []float64
	outOK    outputs
	out      outVectors
}

// basicSolution is a basic solution of the working problem with all that a pivot updates.
type basicSolution struct {
	problem
	basis   basis
	bounds  bounds
	primals primals
	duals   duals
	weights edgeWeights
	factor  factor
	row     pivotRow
	aq      *sparse.Vector // the entering column in terms of the basis
	tau     *sparse.Vector // of the edge weights
	flip    *sparse.Vector // sum of the columns of nonbasic variables that move
	work    *sparse.Vector
}

// problem is the scaled model.
type problem struct {
	matrix
	sense       float64 // 1, or -1 for a maximisation
	offset      float64
	cost        []float64 // minimised
	lo, up      []float64
	shapeStamp  int // counts changes of rows and columns
	numberStamp int // counts those that number the variables anew, and of their units
	costStamp   int // counts changes of costs
}

// matrix is the matrix by column and by row.
type matrix struct {
	n, m               int
	cols               *sparse.Dynamic // by column, scaled
	rows               *sparse.Dynamic // by row, as given, nonbasic columns first
	part               partition       // of rows
	colScale, rowScale []float64       // powers of two: scaled a_ij = rowScale_i a_ij colScale_j
	print              fingerprint
}

// headStart is what another form of the model has found before.
type headStart struct {
	bound    float64 // bound in the sense of the model; else NaN or infinite
	advanced bool    // the basis comes from there, and is no cold start even where it is the slack basis
}

// bounds are the working bounds by variable: those of the model, but for phase 1.
type bounds struct {
	lo, up       []float64
	boxed        bool // they are those of phase 1
	boxLo, boxUp []float64
}

// basis says which variables are basic.
type basis struct {
	status []VarStatus // against the working bounds
	where  []int32     // position in the basis, -1 where nonbasic
	head   []int32     // the basic variable of a position, which is a row
	ok     bool        // head and where belong to status
}

// primals are the values of the variables, scaled.
type primals struct {
	nonbasic   []float64 // by variable: its value, where nonbasic
	basic      []float64 // by position: the value of the basic variable
	lo, up     []float64 // ... and its working bounds
	infeasible infeasList
	tol        float64 // feasibility tolerance in force
	farthest   float64 // longest step since the basic values were computed from scratch
	ok         bool    // basic belongs to nonbasic, but for touched variables and rows added since
	touched    []int32 // variables whose bounds or status changed since the last Solve
	isTouched  []bool
}

// duals are the working costs and the reduced costs.
type duals struct {
	cost      []float64 // perturbed and shifted
	d         []float64 // reduced cost with respect to cost; 0 where basic
	tol       float64
	objective float64 // of the working problem
	ok        bool    // d belongs to cost
	modified  bool    // cost differs from that of the model
	perturbed bool
	rng       uint64
}

// edgeWeights are the dual steepest edge weights.
type edgeWeights struct {
	at   []float64 // by position
	of   []float64 // by variable, while the positions change
	kept keptWeights
}

// pivotRow is the pivotal row.
type pivotRow struct {
	rho     *sparse.Vector // row of the inverse
	index   []int32        // packed: variable and entry
	value   []float64
	sum     []float64 // accumulator by column, zero between calls
	pattern []int32
}

// changes are checked.
type changes struct {
	err   error // first bad change, returned by Solve
	seen  []int32
	stamp int32
}

// taboo are rows.
type taboo struct {
	row   []bool
	count int
}

type devex struct{ weight []float64 }

type rays struct {
	ray       []float64
	ok        bool
	recession []float64 // a primal ray that phase 1 of this Solve has found; nil for none
	z, size   []float64
}

// densities are running densities of the results of each kind of solve.
type densities struct{ btran, ftran, tau, flip float64 }

// New copies what it needs of m (integrality is ignored) and starts from the slack basis.
func New(m *lp.Model, opt Options) (*Solver, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	s := &Solver{opt: opt, start: headStart{bound: math.NaN()}}
	s.n, s.m, s.sense, s.offset = len(m.Cols), len(m.Rows), 1, m.Offset
	s.factor.threshold = thresholdFirst
	if m.Maximize {
		s.sense = -1
	}
	a = dropZeros(a)
	s.cols = sparse.NewDynamic(a)
	s.rows = sparse.NewDynamic(a.Transpose())
	s.findScales()
	s.loadVariables(m)
	s.primals.tol, s.duals.tol = opt.Tolerances.Primal, opt.Tolerances.Dual
	s.allocate()
	s.part.start(s)
	s.SlackBasis()
	return s, nil
}

// dropZeros returns a without explicit zeros.
func dropZeros(a *sparse.Matrix) *sparse.Matrix {
	zeros := 0
	for _, v := range a.Value {
		if v == 0 {
			zeros++
		}
	}
	if zeros == 0 {
		return a
	}
	b := &sparse.Matrix{Major: a.Major, Minor: a.Minor, Start: make([]int, a.Major+1)}
	for k := range a.Major {
		index, value := a.Vec(k)
		for p, v := range value {
			if v != 0 {
				b.Index = append(b.Index, index[p])
				b.Value = append(b.Value, v)
			}
		}
		b.Start[k+1] = len(b.Index)
	}
	return b
}

func (s *Solver) loadVariables(m *lp.Model) {
	nv := s.n + s.m
	s.cost, s.lo, s.up = make([]float64, nv), make([]float64, nv), make([]float64, nv)
	for j := range m.Cols {
		c := &m.Cols[j]
		s.cost[j] = s.sense * c.Cost * s.colScale[j]
		s.lo[j], s.up[j] = c.Lower/s.colScale[j], c.Upper/s.colScale[j]
	}
	for i := range m.Rows {
		s.lo[s.n+i], s.up[s.n+i] = m.Rows[i].Lower*s.rowScale[i], m.Rows[i].Upper*s.rowScale[i]
	}
}

func (s *Solver) allocate() {
	nv := s.n + s.m
	s.bounds.lo, s.bounds.up = s.lo, s.up
	s.duals.cost = append([]float64(nil), s.cost...)
	s.primals.nonbasic, s.duals.d, s.weights.of = make([]float64, nv), make([]float64, nv), make([]float64, nv)
	s.basis.status, s.basis.where, s.primals.isTouched = make([]VarStatus, nv), make([]int32, nv), make([]bool, nv)
	s.basis.head = make([]int32, s.m)
	s.primals.basic, s.primals.lo, s.primals.up, s.weights.at = make([]float64, s.m), make([]float64, s.m), make([]float64, s.m), make([]float64, s.m)
	s.taboo.row = make([]bool, s.m)
	s.primals.infeasible.value, s.primals.infeasible.at = make([]float64, s.m), make([]int32, s.m)
	for _, v := range []**sparse.Vector{&s.row.rho, &s.aq, &s.tau, &s.flip, &s.factor.scratch, &s.work} {
		*v = sparse.NewVector(s.m)
	}
	s.row.sum = make([]float64, s.n)
	s.row.pattern = make([]int32, s.n)
	s.changes.seen = make([]int32, s.n)
}

// resizeWork fits the work space to the numbers of rows and columns.
func (s *Solver) resizeWork() {
	for _, v := range []*sparse.Vector{s.row.rho, s.aq, s.tau, s.flip, s.factor.scratch, s.work} {
		if len(v.Value) != s.m {
			v.Resize(s.m)
		}
	}
	s.taboo.row = resize(s.taboo.row, s.m)
	clear(s.taboo.row)
	s.taboo.count = 0
}

// resizeColumns fits the work space by column to the number of columns.
func (s *Solver) resizeColumns() {
	s.row.sum = resize(s.row.sum, s.n)
	clear(s.row.sum)
	s.row.pattern = resize(s.row.pattern, s.n)
	s.changes.seen = resize(s.changes.seen, s.n)
	clear(s.changes.seen)
	s.changes.stamp = 0
}

// SlackBasis makes the logicals basic and every column nonbasic at the finite bound nearest zero.
func (s *Solver) SlackBasis() {
	s.invalidateBasis()
	for j := range s.n {
		st := AtLower
		if lo, up := s.lo[j], s.up[j]; isInf(lo) && isInf(up) {
			st = AtZero
		} else if isInf(lo) || !isInf(up) && math.Abs(up) < math.Abs(lo) {
			st = AtUpper
		}
		s.basis.status[j] = st
	}
	for i := range s.m {
		s.basis.status[s.n+i] = Basic
	}
	for v := range s.weights.of {
		s.weights.of[v] = 1
	}
}

// NumRows returns the number of rows.
func (s *Solver) NumRows() int { return s.m }

// NumCols returns the number of columns.
func (s *Solver) NumCols() int { return s.n }

// ColBounds returns the bounds of column j.
func (s *Solver) ColBounds(j int) (lower, upper float64) {
	return s.lo[j] * s.colScale[j], s.up[j] * s.colScale[j]
}

// RowBounds returns the bounds of row i.
func (s *Solver) RowBounds(i int) (lower, upper float64) {
	return s.lo[s.n+i] / s.rowScale[i], s.up[s.n+i] / s.rowScale[i]
}

// Cost returns the cost of column j.
func (s *Solver) Cost(j int) float64 { return s.sense * s.cost[j] / s.colScale[j] }

// Row returns views of the column indices and coefficients of row i, in no particular order, valid until the
// next Solve or change.
func (s *Solver) Row(i int) (index []int32, value []float64) { return s.rows.Vec(i) }

// SetIterationLimit sets Options.MaxIterations for the following solves.
func (s *Solver) SetIterationLimit(n int) { s.opt.MaxIterations = n }

// SetObjectiveLimit sets Options.ObjectiveLimit for the following solves.
func (s *Solver) SetObjectiveLimit(v float64) { s.opt.ObjectiveLimit = v }

// SetTimeLimit sets Options.TimeLimit for the following solves.
func (s *Solver) SetTimeLimit(d time.Duration) { s.opt.TimeLimit = d }

// SetWorkLimit sets Options.MaxWork for the following solves.
func (s *Solver) SetWorkLimit(w float64) { s.opt.MaxWork = w }

func isInf(v float64) bool { return v > math.MaxFloat64 || v < -math.MaxFloat64 }
