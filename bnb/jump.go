package bnb

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// Limits of the feasibility jump. jumpSample and the growth of the weights are those of the paper (see
// feasibilityJump); the other numbers were chosen by hand.
const (
	jumpEffort  = 300  // entries of rows and columns that one run may read, as a multiple of those of the model
	jumpMax     = 2e7  // entries that one run may read in any case
	jumpSample  = 25   // improving columns that are compared before one jumps
	jumpEvery   = 50   // nodes between two runs while there is no incumbent; the distance is doubled after each run
	jumpGain    = 1e-9 // least weighted violation that a jump takes away, absolute
	jumpSlack   = 0.1  // violation of a row up to which it counts as satisfied, as a share of the feasibility tolerance
	jumpSummary = 64   // steps between two polls of the limits of the search
)

// jumps looks for a first incumbent near the node's LP point by feasibility jump: at the root in rounds 1, 2, 4, and
// so on, later at growing intervals. A lazy hook has rows that are not in its model: it is not used where there is
// one. On 20 MIPLIB models whose first incumbent comes late points were found in 11 instead of 8.
type jumps struct {
	last int // nodes done at the last call
	wait int // nodes between two calls
}

// due reports whether there is no point yet, and the time for another run.
func (h *jumps) due(s *search, nd *node, r *rounds) bool {
	needed := s.inc.guide() == nil && !s.origin.subMIP && s.hooks.Lazy == nil

	// Without integer columns the LP itself finds the best point.
	if !needed || len(s.p.ints) == 0 {
		return false
	}
	if nd.depth == 0 {
		return r.done&(r.done-1) == 0
	}
	return s.effort.allNodes()-h.last >= max(jumpEvery, h.wait)
}

func (h *jumps) fork(*search) heuristic {
	f := *h
	return &f
}

// run jumps from the rounded LP point of the node, and offers the point that satisfies the rows.
func (h *jumps) run(ctx context.Context, s *search, nd *node) error {
	// The distance to the next call is doubled, since a further jump seldom finds what the last ones have not.
	if nd.depth > 0 {
		h.last = s.effort.allNodes()
		h.wait = max(2*jumpEvery, 2*h.wait)
	}
	f := newFeasibilityJump(s)
	found := f.run(ctx)
	s.effort.spend(0, float64(f.effort))
	if !found {
		return nil
	}

	// The values of the continuous columns are left to an LP, which finds better ones.
	for j := range f.x {
		if !s.p.integer[j] {
			f.x[j] = math.NaN()
		}
	}
	_, err := s.offer(ctx, f.x, FromHeuristic, s.hooks.repairs())
	return err
}

// feasibilityJump moves one column at a time to the value that violates its rows least, weighted; where no move helps,
// the weights of the violated rows grow (Luteberget, Sartor, Feasibility Jump: an LP-free Lagrangian MIP heuristic,
// 2023).
type feasibilityJump struct {
	s *search
	jumpRows
	lower, upper      []float64 // bounds of the columns at the node
	x, act            []float64 // the point, and the activities of the rows there
	weight            []float64 // of the rows
	step              []float64 // by which a weight grows: one over the row's largest coefficient
	value             []float64 // to which a column would jump
	score             []float64 // weighted violation that this takes away
	good              members   // columns with a score worth a jump
	bad               members   // violated rows
	breaks            []breakpoint
	rng               *rand.Rand
	effort, maxEffort int // entries read
}

// breakpoint is a value of a column at which a row begins or ceases to be violated, and the rise of the slope of the
// weighted violation there.
type breakpoint struct{ at, slope float64 }

// members is a set of small integers, listed in no particular order, that gains and loses members in constant time.
type members struct{ list, place []int32 }

// newMembers is empty, for numbers below n.
func newMembers(n int) members { return members{place: slices.Repeat([]int32{-1}, n)} }

// set makes i a member, or none.
func (m *members) set(i int32, in bool) {
	k := m.place[i]
	switch {
	// A member has its place in the list, other numbers have none.
	case in && k < 0:
		m.place[i] = int32(len(m.list))
		m.list = append(m.list, i)
	case !in && k >= 0:
		// The last member takes the place of i.
		end := len(m.list) - 1
		last := m.list[end]
		m.list[k] = last
		m.place[last] = k
		m.place[i] = -1
		m.list = m.list[:end]
	}
}

// jumpRows are the rows that a feasibility jump is to satisfy.
type jumpRows struct {
	byCol, byRow       *sparse.Matrix
	rowLower, rowUpper []float64
	reach              []float64 // by row: the most that one column can change its activity
}

// jumpRows are the rows of the problem.
func (s *search) jumpRows() jumpRows {
	return jumpRows{s.p.byCol, s.p.byRow, s.p.rowLower, s.p.rowUpper, s.dom.acts.reach}
}

