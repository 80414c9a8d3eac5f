package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
	"github.com/proxybd/proxybd/internal/sparse"
)

// equation makes the reductions of equations in row i.
func (p *problem) equation(i int32) {
	if p.A.RowLen[i] == 2 && p.has(Doubletons) {
		p.doubleton(i)
	}
}

// doubleton eliminates one of the two columns of equation i, a continuous one if there is one; an integer column only
// if it is integer for every integer value of the other one.
func (p *problem) doubleton(i int32) {
	e := p.A.E[p.A.RowHead[i]]
	f := p.A.E[e.NextR]

	// The shorter column adds fewer entries.
	if p.A.ColLen[e.Col] > p.A.ColLen[f.Col] {
		e, f = f, e
	}

	// Where the shorter column may not be eliminated the other one takes its place.
	switch {
	case p.mayEliminate(i, &e, &f):
	case p.mayEliminate(i, &f, &e):
		e, f = f, e
	default:
		return
	}
	p.eliminateOther(i, &e, &f, p.RowLo[i])
}

// eliminateOther eliminates the column of e by means of row i, whose activity is b and whose other entry is f. The
// bounds of the column become bounds of the other one.
func (p *problem) eliminateOther(i int32, e, f *sparse.Link, b float64) {
	// x_e = (b - f x_f) / e at either bound of x_e gives the bounds of x_f.
	lo := (b - e.Val*p.Lo[e.Col]) / f.Val
	up := (b - e.Val*p.Up[e.Col]) / f.Val
	if e.Val/f.Val > 0 {
		lo, up = up, lo
	}

	p.DropRow(i)
	p.eliminate(e.Col, e.Val, b, terms{[]int32{f.Col}, []float64{f.Val}})
	p.setBounds(f.Col, lo, up, f.Val)
	p.count.Aggregated++
}

// mayEliminate reports whether the column of e may be eliminated by means of equation i, whose other entry is f: e must
// be a good pivot, and an integer column must be implied to be integer.
func (p *problem) mayEliminate(i int32, e, f *sparse.Link) bool {
	// Small pivots, and large ratios of the coefficients, let rounding errors grow.
	tooSmall := math.Abs(e.Val) < program.PivotAbs || math.Abs(f.Val) > maxRatio*math.Abs(e.Val)
	if tooSmall || p.Spreads(i, e.Col, e.Val) {
		return false
	}

	// An integer column needs an integer for every value of the other one.
	if p.integer[e.Col] {
		return p.integer[f.Col] && p.integralRow(i, e.Col, e.Val)
	}
	return math.Abs(e.Val) >= program.PivotCol*p.ColMax(e.Col) && math.Abs(e.Val)*maxRatio >= math.Abs(f.Val)
}

// driven eliminates the integer column j if its cost drives it against one row only, which has two entries, before it
// reaches its bound: some optimum has the row at that side, and j is integer there.
func (p *problem) driven(j int32) {
	for _, above := range [2]bool{false, true} {
		// The row that the cost drives the column against must have one other column.
		k, side := p.Driven(j, above)
		if k < 0 || p.A.RowLen[p.A.E[k].Row] != 2 {
			continue
		}

		e := p.A.E[k]
		i := e.Row
		f := p.A.E[p.A.RowHead[i]]
		if f.Col == j {
			f = p.A.E[f.NextR]
		}

		// The row must limit j at least as much as its bound does.
		lo, up := p.ImpliedBounds(i, j, e.Val)
		reached := lo >= p.Lo[j]-p.Pad
		if above {
			reached = up <= p.Up[j]+p.Pad
		}
		if reached && p.RowLo[i] < p.RowUp[i] && p.mayEliminate(i, &e, &f) {
			p.eliminateOther(i, &e, &f, side)
			return
		}
	}
}

// substitute looks for the shortest row that can eliminate the continuous column j, if its rows imply its bounds, and
// does so if that adds few entries. If the row is an inequality, it holds with equality in some optimum.
func (p *problem) substitute(j int32) {
	// An integer column needs an integer row, which driven looks for.
	if p.integer[j] {
		p.driven(j)
		return
	}
	best, b := p.Substitutable(j)
	if best < 0 {
		return
	}

	// The record keeps the row, from which Restore computes the column.
	e := p.A.E[best]
	rest := p.rowEntries(e.Row, j)
	p.DropRow(e.Row)
	p.eliminate(j, e.Val, b, rest)
	p.count.Aggregated++
}
