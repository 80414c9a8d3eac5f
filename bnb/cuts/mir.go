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
	need    float64 // columns are measured by it; 0 from their nearest bounds
	needy   bool    // the last cut owes to it

	measured measured
	flows    []entry // continuous columns of the aggregation
	wholes   []entry // and integer ones
	largest  float64 // of their coefficients
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
	cutSize  []float64 // of its entries: the sum of the absolute values that were added up
	rhsSize  float64   // and of its right-hand side
	cols     []int32   // columns of the cut
	inCut    []bool
	index    []int32 // of the cut that is cleaned up
	value    []float64
	flips    []int32 // terms worth complementing
}

func newMIR(v *view, vb *variableBounds) *mir {
	n := len(v.m.Integer)
	return &mir{
		v: v, m: v.m, vb: vb, measured: newMeasured(v, vb),
		extra: make([]float64, n), cut: make([]float64, n), cutSize: make([]float64, n), inCut: make([]bool, n),
	}
}

// separate returns the best of the cuts from a and from -a, and whether it is a lifted cover. Where the nearest bounds
// give none the columns are measured by the need of the row.
func (g *mir) separate(a *aggregation) (best Cut, cover, ok bool) {
	if !g.mayRound(a) || !g.gather(a) {
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
	try := func(sign float64) {
		g.v.work += 4 * (len(a.cols) + len(a.rows))
		if !g.substitute(a, sign) || !g.split() {
			return
		}
		if g.covers && !g.tableau && g.separateCover() > max(g.least, least) && take(g.buildCover()) {
			cover = true
		}
		if delta, ok := g.bestDivisor(); ok && take(g.build(delta)) {
			cover = false
		}
	}
	g.needy = false
	for _, sign := range []float64{1, -1} {
		g.need = 0
		try(sign)
		if least > 0 || g.tableau {
			continue
		}
		if g.setNeed(a, sign); g.need > 0 {
			try(sign)
			g.needy = least > 0
		}
	}
	return best, cover, least > 0
}

// mayRound reports whether an integer term of a may have a fractional value.
func (g *mir) mayRound(a *aggregation) bool {
	g.v.work += len(a.rows) + len(a.cols)/2
	for _, i := range a.rows {
		if g.v.integral[i] && fractional(g.v.activity[i]) {
			return true
		}
	}
	for _, j := range a.cols {
		if g.vb.mayRound[j] {
			return true
		}
	}
	return false
}

// gather lists the columns of a, the continuous ones and the integer ones. It returns false if there are none or too
// many.
func (g *mir) gather(a *aggregation) bool {
	g.largest, g.flows, g.wholes = 0, g.flows[:0], g.wholes[:0]
	if len(a.cols) > min(mirMaxTerms, mirLengths*g.v.longest) {
		return false
	}
	for _, j := range a.cols {
		c := a.coef[j]
		g.largest = max(g.largest, math.Abs(c))
		if g.m.Integer[j] {
			g.wholes = append(g.wholes, entry{j, c})
		} else if c != 0 {
			g.flows = append(g.flows, entry{j, c})
		}
	}
	return g.largest != 0
}

// substitute writes sign*a, whose columns are gathered, as sum coef*t <= rhs in nonnegative terms. It returns false if
// a variable has no bound to start from.
func (g *mir) substitute(a *aggregation, sign float64) bool {
	g.terms, g.rhs, g.size = g.terms[:0], 0, 0
	defer g.clearExtra()
	for k, i := range a.rows {
		if !g.addLogical(i, -sign*a.weight[k]) {
			return false
		}
	}
	for _, e := range g.flows {
		if !g.addContinuous(e.col, sign*e.coef) {
			return false
		}
	}
	for _, e := range g.wholes {
		if !g.addInteger(e.col, sign*e.coef+g.extra[e.col]) {
			return false
		}
		g.extra[e.col] = 0
	}
	for _, j := range g.moved { // integer columns that only variable bounds brought in
		if g.extra[j] != 0 && !g.addInteger(j, g.extra[j]) {
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
	x := g.v.activity[row]
	if !t.measure(x, r.Lower, r.Upper, x-r.Lower <= r.Upper-x) {
		return false
	}
	g.add(&t, c)
	return true
}

// add adds the variable that t measures, with coefficient c.
func (g *mir) add(t *mirTerm, c float64) {
	g.move(c * t.bound)
	g.terms = append(g.terms, *t)
	last := &g.terms[len(g.terms)-1]
	if last.coef = c; t.upper {
		last.coef = -c
	}
}

// move takes a constant to the right-hand side.
func (g *mir) move(v float64) {
	g.rhs -= v
	g.size = max(g.size, math.Abs(v))
}

// addContinuous adds a continuous column.
func (g *mir) addContinuous(j int32, c float64) bool {
	if math.Abs(c) < mirZero*g.largest {
		return g.absorbTiny(c, g.m.Lower[j], g.m.Upper[j])
	}
	t := g.measured.of(j, c)
	if g.need > 0 {
		if b := g.capacity(j, c); b != nil {
			own := g.byNeed(j, c, b)
			t = &own
		}
	}
	if t.unbounded {
		return false
	}
	if b := t.vb; b != nil { // x_j = constant + slope*x_k -+ t
		if g.extra[b.col] == 0 {
			g.moved = append(g.moved, b.col)
		}
		g.extra[b.col] += c * b.slope
	}
	g.add(t, c)
	return true
}

func (g *mir) addInteger(j int32, c float64) bool {
	if c == 0 {
		return true
	}
	lower, upper := g.m.Lower[j], g.m.Upper[j]
	if lower == upper {
		g.move(c * lower)
		return true
	}
	if math.Abs(c) < mirZero*g.largest {
		return g.absorbTiny(c, lower, upper)
	}
	x := g.v.x[j]
	t := mirTerm{id: j, integer: true}
	if !t.measure(x, lower, upper, x-lower <= upper-x) {
		return false
	}
	g.add(&t, c)
	return true
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
	list := g.flips[:0]
	for _, k := range g.ints {
		t := &g.terms[k]
		if t.at > 1e-6 && !math.IsInf(t.width, 0) {
			t.priority = math.Abs(t.at - t.width/2)
			list = append(list, k)
		}
	}
	g.flips = list
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
		g.cut[j], g.cutSize[j], g.inCut[j] = 0, 0, false
	}
	g.cols = g.cols[:0]
	g.rhsSize = 0
}

// put adds c to the coefficient of column j in the cut; size is what the rounding error of c is relative to.
func (g *mir) put(j int32, c, size float64) {
	if !g.inCut[j] {
		g.inCut[j] = true
		g.cols = append(g.cols, j)
	}
	g.cut[j] += c
	g.cutSize[j] += size
}

// unsubstitute adds c*t in terms of columns and returns what moves to the right-hand side.
func (g *mir) unsubstitute(t *mirTerm, c float64) float64 {
	sign := 1.0 // t = x - bound
	if t.upper {
		sign = -1 // t = bound - x
	}
	size := math.Abs(c)
	if t.integer && size >= tinyTerm {
		size = math.Max(size, 1) // a difference of fractions of one
	}
	g.rhsSize += size * math.Abs(t.bound)
	if t.logical {
		r := &g.v.rows[t.id]
		for k, j := range r.Index {
			g.put(j, sign*c*r.Value[k], size*math.Abs(r.Value[k]))
		}
		return sign * c * t.bound
	}
	g.put(t.id, sign*c, size)
	if t.vb != nil {
		g.put(t.vb.col, -sign*c*t.vb.slope, size*math.Abs(t.vb.slope))
	}
	return sign * c * t.bound
}

// cancelled bounds what the rounding of the sums that make the cut can move its activity by, less its side, over the
// bounds of the columns: where the terms of rows with large coefficients cancel, little is left of their digits. ok is
// false where a column without a bound has such a coefficient; largest is the largest coefficient of the cut.
func (g *mir) cancelled(largest float64) (lost float64, ok bool) {
	lost = 2 * roundingUnit * g.rhsSize
	for _, j := range g.cols {
		e := 2 * roundingUnit * g.cutSize[j]
		far := math.Max(math.Abs(g.m.Lower[j]), math.Abs(g.m.Upper[j]))
		if math.IsInf(far, 1) {
			if e > cancelledMax*largest {
				return 0, false
			}
			continue
		}
		lost += e * far
	}
	return lost, true
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
	out := Cut{Index: g.index[:0], Value: g.value[:0]}
	for _, j := range g.cols {
		c := g.cut[j]
		switch {
		case c == 0:
		case math.Abs(c) < largest/maxRange:
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
	relaxed := relaxBy * math.Max(1, math.Abs(rhs*scale))
	lost, ok := g.cancelled(largest)
	if !ok {
		return Cut{}, 0, false
	}
	if lost *= scale; lost > relaxed {
		relaxed += lost
	}
	out.Upper = rhs*scale + relaxed
	g.index, g.value = out.Index, out.Value
	if len(out.Index) > g.v.longest {
		return Cut{}, 0, false
	}
	eff := g.v.efficacy(&out)
	if !(eff > g.least) {
		return Cut{}, 0, false
	}
	out.Index, out.Value = slices.Clone(out.Index), slices.Clone(out.Value)
	return out, eff, true
}
