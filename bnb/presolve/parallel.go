package presolve

import (
	"math"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// parallelCols merges columns that are multiples of each other, or fixes one that is never better than the other.
func (p *problem) parallelCols() {
	if !p.has(ParallelCols) {
		return
	}
	p.ParallelCols(p.running, func(j, k int32) {
		// The ratio of the columns must be a moderate number.
		p.Work += 2 * int(p.A.ColLen[j])
		s, ok := p.A.ColRatio(j, k)
		if size := math.Abs(s); ok && size >= 1/maxRatio && size <= maxRatio {
			p.parallelPair(j, k, s)
		}
	})
}

// parallelPair merges columns j and k = s times j, or fixes one of them.
func (p *problem) parallelPair(j, k int32, s float64) {
	// The cost of x_k beyond that of s units of x_j.
	diff := p.Cost[k] - s*p.Cost[j]

	// With equal costs the columns are one, if the sum can take every value that the two could.
	if math.Abs(diff) <= costTol*math.Max(math.Abs(p.Cost[k]), math.Abs(s*p.Cost[j])) {
		if p.finer(j, k, s) {
			p.join(j, k, s)
			return
		}
		if p.finer(k, j, 1/s) {
			p.join(k, j, 1/s)
			return
		}

		// Equal costs: either column may be fixed.
		diff = 0
	}

	// Otherwise the more expensive one is fixed where the other one can replace it.
	if !p.fixDominatedParallel(k, j, s, diff) {
		p.fixDominatedParallel(j, k, 1/s, -diff/s)
	}
}

// finer reports whether x_j + s x_k takes every value of its range (every integer, if both columns are integer): the
// range of x_j is not smaller than the steps of s x_k.
func (p *problem) finer(j, k int32, s float64) bool {
	switch {
	case p.integer[j] && p.integer[k]:
		return integral(s, p.ColMax(j)) && p.Up[j]-p.Lo[j] >= math.Abs(s)-1
	case p.integer[k]:
		return p.Up[j]-p.Lo[j] >= math.Abs(s)
	}
	return !p.integer[j]
}

// join replaces x_j and x_k by x_j + s x_k, in place of x_j. With two integer columns s is an integer but for rounding,
// and is made one: otherwise the bounds of the sum would be slightly off integers, and each visit would round sides
// further.
func (p *problem) join(j, k int32, s float64) {
	if p.integer[j] && p.integer[k] {
		s = math.Round(s)
	}

	// The range of the sum is the sum of the ranges, where a negative s exchanges the ends of the second one.
	p.stack = append(p.stack, &mergedCols{j, k, s, p.domain(j), p.domain(k)})
	low := s * p.Lo[k]
	high := s * p.Up[k]
	if s < 0 {
		low, high = high, low
	}
	p.moveBounds(j, p.Lo[j]+low, p.Up[j]+high)
	p.DropCol(k)
	p.facts.rename(j)
	p.count.Merged++
}

// fixDominatedParallel fixes column k = s times j at its lower bound if a unit of it costs diff >= 0 more than s units
// of j, by which it can always be replaced: the bound of x_j in that direction is infinite or implied, and its steps
// fit.
func (p *problem) fixDominatedParallel(k, j int32, s, diff float64) bool {
	// The steps of the column that stays must allow for those of the one that is fixed.
	stepsFit := !p.integer[j] || p.integer[k] && integral(s, p.ColMax(j))
	fixable := diff >= 0 && !math.IsInf(p.Lo[k], -1) && !p.impliedLo[k]
	if !fixable || !stepsFit || !p.endless(j, s > 0) {
		return false
	}

	p.fix(k, p.Lo[k])
	p.count.Dominated++
	return true
}

// endless reports whether the upper bound of column j, or its lower one, is infinite or implied by a row.
func (p *problem) endless(j int32, upper bool) bool {
	// An infinite bound never stops the column.
	if math.IsInf(activity.End(upper, p.Lo[j], p.Up[j]), 0) {
		return true
	}

	// One row is enough.
	p.Work += int(p.A.ColLen[j])
	for e := range p.A.Col(j) {
		lo, up := p.ImpliedBounds(e.Row, j, e.Val)
		if p.integer[j] {
			lo = math.Ceil(lo - p.opt.Feasibility)
			up = math.Floor(up + p.opt.Feasibility)
		}
		implied := lo >= p.Lo[j]-boundPad
		if upper {
			implied = up <= p.Up[j]+boundPad
		}
		if implied {
			return true
		}
	}
	return false
}

// dominatedCols fixes columns at their lower bound if another column, whose upper bound is infinite or implied, may
// take their place at no higher cost and without making any row more tight.
func (p *problem) dominatedCols() {
	if !p.has(DominatedCols) {
		return
	}
	p.setSignatures()

	// The search is quadratic at worst, so that it stops with the work allowed.
	for j := range int32(len(p.Lo)) {
		if !p.running() {
			return
		}
		if p.GoneCol[j] || p.A.ColLen[j] == 0 {
			continue
		}

		// A dominated column must be in every row that limits j, so that one of them suffices for the search.
		if row := p.shortestUse(j); row >= 0 && p.A.RowLen[row] > 1 && p.endless(j, true) {
			p.dominate(j, row)
		}
	}
}

// setSignatures computes p.signs: for each column a bit for each row (modulo 32) in which an increase of the column
// uses a side, in the lower half, and one for each row in which it relieves a side, in the upper half.
func (p *problem) setSignatures() {
	p.signs = make([]uint64, len(p.Lo))
	p.Work += p.A.NNZ

	for j := range int32(len(p.Lo)) {
		// Rows share their bits with others: the signatures exclude pairs and prove none.
		for e := range p.A.Col(j) {
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

// effects reports whether increasing the column of e moves the activity of its row towards a finite side (uses), and
// away from one (relieves).
func (p *problem) effects(e *sparse.Link) (uses, relieves bool) {
	upper := !math.IsInf(p.RowUp[e.Row], 1)
	lower := !math.IsInf(p.RowLo[e.Row], -1)

	// An increase moves the activity up for a positive coefficient.
	if e.Val > 0 {
		return upper, lower
	}
	return lower, upper
}

// shortestUse returns the shortest row in which column j uses a side, -1 if there is none.
func (p *problem) shortestUse(j int32) int32 {
	// A shorter row has fewer columns to compare with.
	best := int32(-1)
	for e := range p.A.Col(j) {
		if uses, _ := p.effects(e); uses && (best < 0 || p.A.RowLen[e.Row] < p.A.RowLen[best]) {
			best = e.Row
		}
	}
	p.Work += int(p.A.ColLen[j])
	return best
}

// dominate compares column j with the columns of a row in which it uses a side, and fixes those that it dominates.
func (p *problem) dominate(j, row int32) {
	const low = 1<<32 - 1
	compared := 0
	scanned := 0
	for q := p.A.RowHead[row]; q >= 0 && compared < dominateMax && scanned < dominateScan; scanned++ {
		k := p.A.E[q].Col
		q = p.A.E[q].NextR // before the entry may be removed
		p.Work++
		// The column that takes the place must cost no more, and be continuous unless both are integer.
		cheaper := p.Cost[j] <= p.Cost[k] && (p.integer[k] || !p.integer[j])
		if k == j || !cheaper || !p.mayFixAtLower(k) {
			continue
		}

		// The signatures exclude most pairs: column k must use what j uses, and j relieve what k relieves.
		uses := p.signs[j] & low
		relieves := p.signs[k] >> 32
		if uses&^p.signs[k] != 0 || relieves&^(p.signs[j]>>32) != 0 {
			continue
		}

		// The columns are compared entry by entry, at most dominateMax times.
		compared++
		if p.A.CompareCols(j, k, p.noWorse) {
			p.fix(k, p.Lo[k])
			p.count.Dominated++
		}
		p.Work += int(p.A.ColLen[j] + p.A.ColLen[k])
	}
}

// mayFixAtLower reports whether column k is not fixed and has a finite lower bound that does not come from rows.
func (p *problem) mayFixAtLower(k int32) bool {
	return p.Lo[k] != p.Up[k] && !math.IsInf(p.Lo[k], -1) && !p.impliedLo[k]
}

// noWorse reports whether row i remains satisfied when a column with the coefficient ak decreases by a unit and one
// with aj increases by it.
func (p *problem) noWorse(i int32, aj, ak float64) bool {
	// The change of the activity is aj - ak: a decrease cannot violate the upper side, nor an increase the lower one.
	upper := aj <= ak || math.IsInf(p.RowUp[i], 1)
	return upper && (aj >= ak || math.IsInf(p.RowLo[i], -1))
}
