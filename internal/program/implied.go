package program

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
)

// Activity returns the range of the activity of row i. It is a view that a change of the row makes invalid.
func (p *Program) Activity(i int32) *activity.Range {
	t := &p.ranges[i]
	if t.ok && t.exact() {
		return &t.Range
	}
	*t = rowRange{ok: true}
	for k := p.A.RowHead[i]; k >= 0; {
		e := &p.A.E[k]
		k = e.NextR
		t.Add(e.Val, p.Lo[e.Col], p.Up[e.Col])
	}
	p.Work += int(p.A.RowLen[i])
	return &t.Range
}

// Afresh adds up the range of row i anew, whose updates may have left the rounding error of terms that are gone.
func (p *Program) Afresh(i int32) *activity.Range {
	p.ranges[i].ok = false
	return p.Activity(i)
}

// TouchRow marks row i as changed: its range is computed anew.
func (p *Program) TouchRow(i int32) {
	p.ranges[i].ok = false
	p.RowQueue.Add(i)
}

// TouchCols marks the columns of row i, after its sides moved or it lost one.
func (p *Program) TouchCols(i int32) {
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		p.ColQueue.Add(p.A.E[k].Col)
	}
	p.Work += int(p.A.RowLen[i])
}

// MoveTerm changes the bounds of a term of row i, and its range with them.
func (p *Program) MoveTerm(i int32, v, oldLo, oldUp, lo, up float64) {
	if t := &p.ranges[i]; t.ok {
		t.Move(v, oldLo, oldUp, lo, up)
		t.moves++
	}
	p.RowQueue.Add(i)
}

// ImpliedBounds returns the bounds on x_j that row i implies through its entry v there and the bounds of
// the other columns, moved outward by the rounding error; infinite where there are none.
func (p *Program) ImpliedBounds(i, j int32, v float64) (lo, up float64) {
	return p.BoundsFrom(p.Activity(i), i, j, v)
}

// BoundsFrom does that with the range t of row i.
func (p *Program) BoundsFrom(t *activity.Range, i, j int32, v float64) (lo, up float64) {
	termLo, termUp := activity.Terms(v, p.Lo[j], p.Up[j])
	slopMin, slopMax := p.rangeNoises(i, t)
	low := p.RowLo[i] - t.MaxWithout(termUp) - slopMax // of v x_j
	high := p.RowUp[i] - t.MinWithout(termLo) + slopMin
	if v > 0 {
		return low / v, high / v
	}
	return high / v, low / v
}

// ImpliedByRow reports whether the bounds of x_j are infinite or implied by row i through its entry v.
func (p *Program) ImpliedByRow(i, j int32, v float64) bool {
	lo, up := math.Inf(-1), math.Inf(1)
	if p.Lo[j] > lo || p.Up[j] < up {
		lo, up = p.ImpliedBounds(i, j, v)
	}
	return p.covers(j, lo, up)
}

// ImpliedByRows reports whether the rows of column j, each for itself, imply its bounds.
func (p *Program) ImpliedByRows(j int32) bool {
	lo, up := math.Inf(-1), math.Inf(1)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		if lo >= p.Lo[j] && up <= p.Up[j] {
			break
		}
		e := &p.A.E[k]
		l, u := p.ImpliedBounds(e.Row, j, e.Val)
		lo, up = max(lo, l), min(up, u)
	}
	p.Work += int(p.A.ColLen[j])
	return p.covers(j, lo, up)
}

func (p *Program) covers(j int32, lo, up float64) bool {
	return lo >= p.Lo[j]-p.Pad && up <= p.Up[j]+p.Pad
}

// Substitutable looks for the shortest row that can eliminate column j, whose bounds its rows imply, with a good pivot
// and few new entries: an equation, or an inequality that its cost drives it against, where that adds no entries. It
// returns the entry of the pivot and the side at which the row holds; the entry is -1 if there is none.
func (p *Program) Substitutable(j int32) (best int32, side float64) {
	best = -1
	colMax := -1.0
	n := p.A.ColLen[j]
	driven, at := p.drivenRow(j)
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
		if length < 2 || (length-1)*(n-1) > length+n-1+fill {
			continue
		}
		if best >= 0 && length >= p.A.RowLen[p.A.E[best].Row] {
			continue
		}
		if colMax < 0 {
			if !p.ImpliedByRows(j) {
				return -1, 0
			}
			colMax = p.ColMax(j)
		}
		if math.Abs(e.Val) >= max(PivotAbs, PivotCol*colMax, PivotRow*p.RowMax(e.Row)) && !p.makesTiny(k) &&
			!p.Spreads(e.Row, j, e.Val) {
			if best, side = k, p.RowLo[e.Row]; k == driven {
				side = at
			}
		}
	}
	return best, side
}

