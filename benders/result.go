package benders

import (
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// Result is what a driver returns, at a limit too: the best design and a proven bound.
type Result struct {
	// Status is Optimal only when the gap between Objective and Bound is proven; FixedPoint when a proxy
	// run ended with no violated cut and a gap that is not, or dual decomposition with the best multipliers;
	// Stalled when Options.StallNodes ended it, or a run that is only a start left a gap.
	Status    lp.Status
	Design    []float64 // y of the returned design, integral; nil if there is none
	Objective float64   // its true cost f'y + Q(y); NaN without a design
	Bound     float64   // the master's proven bound, valid whatever the separator predicts
	Gap       float64   // (Objective - Bound) / |Objective|; +Inf without a design

	// Terminal is the true cost of the master's own last incumbent, the design that is returned
	// without true-cost selection; NaN if there is none.
	Terminal float64

	Nodes        int
	Iterations   int // rounds of the outer loop
	LPIterations int
	Cuts         Counts
	Visited      int // different integer designs seen
	Projected    int // predictions that were not finite and were projected
	Repair       Repair
	Uses         Uses    // of the separators of a Hybrid
	Phases       []Phase // of a run in phases, in their order
	Scenarios    Scenarios
	Parts        Parts
	Elapsed      time.Duration
	Pricing      time.Duration // of the design of a run that prices none itself, after it; not in Elapsed
}

// Counts counts the cuts that the master accepted.
type Counts struct {
	Optimality  int // at integer designs
	Feasibility int // at integer designs
	CutSets     int // of the feasibility cuts those that no separator of the recourse made (FromCutSets)
	User        int // at fractional points, of both kinds
	Initial     int // held from the start
}

// add counts a cut at an integer design.
func (c *Counts) add(kind Kind) {
	if kind == Feasibility {
		c.Feasibility++
	} else {
		c.Optimality++
	}
}

// Scenarios counts how the scenarios of a program were priced at the points where a cut or a cost was asked for; the
// zero value where there are none.
type Scenarios struct {
	LPs     int // by a linear program
	Bunched int // of these, by the basis behind a certificate that was there, without a pivot
	Pool    int // by a certificate that was there, where these were enough for all
	Skipped int // not by one of their own: the linear programs of others, with certificates that were there, were enough
	Refuted int // points, at which a certificate that was there proves that a scenario has no recourse
}

// Repair counts what a family did to give designs without feasible recourse one (paper, section 3.3). It is the
// zero value where nothing had to be repaired.
type Repair struct {
	Designs int // designs that were repaired
	Opened  int // columns that the repair of the returned design opened; 0 if that design needed none
	LPs     int // designs whose recourse an LP had to decide, because the heuristic certificate failed
	Elapsed time.Duration
}

// Parts splits Elapsed.
type Parts struct {
	Master     time.Duration // LP solves of the master
	Separation time.Duration // exact separation, or a proxy's whole call
	Times                    // of Separation
	Recourse   time.Duration // exact pricing of visited designs
	Heuristic  time.Duration
	Presolve   time.Duration // before the master: starting design, bounds, fixing
	Other      time.Duration // so that all but the parts of Separation add up to the run
}

// Fill sets Other so that the parts add up to a total.
func (p *Parts) Fill(total time.Duration) {
	p.Other = max(0, total-p.Master-p.Separation-p.Recourse-p.Heuristic-p.Presolve)
}

// Progress is one line of the log.
type Progress struct {
	bnb.Progress
	Iteration int // of the outer loop; 0 in a tree
	Depth     int // of the node, in a tree without a master; 0 elsewhere
	TrueCost  float64
	Start     bool // before the tree or the outer loop: a design and a bound are looked for
	Logged    bool // the log has lines of its own for this part
}

// Recorder observes every separation. Its arguments are valid only during the call.
type Recorder interface {
	Separated(p Point, s *Separation, violated []Cut)
}
