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

const (
	Bounds          Reductions = 1 << iota // bounds that rows imply, forcing rows
	Coefficients                           // smaller coefficients of integer columns
	Divisors                               // sides of rows over integer columns, by their common divisor
	ParallelRows                           // rows that are multiples of each other
	Doubletons                             // equations with two entries
	Slacks                                 // columns in one row that only widen its sides
	FreeSingletons                         // columns in one row that their cost drives to a side
	Substitutions                          // continuous columns with implied bounds, by a row that holds with equality
	DualFixing                             // columns that no row keeps from their better bound
	ParallelCols                           // columns that are multiples of each other
	DominatedCols                          // columns that another column is never worse than
	ImpliedIntegers                        // continuous columns that are multiples of a step where the others are integer
	Probing                                // consequences of fixing binary columns
	Residues                               // equations over integer columns, modulo small primes

	All Reductions = 1<<iota - 1
)

// keeping are the reductions that keep the columns and the feasible points.
const keeping = Bounds | Coefficients | Divisors | ParallelRows | Probing | Residues

// Options steer Reduce. Start from DefaultOptions.
type Options struct {
	Reductions  Reductions // that may be made (default All)
	Feasibility float64    // absolute violation of a row or bound that is none (default 1e-6)
	KeepColumns bool       // keep the columns and exactly the feasible points, for models with rows to come
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options { return Options{Reductions: All, Feasibility: 1e-6} }

// ErrOptions is wrapped by the errors of Validate.
var ErrOptions = errors.New("invalid options")

// Validate reports a bit that names no reduction, and a tolerance that is none.
func (o *Options) Validate() error {
	if o.Reductions&^All != 0 {
		return fmt.Errorf("presolve: %w: Reductions = %#x", ErrOptions, uint32(o.Reductions))
	}
	if !(o.Feasibility > 0 && o.Feasibility < 1) {
		return fmt.Errorf("presolve: %w: Feasibility = %g", ErrOptions, o.Feasibility)
	}
	return nil
}

// Reduce presolves m, which is not changed. A cancelled context ends it early with what it has, which is
// valid. It is cheap beside a root relaxation and may be called again on a reduced model, for
// instance with bounds that the search has tightened: Restore of the second result, then of the first.
//
// The status of the result is lp.Infeasible where no point satisfies rows, bounds and integrality, and
// lp.NotSolved otherwise. An unbounded model stays one. An error means a bad model or bad options.
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
	if opt.KeepColumns {
		opt.Reductions &= keeping
	}
	p := &problem{Program: program.New(m, a), ctx: ctx, opt: opt, integer: make([]bool, len(m.Cols)),
		impliedLo: make([]bool, len(m.Cols)), impliedUp: make([]bool, len(m.Cols))}
	p.Pad, p.Noise = boundPad, 4*p.Noise
	p.maxWork = workFactor*p.A.NNZ + workBase
	for j := range m.Cols {
		p.integer[j] = m.Cols[j].Integer
	}
	p.begin()
	p.reduce()
	return p.result(m), nil
}

// begin rounds the bounds of integer columns, checks bounds and sides, and queues everything.
func (p *problem) begin() {
	for j := range p.Lo {
		if p.integer[j] {
			p.Lo[j] = math.Ceil(p.Lo[j] - p.opt.Feasibility)
			p.Up[j] = math.Floor(p.Up[j] + p.opt.Feasibility)
		}
		p.crossing(int32(j))
		p.ColQueue.Add(int32(j))
	}
	for i := range p.RowLo {
		p.crossingRow(int32(i), 1, false)
		p.RowQueue.Add(int32(i))
	}
}

func (p *problem) has(r Reductions) bool { return p.opt.Reductions&r != 0 }

// running reports whether more reductions may be looked for. Rows are visited in less than a microsecond, columns may
// be probed for milliseconds: so the context is polled after so many calls or entries touched.
func (p *problem) running() bool {
	if p.polls++; p.polls%pollEvery == 0 || p.Work+p.probed > p.polled+pollWork {
		p.polled = p.Work + p.probed
		p.stopped = p.stopped || p.ctx.Err() != nil
	}
	return !p.infeasible && !p.stopped && p.Work < p.maxWork
}

// reduce is the main loop: what has changed is looked at again until nothing does, then come the
// searches over the whole problem, as long as they pay.
func (p *problem) reduce() {
	for range maxPasses {
		p.Drain(p.running, p.visitRow, p.visitCol)
		before, size := p.changes(), len(p.RowLo)+len(p.Lo)-p.Removed
		for _, search := range []func(){p.parallelRows, p.parallelCols, p.dominatedCols, p.impliedIntegers, p.residues,
			p.probe} {
			if p.running() {
				search()
			}
		}
		if !p.running() || float64(p.changes()-before) <= passGain*float64(size) {
			break
		}
	}
	p.Drain(p.running, p.visitRow, p.visitCol)
}

// visitRow makes the reductions that fit row i.
func (p *problem) visitRow(i int32) {
	switch n := p.A.RowLen[i]; {
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

// visitCol makes the first reduction that fits column j.
func (p *problem) visitCol(j int32) {
	switch n := p.A.ColLen[j]; {
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
