package cuts

import (
	"cmp"
	"math"
	"slices"
)

// mir turns aggregations into cuts by complemented mixed-integer rounding (Marchand and Wolsey 2001).
// With the multipliers of a tableau row it gives the Gomory mixed-integer cut.
type mir struct {
	v       *view
	m       *Model
	vb      *variableBounds
	least   float64 // efficacy that counts
	tableau bool    // the aggregation is a row of the tableau: it is rounded as it is
	covers  bool    // lifted flow covers are tried too

	terms    []mirTerm
	ints     []int32 // the integer ones
	pull     float64 // sum of the others with negative coefficients, at the LP point
	pullNorm float64 // and of the squares of their coefficients
	rhs      float64
	size     float64   // largest term of rhs, whose rounding errors it carries
	list     []float64 // of divisors
	cover    mixedCover
	extra    []float64 // coefficients moved to integer columns by variable bounds
	moved    []int32
	cut      []float64 // dense scratch, zero outside cols
	cols     []int32   // columns of the cut
	inCut    []bool
}

// mirTerm is a nonnegative variable of the row: distance of a column or logical from a bound.
type mirTerm struct {
	id       int32 // column, or row if logical
	logical  bool
	integer  bool
	upper    bool           // distance from the upper bound
	vb       *variableBound // the bound is variable
	bound    float64        // its value if not
	coef     float64
	at       float64 // value at the LP point
	width    float64 // of an integer term, +Inf if unbounded
	priority float64
}

func newMIR(v *view, vb *variableBounds) *mir {
	n := len(v.m.Integer)
	return &mir{v: v, m: v.m, vb: vb, extra: make([]float64, n), cut: make([]float64, n), inCut: make([]bool, n)}
}

// separate returns the best of the cuts from a and from -a, and whether it is a lifted cover.
func (g *mir) separate(a *aggregation) (best Cut, cover, ok bool) {
	if !g.lively(a) {
		return best, false, false
	}
	least := 0.0
	take := func(c Cut, eff float64, ok bool) bool {
		if !ok || eff <= least {
			return false
		}
		best, least = c, eff
		return true
	}
	for _, sign := range []float64{1, -1} {
		if !g.substitute(a, sign) || !g.split() {
			continue
		}
		if g.covers && !g.tableau && g.separateCover() > max(g.least, least) && take(g.buildCover()) {
			cover = true
		}
		if delta, ok := g.bestDivisor(); ok && take(g.build(delta)) {
			cover = false
		}
	}
	return best, cover, least > 0
}

// lively reports whether an integer term of a may have a fractional value.
func (g *mir) lively(a *aggregation) bool {
	g.v.work += len(a.rows) + len(a.cols)/2
	for _, i := range a.rows {
		if g.v.integral[i] && fractional(g.v.activity[i]) {
			return true
		}
	}
	for _, j := range a.cols {
		if g.vb.lively[j] {
			return true
		}
	}
	return false
}

// substitute writes sign*a as sum coef*t <= rhs in nonnegative terms. It returns false if a
// variable has no bound to start from.
func (g *mir) substitute(a *aggregation, sign float64) bool {
	g.terms, g.rhs, g.size = g.terms[:0], 0, 0
	defer g.clearExtra()
	g.v.work += 4 * (len(a.cols) + len(a.rows))
	largest := 0.0
	for _, j := range a.cols {
		largest = max(largest, math.Abs(a.coef[j]))
	}
	if largest == 0 || len(a.cols) > min(mirMaxTerms, mirLengths*g.v.longest) {
		return false
	}
	for k, i := range a.rows {
		if !g.addLogical(i, -sign*a.weight[k]) {
			return false
		}
	}
	for _, j := range a.cols {
		c := sign * a.coef[j]
		if !g.m.Integer[j] && c != 0 && !g.addContinuous(j, c, largest) {
			return false
		}
	}
	for _, j := range a.cols {
		if g.m.Integer[j] && !g.addInteger(j, sign*a.coef[j]+g.extra[j], largest) {
			return false
		}
		g.extra[j] = 0
	}
	for _, j := range g.moved { // integer columns that only variable bounds brought in
		if g.extra[j] != 0 && !g.addInteger(j, g.extra[j], largest) {
			return false
		}
		g.extra[j] = 0
	}
	return true
}

