package f64

// AccumPositiveDiff adds the positive parts of p - c_j:
//
//	for j := range c { d := p - c[j]; if !(d > 0) { d = 0 }; beta[j] += d }
//
// A row of the UFL completion nu_ij = (pi_i - c_ij)+ for client i. The lengths must be equal.
func AccumPositiveDiff(beta []float64, p float64, c []float64) {
	equalLen("AccumPositiveDiff", len(beta), len(c))
	inPlace("AccumPositiveDiff", beta, c)
	accumPositiveDiff(beta, p, c)
}

// PositiveDiffDot returns
//
//	for j := range c { if d := p - c[j]; d > 0 { s += y[j] * d } }
//
// Pure Go sums the even and the odd terms apart; the assembly sums in the order of Dot's. The lengths must be
// equal.
func PositiveDiffDot(y []float64, p float64, c []float64) float64 {
	equalLen("PositiveDiffDot", len(y), len(c))
	s, _ := positiveDiff(y, p, c)
	return s
}

// MaskedSum returns
//
//	for j := range c { if p > c[j] { s += y[j] } }
//
// in the order of PositiveDiffDot. The lengths must be equal.
func MaskedSum(y []float64, p float64, c []float64) float64 {
	equalLen("MaskedSum", len(y), len(c))
	_, s := positiveDiff(y, p, c)
	return s
}

// PositiveDiff returns PositiveDiffDot and MaskedSum from one pass: the value sum_j y_j (p - c_j)+ and its
// derivative sum_j y_j [p > c_j] in p, at a kink p = c_j the one from the left.
func PositiveDiff(y []float64, p float64, c []float64) (value, slope float64) {
	equalLen("PositiveDiff", len(y), len(c))
	return positiveDiff(y, p, c)
}
