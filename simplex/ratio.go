package simplex

import (
	"math"
	"slices"
)

// ratioTest is the work space of the dual ratio test. Candidate k is variable idx[k]; with the row
// oriented so that the dual step is positive, a[k] > 0 is the rate at which its reduced cost falls
// and d[k] (non-negative but for the tolerance) what is left of it. Candidates whose ratios are too large for the first
// look of preselect are left out until a later look needs them.
type ratioTest struct {
	idx    []int32
	alpha  []float64 // signed, as in the pivotal row
	a, d   []float64
	sign   float64 // of the violation of the leaving variable, as given to collect
	tol    float64 // size from which on an entry counts, as given to collect
	least  float64 // ratio, with the dual tolerance
	count  int     // of all candidates
	far    int     // number of ratio tests to come that leave none out
	groups []int   // ends of the groups of breakpoints
	flips  int     // idx[:flips] move to their other bound
}

// collect fills the candidates from the pivotal row: sign is 1 where the leaving variable is above its
// upper bound and -1 where it is below its lower one.
func (r *ratioTest) collect(s *basicSolution, sign, tol float64) {
	// After a test that had to gather twice, the next ones gather all candidates at once.
	r.sign = sign
	r.tol = tol
	r.gather(s, r.far > 0)
	s.factor.charge(len(s.row.index))
}

// gather fills in all candidates, or those alone that may be looked at first: the least ratio of the entries before is
// an upper bound of the least one.
func (r *ratioTest) gather(s *basicSolution, all bool) {
	n := r.rightSigns(s.basis.status, &s.row)
	idx, alpha := r.idx[:n], r.alpha[:n]
	r.a = resize(r.a, n)
	r.d = resize(r.d, n)
	as, ds := r.a[:n], r.d[:n]
	lo, up, rc := s.bounds.lo, s.bounds.up[:len(s.bounds.lo)], s.duals.d[:len(s.bounds.lo)]
	least, limit := math.Inf(1), math.Inf(1)
	n = 0
	fixed := 0
	for k, j := range idx {
		if lo[j] == up[j] {
			fixed++
			continue
		}

		// A reduced cost counts by its distance from zero on the side that is feasible.
		d := rc[j]
		switch s.basis.status[j] {
		case AtUpper:
			d = -d
		case AtZero:
			d = 0
		}

		// The comparison of products needs a division only for a new least ratio.
		a := math.Abs(alpha[k])
		if t := d + s.duals.tol; t < least*a {
			least = t / a
			limit = firstLook(least)
		}
		if d > limit*a && !all {
			continue
		}

		idx[n] = j
		alpha[n] = alpha[k]
		as[n] = a
		ds[n] = d
		n++
	}

	r.least = least
	r.count = len(idx) - fixed
	r.cut(n)
}

// cut leaves the first n candidates.
func (r *ratioTest) cut(n int) {
	r.idx = r.idx[:n]
	r.alpha = r.alpha[:n]
	r.a = r.a[:n]
	r.d = r.d[:n]
}

// firstLook returns the largest ratio of the candidates that preselect looks at first.
func firstLook(least float64) float64 { return firstLookFactor*max(least, 0) + firstLookMore }

// signs are the factors that make the entry of a variable with this status, oriented, positive where its reduced cost
// falls; either will do for a free one.
var signs = [...][2]float64{AtLower: {1, 1}, AtUpper: {-1, -1}, AtZero: {1, -1}, Basic: {0, 0}}

// rightSigns fills idx and alpha with the entries of the row whose reduced cost moves towards zero and returns their
// number. Signs are random: there is no branch that depends on them.
func (r *ratioTest) rightSigns(status []VarStatus, row *pivotRow) int {
	sign, tol, count := r.sign, r.tol, len(row.index)
	r.idx = resize(r.idx, count)
	r.alpha = resize(r.alpha, count)
	idx, alpha, value := r.idx[:count], r.alpha[:count], row.value[:count]

	// Every entry is written at the place of the next candidate; one that is none is overwritten.
	n := 0
	for k, j := range row.index {
		v := value[k]
		idx[n] = j
		alpha[n] = v

		f := &signs[status[j]&3]
		var one, other int
		if v*sign*f[0] >= tol {
			one = 1
		}
		if v*sign*f[1] >= tol {
			other = 1
		}
		n += one | other
	}
	return n
}

// swap exchanges candidates i and j.
func (r *ratioTest) swap(i, j int) {
	r.idx[i], r.idx[j] = r.idx[j], r.idx[i]
	r.alpha[i], r.alpha[j] = r.alpha[j], r.alpha[i]
	r.a[i], r.a[j] = r.a[j], r.a[i]
	r.d[i], r.d[j] = r.d[j], r.d[i]
}

