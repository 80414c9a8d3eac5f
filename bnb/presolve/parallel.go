package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/sparse"
)

// parallelCols merges columns that are multiples of each other, or fixes one that the other is never
// worse than.
func (p *problem) parallelCols() {
	if !p.has(ParallelCols) {
		return
	}
	p.ParallelCols(p.running, func(j, k int32) {
		p.Work += 2 * int(p.A.ColLen[j])
		if s, ok := p.A.ColRatio(j, k); ok && math.Abs(s) >= 1/maxRatio && math.Abs(s) <= maxRatio {
			p.parallelPair(j, k, s)
		}
	})
}

// parallelPair deals with columns j and k = s times j.
func (p *problem) parallelPair(j, k int32, s float64) {
	diff := p.Cost[k] - s*p.Cost[j]
	if math.Abs(diff) <= costTol*math.Max(math.Abs(p.Cost[k]), math.Abs(s*p.Cost[j])) {
		if p.finer(j, k, s) {
			p.join(j, k, s)
			return
		}
		if p.finer(k, j, 1/s) {
			p.join(k, j, 1/s)
			return
		}
		diff = 0
	}
	if !p.fixDominatedParallel(k, j, s, diff) {
		p.fixDominatedParallel(j, k, 1/s, -diff/s)
	}
}

// finer reports whether x_j + s x_k takes every value of its range (every integer one, where both columns
// are integer): the steps of x_k are covered by the range of x_j.
func (p *problem) finer(j, k int32, s float64) bool {
	switch {
	case p.integer[j] && p.integer[k]:
		return integral(s, p.ColMax(j)) && p.Up[j]-p.Lo[j] >= math.Abs(s)-1
	case p.integer[k]:
		return p.Up[j]-p.Lo[j] >= math.Abs(s)
	}
	return !p.integer[j]
}

// join lets x_j stand for x_j + s x_k. With two integer columns s is an integer but for rounding, and made one: bounds
// of the sum a little off the integers would let sides be rounded on again with each visit.
func (p *problem) join(j, k int32, s float64) {
	if p.integer[j] && p.integer[k] {
		s = math.Round(s)
	}
	p.stack = append(p.stack, &mergedCols{j, k, s, p.domain(j), p.domain(k)})
	low, high := s*p.Lo[k], s*p.Up[k]
	if s < 0 {
		low, high = high, low
	}
	p.moveBounds(j, p.Lo[j]+low, p.Up[j]+high)
	p.DropCol(k)
	p.facts.rename(j)
	p.count.Merged++
}

// fixDominatedParallel fixes column k = s times j at its lower bound if a unit of it costs diff >= 0 more than s units
// of j, which x_j can always take over: its bound in the way is infinite or implied, and its steps fit.
func (p *problem) fixDominatedParallel(k, j int32, s, diff float64) bool {
	stepsFit := !p.integer[j] || p.integer[k] && integral(s, p.ColMax(j))
	if diff < 0 || !stepsFit || math.IsInf(p.Lo[k], -1) || p.impliedLo[k] {
		return false
	}
	if !p.endless(j, s > 0) {
		return false
	}
	p.fix(k, p.Lo[k])
	p.count.Dominated++
	return true
}

// endless reports whether the upper (lower) bound of column j is infinite or implied by a row.
func (p *problem) endless(j int32, upper bool) bool {
	if upper && math.IsInf(p.Up[j], 1) || !upper && math.IsInf(p.Lo[j], -1) {
		return true
	}
	p.Work += int(p.A.ColLen[j])
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		lo, up := p.ImpliedBounds(e.Row, j, e.Val)
		if p.integer[j] {
			lo, up = math.Ceil(lo-p.opt.Feasibility), math.Floor(up+p.opt.Feasibility)
		}
		if upper && up <= p.Up[j]+boundPad || !upper && lo >= p.Lo[j]-boundPad {
			return true
		}
	}
	return false
}

// dominatedCols fixes columns at their lower bound of which another column, whose upper bound is infinite
// or implied, takes over every unit at no higher cost and no more use of any row.
func (p *problem) dominatedCols() {
	if !p.has(DominatedCols) {
		return
	}
	p.setSignatures()
	for j := range int32(len(p.Lo)) {
		if !p.running() {
			return
		}
		if p.GoneCol[j] || p.A.ColLen[j] == 0 {
			continue
		}
		if row := p.shortestUse(j); row >= 0 && p.A.RowLen[row] > 1 && p.endless(j, true) {
			p.dominate(j, row)
		}
	}
}

// setSignatures fills p.signs: for each column one bit a row (modulo 32) that it uses up, and one that it
// relieves.
func (p *problem) setSignatures() {
	p.signs = make([]uint64, len(p.Lo))
	p.Work += p.A.NNZ
	for j := range p.Lo {
		for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
			e := &p.A.E[k]
			uses, relieves := p.effects(e)
			bit := uint(e.Row) % 32
			if uses {
				p.signs[j] |= 1 << bit
			}
			if relieves {
				p.signs[j] |= 1 << (32 + bit)
			}
		}
	}
}

// effects says whether raising the column of e uses up a side of its row, and whether it relieves one.
func (p *problem) effects(e *sparse.Link) (uses, relieves bool) {
	upper, lower := !math.IsInf(p.RowUp[e.Row], 1), !math.IsInf(p.RowLo[e.Row], -1)
	if e.Val > 0 {
		return upper, lower
	}
	return lower, upper
}

// shortestUse returns the shortest row that column j uses up, -1 if there is none.
func (p *problem) shortestUse(j int32) int32 {
	best := int32(-1)
	for k := p.A.ColHead[j]; k >= 0; k = p.A.E[k].NextC {
		e := &p.A.E[k]
		if uses, _ := p.effects(e); uses && (best < 0 || p.A.RowLen[e.Row] < p.A.RowLen[best]) {
			best = e.Row
		}
	}
	p.Work += int(p.A.ColLen[j])
	return best
}

// dominate looks in a row that column j uses up for columns that j dominates.
func (p *problem) dominate(j, row int32) {
	const low = 1<<32 - 1
	compared := 0
	for q, seen := p.A.RowHead[row], 0; q >= 0 && compared < dominateMax && seen < dominateScan; seen++ {
		k := p.A.E[q].Col
		q = p.A.E[q].NextR
		p.Work++
		if k == j || p.Cost[j] > p.Cost[k] || p.integer[j] && !p.integer[k] || p.Lo[k] == p.Up[k] ||
			math.IsInf(p.Lo[k], -1) || p.impliedLo[k] {
			continue
		}
		uses, relieves := p.signs[j]&low, p.signs[k]>>32
		if uses&^p.signs[k] != 0 || relieves&^(p.signs[j]>>32) != 0 {
			continue
		}
		compared++
		if p.A.CompareCols(j, k, p.noWorse) {
			p.fix(k, p.Lo[k])
			p.count.Dominated++
		}
		p.Work += int(p.A.ColLen[j] + p.A.ColLen[k])
	}
}

// noWorse reports whether moving a unit from a column with coefficient ak in row i to one with aj keeps the
// row satisfied.
func (p *problem) noWorse(i int32, aj, ak float64) bool {
	return (aj <= ak || math.IsInf(p.RowUp[i], 1)) && (aj >= ak || math.IsInf(p.RowLo[i], -1))
}
