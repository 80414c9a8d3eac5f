package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/program"
)

// shortRow removes an empty row, or turns a row with one entry into bounds. It returns true if the row is gone or the
// problem infeasible.
func (p *problem) shortRow(i int32) bool {
	if p.A.RowLen[i] == 0 {
		// An empty row has the activity zero.
		if p.RowLo[i] > p.tolerance(p.RowLo[i]) || p.RowUp[i] < -p.tolerance(p.RowUp[i]) {
			p.infeasible = true
			return true
		}
		p.DropRow(i)
		return true
	}

	// The rounding error of the side must not grow, neither as a bound nor in another row of the column.
	e := p.A.E[p.A.RowHead[i]]
	v := math.Abs(e.Val)
	poor := v < smallCoef || v > pivotMax
	if !p.integer[e.Col] && (poor || p.Loss(i)/v*p.ColMax(e.Col) > sidePart*p.opt.Feasibility) {
		return false
	}

	lo, up := activity.Divide(p.RowLo[i], p.RowUp[i], e.Val)
	p.DropRow(i)
	p.setBounds(e.Col, lo, up, e.Val)
	return true
}

// integral rounds the sides lo <= k <= up of an integer k inward. They come from a row in which k has the coefficient
// v, so that the slack before rounding must be within the tolerance of the row, not of an integer. If v is small,
// sidePart of that tolerance is more than the tolerance of an integer, and the side may be wrong by that much. If no
// value remains, the whole tolerance of the row is used.
func (p *problem) integral(lo, up, v float64) (float64, float64) {
	// The slack is at least the rounding error of the side.
	within := func(slack float64) (float64, float64) {
		first := math.Ceil(lo - math.Max(slack, sideNoise*math.Abs(lo)))
		last := math.Floor(up + math.Max(slack, sideNoise*math.Abs(up)))
		return first, last
	}

	first, last := within(p.opt.Feasibility * math.Max(math.Min(1, 1/v), sidePart/v))
	if first > last && v < 1 {
		first, last = within(p.opt.Feasibility / v)
	}
	return first, last
}

// impliedRow compares row i with the range of its activity: it may be impossible, redundant, or hold only with all
// columns at bounds. It returns true if the row is gone or the problem infeasible.
func (p *problem) impliedRow(i int32) bool {
	t := p.Activity(i)
	low, high := t.Lower(), t.Upper()
	noise := p.RangeNoise(i, t)
	lo, up := p.RowLo[i], p.RowUp[i]

	// A side out of reach of the activity is a contradiction, beyond its tolerance and rounding errors.
	if low-noise > up+p.tolerance(up) || high+noise < lo-p.tolerance(lo) {
		p.infeasible = true
		return true
	}

	// A side that the bounds of the columns imply is dropped.
	if !math.IsInf(lo, -1) && low >= lo-p.impliedTol(lo) {
		p.RowLo[i] = math.Inf(-1)
		p.TouchCols(i)
	}
	if !math.IsInf(up, 1) && high <= up+p.impliedTol(up) {
		p.RowUp[i] = math.Inf(1)
		p.TouchCols(i)
	}
	if math.IsInf(p.RowLo[i], -1) && math.IsInf(p.RowUp[i], 1) {
		p.DropRow(i)
		return true
	}

	if !p.has(Bounds) {
		return false
	}

	// The activity can only just reach a side.
	tight := 4*noise + program.RoundTol
	switch {
	case !math.IsInf(up, 1) && low >= up-tight:
		return p.force(i, false, math.Abs(up-low)+noise)
	case !math.IsInf(lo, -1) && high <= lo+tight:
		return p.force(i, true, math.Abs(high-lo)+noise)
	}
	return false
}

// impliedTol is the distance within which a side counts as implied by the activity.
func (p *problem) impliedTol(side float64) float64 {
	return math.Min(math.Max(impliedMin, exactTol*math.Abs(side)), p.opt.Feasibility)
}

// force fixes all columns of row i at the bounds where its activity is largest, or least. The side leaves the activity
// the given room, or is violated by it. The row is left to the LP if it needs a bound that comes from rows, which is
// relaxed so that the column cannot be there, or if the room allows a column with a small coefficient to move.
func (p *problem) force(i int32, largest bool, room float64) bool {
	row := p.rowEntries(i, -1)
	for k, j := range row.cols {
		implied := p.impliedLo[j]
		if row.vals[k] > 0 == largest {
			implied = p.impliedUp[j]
		}

		// A bound that comes from rows is relaxed: the column need not be there.
		if implied && p.Lo[j] < p.Up[j] {
			return false
		}
		if way := math.Min(room/math.Abs(row.vals[k]), p.Up[j]-p.Lo[j]); way > forcedMove {
			return false
		}
	}

	// The row holds at these bounds, so that it is dropped first.
	p.DropRow(i)
	for k, j := range row.cols {
		at := activity.End(row.vals[k] > 0 == largest, p.Lo[j], p.Up[j])
		p.setBounds(j, at, at, 1)
		p.count.Tightened++
	}
	return true
}

// rowEntries returns a copy of row i without column skip.
func (p *problem) rowEntries(i, skip int32) terms {
	t := terms{make([]int32, 0, p.A.RowLen[i]), make([]float64, 0, p.A.RowLen[i])}

	for e := range p.A.Row(i) {
		if e.Col != skip {
			t.cols = append(t.cols, e.Col)
			t.vals = append(t.vals, e.Val)
		}
	}
	p.Work += int(p.A.RowLen[i])
	return t
}

// parallelRows merges rows that are multiples of each other.
func (p *problem) parallelRows() {
	if !p.has(ParallelRows) {
		return
	}
	p.ParallelRows(p.running, func(i, r int32) {
		// The ratio has to hold for all entries, to a part of the tolerance of the rows.
		s, ok := p.RowRatio(i, r, sidePart*p.opt.Feasibility)
		if !ok {
			return
		}

		// The row with the larger entries stays: a point that violates the other one by the tolerance would violate this one
		// by a multiple of it.
		if math.Abs(s) > 1 {
			i, r = r, i
			s = 1 / s
		}
		p.mergeRows(i, r, s)
	})
}

// mergeRows intersects the sides of row i with those of row r, which is s times row i, and removes row r.
func (p *problem) mergeRows(i, r int32, s float64) {
	// A row of very large or very small multiples has other tolerances.
	if math.Abs(s) < program.PivotAbs || math.Abs(s) > pivotMax {
		return
	}

	// Row r divided by s has the entries of row i.
	lo, up := activity.Divide(p.RowLo[r], p.RowUp[r], s)

	// The new lower side decides whose tolerance counts if the sides cross.
	fromLower := lo > p.RowLo[i]
	p.RowLo[i] = math.Max(lo, p.RowLo[i])
	p.RowUp[i] = math.Min(up, p.RowUp[i])
	p.crossingRow(i, s, fromLower)
	p.DropRow(r)
	p.TouchRow(i)
	p.count.ParallelRows++
}
