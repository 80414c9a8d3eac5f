package program

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
)

// Activity returns the range of the activity of row i. A change of the row makes it invalid.
func (p *Program) Activity(i int32) *activity.Range {
	t := &p.ranges[i]
	if t.ok && t.exact() {
		return &t.Range
	}

	// The range is computed from the bounds of all columns in the row.
	*t = rowRange{ok: true}
	for k := p.A.RowHead[i]; k >= 0; {
		e := &p.A.E[k]
		k = e.NextR
		t.Add(e.Val, p.Lo[e.Col], p.Up[e.Col])
	}
	p.Work += int(p.A.RowLen[i])
	return &t.Range
}

// Afresh computes the range of row i anew. Its updates may have left rounding errors of terms that no longer exist.
func (p *Program) Afresh(i int32) *activity.Range {
	p.ranges[i].ok = false
	return p.Activity(i)
}

// TouchRow queues row i after a change of its entries: its range is computed anew.
func (p *Program) TouchRow(i int32) {
	p.ranges[i].ok = false
	p.RowQueue.Add(i)
}

// TouchCols queues the columns of row i after a change of its sides, or after it has lost a column.
func (p *Program) TouchCols(i int32) {
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		p.ColQueue.Add(p.A.E[k].Col)
	}
	p.Work += int(p.A.RowLen[i])
}

// MoveTerm changes the bounds of a term of row i in its range, and queues the row.
func (p *Program) MoveTerm(i int32, v, oldLo, oldUp, lo, up float64) {
	if t := &p.ranges[i]; t.ok {
		t.Move(v, oldLo, oldUp, lo, up)
		t.moves++
	}
	p.RowQueue.Add(i)
}

// ImpliedBounds returns the bounds on x_j that row i, where its entry is v, and the bounds of the other columns imply,
// widened by the rounding error; infinite if there are none.
func (p *Program) ImpliedBounds(i, j int32, v float64) (lo, up float64) {
	return p.BoundsFrom(p.Activity(i), i, j, v)
}

// BoundsFrom is ImpliedBounds with the range t of row i.
func (p *Program) BoundsFrom(t *activity.Range, i, j int32, v float64) (lo, up float64) {
	termLo, termUp := activity.Terms(v, p.Lo[j], p.Up[j])
	slopMin, slopMax := p.rangeNoises(i, t)

	// The range of the term v x_j.
	low := p.RowLo[i] - t.MaxWithout(termUp) - slopMax
	high := p.RowUp[i] - t.MinWithout(termLo) + slopMin
	return activity.Divide(low, high, v)
}

// ImpliedByRow reports whether the bounds of x_j are infinite or implied by row i, where its entry is v.
func (p *Program) ImpliedByRow(i, j int32, v float64) bool {
	// A row implies infinite bounds whatever it is.
	lo, up := math.Inf(-1), math.Inf(1)
	if p.Lo[j] > lo || p.Up[j] < up {
		lo, up = p.ImpliedBounds(i, j, v)
	}

	return p.covers(j, lo, up)
}

// impliedByRows reports whether the rows of column j, each by itself, imply its bounds.
func (p *Program) impliedByRows(j int32) bool {
	// Each row may imply one of the bounds; the search ends once both are implied.
	lo, up := math.Inf(-1), math.Inf(1)
	for e := range p.A.Col(j) {
		if lo >= p.Lo[j] && up <= p.Up[j] {
			break
		}
		l, u := p.ImpliedBounds(e.Row, j, e.Val)
		lo = max(lo, l)
		up = min(up, u)
	}

	p.Work += int(p.A.ColLen[j])
	return p.covers(j, lo, up)
}

// covers reports whether [lo, up] is within the bounds of x_j, up to Pad.
func (p *Program) covers(j int32, lo, up float64) bool {
	return lo >= p.Lo[j]-p.Pad && up <= p.Up[j]+p.Pad
}

// Substitutable looks for the shortest row that can eliminate column j, whose bounds its rows must imply, with a good
// pivot and few new entries: an equation, or an inequality that holds with equality in some optimum, if that adds no
// entries. It returns the entry of the pivot and the side at which the row holds; the entry is -1 if there is none.
func (p *Program) Substitutable(j int32) (best int32, side float64) {
	best = -1
	colMax := -1.0 // negative until it is computed
	n := p.A.ColLen[j]
	driven, at := p.drivenRow(j)

	// Only rows that are better than the best one so far reach the expensive tests below.
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		length := p.A.RowLen[e.Row]
		fill := int32(maxFill)
		if p.RowLo[e.Row] != p.RowUp[e.Row] {
			if k != driven {
				continue
			}
			fill = 0
		}

		// The substitution replaces length + n - 1 entries by at most (length-1)(n-1). Only shorter rows are better.
		if length < 2 || (length-1)*(n-1) > length+n-1+fill {
			continue
		}
		if best >= 0 && length >= p.A.RowLen[p.A.E[best].Row] {
			continue
		}

		// The expensive tests come last.
		if colMax < 0 {
			if !p.impliedByRows(j) {
				return -1, 0
			}
			colMax = p.ColMax(j)
		}
		good := math.Abs(e.Val) >= max(PivotAbs, PivotCol*colMax, PivotRow*p.RowMax(e.Row))
		if good && !p.makesTiny(k) && !p.Spreads(e.Row, j, e.Val) {
			best = k
			side = p.RowLo[e.Row]
			if k == driven {
				side = at
			}
		}
	}
	return best, side
}

