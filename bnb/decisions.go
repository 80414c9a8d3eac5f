package bnb

import (
	"math"
	"slices"
)

// divisorTol is how far the quotient of two coefficients may be from an integer.
const divisorTol = 1e-9

// findDecisions lists the integer columns that are decisions. The others follow from them by equations: the stock
// after a period, the start of a job whose time is chosen by 0-1 columns, the use of a resource at a time. Presolve
// finds that continuous columns of this kind are integer. A neighbourhood in which they are fixed allows no other use
// of the resource than that of the incumbent, and holds next to no other point.
func (p *problem) findDecisions() {
	// Each equation determines one column at most, whose values follow where all other columns have theirs.
	determined := make([]bool, p.n)
	for i := range p.rows {
		if j := p.determinedBy(i, determined); j >= 0 {
			determined[j] = true
		}
	}
	p.decisions = slices.DeleteFunc(slices.Clone(p.ints), func(j int32) bool { return determined[j] })
}

// determinedBy returns the column that row i determines, -1 if it determines none: the row is an equation of integer
// columns, and the column, which has more than two values, gets an integral one for all integral values of the others,
// since its coefficient divides theirs. Columns that other rows determine do not count.
func (p *problem) determinedBy(i int, determined []bool) int32 {
	if p.rowLower[i] != p.rowUpper[i] {
		return -1
	}

	// Only a coefficient that is the least in size can divide all others. Of equal ones the column in the fewest rows is
	// taken: other rows restrict it least.
	index, value := p.byRow.Vec(i)
	entries := func(j int32) int { return p.byCol.Start[j+1] - p.byCol.Start[j] }
	best := -1
	for k, j := range index {
		switch {
		case value[k] == 0:
			continue
		case !p.integer[j]:
			return -1
		case determined[j] || p.upper[j]-p.lower[j] <= 1:
			continue
		case best < 0 || math.Abs(value[k]) < math.Abs(value[best]):
			best = k
		case math.Abs(value[k]) == math.Abs(value[best]) && entries(j) < entries(index[best]):
			best = k
		}
	}
	if best < 0 {
		return -1
	}

	for _, v := range value {
		if q := v / value[best]; math.Abs(q-math.Round(q)) > divisorTol {
			return -1
		}
	}
	return index[best]
}
