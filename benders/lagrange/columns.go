package lagrange

import (
	"math"

	"github.com/proxybd/proxybd/internal/outward"
)

// State is what is known of a binary first-stage column.
type State int8

const (
	Undecided State = iota
	Closed          // 0
	Open            // 1
)

// other returns the other value of a column that is decided.
func (s State) other() State { return Closed + Open - s }

// Value returns the value of a column that is decided.
func (s State) Value() float64 {
	if s == Open {
		return 1
	}
	return 0
}

// Columns has the state of each column: closed or open in every design that costs at most UB.
type Columns struct {
	State []State
	UB    float64 // the cost of a known design, or what is above it by the accuracy of prices
}

// NewColumns returns n undecided columns.
func NewColumns(n int) Columns { return Columns{State: make([]State, n), UB: math.Inf(1)} }

// Limit returns UB: a bound need not be above it.
func (c *Columns) Limit() float64 { return c.UB }

// Lower lowers UB to the cost of a known design. That is computed to a relative accuracy: UB stays above it by it, so
// that the design itself, and every one as good, is within UB.
func (c *Columns) Lower(cost, accuracy float64) { c.UB = min(c.UB, cost*(1+accuracy)) }

// FixByReducedCost fixes column j by a relaxation whose value is at least bound and in which j has a reduced cost
// between low and high, all as exact numbers: a design with y_j = 1 costs at least bound + low, one with y_j = 0 at
// least bound - high.
func (c *Columns) FixByReducedCost(j int, bound, low, high float64) {
	// The sums are compared in exact arithmetic, so that no rounding fixes a column.
	switch {
	case c.State[j] != Undecided:
	case low > 0 && outward.Exceeds(bound, low, c.UB):
		c.State[j] = Closed
	case high < 0 && outward.Exceeds(bound, -high, c.UB):
		c.State[j] = Open
	}
}

// Fixing lists the columns that are decided.
func (c *Columns) Fixing() Fixing {
	f := Fixing{UB: c.UB}
	for j, s := range c.State {
		switch s {
		case Closed:
			f.Closed = append(f.Closed, int32(j))
		case Open:
			f.Opened = append(f.Opened, int32(j))
		}
	}
	return f
}

// design returns the design that opens the columns that are open.
func (c *Columns) design() []float64 {
	y := make([]float64, len(c.State))
	for j, s := range c.State {
		y[j] = s.Value()
	}
	return y
}

// Binary is a relaxation over designs y in {0,1}^n, of which some columns are fixed. Evaluate fixes columns by reduced
// cost.
type Binary interface {
	Relaxation
	// Known returns what is known of the columns; the caller may change it.
	Known() *Columns
	// Feasible returns false where the columns leave no design, as far as the fixed columns alone decide that.
	Feasible() bool
	// Shift changes a supergradient at the multipliers as if y_j were larger by so much.
	Shift(slope, multipliers []float64, j int, by float64)
	// Compact may drop closed columns from the data of the relaxation, until Restore is called for the same depth. A
	// tree calls it at every depth in turn; at depth -1 it is for good.
	Compact(depth int)
	Restore(depth int)
}
