package twostage

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
)

// Certificate is the dual vector behind a cut: the multipliers of the rows of some components.
type Certificate struct {
	kind  benders.Kind
	parts []part

	// rounded is true if a slope of a first-stage column without any bound is no float64: the cut follows from the parts
	// where such columns are within Reach of zero.
	rounded bool
}

// Reach is how far from zero first-stage columns without any bound may be for every cut to be implied by its
// certificate in exact arithmetic, although their slopes are rounded. Farther out a cut is off by the rounding of slope
// times column. The same for recourse columns that lack a bound where no multipliers at all are dual feasible, but by
// rounding: a cost of 0.8 on 4x as float64 is no multiple of one of 1 on 5x.
const Reach = 1 << 20

// part is the multiplier vector of one component, in the order of its rows.
type part struct {
	component int // position in Problem.parts
	lambda    []float64
	exact     []*big.Rat // if not nil the certificate, and lambda its rounding
	faint     bool       // some reduced costs have a sign that no bound prices, all of the size of rounding errors
}

// Kind implements benders.Certificate.
func (c *Certificate) Kind() benders.Kind { return c.kind }

// Vector returns the multipliers of the components one after the other, rounded to float64.
func (c *Certificate) Vector() []float64 {
	var v []float64
	for _, p := range c.parts {
		v = append(v, p.lambda...)
	}
	return v
}

// cost returns the cost of column j in a certificate of the given kind: a feasibility certificate is a ray of the dual,
// for which all costs are zero.
func (p *Problem) cost(kind benders.Kind, j int32) float64 {
	if kind == benders.Feasibility {
		return 0
	}
	return p.Compact.Cols[j].Cost
}

// prepare makes every multiplier one that its row can have: 0 for NaN, where that side of the row is infinite, and
// for what is negligible next to the largest multiplier. It reports false if one is infinite or so large that products
// with it may overflow.
func (p *Problem) prepare(c *component, lambda []float64) bool {
	const (
		largest    = 1e100
		negligible = 1e-40 // relative to the largest multiplier; products with it may underflow
	)
	top := 0.0
	for _, v := range lambda {
		if !math.IsNaN(v) {
			top = max(top, math.Abs(v))
		}
	}
	for k, i := range c.rows {
		r := &p.Compact.Rows[i]
		v := outward.Multiplier(lambda[k], r.Lower, r.Upper)
		if math.IsNaN(v) || math.Abs(v) < negligible*top {
			v = 0
		}
		if math.Abs(v) > largest {
			return false
		}
		lambda[k] = v
	}
	return true
}

// reduced forms the reduced cost z_j = cost - B_j'lambda of column k of c in doubled precision, and a bound on the
// error of v.
func (p *Problem) reduced(kind benders.Kind, c *component, k int, lambda []float64) (v, err float64) {
	var d outward.Dot
	d.Add(p.cost(kind, c.cols[k]), 1)
	s := &c.columns[k]
	for t, i := range s.index {
		d.Add(-s.value[t], lambda[i])
	}
	return d.Value()
}

// around returns proven bounds on z_j by plain arithmetic: enough for the sign, unless that is of rounding.
func (p *Problem) around(kind benders.Kind, c *component, k int, lambda []float64) (low, high float64) {
	z := p.cost(kind, c.cols[k])
	size := math.Abs(z)
	s := &c.columns[k]
	for t, i := range s.index {
		v := s.value[t] * lambda[i]
		z, size = z-v, size+math.Abs(v)
	}

	// Products and partial sums are rounded once each: (n+2) u size, and as much again for the rounding of size.
	err := 2*float64(len(s.index)+2)*outward.UnitRoundoff*size + smallest
	return z - err, z + err
}

// smallest is far above what products lose that are too small for a float64 of full precision.
const smallest = 1e-290

