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

func newPool(f *future) *pool { return &pool{parts: f.parts, has: make([]int, f.parts)} }

// complete reports whether every part has a cut: before, the future may cost anything.
func (p *pool) complete() bool {
	for _, n := range p.has {
		if n == 0 {
			return false
		}
	}
	return true
}

// least returns what the cuts say of a part at a state, and of its feasibility.
func (p *pool) least(part int, z []float64) float64 {
	v := math.Inf(-1)
	for k := range p.cuts {
		if c := &p.cuts[k]; c.part == part {
			v = max(v, c.at(z))
		}
	}
	return v
}

func (p *pool) add(c cut) {
	p.cuts = append(p.cuts, c)
	if c.part >= 0 {
		p.has[c.part]++
	}
}

// excludes reports whether a feasibility cut says that a state has no feasible future, by more than it may differ.
func (p *pool) excludes(z []float64) bool {
	for k := range p.cuts {
		if c := &p.cuts[k]; c.part < 0 && c.at(z) > most*c.size(z) {
			return true
		}
	}
	return false
}

// refutes reports whether a feasibility cut, whose slopes are scaled, is there, but for rounding.
func (p *pool) refutes(a *affine) bool {
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }
	for k := range p.cuts {
		c := &p.cuts[k]
		if c.part < 0 && same(a.alpha, c.alpha) && slices.EqualFunc(a.beta, c.beta, same) {
			return true
		}
	}
	return false
}