// newFeasibilityJump starts at the rounded LP point, within the bounds of the node.
func newFeasibilityJump(s *search) *feasibilityJump {
	return newJumpFrom(s, s.jumpRows(), s.point.x, s.dom.lower, s.dom.upper)
}

// newJumpFrom starts at the rounded point x, within bounds.
func newJumpFrom(s *search, rows jumpRows, x, lower, upper []float64) *feasibilityJump {
	p := s.p
	count := len(rows.rowLower)
	f := &feasibilityJump{
		s:        s,
		jumpRows: rows,
		lower:    lower,
		upper:    upper,
		x:        slices.Clone(x),
		act:      make([]float64, count),
		weight:   make([]float64, count),
		step:     make([]float64, count),
		value:    make([]float64, p.n),
		score:    make([]float64, p.n),
		good:     newMembers(p.n),
		bad:      newMembers(count),
		rng:      rand.New(rand.NewPCG(s.opt.Seed, uint64(s.effort.nodes))),
	}

	// Integer columns begin on the nearest integer of their domain.
	for j := range f.x {
		if p.integer[j] {
			f.x[j] = math.Round(f.x[j])
		}
		f.x[j] = f.clamp(int32(j), f.x[j])
	}

	// A row weighs one over its largest coefficient, so that rows count alike whatever their units are.
	entries := 0
	for i := range count {
		index, value := f.byRow.Vec(i)
		entries += len(index)
		largest := 0.0
		for k, j := range index {
			f.act[i] += value[k] * f.x[j]
			largest = math.Max(largest, math.Abs(value[k]))
		}
		f.step[i] = 1 / math.Max(largest, 1e-12)
		f.weight[i] = f.step[i]
		f.bad.set(int32(i), f.violation(i, f.act[i]) > 0)
	}

	// The effort is limited in proportion to the model, and the first targets need the activities of all rows.
	f.maxEffort = min(jumpEffort*entries, jumpMax)
	f.effort = entries
	for j := range p.n {
		f.aim(int32(j))
	}
	return f
}

// clamp returns the value in the bounds of column j that is nearest to v.
func (f *feasibilityJump) clamp(j int32, v float64) float64 {
	return math.Min(math.Max(v, f.lower[j]), f.upper[j])
}

// run jumps until no row is violated; it returns false at a limit.
func (f *feasibilityJump) run(ctx context.Context) bool {
	// The limits of the search are polled from time to time only, since a step is short.
	for steps := 0; len(f.bad.list) > 0; steps++ {
		f.effort++ // an end for rows without entries
		if f.effort > f.maxEffort || steps%jumpSummary == 0 && f.s.limits.poll(ctx, f.s) {
			return false
		}
		if j := f.pick(); j >= 0 {
			f.jump(j)
		} else {
			f.reweigh()
		}
	}
	return true
}

// pick samples columns with a good jump and returns the best, -1 without one.
func (f *feasibilityJump) pick() int32 {
	best, score := int32(-1), jumpGain
	for range min(jumpSample, len(f.good.list)) {
		// The scores of samples are computed anew, so that the set of good columns may become empty meanwhile.
		if len(f.good.list) == 0 {
			break
		}
		j := f.good.list[f.rng.IntN(len(f.good.list))]
		if !f.binary(j) {
			f.aim(j) // the activities of its rows have changed since
		}
		if f.score[j] > score {
			best, score = j, f.score[j]
		}
	}
	return best
}

// binary reports whether column j is an integer one with two values left.
func (f *feasibilityJump) binary(j int32) bool {
	return f.s.p.integer[j] && f.upper[j]-f.lower[j] == 1
}

// violation of row i at activity act beyond its share of the tolerance.
func (f *feasibilityJump) violation(i int, act float64) float64 {
	// The point is verified to the whole tolerance later: the rest is room for the rounding errors of the activities.
	tol := jumpSlack * f.s.opt.Tolerances.Feasibility
	if v := f.rowLower[i] - act; v > tol {
		return v
	}
	if v := act - f.rowUpper[i]; v > tol {
		return v
	}
	return 0
}

// aim computes the value to which column j would jump, and the weighted violation that this takes away.
func (f *feasibilityJump) aim(j int32) {
	switch {
	// A fixed column cannot jump; a binary one has a single target.
	case f.lower[j] >= f.upper[j]:
		f.value[j], f.score[j] = f.x[j], 0
	case f.binary(j):
		f.value[j] = f.lower[j] + f.upper[j] - f.x[j]
		f.score[j] = f.gain(j, f.value[j])
	default:
		f.aimConvex(j)
	}
	f.good.set(j, f.score[j] > jumpGain)
}

// gain is the weighted violation that moving column j to v takes away.
func (f *feasibilityJump) gain(j int32, v float64) float64 {
	index, value := f.byCol.Vec(int(j))
	f.effort += len(index)

	// The gain is the violation before less the violation after, each weighted by row.
	d := v - f.x[j]
	sum := 0.0
	for k, i := range index {
		a := f.act[i]
		sum += f.weight[i] * (f.violation(int(i), a) - f.violation(int(i), a+value[k]*d))
	}
	return sum
}