// reducedExact forms the reduced cost of column k of c in rationals.
func (p *Problem) reducedExact(kind benders.Kind, c *component, k int, lambda []*big.Rat) *big.Rat {
	e := equation{&c.columns[k], p.cost(kind, c.cols[k])}
	return e.lack(lambda)
}

// lack returns an upper bound on how far the reduced cost z_j of column k is on the side that no bound prices: above
// zero for a column without a lower bound, below zero for one without an upper bound. It is 0 where the sign of z_j is
// proven to be priced. Where the floating-point interval does not decide, the sum is formed exactly.
func (p *Problem) lack(kind benders.Kind, c *component, k int, lambda []float64) float64 {
	j := c.cols[k]
	noLower, noUpper := math.IsInf(p.lower(j), -1), math.IsInf(p.upper(j), 1)
	if !noLower && !noUpper {
		return 0
	}

	// An interval from plain arithmetic decides most cases: z > 0 is priced by the lower bound, z < 0 by the upper one.
	low, high := p.around(kind, c, k, lambda)
	lacksUpper := noUpper && !(low > 0)
	lacksLower := noLower && !(high < 0)
	if !lacksUpper && !lacksLower {
		return 0
	}

	// The sum in doubled precision, with a bound on its error, decides all cases but those next to zero.
	v, err := p.reduced(kind, c, k, lambda)
	lacksUpper = noUpper && v < err
	lacksLower = noLower && v > -err
	if !lacksUpper && !lacksLower {
		return 0
	}

	// Where |v| does not exceed its error, the sign of the exact sum decides.
	if math.Abs(v) > err || unpriced(p.sign(kind, c, k, lambda), noLower, noUpper) {
		return math.Abs(v) + err
	}
	return 0
}

// unpriced reports whether a reduced cost has a sign that prices a bound which its column does not have.
func unpriced(sign int, noLower, noUpper bool) bool {
	if sign > 0 {
		return noLower
	}
	return sign < 0 && noUpper
}

// sign returns the sign of the exact reduced cost z_j.
func (p *Problem) sign(kind benders.Kind, c *component, k int, lambda []float64) int {
	var e outward.Expansion
	s := &c.columns[k]
	e.Add(p.cost(kind, c.cols[k]), 1)
	for t, i := range s.index {
		e.Add(-s.value[t], lambda[i])
	}
	if sign, ok := e.Sign(); ok {
		return sign
	}

	// The expansion has no room for the sum, or a product is too small for it: rationals are slower and always hold.
	z, w := outward.Rat(p.cost(kind, c.cols[k])), new(big.Rat)
	for t, i := range s.index {
		z.Sub(z, w.Mul(outward.Rat(s.value[t]), outward.Rat(lambda[i])))
	}
	return z.Sign()
}

// certify returns a part that is dual feasible in exact arithmetic and close to lambda, which it keeps and may change.
// Every error wraps ErrCertificate: there is no such part, or none was found.
func (s *certifying) certify(kind benders.Kind, lambda []float64) (part, error) {
	if !s.p.prepare(s.c, lambda) {
		return part{}, fmt.Errorf("twostage: %w: a multiplier of component %d is not finite", ErrCertificate, s.number)
	}

	// Where a first-stage column lacks a bound a slope of the size of rounding errors does harm: rationals come first, if
	// the component is small.
	given := slices.Clone(lambda)
	var exact []*big.Rat
	ok := false
	if s.delicate && len(s.c.cols) <= largestFirst {
		exact, ok = s.delicately(kind, lambda)
	}

	// Else a small step towards the interior of the dual makes all signs certain in floating point.
	if !ok && s.interiorise(kind, lambda) {
		return part{component: s.number, lambda: lambda}, nil
	}

	// Else rationals, unless they move the multipliers far and a certificate that holds within Reach will do.
	if !ok {
		exact, ok = s.solveExactly(kind, lambda, nil)
	}
	if (!ok || movesFar(exact, given)) && s.faint(kind, given) {
		return part{component: s.number, lambda: given, faint: true}, nil
	}

	if !ok {
		return part{}, fmt.Errorf("twostage: %w: no dual feasible vector near the multipliers of component %d",
			ErrCertificate, s.number)
	}

	// The cut is formed from the rationals; lambda is their rounding, for records and for other scenarios.
	for k, r := range exact {
		lambda[k], _ = r.Float64()
	}
	return part{component: s.number, lambda: lambda, exact: exact}, nil
}

