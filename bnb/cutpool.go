package bnb

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// ErrCut is wrapped by the errors about cuts that a hook returned: an index outside the model, a
// coefficient that is not finite, sides that are NaN.
var ErrCut = errors.New("invalid cut")

var inf = math.Inf(1)

// cut is a row of the pool, valid in the whole tree.
type cut struct {
	lower, upper float64
	index        []int32 // ascending
	value        []float64
	norm         float64 // Euclidean, of value
	scale        float64 // see Cut
	id           int     // its place in the pool
	row          int     // position among the cut rows of the LP, -1 outside
	entered      int     // times that it was put into the LP
	age          int     // LP solves in a row with a basic logical
	generated    bool    // made by this package; candidates need not satisfy it
	integral     bool    // all columns are integer
	line         int32   // position among such cuts of hooks
}

// pool holds every cut that was ever accepted. Cuts leave the LP, but not the pool.
type pool struct {
	p         *problem
	cuts      []*cut
	hooked    screen              // those of hooks
	others    screen              // the package's own; a hook may have given some of them since
	buckets   map[uint64][]shaped // by the hash of the column indices
	flagged   int                 // cuts with integral set
	tightened []int32             // lines of those whose sides have changed since they came, in this order
	entries   int                 // of all cuts
	lenient   bool                // rows in the LP need not hold to CutViolation; see closeLeaf
	user      int                 // cuts of the user hook, new or tighter
	lazy      int                 // of the lazy hook

	common int    // with several pools: the number of the first cuts, which are the same in all
	moved  []*cut // of those, the ones that have changed since
}

// shaped is a cut with a ratio that it shares with its parallels. The aggregated cuts of a decomposition all have the
// same columns: to read each one's memory for every new one was half the time of a tree with thousands of them.
type shaped struct {
	*cut
	ratio float64
}

func newPool(p *problem) *pool { return &pool{p: p, buckets: map[uint64][]shaped{}} }

// read checks a cut and returns it with ascending, merged indices, as one of the package's own until it is given.
func (q *pool) read(c *Cut) (*cut, error) {
	if len(c.Index) != len(c.Value) {
		return nil, fmt.Errorf("bnb: %w: %d indices but %d values", ErrCut, len(c.Index), len(c.Value))
	}
	if !(c.Lower < inf) || !(c.Upper > -inf) { // NaN is neither
		return nil, fmt.Errorf("bnb: %w: sides [%g, %g]", ErrCut, c.Lower, c.Upper)
	}
	if !(c.Scale >= 0) {
		return nil, fmt.Errorf("bnb: %w: a scale of %g", ErrCut, c.Scale)
	}

	k := &cut{
		lower:     c.Lower,
		upper:     c.Upper,
		scale:     c.Scale,
		row:       -1,
		generated: true,
		integral:  true,
		index:     slices.Clone(c.Index),
		value:     slices.Clone(c.Value),
	}
	for i, j := range k.index {
		if j < 0 || int(j) >= q.p.n {
			return nil, fmt.Errorf("bnb: %w: column %d of %d", ErrCut, j, q.p.n)
		}
		if v := k.value[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("bnb: %w: coefficient %g of column %s", ErrCut, v, q.p.m.ColName(lp.Var(j)))
		}
	}

	// The pool compares cuts by their entries: the same row must have the same ones.
	k.normalise()
	for _, j := range k.index {
		k.integral = k.integral && q.p.integer[j]
	}
	return k, nil
}

// normalise sorts the entries, merges equal indices, drops zeros and computes the norm.
func (c *cut) normalise() {
	// Most cuts come in order. The sort is stable, so that equal indices are added up in the order given.
	if !slices.IsSorted(c.index) {
		order := make([]int, len(c.index))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.index[a], c.index[b]) })
		index, value := slices.Clone(c.index), slices.Clone(c.value)
		for k, o := range order {
			c.index[k], c.value[k] = index[o], value[o]
		}
	}

	// Equal indices are next to each other now.
	n := 0
	for k, j := range c.index {
		if n > 0 && c.index[n-1] == j {
			c.value[n-1] += c.value[k]
			continue
		}
		c.index[n], c.value[n] = j, c.value[k]
		n++
	}

	// Sums of equal indices may be zero, so that zeros are dropped last.
	m := 0
	for k, v := range c.value[:n] {
		if v != 0 {
			c.index[m], c.value[m] = c.index[k], v
			c.norm += v * v
			m++
		}
	}
	c.index, c.value = c.index[:m], c.value[:m]
	c.norm = math.Sqrt(c.norm)
}

