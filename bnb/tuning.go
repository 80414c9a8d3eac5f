package bnb

import (
	"time"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
)

// tuning changes the course of a search for tests and comparisons. The zero value changes nothing.
type tuning struct {
	restartAfter   int     // nodes after which a tree is rebuilt, however much of it is done; 0 for the usual rules
	minRoundWork   float64 // least work of a round of the workers, who then begin after the root; 0 for the usual rules
	orderedSetsOff bool    // ordered sets are not branched on
	conflictsOff   bool    // no conflicts are derived from propagation and proofs
	resolutionOff  bool    // no rows are resolved with each other in conflict analysis
	breakingOff    bool    // no rows break symmetries
	separatorsOff  []cuts.Kind
	reductionsOff  presolve.Reductions
	heuristicsOff  heuristicSet
}

// job is everything that a search is made from.
type job struct {
	model  *lp.Model
	opt    Options
	hooks  Hooks
	origin origin
	start  time.Time // from which Options.TimeLimit and Result.Elapsed count
}

// origin is what a search that has started this one hands over. The zero value is a search that a caller has started.
type origin struct {
	subMIP   bool                // a heuristic has started it, and uses nothing but its points
	restarts int                 // searches of the same problem that this one continues
	guide    []float64           // the incumbent of the search that this one continues, feasible here or not; else nil
	idle     int                 // nodes of that search since its last better point
	onWork   func(clock float64) // called with the work done so far; nil for none
}

// project returns the origin with the guide in the columns of the reduced model.
func (o origin) project(r *presolve.Reduced) origin {
	if o.guide != nil {
		o.guide = r.Project(o.guide)
	}
	return o
}