// terms accumulates the dual objective of some parts and its slopes in the first-stage columns. Parts with float64
// multipliers are summed in doubled precision, those with rational ones in rationals; a cut has the sum of both.
type terms struct {
	p     *Problem
	parts []part
	alpha outward.DualBound
	beta  map[int32]*outward.Dot // slope of each first-stage column, nil for zero
	ratio *big.Rat               // what parts with an exact certificate add to alpha
	slope map[int32]*big.Rat     // and to the slopes
}

// addFloat adds a part with float64 multipliers.
func (t *terms) addFloat(kind benders.Kind, c *component, q *part) {
	lambda := q.lambda
	for k, i := range c.rows {
		if lambda[k] == 0 {
			continue
		}
		// A multiplier prices one side of its row, and moves the row's first-stage part to the slopes, with the sign changed.
		t.alpha.AddRow(lambda[k], t.p.Compact.Rows[i].Lower, t.p.Compact.Rows[i].Upper)
		for m, j := range c.at[k].index {
			d := t.beta[j]
			if d == nil {
				d = new(outward.Dot)
				t.beta[j] = d
			}
			d.Add(-c.at[k].value[m], lambda[k])
		}
	}

	// The recourse columns add the least of z x within their bounds. A faint part has columns without the bound that z
	// prices; it is a certificate for the points where these are within Reach.
	for k, j := range c.cols {
		l, u := t.p.lower(j), t.p.upper(j)
		if q.faint {
			l, u = pick(math.IsInf(l, -1), -Reach, l), pick(math.IsInf(u, 1), Reach, u)
		}
		nothingBelow := l == 0 || math.IsInf(l, -1)
		nothingAbove := u == 0 || math.IsInf(u, 1)
		if nothingBelow && nothingAbove {
			continue // the sign of z is proven, and the least of z'x zero
		}

		// A proven sign at a bound of zero adds nothing either, and saves the sum in doubled precision.
		low, high := t.p.around(kind, c, k, lambda)
		atZeroLower := l == 0 && low >= 0
		if atZeroLower || u == 0 && high <= 0 {
			continue
		}
		v, err := t.p.reduced(kind, c, k, lambda)
		t.alpha.AddColumn(v, err, l, u)
	}
}

// pick returns a if the first of two numbers is chosen, else b.
func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// addExact adds a part with rational multipliers.
func (t *terms) addExact(kind benders.Kind, c *component, lambda []*big.Rat) {
	// The rows, priced at the side that the sign of the multiplier selects, and their slopes.
	w := new(big.Rat)
	for k, i := range c.rows {
		r := &t.p.Compact.Rows[i]
		s := lambda[k].Sign()
		if s == 0 {
			continue
		}
		t.ratio.Add(t.ratio, w.Mul(lambda[k], outward.Rat(pick(s > 0, r.Lower, r.Upper))))
		for m, j := range c.at[k].index {
			if t.slope[j] == nil {
				t.slope[j] = new(big.Rat)
			}
			t.slope[j].Sub(t.slope[j], w.Mul(lambda[k], outward.Rat(c.at[k].value[m])))
		}
	}

	// The recourse columns, at the bound that the sign of the reduced cost selects.
	for k, j := range c.cols {
		if z := t.p.reducedExact(kind, c, k, lambda); z.Sign() != 0 {
			t.ratio.Add(t.ratio, w.Mul(z, outward.Rat(pick(z.Sign() > 0, t.p.lower(j), t.p.upper(j)))))
		}
	}
}

