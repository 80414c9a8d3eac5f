package cuts

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
)

// mir turns aggregations into cuts by complemented mixed-integer rounding (Marchand and Wolsey 2001). From the
// multipliers of a tableau row it gives the Gomory mixed-integer cut.
type mir struct {
	v        *view
	m        *Model
	vb       *variableBounds
	least    float64 // least efficacy of a cut
	tableau  bool    // the aggregation is a row of the tableau: it is rounded as it is
	covers   bool    // lifted flow covers are tried too
	need     float64 // if positive, the need by which columns are measured; see setNeed
	usedNeed bool    // the last cut was found by the need

	measured measured
	flows    []entry // continuous columns of the aggregation
	wholes   []entry // its integer columns
	largest  float64 // largest absolute value of their coefficients
	terms    []mirTerm
	ints     []int32   // the integer terms
	contSum  float64   // sum of the continuous terms with negative coefficients, at the LP point
	contNorm float64   // sum of the squares of their coefficients
	rhs      float64   // of the row in terms
	size     float64   // largest number in the sum of rhs, for its rounding errors
	total    float64   // sum of their absolute values
	list     []float64 // scratch of divisors
	cover    mixedCover
	extra    []float64 // coefficients moved to integer columns by variable bounds
	moved    []int32   // these columns
	cut      []float64 // dense scratch, zero outside cols
	cutSize  []float64 // sum of the absolute values whose sum is each entry of cut
	rhsSize  float64   // the same for the right-hand side of the cut
	cols     []int32   // columns of the cut
	inCut    []bool    // column is in cols
	index    []int32   // scratch of clean
	value    []float64 // the same
	flips    []int32   // scratch of flippable
}

// newMIR prepares the rounding of aggregations of the rows of v.
func newMIR(v *view, vb *variableBounds) *mir {
	n := len(v.m.Integer)
	return &mir{
		v:        v,
		m:        v.m,
		vb:       vb,
		measured: newMeasured(v, vb),
		extra:    make([]float64, n),
		cut:      make([]float64, n),
		cutSize:  make([]float64, n),
		inCut:    make([]bool, n),
	}
}

// separate returns the best of the cuts from a and from -a, and whether it is a lifted cover. If the nearest bounds
// give none the columns are measured by the need of the row.
func (g *mir) separate(a *aggregation) (best Cut, cover, ok bool) {
	if !g.mayRound(a) || !g.gather(a) {
		return best, false, false
	}

	// take keeps the better cut.
	least := 0.0
	take := func(c Cut, eff float64, ok bool) bool {
		if !ok || eff <= least {
			return false
		}
		best = c
		least = eff
		return true
	}

	// try computes the two cuts of sign*a.
	try := func(sign float64) {
		g.v.work += 4 * (len(a.cols) + len(a.rows))
		if !g.substitute(a, sign) || !g.split() {
			return
		}

		// A cover is tried first; the better of cover and rounding is kept.
		hopeful := g.covers && !g.tableau && g.separateCover() > max(g.least, least)
		if hopeful && take(g.buildCover()) {
			cover = true
		}
		if delta, ok := g.bestDivisor(); ok && take(g.build(delta)) {
			cover = false
		}
	}

	g.usedNeed = false
	for _, sign := range []float64{1, -1} {
		g.need = 0
		try(sign)
		// Without a cut from the nearest bounds the need of the row decides how the columns are measured.
		if least > 0 || g.tableau {
			continue
		}
		if g.setNeed(a, sign); g.need > 0 {
			try(sign)
			g.usedNeed = least > 0
		}
	}
	return best, cover, least > 0
}

// mayRound reports whether an integer term of a may have a fractional value.
func (g *mir) mayRound(a *aggregation) bool {
	g.v.work += len(a.rows) + len(a.cols)/2

	// Logicals of rows over integer columns are integer terms too.
	logical := func(i int32) bool { return g.v.integral[i] && fractional(g.v.activity[i]) }
	column := func(j int32) bool { return g.vb.mayRound[j] }
	return slices.ContainsFunc(a.rows, logical) || slices.ContainsFunc(a.cols, column)
}

