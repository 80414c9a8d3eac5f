package presolve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/lp"
)

// Reductions is a set of reductions.
type Reductions uint32

// The reductions.
const (
	Bounds          Reductions = 1 << iota // bounds that rows imply, forcing rows
	Coefficients                           // smaller coefficients of integer columns
	Divisors                               // sides of rows over integer columns, by their common divisor
	ParallelRows                           // rows that are multiples of each other
	Doubletons                             // equations with two entries
	Slacks                                 // columns in one row that only widen its sides
	FreeSingletons                         // columns in one row that their cost drives to a side
	Substitutions                          // continuous columns with implied bounds, by a row that holds with equality
	DualFixing                             // columns that no row limits on the side of their better bound
	ParallelCols                           // columns that are multiples of each other
	DominatedCols                          // columns that are never better than another column
	ImpliedIntegers                        // continuous columns that are multiples of a step if the others are integer
	Probing                                // consequences of fixing binary columns
	Residues                               // equations over integer columns, modulo small primes
	States                                 // columns that carry a state from one equation to the next

	All Reductions = 1<<iota - 1
)

// keeping are the reductions that preserve the columns and the feasible points.
const keeping = Bounds | Coefficients | Divisors | ParallelRows | Probing | Residues

// Options configure Reduce. Start from DefaultOptions.
type Options struct {
	Reductions  Reductions // the reductions allowed (default All)
	Feasibility float64    // absolute violation of a row or bound that is accepted (default 1e-6)
	KeepColumns bool       // preserve the columns and exactly the feasible points, for models to which rows will be added
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options { return Options{Reductions: All, Feasibility: 1e-6} }

// ErrOptions is wrapped by the errors of Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports a bit that is not a reduction, or a Feasibility outside (0, 1). The error wraps ErrOptions.
func (o *Options) Validate() error {
	if o.Reductions&^All != 0 {
		return fmt.Errorf("presolve: %w: Reductions = %#x", ErrOptions, uint32(o.Reductions))
	}
	if !(o.Feasibility > 0 && o.Feasibility < 1) {
		return fmt.Errorf("presolve: %w: Feasibility = %g", ErrOptions, o.Feasibility)
	}
	return nil
}

// Reduce presolves m, which is not changed. A cancelled context ends it early with a valid result. Its cost is small
// compared with a root relaxation. It may be called again on a reduced model, for instance with bounds that the search
// has tightened; then a point is restored by the second result first.
//
// The status of the result is lp.Infeasible if no point satisfies rows, bounds and integrality, and lp.NotSolved
// otherwise. An unbounded model remains unbounded. The error is that of an invalid model or of invalid options.
func Reduce(ctx context.Context, m *lp.Model, opt Options) (*Reduced, error) {
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

	// With the columns kept only the reductions remain that do not change the feasible points.
	if opt.KeepColumns {
		opt.Reductions &= keeping
	}

	p := &problem{
		Program:   program.New(m, a),
		ctx:       ctx,
		opt:       opt,
		integer:   make([]bool, len(m.Cols)),
		impliedLo: make([]bool, len(m.Cols)),
		impliedUp: make([]bool, len(m.Cols)),
	}
	p.Pad = boundPad
	p.Noise *= 4 // sums of several terms
	p.maxWork = workFactor*p.A.NNZ + workBase
	for j := range m.Cols {
		p.integer[j] = m.Cols[j].Integer
	}

	p.begin()
	p.reduce()
	return p.result(m), nil
}

// begin rounds the bounds of integer columns, finds contradicting bounds and sides, and queues everything.
func (p *problem) begin() {
	for j := range p.Lo {
		// Integer bounds are rounded inward, from a little outside an integer.
		if p.integer[j] {
			p.Lo[j] = math.Ceil(p.Lo[j] - p.opt.Feasibility)
			p.Up[j] = math.Floor(p.Up[j] + p.opt.Feasibility)
		}
		p.crossing(int32(j))
		p.ColQueue.Add(int32(j))
	}

	// No row is parallel to these sides: both belong to the row itself.
	for i := range p.RowLo {
		p.crossingRow(int32(i), 1, false)
		p.RowQueue.Add(int32(i))
	}
}

// has reports whether one of the reductions r is allowed.
func (p *problem) has(r Reductions) bool { return p.opt.Reductions&r != 0 }

// running reports whether the search for reductions continues. A visit of a row takes less than a microsecond, probing
// a column may take milliseconds: so the context is polled after a number of calls or of entries touched.
func (p *problem) running() bool {
	// Reading the context takes longer than a visit, so that it is polled from time to time.
	p.polls++
	if p.polls%pollEvery == 0 || p.Work+p.probed > p.polled+pollWork {
		p.polled = p.Work + p.probed
		p.stopped = p.stopped || p.ctx.Err() != nil
	}
	return !p.infeasible && !p.stopped && p.Work < p.maxWork
}

// reduce is the main loop: the queues hold the rows and columns that have changed; when they are empty the searches
// over the whole problem follow, while they change enough.
func (p *problem) reduce() {
	for range maxPasses {
		// The rows and columns that have changed come first, since their reductions are the cheapest.
		p.Drain(p.running, p.visitRow, p.visitCol)
		before := p.changes()
		size := len(p.RowLo) + len(p.Lo) - p.Removed
		// The searches over the whole problem, the cheap ones first; each queues what it has changed.
		searches := []func(){
			p.parallelRows, p.parallelCols, p.dominatedCols, p.impliedIntegers, p.states, p.residues, p.probe,
		}
		for _, search := range searches {
			if p.running() {
				search()
			}
		}

		// A pass that changes little is the last.
		if !p.running() || float64(p.changes()-before) <= passGain*float64(size) {
			break
		}
	}
	p.Drain(p.running, p.visitRow, p.visitCol)
}

// visitRow makes the reductions that apply to row i.
func (p *problem) visitRow(i int32) {
	// The reductions that remove the row come first, then those that tighten it.
	n := p.A.RowLen[i]
	switch {
	case n <= 1 && p.shortRow(i):
	case p.impliedRow(i):
	default:
		if p.has(Bounds) && !p.propagate(i) {
			return
		}
		if p.has(Divisors) {
			p.divide(i)
		}
		if p.has(Coefficients) {
			p.tightenCoefficients(i)
		}
		if p.RowLo[i] == p.RowUp[i] && !p.infeasible {
			p.equation(i)
		}
	}
}

// visitCol makes the first reduction that applies to column j.
func (p *problem) visitCol(j int32) {
	n := p.A.ColLen[j]

	// A fixed column leaves at once, unless its rounding error would matter in a row.
	switch {
	case p.isFixed(j):
		if !p.leavesRounding(j) {
			p.fix(j, p.fixedAt(j))
		}
	case p.has(DualFixing) && p.fixDual(j):
	case n == 1 && p.singletonCol(j):
	case n > 1 && n <= maxColLen && p.has(Substitutions):
		p.substitute(j)
	}
}
