package cuts

import "math"

// implied adds the variable bounds that the LP point violates: rows with two entries say them for themselves, what
// longer rows and presolve imply does not hold in the LP.
func (g *Generator) implied() {
	x := g.v.x
	for j := range int32(len(x)) {
		if b := g.vb.nearestUpper(j); b != nil && b.at(x) < x[j]-1e-6*math.Max(1, math.Abs(x[j])) {
			g.add(boundCut(j, b, 1), Implied)
		}
		if b := g.vb.nearestLower(j); b != nil && b.at(x) > x[j]+1e-6*math.Max(1, math.Abs(x[j])) {
			g.add(boundCut(j, b, -1), Implied)
		}
	}
	g.v.work += 2 * len(x)
}

// boundCut is the row sign*x_j <= sign*(constant + slope*x_k), scaled like other cuts.
func boundCut(j int32, b *variableBound, sign float64) Cut {
	_, e := math.Frexp(math.Max(1, math.Abs(b.slope)))
	f := math.Ldexp(sign, 1-e)
	c := Cut{Index: []int32{j, b.col}, Value: []float64{f, -f * b.slope}, Upper: f * b.constant}
	if b.col < j {
		c.Index[0], c.Index[1], c.Value[0], c.Value[1] = b.col, j, c.Value[1], c.Value[0]
	}
	c.Upper += relaxBy * math.Max(1, math.Abs(c.Upper))
	return c
}
