package lagrange

import "math"

// planes is a list in which new planes replace the oldest ones once it is full.
type planes struct {
	list  []plane
	given int // the first planes, which are never replaced
	most  int // planes behind these
	next  int // the one of them that is replaced next, the oldest
}

// add adds a plane.
func (p *planes) add(q plane) {
	if len(p.list) < p.given+p.most {
		p.list = append(p.list, q)
		return
	}
	p.list[p.given+p.next] = q
	p.next = (p.next + 1) % p.most
}

// plane is an affine function of the design, with its value at the design at hand and what closing each open column and
// opening each closed one adds.
type plane struct {
	constant float64
	slope    []float64
	here     float64   // value at the design at hand
	close    []float64 // what closing each open column adds
	opening  []float64 // what opening each closed column adds
}

// at returns the value of a neighbour of the design at hand.
func (p *plane) at(n neighbour) float64 {
	v := p.here
	if n.out >= 0 {
		v -= p.slope[n.out]
	}
	if n.in >= 0 {
		v += p.slope[n.in]
	}
	return v
}

// evaluate computes the value at y, and what closing or opening one column adds to it.
func (p *plane) evaluate(y []float64) {
	p.here, p.close, p.opening = p.constant, p.close[:0], p.opening[:0]
	for j, v := range y {
		if v == 1 {
			p.here += p.slope[j]
			p.close = append(p.close, -p.slope[j])
		} else {
			p.opening = append(p.opening, p.slope[j])
		}
	}
}

// without returns the value with the open column at a position closed, -1 for none.
func (p *plane) without(at int) float64 {
	if at < 0 {
		return p.here
	}
	return p.here + p.close[at]
}

// exclude raises the bounds of what a row excludes to infinity.
func (p *plane) exclude(bounds []float64, at int) {
	v := p.without(at)
	if v > 0 {
		bounds[0] = math.Inf(1)
	}
	for b, add := range p.opening {
		if v+add > 0 {
			bounds[b+1] = math.Inf(1)
		}
	}
}

// raise raises bounds to the values of a cut, and returns whether some are left below the limit.
func (p *plane) raise(bounds []float64, at int, limit float64) bool {
	v := p.without(at)
	bounds[0] = max(bounds[0], v)

	// The least of all bounds decides whether the column is worth closing at all.
	least, rest := bounds[0], bounds[1:1+len(p.opening)]
	for b, add := range p.opening {
		if add += v; add > rest[b] {
			rest[b] = add
		}
		if rest[b] < least {
			least = rest[b]
		}
	}
	return least < limit
}
