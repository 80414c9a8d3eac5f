package nested

import (
	"math"
	"slices"
)

// cut bounds a part of the future from below, or, with part -1, is at most zero wherever the future is feasible.
type cut struct {
	affine
	part int
}

// pool holds the cuts of one future. All programs of nodes that have it share them.
type pool struct {
	parts int
	cuts  []cut
	has   []int // optimality cuts of each part
}

// newPool returns the pool of a future, without cuts.
func newPool(f *future) *pool { return &pool{parts: f.parts, has: make([]int, f.parts)} }

// complete reports whether every part has a cut. Before that the future has no lower bound.
func (p *pool) complete() bool { return !slices.Contains(p.has, 0) }

// value returns the lower bound that the cuts of a part give at a state; part -1 has the feasibility cuts.
func (p *pool) value(part int, z []float64) float64 {
	// Without a cut the part has no bound.
	v := math.Inf(-1)
	for k := range p.cuts {
		if c := &p.cuts[k]; c.part == part {
			v = max(v, c.at(z))
		}
	}
	return v
}

// add adds a cut. Cuts are never removed, so that programs have them in the order of the pool.
func (p *pool) add(c cut) {
	p.cuts = append(p.cuts, c)
	if c.part >= 0 {
		p.has[c.part]++
	}
}

// excludes reports whether a state violates a feasibility cut by more than the largest slack of a state can mend.
func (p *pool) excludes(z []float64) bool {
	return slices.ContainsFunc(p.cuts, func(c cut) bool { return c.part < 0 && c.at(z) > mostSlack*c.size(z) })
}

// feasibilityCut returns the last feasibility cut with the same slopes, which are scaled, up to rounding; -1 for none.
func (p *pool) feasibilityCut(a *affine) int {
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }
	for k, c := range slices.Backward(p.cuts) {
		if c.part < 0 && same(a.alpha, c.alpha) && slices.EqualFunc(a.beta, c.beta, same) {
			return k
		}
	}
	return -1
}
