package bnb

import (
	"context"
	"math"
)

// simpleRounding rounds each fractional column in a direction that no row forbids.
type simpleRounding struct{}

func (simpleRounding) due(s *search, _ *node, _ *rounds) bool {
	for _, j := range s.point.fractional {
		if s.p.downLocks[j] > 0 && s.p.upLocks[j] > 0 {
			return false
		}
	}
	return true
}

func (simpleRounding) run(ctx context.Context, s *search, _ *node) error {
	rounded := func(j int32) float64 {
		if s.p.downLocks[j] == 0 && (s.p.upLocks[j] > 0 || s.p.cost[j] >= 0) {
			return math.Floor(s.point.x[j])
		}
		return math.Ceil(s.point.x[j])
	}
	objective := s.point.objective
	for _, j := range s.point.fractional {
		objective += s.p.cost[j] * (rounded(j) - s.point.x[j])
	}
	if s.opt.PoolSize == 0 && !s.inc.improves(objective) {
		return nil
	}
	x := append([]float64(nil), s.point.x...)
	for _, j := range s.point.fractional {
		x[j] = rounded(j)
	}
	_, err := s.offer(ctx, x, FromHeuristic, 0)
	return err
}

// propagationRounding fixes the integer columns one by one to the rounded LP value, the most
// integral first, propagating each time; the LP then completes the point.
type propagationRounding struct {
	last int // nodes done at the last call
	wait int // nodes between two calls
}

// due is at the root in rounds 1, 2, 4, and so on, later at intervals that grow while it fails.
func (h *propagationRounding) due(s *search, nd *node, r *rounds) bool {
	if nd.depth == 0 {
		return r.done&(r.done-1) == 0
	}
	return s.effort.nodes-h.last >= max(h.wait, roundEvery)
}

func (h *propagationRounding) run(ctx context.Context, s *search, nd *node) error {
	before := s.inc.accepted
	err := s.roundWithPropagation(ctx)
	h.last = s.effort.nodes
	switch {
	case nd.depth == 0:
	case s.inc.accepted > before:
		h.wait = roundEvery
	default:
		h.wait = min(2*max(h.wait, roundEvery), roundEvery<<6)
	}
	return err
}

func (s *search) roundWithPropagation(ctx context.Context) error {
	mark := len(s.dom.stack)
	x := append([]float64(nil), s.point.x...)
	ok := s.roundInOrder(x)
	s.dom.backtrack(mark)
	s.dom.untouch()
	if !ok {
		return nil
	}
	_, err := s.offer(ctx, x, FromHeuristic, s.repairs())
	return err
}

// repairs is the number of LP solves that completing a heuristic's point may take: with a lazy hook
// every one may bring the rows that the next one needs.
func (s *search) repairs() int {
	if s.hooks.Lazy == nil {
		return 1
	}
	return heuristicRepair
}

// roundInOrder fixes the integral columns, those away from their lower bound first, then the fractional ones. Where
// that would look at too many entries of rows, what is left at its bound is fixed in one go at the end.
func (s *search) roundInOrder(x []float64) bool {
	const upperFirst, atBound, fractional = 0, 1, 2
	class := make([]uint8, s.p.n)
	for _, j := range s.p.ints {
		if math.Round(x[j]) == s.dom.lower[j] {
			class[j] = atBound
		}
	}
	for _, j := range s.point.fractional {
		class[j] = fractional
	}
	order := []uint8{upperFirst, atBound, fractional}
	atOnce := s.p.fixingEffort() > roundingEffort
	if atOnce {
		order = []uint8{upperFirst, fractional}
	}
	for _, c := range order {
		for _, j := range s.p.ints {
			if class[j] == c && !s.fixRounded(x, j) {
				return false
			}
		}
	}
	return !atOnce || s.fixRest(x)
}

// fixRest fixes the columns that are left to the nearest integer in their domain and propagates once.
func (s *search) fixRest(x []float64) bool {
	d := s.dom
	for _, j := range s.p.ints {
		x[j] = math.Min(math.Max(math.Round(x[j]), d.lower[j]), d.upper[j])
		if !d.fixed(j) && !(d.tighten(change{j, true, x[j]}) && d.tighten(change{j, false, x[j]})) {
			return false
		}
	}
	return s.prop.run(d, false)
}

// fixingEffort estimates the entries of rows that propagation looks at while all columns are fixed one by one.
func (p *problem) fixingEffort() float64 {
	sum := 0.0
	for i := range p.rows {
		index, _ := p.byRow.Vec(i)
		sum += float64(len(index)) * float64(len(index))
	}
	return sum
}

// fixRounded fixes a column to the nearest integer in its domain, or to the one beside it if
// propagation refutes that.
func (s *search) fixRounded(x []float64, j int32) bool {
	d := s.dom
	first := math.Min(math.Max(math.Round(x[j]), d.lower[j]), d.upper[j])
	second := first + 1
	if first > x[j] {
		second = first - 1
	}
	for _, v := range []float64{first, second} {
		if v < d.lower[j] || v > d.upper[j] {
			continue
		}
		mark := len(d.stack)
		if d.tighten(change{j, true, v}) && d.tighten(change{j, false, v}) && s.prop.run(d, false) {
			x[j] = v
			return true
		}
		d.backtrack(mark)
		d.untouch()
	}
	return false
}
