package simplex

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Solver is a linear program with a basis. It is changed and solved again any number of times, each
// time from the basis that the last Solve ended with. It is not safe for concurrent use. Variables are
// numbered as in the package comment: k < n structural, n+i the logical of row i.
type Solver struct {
	basicSolution
	opt      Options
	start    headStart
	changes  changes
	snapshot snapshot
	ratio    ratioTest
	devex    devex
	rays     rays
	ctl      control
	logged   logged
	result   Result
	vectors  vectors
}

// headStart is what another form of the model has found before.
type headStart struct {
	bound    float64 // on the objective, in the sense of the model; else NaN or infinite
	advanced bool    // the basis comes from there, and is no cold start even where it is the slack basis
	once     bool    // the solver is for one cold solve, not for a tree of warm ones
}

// New copies what it needs of m (integrality is ignored) and starts from the slack basis. An error wraps ErrOptions, or
// that of m.Validate.
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
	s.problem.load(m, a, opt.Scale)
	s.allocate()
	s.ahead.init(opt.Threads, aheadWork)
	s.setTolerances(opt.Tolerances)
	s.slackBasis()
	return s, nil
}

// SlackBasis makes the logicals basic and every column nonbasic at the finite bound nearest zero.
func (s *Solver) SlackBasis() { s.slackBasis() }

// NumRows returns the number of rows.
func (s *Solver) NumRows() int { return s.m }

// NumCols returns the number of columns.
func (s *Solver) NumCols() int { return s.n }

// ColBounds returns the bounds of a column.
func (s *Solver) ColBounds(j lp.Var) (lower, upper float64) { return s.colBounds(int(j)) }

// RowBounds returns the bounds of a row.
func (s *Solver) RowBounds(i lp.Con) (lower, upper float64) { return s.rowBounds(int(i)) }

// Row returns views of the column indices and coefficients of a row, in no particular order, valid until the
// next Solve or change.
func (s *Solver) Row(i lp.Con) (index []int32, value []float64) { return s.rows.Vec(int(i)) }
