package bnb

import (
	"context"
	"math"
	"slices"
)

// simpleRounding rounds each fractional column in a direction that no row forbids.
type simpleRounding struct{}

// due reports whether each fractional column has a direction that no row forbids.
func (simpleRounding) due(s *search, _ *node, _ *rounds) bool {
	// A column with locks in both directions may break a row either way.
	return !slices.ContainsFunc(s.point.fractional, func(j int32) bool {
		return s.p.downLocks[j] > 0 && s.p.upLocks[j] > 0
	})
}

func (simpleRounding) fork(*search) heuristic { return simpleRounding{} }

// run offers the rounded point if its objective is an improvement, or a pool of points is kept.
func (simpleRounding) run(ctx context.Context, s *search, _ *node) error {
	// Without a lock the column may go down freely; with a free choice the cheaper direction is taken.
	rounded := func(j int32) float64 {
		if s.p.downLocks[j] == 0 && (s.p.upLocks[j] > 0 || s.p.cost[j] >= 0) {
			return math.Floor(s.point.x[j])
		}
		return math.Ceil(s.point.x[j])
	}
	objective := s.point.objective

	// The objective of the rounded point is known before the point is made.
	for _, j := range s.point.fractional {
		objective += s.p.cost[j] * (rounded(j) - s.point.x[j])
	}
	if s.opt.PoolSize == 0 && !s.inc.improves(objective) {
		return nil
	}
	x := slices.Clone(s.point.x)
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

func (h *propagationRounding) fork(*search) heuristic {
	f := *h
	return &f
}

// run rounds once, and sets the distance to the next call.
func (h *propagationRounding) run(ctx context.Context, s *search, nd *node) error {
	before := s.inc.accepted
	err := h.round(ctx, s)
	h.last = s.effort.nodes

	// At the root the rounds alone decide when the next call is due.
	switch {
	case nd.depth == 0:
	case s.inc.accepted > before:
		h.wait = roundEvery
	default:
		h.wait = min(2*max(h.wait, roundEvery), roundEvery<<6)
	}
	return err
}

// round fixes the columns, and offers their values with those of the continuous columns left to an LP.
func (h *propagationRounding) round(ctx context.Context, s *search) error {
	mark := len(s.dom.stack)

	// The fixings are those of a dive, and are taken back before the point is offered.
	x := slices.Clone(s.point.x)
	ok := h.inOrder(s, x)
	s.dom.undo(mark)
	if !ok {
		return nil
	}
	_, err := s.offer(ctx, x, FromHeuristic, s.hooks.repairs())
	return err
}

// inOrder fixes the integral columns, those away from their lower bound first, then the fractional ones. Where
// that would read too many entries of rows, what is left at its bound is fixed in one go at the end.
func (h *propagationRounding) inOrder(s *search, x []float64) bool {
	const upperFirst, atBound, fractional = 0, 1, 2

	// A column away from its lower bound is the decision of the LP; most others follow from it.
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

	// Each fixing is propagated before the next.
	for _, c := range order {
		for _, j := range s.p.ints {
			if class[j] == c && !s.prop.fixRounded(s.dom, x, j) {
				return false
			}
		}
	}
	return !atOnce || s.prop.fixRest(s.dom, x)
}

// fixingEffort estimates the entries of rows that propagation reads while all columns are fixed one by one.
func (p *problem) fixingEffort() float64 {
	// A fixing wakes the rows of its column, and each of those reads all of its entries.
	sum := 0.0
	for i := range p.rows {
		index, _ := p.byRow.Vec(i)
		sum += float64(len(index)) * float64(len(index))
	}
	return sum
}