func (g *mir) clearExtra() {
	for _, j := range g.moved {
		g.extra[j] = 0
	}
	g.moved = g.moved[:0]
}

// addLogical adds the logical of a row with coefficient c.
func (g *mir) addLogical(row int32, c float64) bool {
	r := &g.v.rows[row]
	if r.Lower == r.Upper {
		g.move(c * r.Lower)
		return true
	}
	t := mirTerm{id: row, logical: true, integer: g.v.integral[row]}
	return g.place(t, c, g.v.activity[row], r.Lower, r.Upper)
}

// move takes a constant to the right-hand side.
func (g *mir) move(v float64) {
	g.rhs -= v
	g.size = max(g.size, math.Abs(v))
}

// place substitutes the nearer of two constant bounds.
func (g *mir) place(t mirTerm, c, x, lower, upper float64) bool {
	return g.placeAt(t, c, x, lower, upper, x-lower <= upper-x)
}

// placeAt substitutes a constant bound, the other one if it is infinite.
func (g *mir) placeAt(t mirTerm, c, x, lower, upper float64, fromBelow bool) bool {
	switch {
	case math.IsInf(lower, 0) && math.IsInf(upper, 0):
		return false
	case fromBelow && !math.IsInf(lower, 0) || math.IsInf(upper, 0):
		t.bound, t.coef, t.at = lower, c, max(x-lower, 0)
	default:
		t.upper, t.bound, t.coef, t.at = true, upper, -c, max(upper-x, 0)
	}
	t.width = upper - lower
	g.move(c * t.bound)
	g.terms = append(g.terms, t)
	return true
}

// addContinuous adds a continuous column by the nearer of its bounds, constant or variable. Where both are as near a term with a
// positive coefficient starts from below and leaves the row, and one with a negative coefficient starts from above: under a tight
// variable bound that leaves a coefficient of the binary column to round.
func (g *mir) addContinuous(j int32, c, largest float64) bool {
	x, lower, upper := g.v.x[j], g.m.Lower[j], g.m.Upper[j]
	if math.Abs(c) < mirZero*largest {
		return g.absorbTiny(c, lower, upper)
	}
	tie := mirTie * math.Max(1, math.Abs(x))
	down, up := x-lower, upper-x
	least, most := down, up
	below, above := g.vb.nearestLower(j), g.vb.nearestUpper(j)
	if below != nil {
		least = math.Min(least, x-below.at(g.v.x))
	}
	if above != nil {
		most = math.Min(most, above.at(g.v.x)-x)
	}
	fromBelow := least < most-tie || least <= most+tie && c > 0
	switch {
	case fromBelow && below != nil && (down > least+tie || c > 0 && down >= least-tie):
		g.placeVariable(j, c, below, false, max(x-below.at(g.v.x), 0))
	case !fromBelow && above != nil && (up > most+tie || c < 0 && up >= most-tie):
		g.placeVariable(j, c, above, true, max(above.at(g.v.x)-x, 0))
	default:
		return g.placeAt(mirTerm{id: j}, c, x, lower, upper, fromBelow)
	}
	return true
}

// placeVariable substitutes x_j = constant + slope*x_k -+ t.
func (g *mir) placeVariable(j int32, c float64, b *variableBound, upper bool, at float64) {
	t := mirTerm{id: j, upper: upper, vb: b, coef: c, at: at, width: inf}
	if upper {
		t.coef = -c
	}
	g.move(c * b.constant)
	if g.extra[b.col] == 0 {
		g.moved = append(g.moved, b.col)
	}
	g.extra[b.col] += c * b.slope
	g.terms = append(g.terms, t)
}