// aimConvex minimises the weighted violation of the rows of column j, a convex piecewise linear function of its value.
func (f *feasibilityJump) aimConvex(j int32) {
	// The minimum is at the first breakpoint from which on the slope is not negative; on a flat piece the cost decides.
	slope := f.listBreaks(j)
	slices.SortFunc(f.breaks, func(a, b breakpoint) int { return cmp.Compare(a.at, b.at) })
	at := f.x[j]
	for _, b := range f.breaks {
		// Each breakpoint raises the slope by the weight of its row.
		slope += b.slope
		if at = b.at; slope > 0 || slope == 0 && f.s.p.cost[j] >= 0 {
			break
		}
	}

	// A continuous column jumps to the minimum, an integer one to an integer next to it.
	f.value[j], f.score[j] = f.x[j], 0
	for _, v := range [3]float64{math.Floor(at), math.Ceil(at), at} {
		wanted := v == at
		if f.s.p.integer[j] {
			wanted = v == math.Floor(v)
		}
		if !wanted {
			continue
		}
		v = f.clamp(j, v)
		if g := f.gain(j, v); g > f.score[j] {
			f.value[j], f.score[j] = v, g
		}
	}
}

// listBreaks collects the breakpoints of column j and returns the slope at minus infinity.
func (f *feasibilityJump) listBreaks(j int32) float64 {
	index, value := f.byCol.Vec(int(j))
	f.effort += 2 * len(index)
	f.breaks = f.breaks[:0]
	slope := 0.0
	for k, i := range index {
		// The violation of a row grows with the weight times the size of the coefficient.
		c := value[k]
		w := f.weight[i] * math.Abs(c)
		for _, side := range [2]float64{f.rowLower[i], f.rowUpper[i]} {
			if !math.IsInf(side, 0) {
				f.breaks = append(f.breaks, breakpoint{f.x[j] + (side-f.act[i])/c, w})
			}
		}

		// At minus infinity the row is violated below, or, with a negative coefficient, above.
		left := f.rowLower[i]
		if c < 0 {
			left = f.rowUpper[i]
		}
		if !math.IsInf(left, 0) {
			slope -= w
		}
	}
	return slope
}

// jump moves column j and brings activities and scores up to date.
func (f *feasibilityJump) jump(j int32) {
	// The rows of the column get new activities. Where no column can violate a row the scores do not depend on it.
	index, value := f.byCol.Vec(int(j))
	d := f.value[j] - f.x[j]
	f.x[j] = f.value[j]
	for k, i := range index {
		before := f.act[i]
		after := before + value[k]*d
		f.act[i] = after
		f.bad.set(i, f.violation(int(i), after) > 0)
		if f.far(i, before) && f.far(i, after) {
			f.effort++
			continue
		}
		f.rescore(int(i), j, before, after)
	}
	f.aim(j)
}

// far reports whether no column can violate row i from that activity.
func (f *feasibilityJump) far(i int32, act float64) bool {
	reach := f.reach[i]
	return act-reach >= f.rowLower[i] && act+reach <= f.rowUpper[i]
}

// rescore accounts for the new activity of row i in the scores of its columns other than j.
func (f *feasibilityJump) rescore(i int, j int32, before, after float64) {
	index, value := f.byRow.Vec(i)
	f.effort += len(index)

	// The scores of the other columns lose their gain at the old activity, and get that at the new one.
	base := f.violation(i, after) - f.violation(i, before)
	for k, m := range index {
		if m != j && f.lower[m] < f.upper[m] {
			d := f.move(m, value[k])
			f.addScore(m, f.weight[i]*(base-f.violation(i, after+d)+f.violation(i, before+d)))
		}
	}
}

// move is the change of the activity of a row when column m jumps, which has that coefficient there.
func (f *feasibilityJump) move(m int32, coef float64) float64 { return coef * (f.value[m] - f.x[m]) }

// addScore adds to the score of column m.
func (f *feasibilityJump) addScore(m int32, gain float64) {
	f.score[m] += gain
	f.good.set(m, f.score[m] > jumpGain)
}

// reweigh raises the weights of the violated rows.
func (f *feasibilityJump) reweigh() {
	for _, i := range f.bad.list {
		// The score of a column grows by what its jump changes in the violation of the row.
		f.weight[i] += f.step[i]
		index, value := f.byRow.Vec(int(i))
		f.effort += len(index)
		violation := f.violation(int(i), f.act[i])
		for k, m := range index {
			switch {
			case f.lower[m] >= f.upper[m]:
			case f.binary(m):
				f.addScore(m, f.step[i]*(violation-f.violation(int(i), f.act[i]+f.move(m, value[k]))))
			default:
				f.aim(m)
			}
		}
	}
}
