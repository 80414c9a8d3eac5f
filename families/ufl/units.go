package ufl

import "math"

// scaled returns the instance with its costs divided by a power of two, which is exact, and the exponent. The costs of
// an instance are scaled if they are so small or so large that the absolute tolerances of linear programming would
// decide; the known cost of a design is then about 2^10.
func scaled(in *Instance, known float64) (*Instance, int) {
	if known == 0 || known >= 1 && known <= 1<<40 {
		return in, 0
	}
	exponent := math.Ilogb(known) - 10
	out := in.Clone()

	// A product with a power of two is exact unless it leaves the range.
	for _, costs := range [][]float64{out.Fixed, out.Cost} {
		for k, c := range costs {
			costs[k] = math.Ldexp(c, -exponent)
		}
	}
	return out, exponent
}