// CostlySide returns the side of row i to which the cost of x_j drives the row, through v, the only entry of x_j, and
// whether that is the lower one: in every optimum the row is at that side. ok is false if x_j may reach its bound
// first, or if that side is infinite.
func (p *Program) CostlySide(i, j int32, v float64) (side float64, lower, ok bool) {
	// The bound towards which the cost drives x_j must be no tighter than what the row implies.
	lo, up := p.ImpliedBounds(i, j, v)
	bounded := p.Cost[j] > 0 && lo < p.Lo[j]-p.Pad
	if p.Cost[j] < 0 {
		bounded = up > p.Up[j]+p.Pad
	}
	if bounded {
		return 0, false, false
	}

	lower = p.Cost[j]/v > 0
	side = activity.End(!lower, p.RowLo[i], p.RowUp[i])
	return side, lower, !math.IsInf(side, 0)
}

// drivenRow returns the entry of the only row that limits x_j in a direction in which its cost does not increase, and
// the side that does: some optimum has the row at that side, if the bounds of x_j are implied. The entry is -1 if there
// is none.
func (p *Program) drivenRow(j int32) (only int32, side float64) {
	for _, above := range [2]bool{false, true} {
		if only, side = p.Driven(j, above); only >= 0 {
			break
		}
	}
	return only, side
}

// Driven is drivenRow for one direction: upward if above is set, otherwise downward.
func (p *Program) Driven(j int32, above bool) (only int32, side float64) {
	// A direction in which the cost rises is of no use.
	increases := p.Cost[j] < 0
	if above {
		increases = p.Cost[j] > 0
	}
	if increases {
		return -1, 0
	}

	only = -1

	// The column may move until its only row in this direction is at its side.
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		b := p.limit(k, above)
		switch {
		case math.IsInf(b, 0):
		case only >= 0:
			return -1, 0
		default:
			only = k
			side = b
		}
	}
	return only, side
}

// limit returns the side of the row of entry k that limits its column from above or from below; infinite if none does.
func (p *Program) limit(k int32, above bool) float64 {
	e := &p.A.E[k]
	if e.Val > 0 == above {
		return p.RowUp[e.Row]
	}
	return p.RowLo[e.Row]
}

// makesTiny reports whether the substitution of the column of entry k by means of its row gives another row an entry
// that is almost zero. A column that such a row determined would then be almost arbitrary within the tolerance of the
// row.
func (p *Program) makesTiny(k int32) bool {
	e := &p.A.E[k]
	least := math.Inf(1) // absolute value of the other entries of the row, divided by the pivot
	for other := range p.A.Row(e.Row) {
		if other != e {
			least = min(least, math.Abs(other.Val/e.Val))
		}
	}

	p.Work += int(p.A.RowLen[e.Row])

	// Each of them is multiplied by the entry in the other row.
	for other := range p.A.Col(e.Col) {
		if other != e && math.Abs(other.Val)*least < tiny {
			return true
		}
	}
	return false
}

// Spreads reports whether the substitution of column j by means of row i, where its entry is v, leaves another row with
// entries of such different sizes that the rounding of its largest terms, or its tolerance, would determine the column
// of its smallest entry.
func (p *Program) Spreads(i, j int32, v float64) bool {
	// The absolute values of row i, its sides included, without the column.
	least := math.Inf(1)
	largest := max(activity.FiniteSize(p.RowLo[i]), activity.FiniteSize(p.RowUp[i]))
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != j {
			least = min(least, math.Abs(e.Val))
			largest = max(largest, math.Abs(e.Val))
		}
	}
	p.Work += int(p.A.RowLen[i])

	// The same of each other row with a multiple of it.
	for e := range p.A.Col(j) {
		if e.Row == i {
			continue
		}

		f := math.Abs(e.Val / v)
		lo := f * least
		hi := f * largest
		for r := p.A.RowHead[e.Row]; r >= 0; r = p.A.E[r].NextR {
			if g := &p.A.E[r]; g.Col != j {
				lo = min(lo, math.Abs(g.Val))
				hi = max(hi, math.Abs(g.Val))
			}
		}

		p.Work += int(p.A.RowLen[e.Row])
		if lo < farApart*hi {
			return true
		}
	}
	return false
}
