// Package decompose solves a two-stage program by every method and scheme. What is common to all programs is here,
// once:
//
//	condition -> prepare -> bound and fix -> reduce -> run the driver -> set the status
//
// and for a hybrid these in two phases. A Program is what its family declares: the compact model, the Benders problem
// and its separators are enough (package benders/twostage makes them for any model), everything else may be left out.
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

// Program is a two-stage program for one run, as five declarations. Of each the zero value says that the family has
// nothing of the kind; Model and Recourse are needed for a run, unless Model.Periods is set: then Model alone. The
// functions share what a run has found out, and are called from one goroutine. A program that extends another copies it
// and replaces the functions that differ.
type Program struct {
	Model       Model       // the program itself
	Recourse    Recourse    // its Benders problem and the separators
	Preparation Preparation // what is found before a master, or without one
	Proxy       ProxyRun    // what holds for runs with a trained model alone
	Record      Recording   // what a record needs
}

// Model is the program as linear models.
type Model struct {
	Name       string
	ColumnNoun string // what the first-stage columns are, for logs: facilities, arcs; "" for columns
	Maximize   bool   // results are the negative of those of the run, which minimises

	// Master returns the first-stage model, Compact the whole program as one minimisation, whose first columns are
	// those of Master and whose rows include its rows.
	Master, Compact func() *lp.Model

	// Feasibility returns the program without costs. It is called where the relaxation is unbounded (ErrUnbounded), to
	// decide whether the program is unbounded or infeasible; nil where that cannot be.
	Feasibility func() *Program

	// Paper returns how the paper runs the program by the scheme Paper or Classic; nil, also as its result, if the
	// paper does not.
	Paper func(s Scheme) *Faithful

	Periods Periods // of a program of three or more periods; the zero value for two stages
}

// Periods is a program of several periods. Of the rest of such a Program only Model is read.
type Periods struct {
	// Solve solves the program without a list of its scenarios, as the scheme Nested says, in the sense of the program
	// given. An error that wraps ErrUnsupported says that this program cannot be solved so: then Listed is called.
	Solve func(ctx context.Context, o Options) (*benders.Result, error)

	// Listed returns the program with its scenarios, a program of two stages, for everything else.
	Listed func() (*Program, error)
}

// Recourse is the second stage.
type Recourse struct {
	// Problem returns the Benders problem with the exact recourse, with one epigraph if aggregated. Called after
	// Preparation.Start, it has the cuts and the local search that were found there.
	Problem func(ctx context.Context, aggregated bool) (*benders.Problem, error)

	// Exact returns the exact separator for that problem.
	Exact func(aggregated bool) (benders.Separator, error)

	// Cost returns the exact two-stage cost of a design, as a minimisation, and false if it has no feasible recourse;
	// nil for that of Problem.
	Cost func(ctx context.Context, y []float64) (cost float64, feasible bool, err error)

	// Strengthen adds the cuts of the family to those of a separator, exact or of a trained model; nil for none.
	Strengthen func(benders.Separator) benders.Separator

	// Begin is called first with the options of a run, which it may change, End last with its result, to which it may
	// add counts. Each may be nil.
	Begin func(o *Options)
	End   func(out *benders.Result)

	SingleEpigraph bool // there is one epigraph in any case: the method aggregated is exact
	PreferFull     bool // an exact run by the scheme auto is branch and cut on Compact: the recourse has few parts
}

// Preparation is what a program can find before a master, or without one.
type Preparation struct {
	// Condition returns the program to solve in place of this one, nil for itself, and an exponent: a cost of c there
	// is one of c 2^exponent here. Its optimal designs are optimal here, and a bound that is below the cost of a known
	// design holds here. It is called before all else.
	Condition func() (other *Program, exponent int)

	// Start finds a design, a bound and a fixing before the master. Where the context ends it returns what it has. nil
	// where nothing comes before a master.
	Start func(ctx context.Context, o StartOptions) (Start, error)

	// Fix raises the bound of a start and fixes columns against its cost. quick asks for what pays before a run with
	// proxy cuts alone. nil where Start has done that, or nothing can.
	Fix func(ctx context.Context, s *Start, quick bool) error

	// Accept takes over a better design and bound, which another part of the run found; nil where nothing depends on
	// them.
	Accept func(ctx context.Context, s *Start) error

	// Reduce returns the program without the columns that a fixing closes, with everything that this one has found out;
	// nil for no reduction.
	Reduce func(f lagrange.Fixing) (*Program, *lagrange.Reduction, error)

	// Tree is branch and bound without a master, from a start. It is the scheme Dual; in an exact run by the scheme auto
	// its first Nodes come before the master, none if that is 0, and may improve the start.
	Tree Search

	// ScenarioDual is the method Decoupled, from a start, with the options of the run for the time that is left; nil for
	// programs without scenarios.
	ScenarioDual func(ctx context.Context, s *Start, o Options) (*benders.Result, error)

	// Rest finishes an exact run by the scheme auto after Nodes nodes of the tree over a master.
	Rest Search

	InOut    float64 // weight of in-out separation, 0 for that of the options
	ForFull  bool    // Start is called before the method full too, which begins with its design
	FirstCut bool    // an exact master begins with the cut at the design of the start
}

