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

	// rounded says that a slope of a first-stage column without any bound is no float64: the cut follows from the parts
	// where such columns are within Reach of zero.
	rounded bool
}

// Reach is how far from zero first-stage columns without any bound may be for every cut to be implied by its
// certificate in exact arithmetic, although their slopes are rounded. Farther out a cut is off by the rounding of slope
// times column. The same for recourse columns that lack a bound where no multipliers at all are dual feasible, but by
// rounding: a cost of 0.8 on 4x as float64 is no multiple of one of 1 on 5x.
const Reach = 1 << 20

// part is the multiplier vector of one component, in the order of its rows. Where exact is not nil it is the
// certificate and lambda its rounding. A faint one has reduced costs of a sign that no bound prices, all of them
// rounding.
type part struct {
	component int
	lambda    []float64
	exact     []*big.Rat
	faint     bool
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

// cost returns the cost of column j in a certificate of the given kind.
func (p *Problem) cost(kind benders.Kind, j int32) float64 {
	if kind == benders.Feasibility {
		return 0
	}
	return p.Compact.Cols[j].Cost
}

// prepare makes every multiplier one that its row can have: 0 for NaN, where that side of the row is infinite, and
// for what is nothing beside the largest multiplier. It reports false if one is infinite or out of all proportion.
func (p *Problem) prepare(c *component, lambda []float64) bool {
	const largest, nothing = 1e100, 1e-40
	top := 0.0
	for _, v := range lambda {
		if !math.IsNaN(v) {
			top = max(top, math.Abs(v))
		}
	}
	for k, i := range c.rows {
		r := &p.Compact.Rows[i]
		v := outward.Multiplier(lambda[k], r.Lower, r.Upper)
		if math.IsNaN(v) || math.Abs(v) < nothing*top {
			v = 0
		}
		if math.Abs(v) > largest {
			return false
		}
		lambda[k] = v
	}
	return true
}

// reduced forms z_j = cost - B_j'lambda of column k of c.
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

// reducedExact is reduced in rationals.
func (p *Problem) reducedExact(kind benders.Kind, c *component, k int, lambda []*big.Rat) *big.Rat {
	e := equation{&c.columns[k], p.cost(kind, c.cols[k])}
	return e.lack(lambda)
}

// lack returns by how much z_j has a sign that no bound prices, at most; 0 if it provably has not. Where the
// floating-point interval does not decide, the sum is formed exactly.
func (p *Problem) lack(kind benders.Kind, c *component, k int, lambda []float64) float64 {
	j := c.cols[k]
	noLower, noUpper := math.IsInf(p.lower(j), -1), math.IsInf(p.upper(j), 1)
	if !noLower && !noUpper {
		return 0
	}

	// An interval for z decides most cases: z > 0 is priced by the lower bound, z < 0 by the upper one.
	low, high := p.around(kind, c, k, lambda)
	lacksUpper := noUpper && !(low > 0)
	lacksLower := noLower && !(high < 0)
	if !lacksUpper && !lacksLower {
		return 0
	}

	// So does z with a bound of its error.
	v, err := p.reduced(kind, c, k, lambda)
	switch {
	case !(noUpper && v < err || noLower && v > -err):
		return 0
	case noUpper && v < -err || noLower && v > err:
		return math.Abs(v) + err
	}

	// What is left is the sign of the exact sum.
	s := p.sign(kind, c, k, lambda)
	lacks := noLower // the bound that the sign prices
	if s < 0 {
		lacks = noUpper
	}
	if s == 0 || !lacks {
		return 0
	}
	return math.Abs(v) + err
}

// sign returns that of the exact z_j.
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
	z, w := outward.Rat(p.cost(kind, c.cols[k])), new(big.Rat)
	for t, i := range s.index {
		z.Sub(z, w.Mul(outward.Rat(s.value[t]), outward.Rat(lambda[i])))
	}
	return z.Sign()
}

// certify returns a part that is dual feasible in exact arithmetic and close to lambda, which it keeps and may change.
// The error wraps ErrCertificate if it finds none.
func (s *certifying) certify(kind benders.Kind, lambda []float64) (part, error) {
	if !s.p.prepare(s.c, lambda) {
		return part{}, fmt.Errorf("twostage: %w: a multiplier of component %d is not finite", ErrCertificate, s.number)
	}

	// Where a slope is noise, rationals come first, if they are few.
	given := append([]float64(nil), lambda...)
	var exact []*big.Rat
	ok := false
	if s.delicate && len(s.c.cols) <= largestFirst {
		exact, ok = s.delicately(kind, lambda)
	}

	// Else a small step to the interior makes all signs certain in floating point.
	if !ok && s.interiorise(kind, lambda) {
		return part{component: s.number, lambda: lambda}, nil
	}

	// Else rationals, unless they move far and a certificate over a finite range will do.
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

	for k, r := range exact {
		lambda[k], _ = r.Float64()
	}
	return part{component: s.number, lambda: lambda, exact: exact}, nil
}