// stay is the age at which the row leaves the LP. A cut of a hook that has come back stays longer; with cuts of this
// package that only makes the rounds of the root slower.
func (c *cut) stay(age int) int {
	if c.generated {
		return age
	}
	return age << min(c.entered-1, ageDoublings)
}

// hash of the index pattern (FNV-1a over the indices).
func (c *cut) hash() uint64 {
	h := uint64(14695981039346656037)
	for _, j := range c.index {
		h = (h ^ uint64(uint32(j))) * 1099511628211
	}
	return h
}

// activity returns the row's value at x. It adds up in four parts (entries k mod 4), in the order (0+1)+(2+3), and the
// last entries to the first: each part waits for an addition of its own only.
func (c *cut) activity(x []float64) float64 {
	var a0, a1, a2, a3 float64
	index := c.index
	value := c.value[:len(index)]

	// The four sums are independent, so that the processor can add them at the same time.
	for len(index) >= 4 && len(value) >= 4 {
		a0 += value[0] * x[index[0]]
		a1 += value[1] * x[index[1]]
		a2 += value[2] * x[index[2]]
		a3 += value[3] * x[index[3]]
		index, value = index[4:], value[4:]
	}
	for k, j := range index {
		a0 += value[k] * x[j]
	}
	return (a0 + a1) + (a2 + a3)
}

// violationAt returns how far an activity is outside the sides, in units of the tolerance that CutViolation gates: the
// violation over the scale.
func (c *cut) violationAt(act float64) float64 {
	// At most one of the sides is violated, unless they cross.
	worst := 0.0
	if d := c.lower - act; d > 0 {
		worst = d / c.scaleOf(c.lower)
	}
	if d := act - c.upper; d > 0 {
		worst = math.Max(worst, d/c.scaleOf(c.upper))
	}
	return worst
}

// scaleOf is what a violation of a side is held against.
func (c *cut) scaleOf(side float64) float64 {
	if c.scale > 0 {
		return c.scale
	}
	return math.Max(1, math.Abs(side))
}

// coarser is by how much max(1, |side|) is above the scale: a row that the search is stuck on need not hold closer than
// that.
func (c *cut) coarser() float64 {
	// The lower side gives the magnitude, unless it is infinite.
	side := math.Max(1, math.Abs(c.lower))
	if math.IsInf(side, 0) {
		side = math.Max(1, math.Abs(c.upper))
	}

	// Without a scale the tolerance is relative to the side already.
	if !(c.scale > 0) || math.IsInf(side, 0) {
		return 1
	}
	return math.Max(1, side/c.scale)
}

// violation returns violationAt of the activity at x.
func (c *cut) violation(x []float64) float64 { return c.violationAt(c.activity(x)) }

// efficacyAt returns the Euclidean distance from a point with that activity to the violated side.
func (c *cut) efficacyAt(act float64) float64 {
	return math.Max(c.lower-act, act-c.upper) / math.Max(c.norm, 1e-12)
}

// add puts c into the pool. If the pool holds a parallel row it returns that one, its sides
// tightened by those of c where they are stronger; changed is set if they were.
func (q *pool) add(c *cut) (kept *cut, isNew, changed bool) {
	// Parallel cuts have the same columns, and so the same hash and the same ratio of coefficients.
	h := c.hash()
	ratio := c.ratio()
	for _, old := range q.buckets[h] {
		if math.Abs(old.ratio-ratio) > 2*duplicateTol*math.Abs(ratio) {
			continue
		}
		if factor, ok := parallel(old.cut, c); ok {
			changed = old.merge(c, factor)
			q.change(old.cut, changed)
			q.tighten(old.cut, changed)
			return old.cut, false, changed
		}
	}
	q.append(c, h, ratio)
	return c, true, false
}

// append makes c the last cut.
func (q *pool) append(c *cut, hash uint64, ratio float64) {
	c.id = len(q.cuts)
	q.buckets[hash] = append(q.buckets[hash], shaped{c, ratio})
	q.cuts = append(q.cuts, c)
	q.entries += len(c.index)
}

// count counts a cut of a hook.
func (q *pool) count(lazy bool) {
	if lazy {
		q.lazy++
	} else {
		q.user++
	}
}

// tolerance returns the violation (as cut.violation measures it) from which a cut counts. A row that the LP holds is
// satisfied to the tolerances of the LP; lenient is set where the search is stuck on it.
func (q *pool) tolerance(c *cut, tol float64) float64 {
	if q.lenient && c.row >= 0 {
		return lazyInLPRelax * tol * c.coarser()
	}
	return tol
}

