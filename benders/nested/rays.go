package nested

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// cutAlongRay cuts the future of a node with an unbounded program at states along the ray of the program, and the
// futures that follow there.
func (r *run) cutAlongRay(q request, ray []float64) error {
	n := q.node
	f := r.of[n]
	if f < 0 || len(ray) == 0 { // no future can bound the program, or there is no direction to cut along
		return r.unbounded(n)
	}

	// The ray begins at any feasible point.
	out, err := r.do([]task{{request: q, feasible: true}})
	if err != nil {
		return err
	}
	x := out[0].point
	if x == nil {
		return nil // The next solve finds the node infeasible.
	}

	// follow memorises the states of a complete pass, which this one may interrupt. States along the ray are none of that
	// pass, and are not limited by its budget.
	memo, budget := r.memo, r.budget
	defer func() { r.memo, r.budget = memo, budget }()
	r.budget = math.MaxInt

	// A cut far out along the ray bounds the program, if the future does; near ones are more accurate.
	before := r.optimality + r.feasibility
	for step := 1.0; step <= maxRayStep; step *= 1e3 {
		at := slices.Clone(x)
		for j := range at {
			at[j] += step * ray[j]
		}
		r.memo = map[[16]byte]float64{}
		next := r.periods[r.p.Nodes[n].Period].nextState(at)
		if _, err := r.follow([]point{{f, next}}); errors.Is(err, ErrNumerical) {
			break // Numbers so large leave no digits for the differences that cuts are made of.
		} else if err != nil {
			return err
		}
	}
	if r.optimality+r.feasibility == before {
		return r.unbounded(n)
	}
	return nil
}

// unbounded is the error of a node that has no least cost with the cuts of its future: the program may be unbounded, or
// infeasible elsewhere.
func (r *run) unbounded(n int32) error {
	return fmt.Errorf("nested: %w: period %d has no least cost by its own rows and the cuts of its future", ErrUnsuited,
		r.p.Nodes[n].Period+1)
}

// maxRayStep is the farthest multiple of a ray at which a future is cut.
const maxRayStep = 1e6
