package bnb

import "context"

// heuristic looks for points at the fractional LP point of a node, and owns its state from one call to the next.
type heuristic interface {
	// due reports whether the heuristic should run at the node.
	due(s *search, nd *node, r *rounds) bool
	// run looks for points and offers them.
	run(ctx context.Context, s *search, nd *node) error
	// fork returns the heuristic of a worker of s, with the same state.
	fork(s *search) heuristic
}

// stage is the time at which heuristics run.
type stage uint8

const (
	betweenRounds stage = iota // at the root after every round of cuts, at a node once, at its first point
	afterCuts                  // where the LP point of the node is the last
)

// heuristics are all there are, in the order in which they run.
var heuristics = [...]struct {
	name string
	part Part
	when stage
	once bool // only the first of several workers runs it, for all
	make func() heuristic
}{
	{"simple", PartRounding, betweenRounds, false, func() heuristic { return simpleRounding{} }},
	{"rounding", PartRounding, betweenRounds, false, func() heuristic { return &propagationRounding{} }},
	{"jump", PartJump, betweenRounds, true, func() heuristic { return &jumps{} }},
	{"improve", PartJump, betweenRounds, true, func() heuristic { return &improvements{} }},
	{"hook", PartHeuristic, betweenRounds, false, func() heuristic { return hookHeuristic{} }},
	{"dive", PartDives, afterCuts, false, func() heuristic { return &dives{} }},
	{"neighbourhood", PartNeighbourhood, afterCuts, true, func() heuristic {
		return &neighbourhoods{fixings: 1, budget: subShare.all}
	}},
}

// heuristicSet is a set of heuristics by their bits: 1 shifted by the place in the table.
type heuristicSet uint16

// heuristicList are the heuristics of a search by their places in the table; nil for one that is off.
type heuristicList []heuristic

// newHeuristics makes the heuristics of a search, apart from those that are off.
func newHeuristics(off heuristicSet) heuristicList {
	list := make(heuristicList, len(heuristics))
	for k := range heuristics {
		if off&(1<<k) == 0 {
			list[k] = heuristics[k].make()
		}
	}
	return list
}

// fork makes the heuristics of the worker of s at a place.
func (l heuristicList) fork(s *search, place int) heuristicList {
	list := make(heuristicList, len(l))

	// A heuristic that runs once for all belongs to the first worker.
	for k, h := range l {
		if h != nil && (place == 0 || !heuristics[k].once) {
			list[k] = h.fork(s)
		}
	}
	return list
}

// run runs the heuristics of a stage that are due.
func (l heuristicList) run(ctx context.Context, s *search, when stage, nd *node, r *rounds) error {
	for k, h := range l {
		if h == nil || heuristics[k].when != when || !h.due(s, nd, r) {
			continue
		}

		// The LPs that a heuristic solves count as LPs; what remains is the time of its part.
		back := s.clock.enter(heuristics[k].part)
		err := h.run(ctx, s, nd)
		s.clock.leave(back)
		if err != nil {
			return err
		}
	}
	return nil
}

// hookHeuristic is the caller's heuristic.
type hookHeuristic struct{}

func (hookHeuristic) due(s *search, _ *node, _ *rounds) bool { return s.hooks.Heuristic != nil }

func (hookHeuristic) fork(*search) heuristic { return hookHeuristic{} }

// run calls the hook at the node's LP point and offers its points.
func (hookHeuristic) run(ctx context.Context, s *search, _ *node) error {
	sep, err := s.hooks.Heuristic(ctx, s.candidate(s.point.x, s.point.objective, FromRelaxation))
	if err != nil {
		return s.limits.hookError(ctx, err)
	}
	return s.offerAll(ctx, sep.Points)
}

// steer reports whether hooks change the course of the search.
func (h *Hooks) steer() bool {
	cuts := h.Lazy != nil || h.User != nil
	return cuts || h.Heuristic != nil || h.Branch != nil
}

// repairs is the number of LP solves that completing a heuristic's point may take: with a lazy hook
// every one may bring the rows that the next one needs.
func (h *Hooks) repairs() int {
	if h.Lazy == nil {
		return 1
	}
	return heuristicRepair
}
