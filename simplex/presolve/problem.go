package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// problem is the linear program of the present stage, by the rows and columns of the one given.
type problem struct {
	program.Program
	opt     Options
	stack   stack
	status  Outcome
	maxWork int
	dual    dualBounds
}

// touchBounds marks column j and its rows as changed, after its bounds moved.
func (p *problem) touchBounds(j int32) {
	p.ColQueue.Add(j)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		p.TouchRow(p.A.E[k].Row)
	}
	p.Work += int(p.A.ColLen[j])
}

// fail records that the problem has no optimum.
func (p *problem) fail(o Outcome) {
	if p.status == Reduction {
		p.status = o
	}
}

// tightenCol intersects the bounds of column j with [lo, up] and reports which of them became tighter.
func (p *problem) tightenCol(j int32, lo, up float64) (newLo, newUp bool) {
	newLo, newUp = lo > p.Lo[j], up < p.Up[j]
	if newLo {
		p.Lo[j] = lo
	}
	if newUp {
		p.Up[j] = up
	}
	if p.Lo[j] > p.Up[j] {
		if p.Lo[j]-p.Up[j] > infeasTol*(1+math.Abs(p.Up[j])) {
			p.fail(Infeasible)
			return newLo, newUp
		}
		// Rounding made them cross: the bound that stays decides.
		if newLo {
			p.Lo[j] = p.Up[j]
		} else {
			p.Up[j] = p.Lo[j]
		}
	}
	if newLo || newUp {
		p.touchBounds(j)
	}
	return newLo, newUp
}