// terms accumulates a cut in one of the two arithmetics: the value of a part's dual objective and its slopes.
type terms struct {
	p     *Problem
	parts []part
	alpha outward.DualBound
	beta  map[int32]*outward.Dot
	ratio *big.Rat // what parts with an exact certificate add to alpha
	slope map[int32]*big.Rat
}

// addFloat adds a part with float multipliers.
func (t *terms) addFloat(kind benders.Kind, c *component, q *part) {
	lambda := q.lambda
	for k, i := range c.rows {
		if lambda[k] == 0 {
			continue
		}
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

	// The recourse columns add the least of z x within their bounds.
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

		low, high := t.p.around(kind, c, k, lambda)
		atZeroLower := l == 0 && low >= 0
		if atZeroLower || u == 0 && high <= 0 {
			continue
		}
		v, err := t.p.reduced(kind, c, k, lambda)
		t.alpha.AddColumn(v, err, l, u)
	}
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// addExact adds a part with rational multipliers.
func (t *terms) addExact(kind benders.Kind, c *component, lambda []*big.Rat) {
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
	t := terms{p: p, parts: parts, beta: map[int32]*outward.Dot{}, ratio: new(big.Rat), slope: map[int32]*big.Rat{}}
	for _, q := range parts {
		if q.exact != nil {
			t.addExact(kind, &p.parts[q.component], q.exact)
		} else {
			t.addFloat(kind, &p.parts[q.component], &q)
		}
	}

	// The slopes, rounded; alpha pays for what rounding takes.
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

	// Alpha, rounded down last.
	out.Alpha = t.alpha.Below()
	if t.ratio.Sign() != 0 {
		out.Alpha = outward.RatDown(t.ratio.Add(t.ratio, outward.Rat(finiteOr(out.Alpha))))
	}
	if math.IsInf(out.Alpha, 0) || math.IsNaN(out.Alpha) {
		return out, fmt.Errorf("twostage: %w: alpha is not finite", ErrCertificate)
	}
	return out, nil
}

func isFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

func finiteOr(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return -math.MaxFloat64
	}
	return v
}

// noise is the size below which a slope is left out: 1e-11 of the largest.
func (t *terms) noise() float64 {
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
// loses by its distance from the exact one.
func (t *terms) slopeOf(j int32, least float64) (b, loss float64, ok bool) {
	d, r := t.beta[j], t.slope[j]
	if d == nil && r == nil {
		return 0, 0, true
	}

	// The exact slope lies between low and high.
	var low, high float64
	switch {
	case r == nil:
		low, high = d.Interval()
	default:
		if d != nil {
			l, h := d.Interval()
			low, high = outward.RatDown(new(big.Rat).Add(r, outward.Rat(finiteOr(l)))),
				outward.RatUp(new(big.Rat).Add(r, outward.Rat(-finiteOr(-h))))
		} else {
			low, high = outward.RatDown(r), outward.RatUp(r)
		}
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

	// A slope that is noise is left out: alpha loses the least of it times y over all of its range.
	if max(high, -low) <= least && !math.IsInf(l, -1) && !math.IsInf(u, 1) {
		return 0, outward.Up(max(0, -low*l, -low*u, -high*l, -high*u)), true
	}

	// Else the end of the interval that needs the least from alpha.
	switch {
	case low == high || l >= 0: // the exact slope is at least low, and y is not negative
		return low, 0, true
	case u <= 0:
		return high, 0, true
	case !math.IsInf(l, -1):
		return low, outward.Up(outward.Up(high-low) * -l), true
	case !math.IsInf(u, 1):
		return high, outward.Up(outward.Up(high-low) * u), true
	}
	return low, outward.Up(outward.Up(high-low) * Reach), true
}

// exactly reports whether rounding the slope of a column that lacks a bound matters: where the column has no bound at
// all, and where the slope may be zero or what takes the whole cost of the column off the master, since there is no end
// to what a tiny rest of it does. Where the slope is a float64 there is no rounding then.
func (t *terms) exactly(j int32, low, high, near float64) bool {
	at := func(v float64) bool { return low <= v+near && high >= v-near }
	return t.slope[j] != nil || t.p.unbounded(j) || at(0) || at(-t.p.Compact.Cols[j].Cost)
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
