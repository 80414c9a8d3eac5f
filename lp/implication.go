package lp

import (
	"fmt"
	"math"
	"slices"
)

// Literal is a condition on a 0-1 column: it holds where the column has the value.
type Literal struct {
	Var Var
	// Is is 0 or 1.
	Is int
}

// Implication is a constraint that a search imposes by branching on 0-1 columns: where all literals hold, Var lies
// within [Lower, Upper]. Neither rows nor bounds of the model state it, so the linear relaxation leaves it out.
type Implication struct {
	// If are the literals, one or two of different columns.
	If []Literal
	// Var is the column that is restricted.
	Var Var
	// Lower and Upper are the bounds where the literals hold, -Inf and Inf where there are none.
	Lower, Upper float64
}

// Places are the hidden 0-1 columns of a special ordered set, exactly one of which is 1. They have no cost, and stand
// in that equation and in implications only. With place k an SOS1 has its column k and an SOS2 its columns k and k+1
// that may be other than zero.
type Places struct {
	Kind SetKind
	// Vars are the columns of the set in their order, At the 0-1 columns.
	Vars, At []Var
}

// Switch is the hidden 0-1 column of a semi-continuous column, which stands in two implications and nowhere else: at 0
// the column is 0, at 1 it is within [Lower, Upper].
type Switch struct {
	Var, On      Var
	Lower, Upper float64
}

// Branched is what Impose has left to branching. All of it is read-only.
type Branched struct {
	Implications []Implication
	// Sets and Switches say what hidden columns stand for; their implications are among the others.
	Sets     []Places
	Switches []Switch
}

// Branched returns the constraints that rows and bounds do not state. A solver that ignores them solves a relaxation.
func (m *Model) Branched() *Branched { return &m.branched }

// SetBranched gives the model the constraints of another one with the same columns in the same order.
func (m *Model) SetBranched(b *Branched) { m.branched = b.clone() }

// Any reports whether there is any constraint.
func (b *Branched) Any() bool { return len(b.Implications) > 0 }

// clone returns a copy whose lists grow into memory of their own.
func (b *Branched) clone() Branched {
	return Branched{slices.Clip(b.Implications), slices.Clip(b.Sets), slices.Clip(b.Switches)}
}

// Violation returns by how much x breaks the implication, 0 where a literal does not hold. The 0-1 columns of x are
// rounded.
func (c *Implication) Violation(x []float64) float64 {
	for _, l := range c.If {
		if math.Round(x[l.Var]) != float64(l.Is) {
			return 0
		}
	}
	return math.Max(0, math.Max(c.Lower-x[c.Var], x[c.Var]-c.Upper))
}

// checkBranched reports an implication that does not fit the columns.
func (m *Model) checkBranched() error {
	for _, c := range m.branched.Implications {
		bad := c.Var < 0 || int(c.Var) >= len(m.Cols) || len(c.If) == 0 || !(c.Lower <= c.Upper)
		for _, l := range c.If {
			exists := l.Var >= 0 && int(l.Var) < len(m.Cols)
			bad = bad || !exists || !m.Cols[l.Var].Integer || m.Cols[l.Var].Lower < 0 || m.Cols[l.Var].Upper > 1
		}
		if bad {
			return fmt.Errorf("lp: %w: the implication %+v does not fit the columns", ErrModel, c)
		}
	}
	return nil
}