func (g *mir) addInteger(j int32, c, largest float64) bool {
	if c == 0 {
		return true
	}
	lower, upper := g.m.Lower[j], g.m.Upper[j]
	if lower == upper {
		g.move(c * lower)
		return true
	}
	if math.Abs(c) < mirZero*largest {
		return g.absorbTiny(c, lower, upper)
	}
	return g.place(mirTerm{id: j, integer: true}, c, g.v.x[j], lower, upper)
}

// absorbTiny drops a tiny coefficient at the price of a weaker right-hand side.
func (g *mir) absorbTiny(c, lower, upper float64) bool {
	at := lower
	if c < 0 {
		at = upper
	}
	if math.IsInf(at, 0) {
		return false
	}
	g.move(c * at)
	return true
}

// split lists the integer terms and adds up the others, which round alike for every divisor. It returns
// false if every integer term is at a bound: no rounding removes the LP point then.
func (g *mir) split() bool {
	g.ints, g.pull, g.pullNorm = g.ints[:0], 0, 0
	fractional := false
	for k := range g.terms {
		t := &g.terms[k]
		switch {
		case t.integer:
			g.ints = append(g.ints, int32(k))
			fractional = fractional || t.at > 1e-6 && t.at < t.width-1e-6
		case t.coef < 0:
			g.pull += t.coef * t.at
			if !t.stuck(t.coef) {
				g.pullNorm += t.coef * t.coef
			}
		}
	}
	g.v.work += 2 * len(g.terms)
	return fractional
}

// efficacy evaluates the rounding of the row divided by delta, without building the cut.
func (g *mir) efficacy(delta float64) float64 {
	b := g.rhs / delta
	f0 := b - math.Floor(b)
	if f0 < mirFraction || f0 > 1-mirMargin || (1-f0)*delta < mirError*g.size || math.Abs(b) > 1e15 {
		return 0
	}
	scale := 1 / (delta * (1 - f0))
	violation, norm := g.pull*scale-math.Floor(b), g.pullNorm*scale*scale
	g.v.work += 4 * len(g.ints)
	for _, k := range g.ints {
		t := &g.terms[k]
		c := t.rounded(delta, f0)
		violation += c * t.at
		if !t.stuck(c) {
			norm += c * c
		}
	}
	if norm == 0 {
		return 0
	}
	return violation / math.Sqrt(norm)
}

// stuck reports whether the term, with coefficient c, lies at the bound where it makes the row smallest.
func (t *mirTerm) stuck(c float64) bool {
	return c > 0 && t.at <= atBound || c < 0 && t.at >= t.width-atBound
}

// rounded is the coefficient of the term in the rounded row.
func (t *mirTerm) rounded(delta, f0 float64) float64 {
	c := t.coef / delta
	if !t.integer {
		return min(c, 0) / (1 - f0)
	}
	down := math.Floor(c + 1e-12)
	f := c - down
	if f <= f0 {
		return down
	}
	return down + (f-f0)/(1-f0)
}

// bestDivisor searches divisors and complementations, and leaves the terms complemented.
func (g *mir) bestDivisor() (float64, bool) {
	best, bestEff := 0.0, g.least
	try := func(delta float64) bool {
		if delta < 1e-7 {
			return false
		}
		if e := g.efficacy(delta); e > bestEff {
			best, bestEff = delta, e
			return true
		}
		return false
	}
	for _, delta := range g.divisors() {
		try(delta)
	}
	if best == 0 {
		return 0, false
	}
	if g.tableau {
		return best, true
	}
	base := best
	for _, f := range []float64{2, 4, 8} {
		try(base / f)
	}
	for _, k := range g.flippable() {
		g.flip(k)
		if !try(best) {
			g.flip(k)
		}
	}
	return best, true
}