// cut builds the cut of dual feasible parts, rounded outward: implied by them in exact arithmetic for every y in its
// bounds (see Reach for columns without any). theta is the epigraph, or benders.AllEpigraphs. The error wraps
// ErrCertificate if a number is too large.
func (p *Problem) cut(kind benders.Kind, theta int, parts []part) (benders.Cut, error) {
	t := terms{
		p:     p,
		parts: parts,
		beta:  map[int32]*outward.Dot{},
		ratio: new(big.Rat),
		slope: map[int32]*big.Rat{},
	}
	for _, q := range parts {
		if q.exact != nil {
			t.addExact(kind, &p.parts[q.component], q.exact)
		} else {
			t.addFloat(kind, &p.parts[q.component], &q)
		}
	}

	// The slopes, rounded to float64. Alpha is lowered by the most that their rounding can raise the cut within the
	// bounds of y. First-stage columns are taken in ascending order, which keeps the sum of losses reproducible.
	cert := &Certificate{kind: kind, parts: parts}
	out := benders.Cut{Kind: kind, Theta: theta, Certificate: cert}
	least := t.noise()
	for j := range int32(p.First) {
		b, loss, ok := t.slopeOf(j, least)
		if !ok {
			return out, fmt.Errorf("twostage: %w: the slope of the column %s is not finite", ErrCertificate,
				p.Compact.ColName(lp.Var(j)))
		}
		cert.rounded = cert.rounded || loss > 0 && p.unbounded(j)
		t.alpha.Lose(loss)
		if b != 0 {
			out.Index, out.Beta = append(out.Index, j), append(out.Beta, b)
		}
	}

	// Alpha is rounded down last, when all losses are known.
	out.Alpha = t.alpha.Below()
	if t.ratio.Sign() != 0 {
		out.Alpha = outward.RatDown(t.ratio.Add(t.ratio, outward.Rat(finiteOr(out.Alpha))))
	}
	if !isFinite(out.Alpha) {
		return out, fmt.Errorf("twostage: %w: alpha is not finite", ErrCertificate)
	}
	return out, nil
}

// epigraphCut returns the optimality cut of the parts of all components of epigraph g. The error wraps ErrCertificate
// where a component lacks a part or a number is too large.
func (p *Problem) epigraphCut(g int, parts []part) (benders.Cut, error) {
	if len(parts) < len(p.groups[g]) {
		return benders.Cut{}, fmt.Errorf("twostage: %w: a component of epigraph %d has none", ErrCertificate, g)
	}
	return p.cut(benders.Optimality, g, parts)
}

// feasibilityCut returns the feasibility cut of a ray of the component's dual, which it may change, in units in which
// the largest slope is about one. The error wraps ErrCertificate.
func (s *certifying) feasibilityCut(ray []float64) (benders.Cut, error) {
	one, err := s.certify(benders.Feasibility, ray)
	if err != nil {
		return benders.Cut{}, err
	}
	return s.p.cut(benders.Feasibility, benders.AllEpigraphs, []part{s.p.scaled(one)})
}

// isFinite reports whether v is neither infinite nor NaN.
func isFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// finiteOr returns v or, where v is not finite and thus no rational, the least float64.
func finiteOr(v float64) float64 {
	if !isFinite(v) {
		return -math.MaxFloat64
	}
	return v
}

// noise is the size up to which a slope is left out: 1e-11 of the largest. Cuts with so small coefficients are badly
// scaled rows of a master.
func (t *terms) noise() float64 {
	// The largest of some numbers does not depend on the order of the maps.
	largest := 0.0
	for _, d := range t.beta {
		v, _ := d.Value()
		largest = max(largest, math.Abs(v))
	}
	for _, r := range t.slope {
		v, _ := r.Float64()
		largest = max(largest, math.Abs(v))
	}
	return 1e-11 * largest
}

