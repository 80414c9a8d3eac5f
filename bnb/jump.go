package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of the feasibility jump.
const (
	jumpEffort  = 300  // entries looked at, as a multiple of those of the model
	jumpMax     = 2e7  // and at most
	jumpSample  = 25   // improving columns compared before one jumps
	jumpEvery   = 50   // nodes between two of them while there is no incumbent, doubled each time
	jumpGain    = 1e-9 // weighted violation that a jump must take away
	jumpSlack   = 0.1  // share of the feasibility tolerance that counts as violated
	jumpSummary = 64   // steps between two looks at the limits
)

// jumps looks for a first incumbent near the node's LP point by feasibility jump: at the root in rounds 1, 2, 4, and so
// on, later at growing intervals. Rows that a lazy hook holds back are unknown to it.
type jumps struct {
	last int // nodes done at the last call
	wait int // nodes between two calls
}

func (h *jumps) due(s *search, nd *node, r *rounds) bool {
	if s.inc.guide() != nil || s.origin.subMIP || s.hooks.Lazy != nil || len(s.p.ints) == 0 {
		return false
	}
	if nd.depth == 0 {
		return r.done&(r.done-1) == 0
	}
	return s.effort.allNodes()-h.last >= max(jumpEvery, h.wait)
}

// fork leaves them to the first worker.
func (h *jumps) fork(_ *search, place int) heuristic {
	if place > 0 {
		return nil
	}
	f := *h
	return &f
}

func (h *jumps) run(ctx context.Context, s *search, nd *node) error {
	if nd.depth > 0 {
		h.last, h.wait = s.effort.allNodes(), max(2*jumpEvery, 2*h.wait)
	}
	f := newFeasibilityJump(s)
	found := f.run(ctx)
	s.effort.spend(0, float64(f.effort))
	if !found {
		return nil
	}
	for j := range f.x {
		if !s.p.integer[j] {
			f.x[j] = math.NaN() // an LP knows better
		}
	}
	_, err := s.offer(ctx, f.x, FromHeuristic, s.hooks.repairs())
	return err
}

// feasibilityJump moves one column at a time to the value that violates its rows least, weighted; where no move helps,
// the weights of the violated rows grow (Luteberget, Sartor, Feasibility Jump: an LP-free Lagrangian MIP heuristic,
// 2023).
type feasibilityJump struct {
	s                 *search
	lower, upper      []float64
	x, act            []float64
	weight            []float64 // of the rows
	step              []float64 // by which a weight grows: one over the row's largest coefficient
	value             []float64 // to which a column would jump
	score             []float64 // weighted violation that this takes away
	good              members   // columns with a score worth a jump
	bad               members   // violated rows
	breaks            []breakpoint
	rng               *rand.Rand
	effort, maxEffort int
}

// breakpoint is a value of a column at which a row begins or ceases to be violated.
type breakpoint struct{ at, slope float64 }

// members is a set of small integers with a random order.
type members struct{ list, place []int32 }

func newMembers(n int) members {
	m := members{place: make([]int32, n)}
	for i := range m.place {
		m.place[i] = -1
	}
	return m
}

func (m *members) set(i int32, in bool) {
	k := m.place[i]
	switch {
	case in && k < 0:
		m.place[i] = int32(len(m.list))
		m.list = append(m.list, i)
	case !in && k >= 0:
		last := m.list[len(m.list)-1]
		m.list[k], m.place[last] = last, k
		m.list, m.place[i] = m.list[:len(m.list)-1], -1
	}
}

