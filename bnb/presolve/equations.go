package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// equation makes the reductions that need row i to be an equation.
func (p *problem) equation(i int32) {
	if p.a.RowLen[i] == 2 && p.has(Doubletons) {
		p.doubleton(i)
	}
}

// doubleton eliminates one of the two columns of equation i, a continuous one where there is one; an
// integer column only if it is integer for every integer value of the other one.
func (p *problem) doubleton(i int32) {
	e := p.a.E[p.a.RowHead[i]]
	f := p.a.E[e.NextR]
	if p.a.ColLen[e.Col] > p.a.ColLen[f.Col] {
		e, f = f, e
	}
	switch {
	case p.mayEliminate(i, &e, &f):
	case p.mayEliminate(i, &f, &e):
		e, f = f, e
	default:
		return
	}
	b := p.rlo[i]
	lo, up := (b-e.Val*p.lo[e.Col])/f.Val, (b-e.Val*p.up[e.Col])/f.Val
	if e.Val/f.Val > 0 {
		lo, up = up, lo
	}
	p.dropRow(i)
	p.eliminate(e.Col, e.Val, b, terms{[]int32{f.Col}, []float64{f.Val}})
	p.setBounds(f.Col, lo, up)
	p.count.Aggregated++
}

// mayEliminate reports whether the column of e may leave by means of equation i, whose other entry is f.
func (p *problem) mayEliminate(i int32, e, f *sparse.Link) bool {
	if math.Abs(e.Val) < pivotAbs || math.Abs(f.Val) > maxRatio*math.Abs(e.Val) {
		return false
	}
	if p.integer[e.Col] {
		return p.integer[f.Col] && p.integralRow(i, e.Col, e.Val)
	}
	return math.Abs(e.Val) >= pivotCol*p.colMax(e.Col) && math.Abs(e.Val)*maxRatio >= math.Abs(f.Val)
}

// substitute looks for the shortest equation that can eliminate the continuous column j, if its rows imply
// its bounds, and does so where that adds few entries.
func (p *problem) substitute(j int32) {
	if p.integer[j] {
		return
	}
	best, colMax := int32(-1), -1.0
	n := p.a.ColLen[j]
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		e := &p.a.E[k]
		length := p.a.RowLen[e.Row]
		if p.rlo[e.Row] != p.rup[e.Row] || length < 2 || (length-1)*(n-1) > length+n-1+maxFill {
			continue
		}
		if best >= 0 && length >= p.a.RowLen[p.a.E[best].Row] {
			continue
		}
		if colMax < 0 {
			if !p.impliedByRows(j) {
				return
			}
			colMax = p.colMax(j)
		}
		if math.Abs(e.Val) >= max(pivotAbs, pivotCol*colMax, pivotRow*p.rowMax(e.Row)) {
			best = k
		}
	}
	if best < 0 {
		return
	}
	e := p.a.E[best]
	b := p.rlo[e.Row]
	cols, vals := p.rowEntries(e.Row, j)
	p.dropRow(e.Row)
	p.eliminate(j, e.Val, b, terms{cols, vals})
	p.count.Aggregated++
}

// impliedByRows reports whether the rows of column j, each for itself, imply its bounds.
func (p *problem) impliedByRows(j int32) bool {
	lo, up := math.Inf(-1), math.Inf(1)
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		if lo >= p.lo[j] && up <= p.up[j] {
			break
		}
		e := &p.a.E[k]
		l, u := p.impliedBounds(e.Row, j, e.Val)
		lo, up = max(lo, l), min(up, u)
	}
	p.work += int(p.a.ColLen[j])
	return lo >= p.lo[j]-boundPad && up <= p.up[j]+boundPad
}

// impliedIntegers finds continuous columns that may be called integer: an equation makes them so, or all
// rows leave them ranges with integer ends, so that some optimal point has them integer.
func (p *problem) impliedIntegers() {
	if !p.has(ImpliedIntegers) {
		return
	}
	p.work += p.a.NNZ
	alone := make([]int32, len(p.rlo)) // continuous columns of each row
	for j := range p.lo {
		if p.goneCol[j] || p.integer[j] {
			continue
		}
		for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
			alone[p.a.E[k].Row]++
		}
	}
	for j := range int32(len(p.lo)) {
		if p.goneCol[j] || p.integer[j] || p.a.ColLen[j] == 0 || !p.running() || !p.integralColumn(j, alone) {
			continue
		}
		p.integer[j] = true
		p.setBounds(j, p.lo[j], p.up[j])
		p.colQueue.Add(j)
		for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
			alone[p.a.E[k].Row]--
			p.rowQueue.Add(p.a.E[k].Row)
		}
		p.count.ImpliedIntegers++
		p.changes++
	}
}

// integralColumn reports whether a row makes column j integer, or all rows and its bounds have only
// integer ends for it.
func (p *problem) integralColumn(j int32, alone []int32) bool {
	all := integralBound(p.lo[j]) && integralBound(p.up[j])
	for k := p.a.ColHead[j]; k >= 0; k = p.a.E[k].NextC {
		e := &p.a.E[k]
		equation := p.rlo[e.Row] == p.rup[e.Row]
		if alone[e.Row] != 1 || !(all || equation) || !p.integralRow(e.Row, j, e.Val) {
			all = false
			continue
		}
		if equation {
			return true
		}
	}
	return all
}

func integralBound(v float64) bool { return math.IsInf(v, 0) || v == math.Round(v) }
