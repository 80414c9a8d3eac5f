// Package decompose solves a two-stage program by every method and scheme. What is common to all programs is here,
// once:
//
//	condition -> prepare -> bound and fix -> reduce -> run the driver -> set the status
//
// and for a hybrid these in two phases. A Program says what its family knows: the compact model, the Benders problem
// and its separators are enough (package benders/twostage makes them for any model), everything else is a hook that may
// be nil.
package decompose

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
)

// Program is a two-stage program for one run: its hooks share what they learn about it and are for one goroutine.
type Program struct {
	Name     string
	Instance any    // what a trained model looks at
	Noun     string // what the first-stage columns are, for logs: facilities, arcs; "" for columns

	// Master returns the first-stage model, Compact the whole program as one minimisation, whose first columns are
	// those of Master and whose rows include its rows.
	Master, Compact func() *lp.Model
	// Problem returns the Benders problem with the exact recourse, with one epigraph if aggregated. Called after
	// Prepare, it has the cuts and the local search that Prepare found.
	Problem func(ctx context.Context, aggregated bool) (*benders.Problem, error)
	// Cost returns the exact two-stage cost of a design, as a minimisation, and false if it has no feasible recourse;
	// nil for that of Problem.
	Cost func(ctx context.Context, y []float64) (cost float64, feasible bool, err error)
	// Exact returns the exact separator for that problem.
	Exact func(aggregated bool) (benders.Separator, error)

	Single      bool    // there is one epigraph in any case: the method aggregated is exact
	ProxySum    bool    // a proxy alone has one cut on the sum, as with aggregated
	Maximize    bool    // results are the negative of those of the run
	ProxyRounds int     // rounds of separation at a node of a run with proxy cuts alone, 0 for those of the options
	InOut       float64 // weight of in-out separation, 0 for that of the options
	KeepCuts    bool    // the exact phase of a hybrid has the proxy's cuts in its master
	Whole       bool    // an exact run by the scheme auto is branch and cut on the whole: the recourse has few parts
	StartFull   bool    // the method full begins with the design of Prepare
	StartRecord bool    // a recorded run begins with what Prepare finds, before Subject
	StartCut    bool    // an exact master begins with the cut of the design of Prepare

	// Faithful returns how the paper runs the program by its scheme, Paper or Classic; nil, also for one scheme, if the
	// paper does not.
	Faithful func(s Scheme) *Faithful

	// Periods solves a program of several periods without its scenarios, as the scheme Nested says, in the sense of the
	// program given; an error that wraps ErrUnsupported says that it cannot. Listed returns the program with its
	// scenarios, for everything else; of the other hooks one with Periods has Master alone. nil for two stages.
	Periods func(ctx context.Context, o Options) (*benders.Result, error)
	Listed  func() (*Program, error)

	// Begin and End, if not nil, are told of the options of a run before anything else, and of its result, to which End
	// may add what it counted.
	Begin func(o *Options)
	End   func(out *benders.Result)
	// Prepare finds what it can before the master, to the gap; where the context ends it returns what it has.
	Prepare func(ctx context.Context, gap float64) (Start, error)
	// Fix raises the bound of a start and fixes columns against its cost. quick asks for what pays before a run with
	// proxy cuts alone. Programs whose Prepare does that have none.
	Fix func(ctx context.Context, s *Start, quick bool) error
	// Accept tells the hooks of a better design and bound that another part of the run found.
	Accept func(ctx context.Context, s *Start) error

	// Outdone reports whether what the program knows once it is prepared certifies as much of the recourse as a model, at
	// a point where neither was asked before: then a hybrid by the scheme auto has no proxy phase. nil for never.
	Outdone func(ctx context.Context, m *proxy.Model, s *Start) (bool, error)

	// Tree is branch and bound without a master, from a start. TreeNodes is how many nodes of it come before the master
	// in an exact run by the scheme auto; it may improve the start.
	Tree      func(ctx context.Context, s *Start, o benders.Options) (*benders.Result, error)
	TreeNodes int
	// Rest takes over an exact run by the scheme auto from a master that was stopped after MasterNodes nodes.
	Rest        func(ctx context.Context, s *Start, o benders.Options) (*benders.Result, error)
	MasterNodes int

	// Condition returns the program to solve in place of this one, nil for itself, and an exponent: a cost of c there
	// is one of c 2^exponent here. Its optimal designs are optimal here, and a bound that is below the cost of a known
	// design holds here.
	Condition func() (other *Program, exponent int)
	// Reduce returns the program without the columns that a fixing closes. It has what the hooks know.
	Reduce func(f lagrange.Fixing) (*Program, *lagrange.Reduction, error)
	// Around puts more cuts around a separator.
	Around func(benders.Separator) benders.Separator
	// ProxyStall returns after how many nodes in a row without a better design a run with proxy cuts alone stops, where
	// the options do not say it; heuristic tells whether it began with the design of a heuristic. nil for no such stop.
	ProxyStall func(heuristic bool) int
	// Data returns the program as a record holds it: a record.Facilities, Network or Model. Subject returns what a
	// recorded run needs besides the separator and the label; its problem is not conditioned and has nothing fixed.
	// Both are nil where runs cannot be recorded.
	Data    func() any
	Subject func(ctx context.Context, aggregated bool) (*prove.Subject, error)

	// Draw draws designs that a proxy should be trained on; nil for proxy.Between.
	Draw proxy.Draw

	// Repair watches the problem of a run with proxy cuts alone and returns what repairs the result of that run.
	Repair func(m *proxy.Model, p *benders.Problem) (repair func(context.Context, *benders.Result) error, err error)
	// Feasibility returns the program without costs, which decides whether one whose relaxation is unbounded
	// (ErrUnbounded) is unbounded or infeasible; nil where that cannot be.
	Feasibility func() *Program
}

