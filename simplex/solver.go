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
	opt    Options
	n, m   int
	sense  float64 // 1, or -1 for a maximisation
	offset float64
	err    error // first bad change, returned by Solve

	cols               *sparse.Dynamic // by column, scaled
	rows               *sparse.Dynamic // by row, as given, nonbasic columns first
	part               partition       // of rows
	colScale, rowScale []float64       // powers of two: scaled a_ij = rowScale_i a_ij colScale_j

	// By variable, scaled.
	cost     []float64   // minimised
	lo, up   []float64   // bounds of the model
	wlo, wup []float64   // working bounds: lo and up, but for phase 1
	wc       []float64   // working costs: perturbed and shifted
	x        []float64   // value, where nonbasic
	d        []float64   // reduced cost with respect to wc; 0 where basic
	weightOf []float64   // edge weights while the positions change
	status   []VarStatus // against the working bounds
	where    []int32     // position in the basis, -1 where nonbasic
	touched  []int32     // variables whose bounds or status changed since the last Solve
	isTouch  []bool

	// By position in the basis, which is a row.
	head     []int32
	xb       []float64 // value of the basic variable
	blo, bup []float64 // its working bounds
	known    float64   // bound in the sense of the model that one with the same optimum has given; else NaN or infinite
	farthest float64   // longest step since the basic values were computed from scratch, scaled
	weight   []float64 // dual steepest edge
	inf      infeasList

	print       fingerprint
	frozen      frozen
	kept        keptWeights
	shapeStamp  int // counts changes of rows and columns
	numberStamp int // counts those that number the variables anew, and of their units
	costStamp   int // counts changes of costs
	f           factor
	threshold   float64
	tolP, tolD  float64 // feasibility tolerances in force, scaled
	factorOK    bool    // f belongs to head, but for rows added since
	headOK      bool    // head, where and weight belong to status
	primalOK    bool    // xb belongs to x, but for touched variables and rows added since
	dualOK      bool    // d belongs to wc
	modified    bool    // wc differs from cost
	inBox       bool    // working bounds are those of phase 1
	perturbed   bool
	advanced    bool // the basis comes from another form of the model, and is no cold start even where it is the slack basis

	// Work space.
	rho, aq, tau, flip, scratch, work *sparse.Vector
	acc                               []float64 // price accumulator, zero between calls
	accIdx                            []int32
	aIdx                              []int32 // the pivotal row, packed: variable and entry
	aVal                              []float64
	ratio                             ratioTest
	cand                              []int32
	boxLo, boxUp                      []float64
	taboo                             []bool
	tabooCount                        int
	devex                             []float64
	history                           densities
	rng                               uint64
	seenCol                           []int32
	seenStamp                         int32
	rowIDs                            []int32
	rowVals                           []float64
	rayZ, raySize                     []float64
	recession                         []float64 // a primal ray that phase 1 of this Solve has found; nil for none

	// This Solve.
	ctl       control
	logged    logged
	dualObj   float64 // of the working problem
	refactors int
	numTotal  numbers
	result    Result
	xOut      []float64
	rayOut    []float64
	outOK     outputs
	out       outVectors
}

// densities are running densities of the results of each kind of solve.
type densities struct{ btran, ftran, tau, flip float64 }

// numbers count over the life of a solver.
type numbers struct{ solves, iterations, recoveries int }

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
	s := &Solver{opt: opt, n: len(m.Cols), m: len(m.Rows), sense: 1, offset: m.Offset, threshold: thresholdFirst, known: math.NaN()}
	if m.Maximize {
		s.sense = -1
	}
	a = dropZeros(a)
	s.cols = sparse.NewDynamic(a)
	s.rows = sparse.NewDynamic(a.Transpose())
	s.findScales()
	s.loadVariables(m)
	s.tolP, s.tolD = opt.Tolerances.Primal, opt.Tolerances.Dual
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
	s.wlo, s.wup = s.lo, s.up
	s.wc = append([]float64(nil), s.cost...)
	s.x, s.d, s.weightOf = make([]float64, nv), make([]float64, nv), make([]float64, nv)
	s.status, s.where, s.isTouch = make([]VarStatus, nv), make([]int32, nv), make([]bool, nv)
	s.head = make([]int32, s.m)
	s.xb, s.blo, s.bup, s.weight = make([]float64, s.m), make([]float64, s.m), make([]float64, s.m), make([]float64, s.m)
	s.taboo = make([]bool, s.m)
	s.inf.value, s.inf.at = make([]float64, s.m), make([]int32, s.m)
	for _, v := range []**sparse.Vector{&s.rho, &s.aq, &s.tau, &s.flip, &s.scratch, &s.work} {
		*v = sparse.NewVector(s.m)
	}
	s.acc = make([]float64, s.n)
	s.accIdx = make([]int32, s.n)
	s.seenCol = make([]int32, s.n)
}

// resizeWork fits the work space to the numbers of rows and columns.
func (s *Solver) resizeWork() {
	for _, v := range []*sparse.Vector{s.rho, s.aq, s.tau, s.flip, s.scratch, s.work} {
		if len(v.Value) != s.m {
			v.Resize(s.m)
		}
	}
	s.taboo = resize(s.taboo, s.m)
	clear(s.taboo)
	s.tabooCount = 0
}

// resizeColumns fits the work space by column to the number of columns.
func (s *Solver) resizeColumns() {
	s.acc = resize(s.acc, s.n)
	clear(s.acc)
	s.accIdx = resize(s.accIdx, s.n)
	s.seenCol = resize(s.seenCol, s.n)
	clear(s.seenCol)
	s.seenStamp = 0
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
		s.status[j] = st
	}
	for i := range s.m {
		s.status[s.n+i] = Basic
	}
	for v := range s.weightOf {
		s.weightOf[v] = 1
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