// divisors lists the coefficients of integer terms strictly between their bounds, and 1 for a row
// that is a tableau row already.
func (g *mir) divisors() []float64 {
	list := append(g.list[:0], 1)
	if g.tableau {
		return list
	}
	for _, k := range g.ints {
		t := &g.terms[k]
		if t.at < 1e-6 || t.at > t.width-1e-6 {
			continue
		}
		c := math.Abs(t.coef)
		if !slices.ContainsFunc(list, func(v float64) bool { return math.Abs(v-c) <= 1e-6*c }) {
			list = append(list, c)
		}
		if len(list) > mirDivisors {
			break
		}
	}
	g.list = list
	return list
}

// flippable lists integer terms by how near they are to the middle of their range.
func (g *mir) flippable() []int32 {
	var list []int32
	for _, k := range g.ints {
		t := &g.terms[k]
		if t.at > 1e-6 && !math.IsInf(t.width, 0) {
			t.priority = math.Abs(t.at - t.width/2)
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(g.terms[a].priority, g.terms[b].priority) })
	return list[:min(len(list), mirComplement)]
}

// flip measures an integer term from its other bound.
func (g *mir) flip(k int32) {
	t := &g.terms[k]
	g.move(t.coef * t.width)
	t.coef, t.at = -t.coef, t.width-t.at
	if t.upper {
		t.bound -= t.width
	} else {
		t.bound += t.width
	}
	t.upper = !t.upper
}

// build computes the cut for a divisor in the columns of the model, cleaned up and relaxed.
func (g *mir) build(delta float64) (Cut, float64, bool) {
	g.v.work += 4 * len(g.terms)
	b := g.rhs / delta
	floor := math.Floor(b)
	f0 := b - floor
	g.clearCut()
	rhs := floor
	for k := range g.terms {
		t := &g.terms[k]
		if c := t.rounded(delta, f0); c != 0 {
			rhs += g.unsubstitute(t, c)
		}
	}
	slices.Sort(g.cols)
	return g.clean(rhs)
}

func (g *mir) clearCut() {
	for _, j := range g.cols {
		g.cut[j], g.inCut[j] = 0, false
	}
	g.cols = g.cols[:0]
}

// put adds c to the coefficient of column j in the cut.
func (g *mir) put(j int32, c float64) {
	if !g.inCut[j] {
		g.inCut[j] = true
		g.cols = append(g.cols, j)
	}
	g.cut[j] += c
}

// unsubstitute adds c*t in terms of columns and returns what moves to the right-hand side.
func (g *mir) unsubstitute(t *mirTerm, c float64) float64 {
	sign := 1.0 // t = x - bound
	if t.upper {
		sign = -1 // t = bound - x
	}
	switch {
	case t.logical:
		r := &g.v.rows[t.id]
		for k, j := range r.Index {
			g.put(j, sign*c*r.Value[k])
		}
	case t.vb != nil:
		g.put(t.id, sign*c)
		g.put(t.vb.col, -sign*c*t.vb.slope)
		return sign * c * t.vb.constant
	default:
		g.put(t.id, sign*c)
	}
	return sign * c * t.bound
}

// clean drops small coefficients, checks the numbers and scales the largest coefficient to [1, 2).
func (g *mir) clean(rhs float64) (Cut, float64, bool) {
	largest := 0.0
	for _, j := range g.cols {
		largest = max(largest, math.Abs(g.cut[j]))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) || math.IsNaN(rhs) {
		return Cut{}, 0, false
	}
	_, e := math.Frexp(largest)
	scale := math.Ldexp(1, 1-e)
	var out Cut
	for _, j := range g.cols {
		c := g.cut[j]
		switch {
		case c == 0:
		case math.Abs(c) < largest/rangeMost:
			at := g.m.Lower[j]
			if c < 0 {
				at = g.m.Upper[j]
			}
			if math.IsInf(at, 0) {
				return Cut{}, 0, false
			}
			rhs -= c * at
		default:
			out.Index, out.Value = append(out.Index, j), append(out.Value, c*scale)
		}
	}
	out.Upper = rhs*scale + relaxBy*math.Max(1, math.Abs(rhs*scale))
	if len(out.Index) > g.v.longest {
		return Cut{}, 0, false
	}
	eff := g.v.efficacy(&out)
	return out, eff, eff > g.least
}
