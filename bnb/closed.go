package bnb

import "math"

// closed is what is proven of the part of the problem that is in no open node.
type closed struct {
	excluded   float64 // smallest bound among the nodes dropped by the cutoff
	unresolved float64 // smallest bound among the nodes dropped without a proof
	unbounded  bool
	infeasible bool // proven without a tree: contradicting bounds
}

func newClosed() closed { return closed{excluded: inf, unresolved: inf} }

// exclude drops a part whose bound has reached the cutoff.
func (c *closed) exclude(bound float64) { c.excluded = math.Min(c.excluded, bound) }

// abandon drops a part that can be neither solved nor branched on: its bound stays in the global bound, so nothing is
// claimed about it.
func (c *closed) abandon(bound float64) { c.unresolved = math.Min(c.unresolved, bound) }

// bound is a lower bound on everything that was dropped.
func (c *closed) bound() float64 { return math.Min(c.excluded, c.unresolved) }

// setInfeasible records that the whole problem is infeasible.
func (c *closed) setInfeasible() { c.infeasible = true }

// setUnbounded records that the whole problem is unbounded.
func (c *closed) setUnbounded() { c.unbounded = true }
