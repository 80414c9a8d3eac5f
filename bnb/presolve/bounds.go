package presolve

import "math"

// propagate derives bounds of the columns of row i from its sides and the bounds of the other columns. It returns false
// if the problem is infeasible.
func (p *problem) propagate(i int32) bool {
	// The range is that before any bound is tightened: each column has one entry in the row.
	t := *p.Activity(i)

	// A side implies nothing if it is infinite or two terms of the opposite activity are.
	below := t.InfMax > 1 || math.IsInf(p.RowLo[i], -1)
	above := t.InfMin > 1 || math.IsInf(p.RowUp[i], 1)
	if below && above {
		return true
	}

	// The work counts the entries touched, whether they give a bound or not.
	p.Work += int(p.A.RowLen[i])
	for e := range p.A.Row(i) {
		// BoundsFrom leaves the entry out of the range, so that the bounds follow from the other columns alone.
		lo, up := p.BoundsFrom(&t, i, e.Col, e.Val)
		p.tighten(e.Col, lo, up, e.Val)
		if p.infeasible {
			return false
		}
	}
	return true
}

// tighten intersects the bounds of column j with those that a row implies, where its coefficient is v. They are rounded
// for an integer column; for a continuous one they are relaxed, and used only if they are clearly tighter.
func (p *problem) tighten(j int32, lo, up, v float64) {
	if p.integer[j] {
		// Very large bounds of integer columns are dropped: they exclude no value that matters.
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

// imply intersects the bounds of column j with bounds that rows imply, which are rounded or relaxed, and records which
// bounds of a continuous column now come from rows.
func (p *problem) imply(j int32, lo, up float64) {
	// The old bounds decide which of the new ones come from a row.
	newLo := lo > p.Lo[j]
	newUp := up < p.Up[j]
	p.setBounds(j, lo, up, 1)
	if !p.integer[j] {
		p.impliedLo[j] = p.impliedLo[j] || newLo
		p.impliedUp[j] = p.impliedUp[j] || newUp
	}
}

// derived rounds bounds of an integer column that a row implies, where its coefficient is v, within the tolerance of
// the row or of an integer.
func (p *problem) derived(lo, up, v float64) (float64, float64) {
	// The row may be violated by its tolerance, which moves the column by the tolerance over the coefficient.
	slack := p.opt.Feasibility / math.Min(1, math.Abs(v))
	return math.Ceil(lo - slack), math.Floor(up + slack)
}

// worthwhile relaxes bounds of a continuous column that a row implies, where its coefficient is v, and drops those that
// are not clearly tighter. It finds infeasibility.
func (p *problem) worthwhile(j int32, lo, up, v float64) (float64, float64) {
	if lo > p.Up[j]+p.reach(p.Up[j], v) || up < p.Lo[j]-p.reach(p.Lo[j], v) {
		p.infeasible = true
		return lo, up
	}
	return p.relaxed(lo, up, p.Lo[j], p.Up[j], v)
}

// relaxed relaxes bounds of a continuous column that a row implies, where its coefficient is v; for a small v, by the
// whole tolerance of the row. It replaces by infinity those that are not clearly tighter than the old ones, and those
// that contradict the old ones: they contradict the row by less than its tolerance, which the LP may judge.
func (p *problem) relaxed(lo, up, oldLo, oldUp, v float64) (float64, float64) {
	pad := 0.0
	if math.Abs(v) < smallCoef {
		pad = p.opt.Feasibility / math.Abs(v)
	}
	lo -= math.Max(pad, boundPad*math.Max(1, math.Abs(lo)))
	up += math.Max(pad, boundPad*math.Max(1, math.Abs(up)))

	// A bound replaces a finite one only if it takes a fair share of the range away.
	least := boundGain * (oldUp - oldLo) // infinite if a bound is
	if math.Abs(lo) > hugeBound || !math.IsInf(oldLo, -1) && !(lo-oldLo > least) {
		lo = math.Inf(-1)
	}
	if math.Abs(up) > hugeBound || !math.IsInf(oldUp, 1) && !(oldUp-up > least) {
		up = math.Inf(1)
	}

	// A crossing by less than the tolerance is no contradiction: the old bound stays.
	if lo > oldUp {
		lo = math.Inf(-1)
	}
	if up < oldLo {
		up = math.Inf(1)
	}
	return lo, up
}