// setLenient sets whether the search is stuck on rows that the LP holds.
func (q *pool) setLenient(on bool) { q.lenient = on }

// refine makes the scale of c fine enough for o, a parallel cut of a hook that was merged into it.
func (q *pool) refine(c, o *cut) {
	if factor, ok := parallel(c, o); ok && c != o {
		q.change(c, c.refine(o, factor))
	}
}

// give makes c a cut of a hook, which candidates have to satisfy.
func (q *pool) give(c *cut) {
	// A cut of this package that a hook gives too becomes a constraint of the problem.
	if c.generated {
		q.change(c, true)
		c.generated = false
		q.hook(c)
	}
}

// hook puts a cut among those of hooks.
func (q *pool) hook(c *cut) {
	q.hooked.add(c)

	// Only cuts over integer columns are propagated; they are numbered.
	if c.integral {
		c.line = int32(q.flagged)
		q.flagged++
	}
}

// tighten notes that the sides of a cut have changed, where that is so.
func (q *pool) tighten(c *cut, changed bool) {
	if changed && c.integral && !c.generated {
		q.tightened = append(q.tightened, c.line)
	}
}

// ratio returns the last coefficient over the first, 0 without any.
func (c *cut) ratio() float64 {
	if len(c.value) == 0 {
		return 0
	}
	return c.value[len(c.value)-1] / c.value[0]
}

// parallel returns f with a = f*b, coefficient by coefficient.
func parallel(a, b *cut) (factor float64, ok bool) {
	if !slices.Equal(a.index, b.index) {
		return 0, false
	}
	if len(a.index) == 0 {
		return 1, true
	}

	// The factor between the first coefficients must be that of all the others.
	factor = a.value[0] / b.value[0]
	for k := range a.value {
		if math.Abs(a.value[k]-factor*b.value[k]) > duplicateTol*math.Abs(a.value[k]) {
			return 0, false
		}
	}
	return factor, true
}

// merge tightens the sides by those of factor*c. Where that makes them cross by no more than rows may be violated by,
// the new side is put on the old one: two parallel rows whose sides are equal but for rounding are an equation, no
// contradiction.
func (c *cut) merge(o *cut, factor float64) bool {
	// A negative factor exchanges the sides.
	lower, upper := factor*o.lower, factor*o.upper
	if factor < 0 {
		lower, upper = upper, lower
	}
	if lower > c.upper && lower <= c.upper+mayCross(lower, c.upper) {
		lower = c.upper
	}
	if upper < c.lower && upper >= c.lower-mayCross(upper, c.lower) {
		upper = c.lower
	}

	// Sides that are equal but for rounding count as equal.
	raised := lower > c.lower+duplicateTol*math.Abs(lower)
	if raised {
		c.lower = lower
	}
	lowered := upper < c.upper-duplicateTol*math.Abs(upper)
	if lowered {
		c.upper = upper
	}
	return raised || lowered
}

// refine makes the scale of a merged cut fine enough for factor*o, a cut of a hook: a point that violates o counts as
// violating the merged cut, too. It reports whether the scale has changed.
func (c *cut) refine(o *cut, factor float64) bool {
	size := math.Abs(factor)
	before := c.scale

	// The finer scale holds for both. Until now no candidate had to satisfy a cut of this package.
	if o.scale > 0 {
		if s := size * o.scale; c.generated || s < c.finest() {
			c.scale = s
		}
		return c.scale != before
	}

	// A negative factor exchanges the sides.
	sides := [2][2]float64{{o.lower, c.lower}, {o.upper, c.upper}}
	if factor < 0 {
		sides = [2][2]float64{{o.lower, c.upper}, {o.upper, c.lower}}
	}
	for _, s := range sides {
		own, merged := s[0], s[1]
		scale := c.scaleOf(factor * own)

		// Where the merged side is stronger by more than the scale, it excludes what the other one does.
		matters := !math.IsInf(own, 0) && math.Abs(merged-factor*own) < scale
		if need := size * o.scaleOf(own); matters && need < (1-duplicateTol)*scale {
			c.scale = math.Min(need, c.finest())
		}
	}
	return c.scale != before
}

// finest is the least scale of the sides.
func (c *cut) finest() float64 { return math.Min(c.scaleOf(c.lower), c.scaleOf(c.upper)) }

// mayCross is the length by which two sides of parallel rows may cross and still count as equal.
func mayCross(a, b float64) float64 {
	return crossing * math.Max(1, math.Min(math.Abs(a), math.Abs(b)))
}