// slopeOf returns a float64 slope of column j, 0 for one of at most least where the bounds of y allow, and what alpha
// loses by its distance from the exact one. It reports false if the slope is not finite.
func (t *terms) slopeOf(j int32, least float64) (b, loss float64, ok bool) {
	d, r := t.beta[j], t.slope[j]
	if d == nil && r == nil {
		return 0, 0, true
	}

	// The exact slope lies between low and high: those of the float64 parts, and the rationals of the others added.
	var low, high float64
	if d != nil {
		low, high = d.Interval()
	}
	if r != nil {
		low = outward.RatDown(new(big.Rat).Add(r, outward.Rat(finiteOr(low))))
		high = outward.RatUp(new(big.Rat).Add(r, outward.Rat(-finiteOr(-high))))
	}
	if !isFinite(low) || !isFinite(high) {
		return 0, 0, false
	}

	// Without a bound on y no rounding can be paid for, so that the slope is formed exactly where that matters.
	l, u := t.p.lower(j), t.p.upper(j)
	if (math.IsInf(l, -1) || math.IsInf(u, 1)) && t.exactly(j, low, high, 100*least) {
		exact := t.exactSlope(j)
		low, high = outward.RatDown(exact), outward.RatUp(exact)
	}

	b, loss = roundSlope(low, high, l, u, least)
	return b, loss, true
}

// roundSlope returns a float64 for a slope between low and high of a column y with the bounds l and u, and by how much
// alpha must be lowered so that the cut with it is below the exact one for every y in its bounds. A slope of at most
// least becomes zero, if both bounds are finite.
func roundSlope(low, high, l, u, least float64) (b, loss float64) {
	// The product of a slope that is left out and y is least at one of four corners.
	if max(high, -low) <= least && !math.IsInf(l, -1) && !math.IsInf(u, 1) {
		return 0, outward.Up(max(0, -low*l, -low*u, -high*l, -high*u))
	}

	// Else the end of the interval that needs the least from alpha.
	switch {
	case low == high || l >= 0: // the exact slope is at least low, and y is not negative
		return low, 0
	case u <= 0: // the exact slope is at most high, and y is not positive
		return high, 0
	case !math.IsInf(l, -1):
		return low, outward.Up(outward.Up(high-low) * -l)
	case !math.IsInf(u, 1):
		return high, outward.Up(outward.Up(high-low) * u)
	}
	return low, outward.Up(outward.Up(high-low) * Reach)
}

// exactly reports whether rounding the slope of a column that lacks a bound matters: where the column has no bound at
// all, and where the slope may be zero or what takes the whole cost of the column off the master, since there is no end
// to what a tiny rest of it does. Where the slope is a float64 there is no rounding then.
func (t *terms) exactly(j int32, low, high, near float64) bool {
	at := func(v float64) bool { return low <= v+near && high >= v-near }
	vanishes := at(0) || at(-t.p.Compact.Cols[j].Cost)
	return t.slope[j] != nil || t.p.unbounded(j) || vanishes
}

// exactSlope forms the slope of column j in rationals.
func (t *terms) exactSlope(j int32) *big.Rat {
	sum, w := new(big.Rat), new(big.Rat)
	for _, q := range t.parts {
		c := &t.p.parts[q.component]
		at := slices.Index(c.touches, j)
		if at < 0 {
			continue
		}
		for m, i := range c.first[at].index {
			// The multiplier of the row, from whichever arithmetic certifies the part.
			if q.exact != nil {
				w.Set(q.exact[i])
			} else {
				w.SetFloat64(q.lambda[i])
			}
			sum.Sub(sum, w.Mul(w, outward.Rat(c.first[at].value[m])))
		}
	}
	return sum
}

// unbounded reports a column that has no bound at all.
func (p *Problem) unbounded(j int32) bool {
	return math.IsInf(p.lower(j), -1) && math.IsInf(p.upper(j), 1)
}
