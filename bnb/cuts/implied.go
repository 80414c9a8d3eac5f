package cuts

import (
	"math"
	"slices"
)

// implied adds the variable bounds that the LP point violates. The LP satisfies those of rows with two entries, but not
// those that longer rows and presolve imply.
func (g *Generator) implied() {
	x := g.v.x
	g.v.work += 2 * len(x)

	// A variable bound of either direction is a cut where the LP point violates it.
	for j := range int32(len(x)) {
		tol := impliedTol * math.Max(1, math.Abs(x[j]))
		if b := g.vb.nearestUpper(j); b != nil && b.at(x) < x[j]-tol {
			g.add(boundCut(j, b, 1), Implied)
		}

		if b := g.vb.nearestLower(j); b != nil && b.at(x) > x[j]+tol {
			g.add(boundCut(j, b, -1), Implied)
		}
	}
}

// boundCut returns the row sign*x_j <= sign*(constant + slope*x_k), scaled like other cuts: its largest coefficient is
// in [1, 2).
func boundCut(j int32, b *variableBound, sign float64) Cut {
	// The scale is a power of 2, which has no rounding error.
	_, e := math.Frexp(math.Max(1, math.Abs(b.slope)))
	f := math.Ldexp(sign, 1-e)

	// The indices of a cut ascend.
	c := Cut{Index: []int32{j, b.col}, Value: []float64{f, -f * b.slope}, Upper: f * b.constant}
	if b.col < j {
		slices.Reverse(c.Index)
		slices.Reverse(c.Value)
	}
	c.Upper += relaxBy * math.Max(1, math.Abs(c.Upper))
	return c
}