// chooseColumn runs the bound-flipping ratio test with Harris tolerances (Maros 2003; Koberstein 2005,
// 6.2): breakpoints are passed, and their variables flipped, while the leaving variable stays
// infeasible; within the last groups the largest pivot wins. It returns the candidate number, -1 if
// the dual objective has no limit.
func (r *ratioTest) chooseColumn(s *basicSolution, violation float64) int {
	r.groups = r.groups[:0]
	r.flips = 0
	if len(r.idx) == 0 {
		return -1
	}

	// The slope of the dual objective is what is left of the violation; behind a breakpoint it is less by the width of
	// the variable there times its rate.
	count := r.preselect(s, violation)
	slope := violation
	for done := 0; done < count && slope >= 0; {
		end := r.nextGroup(s, done, count)
		for k := done; k < end; k++ {
			slope -= r.drop(s, k)
		}
		r.groups = append(r.groups, end)
		done = end
	}
	return r.pick()
}

// drop returns by how much the slope falls behind the breakpoint of candidate k.
func (r *ratioTest) drop(s *basicSolution, k int) float64 {
	return r.a[k] * (s.bounds.up[r.idx[k]] - s.bounds.lo[r.idx[k]])
}

// preselect moves the candidates with small ratios, enough for the slope to turn negative, to the
// front and returns their number.
func (r *ratioTest) preselect(s *basicSolution, violation float64) int {
	// The first look takes small ratios only: in most tests they turn the slope negative.
	theta := firstLook(r.least)
	slope, count := r.take(s, theta, violation, 0)
	if slope >= 0 {
		r.far = farFor
	} else {
		r.far = max(0, r.far-1)
	}

	// Each further look takes candidates with ten times the ratio, until the slope is negative or none is left.
	for {
		s.factor.charge(r.count - count)
		if slope < 0 || count == r.count {
			return count
		}
		if len(r.idx) < r.count {
			r.gather(s, true)
			slope, count = r.take(s, theta, violation, 0)
		}
		if math.IsInf(theta, 1) { // reduced costs that overflowed have no ratio
			return len(r.idx)
		}
		theta *= firstLookFactor
		slope, count = r.take(s, theta, slope, count)
	}
}

// farFor is the number of ratio tests that gather all candidates at once after one that had to do it twice, as boxed
// columns make likely. It has no influence on the choice.
const farFor = 20

// The first look takes the candidates with ratios up to firstLookFactor times the least one, plus firstLookMore; each
// further look takes firstLookFactor times as much.
const (
	firstLookFactor = 10.0
	firstLookMore   = 1e-7
)

// take moves the candidates from count on with ratios up to theta to the front; it returns the slope behind their
// breakpoints and the new count.
func (r *ratioTest) take(s *basicSolution, theta, slope float64, count int) (float64, int) {
	for k := count; k < len(r.idx); k++ {
		if r.d[k] <= theta*r.a[k] {
			slope -= r.drop(s, k)
			r.swap(k, count)
			count++
		}
	}
	return slope, count
}

// nextGroup moves the candidates that share the next breakpoint, up to the tolerance, to the front of
// [done, count) and returns the end of the group.
func (r *ratioTest) nextGroup(s *basicSolution, done, count int) int {
	theta := math.Inf(1)
	for k := done; k < count; k++ {
		if t := (r.d[k] + s.duals.tol) / r.a[k]; t < theta {
			theta = t
		}
	}

	// Harris: all whose exact ratio is within that of the tolerance form the group.
	end := done
	for k := done; k < count; k++ {
		if r.d[k] <= theta*r.a[k] {
			r.swap(k, end)
			end++
		}
	}
	s.factor.charge(2 * (count - done))
	if end == done {
		end = count // only when rounding has lost the minimum
	}
	return end
}

// Pivots below pickShare of the largest candidate are passed over for an earlier group, unless they are pickEnough.
const (
	pickShare  = 0.1
	pickEnough = 1.0
)

// pick returns the largest pivot of the last group that has one of reasonable size.
func (r *ratioTest) pick() int {
	last := r.groups[len(r.groups)-1]
	limit := min(pickShare*slices.Max(r.a[:last]), pickEnough)

	// A step to an earlier group is shorter, so that fewer variables change their bound.
	for g := len(r.groups) - 1; g >= 0; g-- {
		begin := 0
		if g > 0 {
			begin = r.groups[g-1]
		}

		best := begin
		for k := begin; k < r.groups[g]; k++ {
			if r.a[k] > r.a[best] {
				best = k
			}
		}
		if r.a[best] >= limit {
			r.flips = begin
			return best
		}
	}
	return -1
}
