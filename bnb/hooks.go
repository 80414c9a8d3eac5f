package bnb

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Source is where a candidate comes from.
type Source uint8

const (
	FromRelaxation Source = iota // the LP relaxation of a node
	FromHeuristic                // a heuristic of this package or of a hook
	FromStart                    // Options.Start
)

// Candidate is the argument of a hook. All of it is read-only, and valid only during the call.
type Candidate struct {
	X         []float64 // one value a column, in the model's units; nil in Hooks.Node
	Objective float64   // of X, model's sense, offset included; in Hooks.Node the bound of the node
	Source    Source
	Node      int       // number of the node, from 0 (the root)
	Depth     int       // 0 at the root
	Round     int       // separation rounds already done at this node
	Bound     float64   // global bound, model's sense
	Incumbent float64   // objective of the best accepted point; NaN if there is none
	Values    []float64 // the incumbent itself; nil if there is none
}

// Cut is a globally valid row Lower <= Value'x[Index] <= Upper. The solver copies it.
type Cut struct {
	Lower, Upper float64
	Index        []int32
	Value        []float64
	Scale        float64 // by which a violation is divided before Options.CutViolation applies; 0 for max(1, |side|)
}

// AtLeast returns the cut sum >= lower.
func AtLeast(lower float64, sum ...lp.Expr) Cut {
	index, value := lp.Sparse(sum...)
	return Cut{Lower: lower, Upper: inf, Index: index, Value: value}
}

// AtMost returns the cut sum <= upper.
func AtMost(upper float64, sum ...lp.Expr) Cut {
	index, value := lp.Sparse(sum...)
	return Cut{Lower: -inf, Upper: upper, Index: index, Value: value}
}

// Separation is a hook's answer.
type Separation struct {
	Cuts []Cut // violated rows; rows that the candidate satisfies are ignored, duplicates too

	// Points are complete points (one value a column) worth trying as incumbents. Each is verified
	// like any other candidate: bounds, rows, integrality and the lazy hook.
	Points [][]float64
}

// Hooks are the places where a caller takes part in the search. Any of them may be nil. They are called from one
// goroutine, in a deterministic order, with any number of threads. With several threads the incumbent and the bound
// of a candidate may not be the latest. An error stops the search and is returned.
//
// All points, cuts and columns are by the columns of the caller's model, whatever presolve does. With a Lazy,
// User, Heuristic or Branch hook presolve keeps the columns and exactly the feasible points of the model: it
// only removes and tightens rows, coefficients and bounds by what the other rows and integrality imply, which
// no further row can contradict. Without them it may take columns out and keep one of several optimal points;
// the candidates of Incumbent and Node are then taken back to the model.
type Hooks struct {
	// Lazy is called with every candidate that satisfies the rows, bounds, integrality and the cuts of earlier calls, and
	// that is better than the incumbent or enters the solution pool, whatever produced it (relaxation, heuristic,
	// start), before it is accepted. Where the relaxation is unbounded the candidates are points far along a ray. Its
	// cuts are constraints of the problem that the model leaves out. With no violated cut the candidate becomes an
	// incumbent; otherwise it is rejected and, at a node, the relaxation is solved again.
	Lazy func(ctx context.Context, c Candidate) (Separation, error)

	// User is called at fractional points, at the root and at nodes, as long as its cuts move the bound
	// (Options.RootRounds, Options.NodeRounds). Its cuts must not remove a feasible integer point.
	User func(ctx context.Context, c Candidate) (Separation, error)

	// Heuristic is called at fractional points, at the root after every round and once a node; only Points are read.
	Heuristic func(ctx context.Context, c Candidate) (Separation, error)

	// Branch is called at every node that is to be branched on at a fractional LP point, c.X, after its cuts and
	// heuristics. It may divide the node by a disjunction of bounds of integer columns; no children leave it
	// to the solver. The bounds come on top of the node's own; a child that tightens none of those is an error.
	Branch func(ctx context.Context, c Candidate) (Branching, error)

	// Presolved is called with the model that the search will work on, where presolve changed it. It is read-only.
	Presolved func(m *lp.Model)

	// Symmetric says that Lazy, User and Branch treat alike all columns that a symmetry of the model exchanges: the
	// constraints that the cuts stand for are those of the image of any point, too. Without it a search with one of these
	// hooks does not use symmetries.
	Symmetric bool

	// Symmetries is called when symmetries of the model that the search works on are found: before the search where
	// rows break some of them, and at the first branching. A restart looks for them again.
	Symmetries func(s Symmetries)

	// Incumbent is called with every accepted point.
	Incumbent func(c Candidate)

	// Node is called with every node when it is taken from the queue, before its relaxation is solved.
	Node func(c Candidate)

	// Progress is called at each log line, at most once in Options.LogEvery and at every new incumbent.
	Progress func(p Progress)
}

// Progress is one line of a solver log.
type Progress struct {
	Incumbent    bool // true where a new incumbent is the reason for the line
	Source       Source
	Nodes        int // nodes done
	Open         int // nodes in the queue
	LPIterations int
	Cuts         int     // cut rows in the LP
	Objective    float64 // of the incumbent, NaN without one
	Bound        float64
	Gap          float64 // |Objective - Bound| / |Objective|, +Inf without an incumbent
	Work         float64 // deterministic units, as in Result.Work
	Elapsed      time.Duration
}