// StartOptions are what the search for a start is given.
type StartOptions struct {
	Gap float64 // at which the bound counts as proof of the design
	// Report may be called until Start returns with the cost of the best design so far, +Inf without one, and a lower
	// bound. logged says that the log has lines of its own for that part of the search. It is never nil.
	Report func(cost, bound float64, logged bool)
}

// Search is a search from a start that needs no Benders cuts. Its zero value is none.
type Search struct {
	Solve func(ctx context.Context, s *Start, o benders.Options) (*benders.Result, error)
	Nodes int  // the node at which this search and the master change places
	Alone bool // it is the whole of an exact run by the scheme auto, from a start without a design too: there is no master
}

// ProxyRun is what a program says of trained models, and of runs with their cuts alone.
type ProxyRun struct {
	Instance any // what a trained model reads; needed for a model

	Rounds   int  // rounds of separation at a node where there are no other cuts, 0 for those of the options
	OneCut   bool // a prediction gives one cut on the sum of the epigraphs, as with aggregated
	KeepCuts bool // the exact phase of a hybrid has the proxy's cuts in its master

	// Stall returns after how many nodes in a row without a better design a run with proxy cuts alone stops, where the
	// options do not say it; heuristic reports whether it began with the design of a heuristic. nil for no such stop.
	Stall func(heuristic bool) int

	// NetworkHelps reports whether a model certifies more of the recourse than the program can by itself once it is
	// prepared, at a point where neither was evaluated before. Where it does not, a hybrid by the scheme auto has no
	// proxy phase. nil for always.
	NetworkHelps func(ctx context.Context, m *proxy.Model, s *Start) (bool, error)

	// Draw draws designs on which a proxy should be trained; nil for proxy.Between.
	Draw proxy.Draw

	// Repair observes the problem of a run with proxy cuts alone and returns what repairs the result of that run; nil
	// where no design needs it.
	Repair func(m *proxy.Model, p *benders.Problem) (repair func(context.Context, *benders.Result) error, err error)
}

// Recording is what a record needs. Both functions are nil where runs cannot be recorded.
type Recording struct {
	// Data returns the program as a record holds it: a record.Facilities, Network or Model.
	Data func() any

	// Subject returns what a recorded run needs besides the separator and the label; its problem is not conditioned and
	// has nothing fixed.
	Subject func(ctx context.Context, aggregated bool) (*prove.Subject, error)

	Prepare bool // a recorded run begins with Preparation.Start, before Subject
}

// Start is what is known before a master.
type Start struct {
	Design []float64 // the best design, nil for none
	Cost   float64   // its true cost
	Bound  float64   // a proven lower bound on every design that costs at most Cost
	Fixing lagrange.Fixing
}

// NoStart returns the start without a design and without a bound.
func NoStart() Start { return Start{Cost: math.Inf(1), Bound: math.Inf(-1)} }

// Closed reports whether the bound proves the design to a relative gap.
func (s *Start) Closed(gap float64) bool {
	return s.Design != nil && lp.RelativeGap(s.Cost, min(s.Bound, s.Cost)) <= gap
}

// method is what a method comes to for the program.
func (p *Program) method(m Method) Method {
	if m == Aggregated && p.Recourse.SingleEpigraph {
		return Exact
	}
	return m
}

// Price returns the exact two-stage cost of a design in the sense of the model, and false if it breaks a bound, the
// integrality or a row of the first stage, or has no feasible recourse.
func (p *Program) Price(ctx context.Context, y []float64) (cost float64, feasible bool, err error) {
	// A point that is no design is no error; the wrong number of columns is one.
	master := p.Model.Master()
	if n := len(master.Cols); len(y) != n {
		return 0, false, fmt.Errorf("decompose: %w: a design of %d columns for %d", benders.ErrOptions, len(y), n)
	}
	if err := master.Check(y); errors.Is(err, lp.ErrPoint) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, err
	}

	cost, feasible, err = p.minimised(ctx, y)
	if p.Model.Maximize {
		cost = -cost
	}
	return cost, feasible, err
}

// minimised prices a design that satisfies the first stage, as a minimisation.
func (p *Program) minimised(ctx context.Context, y []float64) (cost float64, feasible bool, err error) {
	if p.Recourse.Cost != nil {
		return p.Recourse.Cost(ctx, y)
	}

	// Without a function of its own the cost is that of the Benders problem, of any number of epigraphs.
	b, err := p.Recourse.Problem(ctx, true)
	if err != nil {
		return 0, false, err
	}
	cost, feasible, err = b.Price(ctx, y, make([]float64, b.Epigraphs))
	if err == nil {
		err = ctx.Err()
	}
	return cost, feasible, err
}
