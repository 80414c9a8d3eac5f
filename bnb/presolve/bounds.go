package presolve

import "math"

// propagate derives bounds of the columns of row i from its sides and the bounds of the other columns. It
// returns false if the problem is infeasible.
func (p *problem) propagate(i int32) bool {
	t := *p.Activity(i)                                 // before the row's own tightenings: each column has one entry
	below := t.InfMax > 1 || math.IsInf(p.RowLo[i], -1) // nothing follows from the lower side
	above := t.InfMin > 1 || math.IsInf(p.RowUp[i], 1)
	if below && above {
		return true
	}
	p.Work += int(p.A.RowLen[i])
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		e := &p.A.E[k]
		lo, up := p.BoundsFrom(&t, i, e.Col, e.Val)
		p.tighten(e.Col, lo, up, e.Val)
		if p.infeasible {
			return false
		}
	}
	return true
}

// tighten intersects the bounds of column j with those that a row gives through the coefficient v: rounded for an
// integer column, relaxed and only where they gain enough for a continuous one.
func (p *problem) tighten(j int32, lo, up, v float64) {
	if p.integer[j] {
		lo, up = p.derived(lo, up, v)
		if math.Abs(lo) > hugeInteger {
			lo = math.Inf(-1)
		}
		if math.Abs(up) > hugeInteger {
			up = math.Inf(1)
		}
	} else {
		lo, up = p.worthwhile(j, lo, up, v)
	}
	if lo > p.Lo[j] || up < p.Up[j] {
		p.count.Tightened++
		p.imply(j, lo, up)
	}
}

// imply intersects the bounds of column j with ones that rows imply, rounded or relaxed.
func (p *problem) imply(j int32, lo, up float64) {
	newLo, newUp := lo > p.Lo[j], up < p.Up[j]
	p.setBounds(j, lo, up, 1)
	if !p.integer[j] {
		p.impliedLo[j], p.impliedUp[j] = p.impliedLo[j] || newLo, p.impliedUp[j] || newUp
	}
}

// derived rounds bounds of an integer column that a row gives through the coefficient v.
func (p *problem) derived(lo, up, v float64) (float64, float64) {
	slack := p.opt.Feasibility / math.Min(1, math.Abs(v))
	return math.Ceil(lo - slack), math.Floor(up + slack)
}

// worthwhile relaxes derived bounds of a continuous column and drops those that gain too little.
func (p *problem) worthwhile(j int32, lo, up, v float64) (float64, float64) {
	if lo > p.Up[j]+p.reach(p.Up[j], v) || up < p.Lo[j]-p.reach(p.Lo[j], v) {
		p.infeasible = true
		return lo, up
	}
	return p.relaxed(lo, up, p.Lo[j], p.Up[j], v)
}

// relaxed moves bounds that a row gives a continuous column through the coefficient v outward, where v is small by the
// whole tolerance of the row, and replaces those that gain too little over the ones it has by infinity; also those that
// miss them: they contradict the row by less than its tolerance, and the LP judges that.
func (p *problem) relaxed(lo, up, oldLo, oldUp, v float64) (float64, float64) {
	pad := 0.0
	if math.Abs(v) < smallCoef {
		pad = p.opt.Feasibility / math.Abs(v)
	}
	lo -= math.Max(pad, boundPad*math.Max(1, math.Abs(lo)))
	up += math.Max(pad, boundPad*math.Max(1, math.Abs(up)))
	least := boundGain * (oldUp - oldLo) // infinite where a bound is
	if math.Abs(lo) > hugeBound || !math.IsInf(oldLo, -1) && !(lo-oldLo > least) {
		lo = math.Inf(-1)
	}
	if math.Abs(up) > hugeBound || !math.IsInf(oldUp, 1) && !(oldUp-up > least) {
		up = math.Inf(1)
	}
	if lo > oldUp {
		lo = math.Inf(-1)
	}
	if up < oldLo {
		up = math.Inf(1)
	}
	return lo, up
}