// newFeasibilityJump starts at the rounded LP point.
func newFeasibilityJump(s *search) *feasibilityJump {
	p, d := s.p, s.dom
	floats := func(n int) []float64 { return make([]float64, n) }
	f := &feasibilityJump{s: s, lower: d.lower, upper: d.upper, x: slices.Clone(s.point.x),
		act: floats(p.rows), weight: floats(p.rows),
		step: floats(p.rows), value: floats(p.n), score: floats(p.n), good: newMembers(p.n), bad: newMembers(p.rows),
		rng: rand.New(rand.NewPCG(s.opt.Seed, uint64(s.effort.nodes)))}
	entries := 0
	for j := range f.x {
		if p.integer[j] {
			f.x[j] = math.Round(f.x[j])
		}
		f.x[j] = math.Min(math.Max(f.x[j], f.lower[j]), f.upper[j])
	}
	for i := range p.rows {
		index, value := p.byRow.Vec(i)
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
	f.maxEffort = min(jumpEffort*entries, jumpMax)
	f.effort = entries
	for j := range p.n {
		f.aim(int32(j))
	}
	return f
}

// run jumps until no row is violated; it returns false at a limit.
func (f *feasibilityJump) run(ctx context.Context) bool {
	for steps := 0; len(f.bad.list) > 0; steps++ {
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
		if len(f.good.list) == 0 {
			break
		}
		j := f.good.list[f.rng.IntN(len(f.good.list))]
		if !f.binary(j) {
			f.aim(j) // its rows have moved since
		}
		if f.score[j] > score {
			best, score = j, f.score[j]
		}
	}
	return best
}

func (f *feasibilityJump) binary(j int32) bool {
	return f.s.p.integer[j] && f.upper[j]-f.lower[j] == 1
}

// violation of row i at activity act beyond its share of the tolerance.
func (f *feasibilityJump) violation(i int, act float64) float64 {
	tol := jumpSlack * f.s.opt.Tolerances.Feasibility
	if v := f.s.p.rowLower[i] - act; v > tol {
		return v
	}
	if v := act - f.s.p.rowUpper[i]; v > tol {
		return v
	}
	return 0
}

// aim computes where column j would jump and what that takes away.
func (f *feasibilityJump) aim(j int32) {
	lo, up := f.lower[j], f.upper[j]
	switch {
	case lo >= up:
		f.value[j], f.score[j] = f.x[j], 0
	case f.binary(j):
		f.value[j] = lo + up - f.x[j]
		f.score[j] = f.gain(j, f.value[j])
	default:
		f.aimConvex(j)
	}
	f.good.set(j, f.score[j] > jumpGain)
}

// gain is the weighted violation that moving column j to v takes away.
func (f *feasibilityJump) gain(j int32, v float64) float64 {
	index, value := f.s.p.byCol.Vec(int(j))
	f.effort += len(index)
	d, sum := v-f.x[j], 0.0
	for k, i := range index {
		a := f.act[i]
		sum += f.weight[i] * (f.violation(int(i), a) - f.violation(int(i), a+value[k]*d))
	}
	return sum
}

// aimConvex minimises the weighted violation of the rows of column j, a convex piecewise linear function of its value.
func (f *feasibilityJump) aimConvex(j int32) {
	slope := f.listBreaks(j)
	slices.SortFunc(f.breaks, func(a, b breakpoint) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	at := f.x[j]
	for _, b := range f.breaks {
		slope += b.slope
		if at = b.at; slope > 0 || slope == 0 && f.s.p.cost[j] >= 0 {
			break
		}
	}
	best, score := f.x[j], 0.0
	for _, v := range []float64{math.Floor(at), math.Ceil(at), at} {
		if v != at && !f.s.p.integer[j] || v == at && f.s.p.integer[j] && v != math.Floor(v) {
			continue
		}
		v = math.Min(math.Max(v, f.lower[j]), f.upper[j])
		if g := f.gain(j, v); g > score {
			best, score = v, g
		}
	}
	f.value[j], f.score[j] = best, score
}

// listBreaks collects the breakpoints of column j and returns the slope at minus infinity.
func (f *feasibilityJump) listBreaks(j int32) float64 {
	p := f.s.p
	index, value := p.byCol.Vec(int(j))
	f.effort += 2 * len(index)
	f.breaks = f.breaks[:0]
	slope := 0.0
	for k, i := range index {
		c, w := value[k], f.weight[i]*math.Abs(value[k])
		for _, side := range [2]float64{p.rowLower[i], p.rowUpper[i]} {
			if !math.IsInf(side, 0) {
				f.breaks = append(f.breaks, breakpoint{f.x[j] + (side-f.act[i])/c, w})
			}
		}
		if c > 0 && !math.IsInf(p.rowLower[i], 0) || c < 0 && !math.IsInf(p.rowUpper[i], 0) {
			slope -= w
		}
	}
	return slope
}

// jump moves column j and brings activities and scores up to date.
func (f *feasibilityJump) jump(j int32) {
	p := f.s.p
	index, value := p.byCol.Vec(int(j))
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
	reach := f.s.dom.acts.reach[i]
	return act-reach >= f.s.p.rowLower[i] && act+reach <= f.s.p.rowUpper[i]
}

// rescore accounts for the new activity of row i in the scores of its columns other than j.
func (f *feasibilityJump) rescore(i int, j int32, before, after float64) {
	index, value := f.s.p.byRow.Vec(i)
	f.effort += len(index)
	w, base := f.weight[i], f.violation(i, after)-f.violation(i, before)
	for k, m := range index {
		if m == j || f.lower[m] >= f.upper[m] {
			continue
		}
		d := value[k] * (f.value[m] - f.x[m])
		f.score[m] += w * (base - f.violation(i, after+d) + f.violation(i, before+d))
		f.good.set(m, f.score[m] > jumpGain)
	}
}

// reweigh raises the weights of the violated rows.
func (f *feasibilityJump) reweigh() {
	for _, i := range f.bad.list {
		f.weight[i] += f.step[i]
		index, value := f.s.p.byRow.Vec(int(i))
		f.effort += len(index)
		violation := f.violation(int(i), f.act[i])
		for k, m := range index {
			if f.lower[m] >= f.upper[m] {
				continue
			}
			if !f.binary(m) {
				f.aim(m)
				continue
			}
			d := value[k] * (f.value[m] - f.x[m])
			f.score[m] += f.step[i] * (violation - f.violation(int(i), f.act[i]+d))
			f.good.set(m, f.score[m] > jumpGain)
		}
	}
}
