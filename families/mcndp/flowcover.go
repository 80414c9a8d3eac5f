package mcndp

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// flowCovers separates inequalities over designs and flows on cut sets, by mixed-integer rounding (Marchand and Wolsey
// 2001; Chouman, Crainic and Gendron 2017 for cut sets). What some commodities L send out of a set S of nodes is
//
//	sum_out x_j - sum_in x_k = d(L),  0 <= x_j <= a_j y_j,  a_j = min(s_j, d(L)),
//
// with x_j the flow of L alone. An arc out of S enters as a_j y_j - (slack >= 0) or as x_j itself, an arc into S as
// -a_k y_k + (slack) or not at all; some arcs that are nearly open and full are complemented. Dividing by a capacity
// and rounding gives a valid row whatever the choices are, and for given S, L, divisor and complemented arcs each other
// arc's best choice stands by itself, so that one pass over the arcs finds the most violated one.
type flowCovers struct {
	m    *flowModel
	sets []flowSet

	out, in []coverArc // of the set and the commodities at hand
	order   []int
	steps   []float64
	picked  []int32     // commodities
	flows   [][]arcFlow // of the point, a list a commodity
	through []float64   // scratch, an entry an arc, 0 between uses
}

// arcFlow is a flow on an arc.
type arcFlow struct {
	arc int32
	x   float64
}

// flowSet is a set of nodes with what leaves and enters it.
type flowSet struct {
	out, in     []int32
	commodities []int32 // from inside to outside
}

// coverArc is an arc of a cut set with the flow of the commodities at hand.
type coverArc struct {
	arc             int32
	cap, y, x, full float64 // full is what is missing to a full arc
	complemented    bool
}

func newFlowCovers(m *flowModel) *flowCovers {
	in := m.in
	f := &flowCovers{m: m, flows: make([][]arcFlow, in.Commodities()), through: make([]float64, in.Arcs())}
	for _, s := range in.cutSets() {
		set := flowSet{out: s.arcs}
		for j, v := range in.Tail {
			if !s.inside[v] && s.inside[in.Head[j]] {
				set.in = append(set.in, int32(j))
			}
		}
		for i := range in.Demand {
			if s.inside[in.Origin[i]] && !s.inside[in.Destination[i]] {
				set.commodities = append(set.commodities, int32(i))
			}
		}
		f.sets = append(f.sets, set)
	}
	return f
}

// rounding is a way to derive a row, and by how much the point violates it.
type rounding struct {
	set          int
	commodities  []int32
	complemented []int32
	step         float64
	violation    float64
}

const (
	maxComplemented = 8
	minFraction     = 0.02 // of the right-hand side over the divisor
	minViolation    = 1e-3
)

// separate returns the rows that the point violates most, at most so many; with parts also for
// some of the commodities that leave a set.
func (f *flowCovers) separate(point []float64, most int, parts bool) []bnb.Cut {
	var list []rounding
	f.spread(point)
	for k := range f.sets {
		s := &f.sets[k]
		best := rounding{violation: minViolation}
		f.try(point, k, s.commodities, &best)
		if parts {
			f.tryParts(point, k, &best)
		}
		if best.commodities != nil {
			list = append(list, best)
		}
	}
	slices.SortStableFunc(list, func(a, b rounding) int { return cmp.Compare(b.violation, a.violation) })
	var cuts []bnb.Cut
	for _, r := range list[:min(most, len(list))] {
		cuts = append(cuts, f.row(point, r))
	}
	return cuts
}

// tryParts tries the commodities of a set that use an arc, and those that do not, for each arc that is partly open.
func (f *flowCovers) tryParts(point []float64, set int, best *rounding) {
	s := &f.sets[set]
	for _, j := range s.out {
		if y := point[j]; y < 1e-6 || y > 1-1e-6 {
			continue
		}
		for _, using := range [2]bool{true, false} {
			f.picked = f.picked[:0]
			for _, i := range s.commodities {
				if c := f.m.column(i, j); (c >= 0 && point[c] > 1e-6) == using {
					f.picked = append(f.picked, i)
				}
			}
			if len(f.picked) > 1 && len(f.picked) < len(s.commodities) {
				f.try(point, set, f.picked, best)
			}
		}
	}
}

// spread lists the flows of the commodities at a point.
func (f *flowCovers) spread(point []float64) {
	for i := range f.flows {
		f.flows[i] = f.flows[i][:0]
		for j, c := range f.m.at[i*len(f.through) : (i+1)*len(f.through)] {
			if c >= 0 && point[c] != 0 {
				f.flows[i] = append(f.flows[i], arcFlow{int32(j), point[c]})
			}
		}
	}
}

