package bnb

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/sparse"
)

// Limits of the jumps around the incumbent. The numbers were chosen by hand.
const (
	improveEvery  = 100  // nodes between two runs around the same incumbent; doubled after each of them
	improveRounds = 20   // points that one run follows, each better than the one before
	improveShare  = 0.02 // least improvement, as a share of the gap
	improveWork   = 0.03 // share of the work so far that all runs may take
	improveLeast  = 20   // entries that a run may read at least, as a multiple of those of the model; else it waits
)

// improvements looks for better points around the incumbent: the objective is a row that the incumbent violates, and a
// feasibility jump moves from there to a point that satisfies all rows. From a point that is found columns with a cost
// move on as far as the rows allow (1-opt). The idea of the objective as a row with a weight: Lin, Xu, Cai, Luo, Zou,
// Local-MIP, 2024.
type improvements struct {
	last     int // nodes done at the last run
	wait     int // nodes between two runs
	accepted int // incumbents then
	work     float64
	rows     jumpRows // of the problem, with the objective as the last one
}

// due is where there is a new incumbent, and later at intervals that grow.
func (h *improvements) due(s *search, nd *node, r *rounds) bool {
	useful := s.inc.x != nil && !s.origin.subMIP && s.hooks.Lazy == nil && len(s.p.ints) > 0

	// The rows with the objective are a copy of the matrix.
	affordable := h.left(s) >= improveLeast*float64(s.p.byCol.NNZ())
	if !useful || !affordable || s.memoryLow() {
		return false
	}
	return s.inc.accepted != h.accepted || s.effort.allNodes()-h.last >= max(improveEvery, h.wait)
}

// left is the work that runs may still take.
func (h *improvements) left(s *search) float64 { return improveWork*s.effort.work - h.work }

func (h *improvements) fork(*search) heuristic {
	f := *h
	f.rows.rowUpper = slices.Clone(h.rows.rowUpper)
	return &f
}

// run follows better points from the incumbent.
func (h *improvements) run(ctx context.Context, s *search, _ *node) error {
	fresh := s.inc.accepted != h.accepted
	if h.rows.byRow == nil {
		h.rows = s.objectiveRows()
	}
	for range improveRounds {
		found, err := h.improve(ctx, s)
		if err != nil || !found {
			break
		}
	}

	// Around the same incumbent the distance to the next run is doubled.
	h.last = s.effort.allNodes()
	h.wait = 2 * max(improveEvery/2, h.wait)
	if fresh {
		h.wait = improveEvery
	}
	h.accepted = s.inc.accepted
	return nil
}

// improve jumps from the incumbent to a better point and offers that. It returns false if there is none.
func (h *improvements) improve(ctx context.Context, s *search) (bool, error) {
	// The last row is the objective, which must reach the target.
	target := s.improvementTarget()
	h.rows.rowUpper[len(h.rows.rowUpper)-1] = target - s.p.offset
	f := newJumpFrom(s, h.rows, s.inc.x, s.dom.globalLower, s.dom.globalUpper)

	// A point that is found is moved on before it is offered.
	f.maxEffort = min(f.maxEffort, int(max(0, h.left(s))))
	found := f.run(ctx)
	if found {
		f.optimise()
	}
	h.work += float64(f.effort)
	s.effort.spend(0, float64(f.effort))
	if !found {
		return false, nil
	}

	// The values of the continuous columns are left to an LP, which finds better ones.
	for j := range f.x {
		if !s.p.integer[j] {
			f.x[j] = math.NaN()
		}
	}
	v, err := s.offer(ctx, f.x, FromHeuristic, 1)
	return v == accepted, err
}

// improvementTarget is the objective that a point around the incumbent must reach.
func (s *search) improvementTarget() float64 {
	least := s.inc.allowance()
	if gap := s.inc.objective - s.globalBound(); !math.IsInf(gap, 0) {
		least = math.Max(least, improveShare*gap)
	}
	return math.Min(s.inc.strict, s.inc.objective-least)
}

// objectiveRows are the rows of the problem, and the objective behind them.
func (s *search) objectiveRows() jumpRows {
	p := s.p
	entries := make([]sparse.Triplet, 0, p.byCol.NNZ()+p.n)
	for j := range p.n {
		index, value := p.byCol.Vec(j)
		for k, i := range index {
			entries = append(entries, sparse.Triplet{Major: int32(j), Minor: i, Value: value[k]})
		}

		// The objective is the row behind those of the problem.
		if p.cost[j] != 0 {
			entries = append(entries, sparse.Triplet{Major: int32(j), Minor: int32(p.rows), Value: p.cost[j]})
		}
	}
	byCol, err := sparse.Compress(p.n, p.rows+1, entries)
	if err != nil {
		panic("bnb: the matrix of a valid model has an entry twice")
	}
	return jumpRows{
		byCol:    byCol,
		byRow:    byCol.Transpose(),
		rowLower: append(slices.Clone(p.rowLower), math.Inf(-1)),
		rowUpper: append(slices.Clone(p.rowUpper), inf),
		reach:    s.dom.acts.reach, // the objective has its place behind the rows there, too
	}
}

// optimise moves each integer column with a cost in the direction that lowers the objective, as far as the rows allow,
// the most expensive columns first.
func (f *feasibilityJump) optimise() {
	// The order is that of the costs, so that it does not depend on the order of the columns.
	p := f.s.p
	var order []int32
	for _, j := range p.ints {
		if p.cost[j] != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(math.Abs(p.cost[b]), math.Abs(p.cost[a])) })

	// Every move changes the activities from which the room of the next column follows.
	for _, j := range order {
		if d := f.room(j); d != 0 {
			index, value := f.byCol.Vec(int(j))
			f.x[j] += d
			for k, i := range index {
				f.act[i] += value[k] * d
			}
		}
	}
}

// room is the change of integer column j that lowers the objective most without violating a row.
func (f *feasibilityJump) room(j int32) float64 {
	sign := -1.0
	most := f.x[j] - f.lower[j]
	if f.s.p.cost[j] < 0 {
		sign = 1
		most = f.upper[j] - f.x[j]
	}

	// Each row leaves the column a step up to the side towards which the activity moves.
	index, value := f.byCol.Vec(int(j))
	f.effort += len(index)
	for k, i := range index {
		side := f.rowUpper[i]
		if value[k]*sign < 0 {
			side = f.rowLower[i]
		}
		if value[k] != 0 && !math.IsInf(side, 0) {
			most = math.Min(most, math.Max(0, (side-f.act[i])/(value[k]*sign)))
		}
	}
	if math.IsInf(most, 0) {
		return 0
	}
	return sign * math.Floor(most+integralBoundTo)
}
