package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/program"
)

// problem is the linear program of the current stage, in the rows and columns of the given one.
type problem struct {
	program.Program
	opt     Options
	stack   stack
	status  Outcome // Reduction while no other outcome is proved
	maxWork int
	dual    dualBounds // scratch of dominated
}

// setRow sets the sides of row i.
func (p *problem) setRow(i int32, lo, up float64) {
	p.RowLo[i] = lo
	p.RowUp[i] = up
}

// touchBounds queues column j and its rows, after its bounds have changed.
func (p *problem) touchBounds(j int32) {
	p.ColQueue.Add(j)
	for e := range p.A.Col(j) {
		p.TouchRow(e.Row)
	}
	p.Work += int(p.A.ColLen[j])
}

// fail records that the problem has no optimum; the first proof counts.
func (p *problem) fail(o Outcome) {
	if p.status == Reduction {
		p.status = o
	}
}

// tightenCol intersects the bounds of column j with [lo, up] and reports which of them became tighter.
func (p *problem) tightenCol(j int32, lo, up float64) (newLo, newUp bool) {
	// Only bounds that are tighter than the old ones are moved.
	newLo = lo > p.Lo[j]
	newUp = up < p.Up[j]
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

		// The bounds have crossed by rounding: the old one remains.
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