// CostlySide returns the side of row i to which the cost of x_j drives the row through v, its only entry, and whether
// that is the lower one: every optimum has the row there. ok is false where x_j gets to its bound before, or where the
// row has no such side.
func (p *Program) CostlySide(i, j int32, v float64) (side float64, lower, ok bool) {
	lo, up := p.ImpliedBounds(i, j, v)
	if p.Cost[j] > 0 && lo < p.Lo[j]-p.Pad || p.Cost[j] < 0 && up > p.Up[j]+p.Pad {
		return 0, false, false
	}
	side, lower = p.RowLo[i], p.Cost[j]/v > 0
	if !lower {
		side = p.RowUp[i]
	}
	return side, lower, !math.IsInf(side, 0)
}

// drivenRow returns the entry of the only row that ends x_j in a direction in which it costs no more, and the side that
// does: some optimum has the row at that side, unless the bound of x_j comes before. The entry is -1 if there is none.
func (p *Program) drivenRow(j int32) (only int32, side float64) {
	for _, above := range [2]bool{false, true} {
		if only, side = p.Driven(j, above); only >= 0 {
			break
		}
	}
	return only, side
}

// Driven is drivenRow for one direction, upward where above is set.
func (p *Program) Driven(j int32, above bool) (only int32, side float64) {
	if above && p.Cost[j] > 0 || !above && p.Cost[j] < 0 {
		return -1, 0
	}
	only = -1
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		b := p.ending(k, above)
		switch {
		case math.IsInf(b, 0):
		case only >= 0:
			return -1, 0
		default:
			only, side = k, b
		}
	}
	return only, side
}

// ending returns the side of the row of entry k that ends its column below, or above; infinite where none does.
func (p *Program) ending(k int32, above bool) float64 {
	e := &p.A.E[k]
	if e.Val > 0 == above {
		return p.RowUp[e.Row]
	}
	return p.RowLo[e.Row]
}

// makesTiny reports whether the substitution of the column of entry k by means of its row gives another row a
// coefficient that is next to nothing: within its tolerance that row would then say little of a column that it
// determined.
func (p *Program) makesTiny(k int32) bool {
	e := &p.A.E[k]
	least := math.Inf(1) // of the other entries of the row, by the pivot
	for r := p.A.RowHead[e.Row]; r >= 0; r = p.A.E[r].NextR {
		if r != k {
			least = min(least, math.Abs(p.A.E[r].Val/e.Val))
		}
	}
	p.Work += int(p.A.RowLen[e.Row])
	for r := p.A.ColHead[e.Col]; r >= 0; r = p.A.E[r].NextC {
		if r != k && math.Abs(p.A.E[r].Val)*least < tiny {
			return true
		}
	}
	return false
}

// Spreads reports whether the substitution of column j by means of row i, where it has the entry v, leaves another
// row with entries so far apart that rounding of its largest terms, or its tolerance, decides on the column of the
// smallest.
func (p *Program) Spreads(i, j int32, v float64) bool {
	least, largest := math.Inf(1), 0.0 // of row i without the column
	for _, b := range [2]float64{p.RowLo[i], p.RowUp[i]} {
		if !math.IsInf(b, 0) {
			largest = max(largest, math.Abs(b))
		}
	}
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		if e := &p.A.E[k]; e.Col != j {
			least, largest = min(least, math.Abs(e.Val)), max(largest, math.Abs(e.Val))
		}
	}
	p.Work += int(p.A.RowLen[i])
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		if e.Row == i {
			continue
		}
		f := math.Abs(e.Val / v)
		lo, hi := f*least, f*largest
		for r := p.A.RowHead[e.Row]; r >= 0; r = p.A.E[r].NextR {
			if g := &p.A.E[r]; g.Col != j {
				lo, hi = min(lo, math.Abs(g.Val)), max(hi, math.Abs(g.Val))
			}
		}
		p.Work += int(p.A.RowLen[e.Row])
		if lo < farApart*hi {
			return true
		}
	}
	return false
}