// gather lists the continuous and the integer columns of a. It returns false if there are none, or if there are too
// many for a cut to be short enough.
func (g *mir) gather(a *aggregation) bool {
	g.largest = 0
	g.flows = g.flows[:0]
	g.wholes = g.wholes[:0]
	if len(a.cols) > min(mirMaxTerms, mirLengths*g.v.longest) {
		return false
	}

	// Integer columns are listed even with a zero, since variable bounds may move coefficients to them.
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
// a variable has no bound to be measured from.
func (g *mir) substitute(a *aggregation, sign float64) bool {
	// The logicals, then the continuous columns, whose variable bounds move coefficients, then the integer ones.
	g.terms = g.terms[:0]
	g.rhs = 0
	g.size = 0
	g.total = 0
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

	// Variable bounds have moved coefficients to integer columns: in the aggregation, and others.
	for _, e := range g.wholes {
		if !g.addInteger(e.col, sign*e.coef+g.extra[e.col]) {
			return false
		}

		// What is used is cleared, so that moved has only the columns left that the aggregation does not have.
		g.extra[e.col] = 0
	}
	for _, j := range g.moved {
		if g.extra[j] != 0 && !g.addInteger(j, g.extra[j]) {
			return false
		}
		g.extra[j] = 0
	}
	return true
}

// clearExtra clears the coefficients that variable bounds have moved.
func (g *mir) clearExtra() {
	for _, j := range g.moved {
		g.extra[j] = 0
	}
	g.moved = g.moved[:0]
}

// addLogical adds the logical of a row with coefficient c. It returns false if it has no finite bound.
func (g *mir) addLogical(row int32, c float64) bool {
	r := &g.v.rows[row]

	// The logical of an equation is a constant.
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

// add adds the variable that t measures, with coefficient c: its bound is a constant.
func (g *mir) add(t *mirTerm, c float64) {
	g.move(c * t.bound)

	// The distance from an upper bound has the coefficient with the other sign.
	g.terms = append(g.terms, *t)
	last := &g.terms[len(g.terms)-1]
	if last.coef = c; t.upper {
		last.coef = -c
	}
}

// move subtracts a constant from the right-hand side.
func (g *mir) move(v float64) {
	g.rhs -= v
	g.size = max(g.size, math.Abs(v))
	g.total += math.Abs(v)
}

// addContinuous adds a continuous column. It returns false if it has no finite bound.
func (g *mir) addContinuous(j int32, c float64) bool {
	if math.Abs(c) < mirZero*g.largest {
		return g.absorbTiny(c, g.m.Lower[j], g.m.Upper[j])
	}

	// The nearest bound is the same for all rows at this point, unless a need changes it.
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

	// x_j = constant + slope*x_k -+ t moves a coefficient to the integer column x_k.
	if b := t.vb; b != nil {
		if g.extra[b.col] == 0 {
			g.moved = append(g.moved, b.col)
		}
		g.extra[b.col] += c * b.slope
	}
	g.add(t, c)
	return true
}

// addInteger adds an integer column. It returns false if it has no finite bound.
func (g *mir) addInteger(j int32, c float64) bool {
	if c == 0 {
		return true
	}
	lower, upper := g.m.Lower[j], g.m.Upper[j]

	// A fixed column is a constant.
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

// absorbTiny replaces a column with a tiny coefficient by the bound that weakens the row. It returns false if that is
// infinite.
func (g *mir) absorbTiny(c, lower, upper float64) bool {
	at := activity.Least(c, lower, upper)
	if math.IsInf(at, 0) {
		return false
	}

	g.move(c * at)
	return true
}

// split lists the integer terms and sums up the continuous ones, whose rounding is the same for every divisor up to a
// factor. It returns false if every integer term is at a bound: no rounding removes the LP point then.
func (g *mir) split() bool {
	g.ints = g.ints[:0]
	g.contSum = 0
	g.contNorm = 0
	fractional := false
	for k := range g.terms {
		t := &g.terms[k]
		switch {
		case t.integer:
			g.ints = append(g.ints, int32(k))
			// An integer term strictly between its bounds may be rounded.
			fractional = fractional || t.at > mirAtBound && t.at < t.width-mirAtBound
		// A continuous term with a positive coefficient is dropped by the rounding.
		case t.coef < 0:
			g.contSum += t.coef * t.at
			if !t.stuck(t.coef) {
				g.contNorm += t.coef * t.coef
			}
		}
	}

	g.v.work += 2 * len(g.terms)
	return fractional
}

// roundable reports whether b, the right-hand side divided by delta, is far enough from the integers around it, by
// fraction f0 from the one below, for its rounding errors.
func (g *mir) roundable(b, f0, delta float64) bool {
	if f0 < mirFraction || f0 > 1-mirMargin {
		return false
	}
	return !((1-f0)*delta < mirError*g.size || math.Abs(b) > mirLargest)
}

// efficacy evaluates the rounding of the row divided by delta, without building the cut; 0 for no cut.
func (g *mir) efficacy(delta float64) float64 {
	// f0 is the fraction of the right-hand side.
	b := g.rhs / delta
	f0 := b - math.Floor(b)
	if !g.roundable(b, f0, delta) {
		return 0
	}

	// The continuous terms are scaled together, since their coefficients are divided by the same number.
	scale := 1 / (delta * (1 - f0))
	violation := g.contSum*scale - math.Floor(b)
	norm := g.contNorm * scale * scale
	g.v.work += 4 * len(g.ints)
	for _, k := range g.ints {
		t := &g.terms[k]
		c := t.rounded(delta, f0)
		violation += c * t.at
		if !t.stuck(c) {
			norm += c * c
		}
	}

	return distance(violation, norm)
}

// bestDivisor searches divisors and complementations for the largest efficacy, and leaves the terms complemented. It
// returns the divisor; false if no cut is good enough.
func (g *mir) bestDivisor() (float64, bool) {
	best := 0.0
	bestEff := g.least

	// A divisor is kept if it gives a better cut than the best so far.
	try := func(delta float64) bool {
		if delta < leastDivisor {
			return false
		}
		if e := g.efficacy(delta); e > bestEff {
			best = delta
			bestEff = e
			return true
		}
		return false
	}

	// First the divisors as they are.
	for _, delta := range g.divisors() {
		try(delta)
	}
	if best == 0 {
		return 0, false
	}
	if g.tableau {
		return best, true
	}

	// The best divisor divided by small powers of 2, and then the complements of single terms, may be better.
	base := best
	for _, f := range []float64{2, 4, 8} {
		try(base / f)
	}

	// A complement that does not help is taken back.
	for _, k := range g.flippable() {
		g.flip(k)
		if !try(best) {
			g.flip(k)
		}
	}
	return best, true
}

// divisors lists 1 and the coefficients of integer terms strictly between their bounds. A tableau row is divided by 1
// only: that is the Gomory cut.
func (g *mir) divisors() []float64 {
	list := append(g.list[:0], 1)
	if g.tableau {
		return list
	}

	// A coefficient of a term strictly between its bounds becomes 1 when it divides the row.
	for _, k := range g.ints {
		t := &g.terms[k]
		if t.at < mirAtBound || t.at > t.width-mirAtBound {
			continue
		}

		c := math.Abs(t.coef)
		known := func(v float64) bool { return math.Abs(v-c) <= sameDivisor*c }
		if !slices.ContainsFunc(list, known) {
			list = append(list, c)
		}
		if len(list) > mirDivisors {
			break
		}
	}
	g.list = list
	return list
}

// flippable lists the integer terms that are nearest to the middle of their range: they may be complemented.
func (g *mir) flippable() []int32 {
	list := g.flips[:0]
	for _, k := range g.ints {
		t := &g.terms[k]
		// A term with an infinite range cannot be complemented.
		if t.at > mirAtBound && !math.IsInf(t.width, 0) {
			t.priority = math.Abs(t.at - t.width/2)
			list = append(list, k)
		}
	}

	g.flips = list
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(g.terms[a].priority, g.terms[b].priority) })
	return list[:min(len(list), mirComplement)]
}

// flip complements an integer term: it is then measured from its other bound.
func (g *mir) flip(k int32) {
	// x - lower becomes upper - x: the constant of the exchange moves to the side.
	t := &g.terms[k]
	g.move(t.coef * t.width)
	t.coef = -t.coef
	t.at = t.width - t.at

	if t.upper {
		t.bound -= t.width
	} else {
		t.bound += t.width
	}
	t.upper = !t.upper
}