// gather fills the arcs of a set with the flows of some commodities, and returns their demand. Without all it leaves
// out what no choice can make part of a violation: closed arcs without flow, and arcs into the set without flow.
func (f *flowCovers) gather(point []float64, s *flowSet, commodities []int32, all bool) float64 {
	demand := 0.0
	for _, i := range commodities {
		demand += f.m.in.Demand[i]
		for _, x := range f.flows[i] {
			f.through[x.arc] += x.x
		}
	}
	f.out, f.in = f.out[:0], f.in[:0]
	for _, j := range s.out {
		if x, y := f.through[j], point[j]; all || x > 0 || y > 0 {
			c := min(f.m.in.Capacity[j], demand)
			f.out = append(f.out, coverArc{arc: j, cap: c, y: y, x: x, full: c - x})
		}
	}
	for _, j := range s.in {
		if x := f.through[j]; all || x > 0 {
			f.in = append(f.in, coverArc{arc: j, cap: min(f.m.in.Capacity[j], demand), y: point[j], x: x})
		}
	}
	for _, i := range commodities {
		for _, x := range f.flows[i] {
			f.through[x.arc] = 0
		}
	}
	return demand
}

// try looks for the best row on a set and some commodities.
func (f *flowCovers) try(point []float64, set int, commodities []int32, best *rounding) {
	left := f.gather(point, &f.sets[set], commodities, false)
	f.order = f.order[:0]
	for k, a := range f.out {
		if a.y > 0.3 && a.cap < left {
			f.order = append(f.order, k)
		}
	}
	slices.SortStableFunc(f.order, func(a, b int) int { return cmp.Compare(f.out[a].full, f.out[b].full) })
	all := left
	for aside := 0; left > 1e-6*all; aside++ {
		f.steps = append(f.steps[:0], all+1)
		for _, a := range f.out {
			if !a.complemented && a.cap > 0 && a.y > 1e-6 && a.y < 1-1e-6 && !slices.Contains(f.steps, a.cap) {
				f.steps = append(f.steps, a.cap)
			}
		}
		for _, step := range f.steps {
			if v := f.violation(left, step); v > best.violation {
				*best = rounding{set: set, commodities: slices.Clone(commodities), step: step, violation: v}
				for _, k := range f.order[:aside] {
					best.complemented = append(best.complemented, f.out[k].arc)
				}
			}
		}
		if aside == len(f.order) || aside == maxComplemented {
			break
		}
		a := &f.out[f.order[aside]]
		a.complemented = true
		left -= a.cap
	}
}

// rounder is the mixed-integer rounding function of a right-hand side over a divisor.
type rounder struct{ step, fraction, right, slope float64 }

func newRounder(left, step float64) (rounder, bool) {
	whole := math.Floor(left / step)
	r := rounder{step: step, fraction: left/step - whole, right: whole + 1}
	if step > left {
		r.fraction, r.right = left/step, 1
	}
	r.slope = 1 / (step * r.fraction)
	return r, r.fraction >= minFraction && r.fraction < 1-1e-6 || step > left
}

// of returns the coefficient that an integer column with coefficient a gets.
func (r *rounder) of(a float64) float64 {
	a /= r.step
	whole := math.Floor(a + 1e-12)
	part := a - whole
	switch {
	case !(part > 0):
		return whole
	case part >= r.fraction:
		return whole + 1
	}
	return whole + part/r.fraction
}

// violation returns by how much the best row is violated at the arcs at hand.
func (f *flowCovers) violation(left, step float64) float64 {
	r, ok := newRounder(left, step)
	if !ok {
		return 0
	}
	value := r.right
	for k := range f.out {
		a := &f.out[k]
		if a.complemented {
			value -= r.of(-a.cap) * (1 - a.y)
		} else if a.x > 0 || a.y > 0 {
			value -= min(r.of(a.cap)*a.y, a.x*r.slope)
		}
		if value <= 0 {
			return 0
		}
	}
	for k := range f.in {
		if a := &f.in[k]; a.x > 0 {
			value -= min(0, r.of(-a.cap)*a.y+(a.cap*a.y-a.x)*r.slope)
		}
	}
	return value
}

// row writes what was found.
func (f *flowCovers) row(point []float64, found rounding) bnb.Cut {
	s := &f.sets[found.set]
	left := f.gather(point, s, found.commodities, true)
	for k := range f.out {
		if a := &f.out[k]; slices.Contains(found.complemented, a.arc) {
			a.complemented = true
			left -= a.cap
		}
	}
	r, _ := newRounder(left, found.step)
	cut := bnb.Cut{Lower: r.right, Upper: lp.Inf}
	flow := func(j int32, slope float64) {
		for _, i := range found.commodities {
			if c := f.m.column(i, j); c >= 0 {
				cut.Index, cut.Value = append(cut.Index, c), append(cut.Value, slope)
			}
		}
	}
	design := func(j int32, v float64) {
		if v != 0 {
			cut.Index, cut.Value = append(cut.Index, j), append(cut.Value, v)
		}
	}
	for _, a := range f.out {
		switch v := r.of(a.cap); {
		case a.complemented:
			v = r.of(-a.cap)
			cut.Lower -= v
			design(a.arc, -v)
		case v*a.y <= a.x*r.slope:
			design(a.arc, v)
		default:
			flow(a.arc, r.slope)
		}
	}
	for _, a := range f.in {
		if v := r.of(-a.cap); v*a.y+(a.cap*a.y-a.x)*r.slope < 0 && a.x > 0 {
			design(a.arc, v+a.cap*r.slope)
			flow(a.arc, -r.slope)
		}
	}
	cut.Lower -= 1e-9 * max(1, math.Abs(cut.Lower))
	return cut
}
