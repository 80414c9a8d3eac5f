package simplex

import (
	"math"
	"slices"
)

// perturbationUnit returns the usual size of a perturbation of a cost of zero (Koberstein 2005, 6.3).
func (p *problem) perturbationUnit() float64 {
	largest := 0.0
	boxed := 0
	for j := range p.n {
		largest = max(largest, math.Abs(p.cost[j]))
		if p.isBoxed(j) {
			boxed++
		}
	}

	// Large costs count by their fourth root, and where hardly any column is boxed none counts more than 1.
	if largest > 100 {
		largest = math.Sqrt(math.Sqrt(largest))
	}
	if 100*boxed < p.n {
		largest = min(largest, 1)
	}
	return 5e-7 * max(largest, 1e-3)
}

// coldFactor returns how much larger than usual the perturbation of a cold solve is. Where the costs have few
// different values, or are zero for most columns, the dual is so degenerate that steps of the usual size lead nowhere.
// What a large perturbation leaves to clean up is least where the columns are boxed: they go to their other bounds.
// Where they are not, and the costs are small, it must still be well above the dual tolerance (freeUnit). That is for
// one solve alone (once): in a tree what follows matters more. It takes grow22 from 1269 pivots to 704, pilot87 from
// 8300 to 7100.
func (p *problem) coldFactor(once bool) float64 {
	sizes := make([]float64, p.n)
	free := 0.0
	boxed := 0.0
	for j := range sizes {
		sizes[j] = math.Abs(p.cost[j] / p.colScale[j])
		if p.cost[j] == 0 {
			free++
		}
		if p.isBoxed(j) {
			boxed++
		}
	}

	// Costs that differ only by the scales of their columns count as the same.
	n := float64(p.n)
	factor := 1.0
	if once && free >= wideFree*n && boxed >= wideBoxed*n {
		factor = boxedFactor
	}
	slices.Sort(sizes)
	if float64(len(slices.Compact(sizes))) < wideDistinct*n {
		factor *= wideFactor
	}
	if once && free >= mostFree*n {
		factor = max(factor, freeUnit/p.perturbationUnit())
	}
	return factor
}

// perturb moves the working costs of the columns at random, each in the direction that keeps its
// reduced cost feasible, by factor times the usual amount.
func (y *duals) perturb(p *problem, factor float64) {
	base := p.perturbationUnit() * factor
	for j := range p.n {
		// The amount is in proportion to the cost, and random, so that no two breakpoints tie.
		amount := (math.Abs(y.cost[j]) + 1) * base * (1 + y.random())
		noLo, noUp := isInf(p.lo[j]), isInf(p.up[j])
		// The move is in the direction that keeps the reduced cost feasible; fixed and free columns stay.
		switch {
		case p.lo[j] == p.up[j] || noLo && noUp:
		case noUp || !noLo && y.cost[j] >= 0:
			y.cost[j] += amount
		default:
			y.cost[j] -= amount
		}
	}

	y.modified = true
	y.perturbed = true
	y.invalidate()
}

// isBoxed reports whether both bounds of v are finite.
func (p *problem) isBoxed(v int) bool { return !isInf(p.lo[v]) && !isInf(p.up[v]) }
