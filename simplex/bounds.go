package simplex

// bounds are the working bounds by variable: those of the model, but for phase 1.
type bounds struct {
	lo, up       []float64
	boxed        bool      // they are those of phase 1
	boxLo, boxUp []float64 // those
}

// ofModel takes the bounds of the model; to be called whenever their storage changes.
func (b *bounds) ofModel(p *problem) { b.lo, b.up, b.boxed = p.lo, p.up, false }

// ofPhaseOne boxes the variables by the side on which they are unbounded: [0, 1], [-1, 0], a wide box for free ones,
// and zero where both bounds are finite.
func (b *bounds) ofPhaseOne(p *problem) {
	b.boxLo, b.boxUp = resize(b.boxLo, len(p.lo)), resize(b.boxUp, len(p.lo))
	for v := range b.boxLo {
		noLo, noUp := isInf(p.lo[v]), isInf(p.up[v])
		lo, up := 0.0, 0.0
		switch {
		case noLo && noUp:
			lo, up = -boxSize, boxSize
		case noUp:
			up = 1
		case noLo:
			lo = -1
		}
		b.boxLo[v], b.boxUp[v] = lo, up
	}
	b.lo, b.up, b.boxed = b.boxLo, b.boxUp, true
}

// at returns the value of variable v with the status of a nonbasic one.
func (b *bounds) at(v int32, st VarStatus) float64 {
	switch st {
	case AtLower:
		return b.lo[v]
	case AtUpper:
		return b.up[v]
	}
	return 0
}
