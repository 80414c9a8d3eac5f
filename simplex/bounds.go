package simplex

// bounds are the working bounds by variable: those of the model, but for phase 1.
type bounds struct {
	lo, up       []float64
	boxed        bool      // lo and up are those of phase 1
	boxLo, boxUp []float64 // storage of those
}

// ofModel takes the bounds of the model; to be called whenever their storage changes.
func (b *bounds) ofModel(p *problem) {
	b.lo = p.lo
	b.up = p.up
	b.boxed = false
}

// ofPhaseOne boxes the variables by the side on which they are unbounded: [0, 1], [-1, 0], a wide box for free ones,
// and zero where both bounds are finite.
func (b *bounds) ofPhaseOne(p *problem) {
	b.boxLo = resize(b.boxLo, len(p.lo))
	b.boxUp = resize(b.boxUp, len(p.lo))
	b.lo = b.boxLo
	b.up = b.boxUp
	b.boxed = true

	// A variable that is unbounded on one side may move towards that side by one unit.
	for v := range b.lo {
		lo := 0.0
		up := 0.0
		if isInf(p.lo[v]) {
			lo = -1
		}
		if isInf(p.up[v]) {
			up = 1
		}
		if lo < 0 && up > 0 {
			lo = -boxSize
			up = boxSize
		}
		b.lo[v] = lo
		b.up[v] = up
	}
}

// of returns the bounds of variable v.
func (b *bounds) of(v int32) (lo, up float64) { return b.lo[v], b.up[v] }

// at returns the value of variable v with the status of a nonbasic one.
func (b *bounds) at(v int32, st VarStatus) float64 {
	// A free variable rests at zero.
	switch st {
	case AtLower:
		return b.lo[v]
	case AtUpper:
		return b.up[v]
	}
	return 0
}
