package simplex

import "math"

const (
	impliedPasses = 3     // over the rows, in search of bounds of the columns
	sumNoise      = 1e-14 // rounding error of a sum, relative to its terms
)

// impliedBounds returns bounds of all variables, scaled, where infinite ones are replaced by what the rows imply
// together with the others; and its work.
func (p *problem) impliedBounds() (lo, up []float64, work int) {
	lo, up = append([]float64(nil), p.lo...), append([]float64(nil), p.up...)
	least, greatest := make([]activityEnd, p.m), make([]activityEnd, p.m)
	for pass := 0; ; pass++ {
		p.activityEnds(lo, up, least, greatest)
		work += p.cols.NNZ()
		if pass == impliedPasses {
			break
		}
		work += p.cols.NNZ()
		if !p.implyColumns(lo, up, least, greatest) {
			break
		}
	}
	for i := range p.m {
		v := p.n + i
		if isInf(lo[v]) && least[i].infinite == 0 {
			lo[v] = least[i].sum
		}
		if isInf(up[v]) && greatest[i].infinite == 0 {
			up[v] = greatest[i].sum
		}
	}
	return lo, up, work
}

// activityEnd is one end of the range of a row: the finite terms, their size, and the number of infinite ones.
type activityEnd struct {
	sum, size float64
	infinite  int
}

func (e *activityEnd) add(term float64) {
	if isInf(term) {
		e.infinite++
		return
	}
	e.sum += term
	e.size += math.Abs(term)
}

// noise is the rounding error of the difference of a side and the end.
func (e *activityEnd) noise(side float64) float64 { return sumNoise * (e.size + math.Abs(side)) }

// without returns the end less one of its terms, and whether that is finite.
func (e *activityEnd) without(term float64) (float64, bool) {
	if isInf(term) {
		return e.sum, e.infinite == 1
	}
	return e.sum - term, e.infinite == 0
}

func (p *problem) activityEnds(lo, up []float64, least, greatest []activityEnd) {
	clear(least)
	clear(greatest)
	for j := range p.n {
		index, value := p.cols.Vec(j)
		for k, i := range index {
			l, u := lo[j], up[j]
			if value[k] < 0 {
				l, u = u, l
			}
			least[i].add(value[k] * l)
			greatest[i].add(value[k] * u)
		}
	}
}

// implyColumns replaces infinite bounds of columns by those that a row implies; it returns false if there is
// none.
func (p *problem) implyColumns(lo, up []float64, least, greatest []activityEnd) bool {
	found := false
	for j := range p.n {
		if !isInf(lo[j]) && !isInf(up[j]) {
			continue
		}
		l, u := p.impliedRange(j, lo, up, least, greatest)
		if isInf(lo[j]) && !isInf(l) {
			lo[j], found = l, true
		}
		if isInf(up[j]) && !isInf(u) {
			up[j], found = u, true
		}
	}
	return found
}

// impliedRange returns the range of column j that its rows imply, moved outward by the rounding error.
func (p *problem) impliedRange(j int, lo, up []float64, least, greatest []activityEnd) (l, u float64) {
	l, u = math.Inf(-1), math.Inf(1)
	index, value := p.cols.Vec(j)
	for k, i := range index {
		a, first, last := value[k], lo[j], up[j]
		if a < 0 {
			first, last = last, first
		}
		lower, upper := math.Inf(-1), math.Inf(1) // of a x_j
		if rest, ok := least[i].without(a * first); ok {
			side := p.up[p.n+int(i)]
			upper = side - rest + least[i].noise(side)
		}
		if rest, ok := greatest[i].without(a * last); ok {
			side := p.lo[p.n+int(i)]
			lower = side - rest - greatest[i].noise(side)
		}
		lower, upper = lower/a, upper/a
		if a < 0 {
			lower, upper = upper, lower
		}
		l, u = max(l, lower), min(u, upper)
	}
	return l, u
}
