package presolve

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/lp"
)

// Reductions is a set of reductions.
type Reductions uint32

// The reductions.
const (
	FixedCols      Reductions = 1 << iota // columns whose bounds are equal, and empty columns
	RedundantRows                         // empty rows and rows that the bounds of their columns imply
	SingletonRows                         // rows with one entry, which become bounds
	ForcingRows                           // rows that hold only with all columns at bounds
	FreeSingletons                        // columns in one row whose bounds are implied by it
	Slacks                                // columns in one row that only widen its bounds
	Doubletons                            // equations with two entries
	Substitutions                         // columns with implied bounds, by a row that holds with equality
	DominatedCols                         // columns whose reduced cost has a known sign
	DuplicateRows                         // rows that are multiples of each other
	DuplicateCols                         // columns that are multiples of each other
	CostlySlacks                          // columns in one row that their cost drives to a side of the row

	All Reductions = 1<<iota - 1
)

// Options configure Run. Start from DefaultOptions.
type Options struct {
	Reductions Reductions // the reductions allowed (default All)
	MinGain    float64    // least fraction of rows and columns to remove; if it is less the model is unchanged (default 0)
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options { return Options{Reductions: All} }

// ErrOptions is wrapped by the errors of Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports a bit that is not a reduction, or a MinGain outside [0, 1]. The error wraps ErrOptions.
func (o *Options) Validate() error {
	if !(o.MinGain >= 0 && o.MinGain <= 1) {
		return fmt.Errorf("presolve: %w: MinGain = %g", ErrOptions, o.MinGain)
	}
	if o.Reductions&^All != 0 {
		return fmt.Errorf("presolve: %w: Reductions = %#x", ErrOptions, uint32(o.Reductions))
	}
	return nil
}

// Outcome is the result of the search for reductions.
type Outcome uint8

// The outcomes.
const (
	Reduction             Outcome = iota // solve the reduced model
	Unchanged                            // Options.MinGain is not met: solve the model, which is the one given
	Solved                               // the reduced model is empty
	Infeasible                           // no point satisfies the rows and bounds
	UnboundedOrInfeasible                // no dual point exists
)

var outcomeNames = [...]string{"reduction", "unchanged", "solved", "infeasible", "unbounded_or_infeasible"}

// String returns "reduction", "unchanged", "solved", "infeasible" or "unbounded_or_infeasible".
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Solution is a basic solution with the signs of package simplex.
type Solution struct {
	X, RowActivity       []float64
	RowDual, ReducedCost []float64
	Cols, Rows           []Status
}

// Reduced is a reduced model with the records for Postsolve.
type Reduced struct {
	Model  *lp.Model // nil if Status proves that there is no optimum
	Status Outcome

	given      *lp.Model
	cols, rows []int32 // their indices in the given model, by column and row of the reduced one
	stack      stack
}

// Run reduces m, which is not changed. Integrality is ignored and not preserved. The error is that of invalid options,
// which wraps ErrOptions, or of an invalid model.
func Run(m *lp.Model, opt Options) (*Reduced, error) {
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

	// The limit of the work makes the time of presolve linear in the size of the model.
	p := &problem{Program: program.New(m, a), opt: opt}
	p.maxWork = workFactor*p.A.NNZ + workBase

	// Every row and column is in the queues once; bounds that cross are the only infeasibility found here.
	for i := range m.Rows {
		if m.Rows[i].Lower > m.Rows[i].Upper {
			p.fail(Infeasible)
		}
		p.RowQueue.Add(int32(i))
	}

	for j := range m.Cols {
		if m.Cols[j].Lower > m.Cols[j].Upper {
			p.fail(Infeasible)
		}
		p.ColQueue.Add(int32(j))
	}

	p.reduce()
	return p.result(m), nil
}

// has reports whether one of the reductions r is allowed.
func (p *problem) has(r Reductions) bool { return p.opt.Reductions&r != 0 }

// running reports whether the search for reductions continues.
func (p *problem) running() bool { return p.status == Reduction && p.Work < p.maxWork }

// reduce is the main loop: the queues hold the rows and columns that have changed; when they are empty the searches
// over the whole problem follow, while they remove enough.
func (p *problem) reduce() {
	// Each pass makes the local reductions first, then the searches over the whole problem.
	for range maxPasses {
		p.Drain(p.running, p.visitRow, p.visitCol)
		before := p.Removed
		size := len(p.RowLo) + len(p.Lo) - before
		for _, search := range []func(){p.dominated, p.duplicateRows, p.duplicateCols} {
			if p.running() {
				search()
			}
		}

		if !p.running() || float64(p.Removed-before) < passGain*float64(size) {
			break
		}
	}
	p.Drain(p.running, p.visitRow, p.visitCol)
}

// visitRow makes the first reduction that applies to row i.
func (p *problem) visitRow(i int32) {
	n := p.A.RowLen[i]
	switch {
	case n <= 1 && p.shortRow(i):
	case p.impliedRow(i):
	case n == 2 && p.has(Doubletons) && p.RowLo[i] == p.RowUp[i]:
		p.doubleton(i)
	}
}

// visitCol makes the first reduction that applies to column j.
func (p *problem) visitCol(j int32) {
	n := p.A.ColLen[j]
	switch {
	// The cheapest tests come first.
	case p.has(FixedCols) && p.Lo[j] == p.Up[j]:
		p.fix(j, p.Lo[j])
	case n == 0:
		p.emptyCol(j)
	case p.has(DominatedCols) && p.fixBySigns(j):
	case n == 1 && p.singletonCol(j):
	case n > 1 && n <= maxColLen && p.has(Substitutions):
		p.substitute(j)
	}
}
