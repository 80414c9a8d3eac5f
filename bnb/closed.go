package bnb

import "math"

// closed is what is proven of the part of the problem that is in no open node.
type closed struct {
	excluded   float64 // smallest bound among the nodes dropped by the cutoff
	lost       float64 // smallest bound among the nodes dropped without a proof
	unbounded  bool
	infeasible bool // proven without a tree: contradicting bounds
}

func newClosed() closed { return closed{excluded: inf, lost: inf} }

// exclude drops a part whose bound has reached the cutoff.
func (c *closed) exclude(bound float64) { c.excluded = math.Min(c.excluded, bound) }

// lose gives up a part that can be neither solved nor branched on: its bound stays in the global bound, so nothing is
// claimed about it.
func (c *closed) lose(bound float64) { c.lost = math.Min(c.lost, bound) }

// bound is a lower bound on everything that was dropped.
func (c *closed) bound() float64 { return math.Min(c.excluded, c.lost) }

// refute says that the whole problem is infeasible.
func (c *closed) refute() { c.infeasible = true }

// unbind says that the whole problem is unbounded.
func (c *closed) unbind() { c.unbounded = true }