// Start is what is known before a master.
type Start struct {
	Design []float64 // the best design, nil for none
	Cost   float64   // its true cost
	Bound  float64   // a proven lower bound on every design that costs at most Cost
	Fixing lagrange.Fixing
}

// NoStart returns the start that knows nothing.
func NoStart() Start { return Start{Cost: math.Inf(1), Bound: math.Inf(-1)} }

// Closed reports whether the bound proves the design to a relative gap.
func (s *Start) Closed(gap float64) bool {
	return s.Design != nil && lp.RelativeGap(s.Cost, min(s.Bound, s.Cost)) <= gap
}

// method is what a method comes to for the program.
func (p *Program) method(m Method) Method {
	if m == Aggregated && p.Single {
		return Exact
	}
	return m
}

// Price returns the exact two-stage cost of a design in the sense of the model, and false if it breaks a bound, the
// integrality or a row of the first stage, or has no feasible recourse.
func (p *Program) Price(ctx context.Context, y []float64) (cost float64, feasible bool, err error) {
	master := p.Master()
	if n := len(master.Cols); len(y) != n {
		return 0, false, fmt.Errorf("decompose: %w: a design of %d columns for %d", benders.ErrOptions, len(y), n)
	}
	if err := master.Check(y); errors.Is(err, lp.ErrPoint) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, err
	}

	cost, feasible, err = p.minimised(ctx, y)
	if p.Maximize {
		cost = -cost
	}
	return cost, feasible, err
}

// minimised prices a design that satisfies the first stage, as a minimisation.
func (p *Program) minimised(ctx context.Context, y []float64) (cost float64, feasible bool, err error) {
	if p.Cost != nil {
		return p.Cost(ctx, y)
	}
	b, err := p.Problem(ctx, true)
	if err != nil {
		return 0, false, err
	}
	cost, feasible, err = b.Price(ctx, y, make([]float64, b.Epigraphs))
	if err == nil {
		err = ctx.Err()
	}
	return cost, feasible, err
}
