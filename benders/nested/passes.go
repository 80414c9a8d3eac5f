package nested

import (
	"math"

	"github.com/proxybd/proxybd/lp/stoch"
)

// trail is a path as far as a forward pass has come.
type trail struct {
	nodes  []int32 // of the path so far
	points []point // the future of each of these nodes, but for the last one
	ended  bool    // at a node of the last period
}

// last returns the last node with its state, which is that of the future before it; the first node has none.
func (t *trail) last() request {
	q := request{node: t.nodes[len(t.nodes)-1]}
	if len(t.points) > 0 {
		q.z = t.points[len(t.points)-1].z
	}
	return q
}

// sample goes down paths, drawn by the probabilities. It returns false if the program is infeasible.
func (r *run) sample(count int) (bool, error) {
	return r.paths(count, func(p point) (int32, error) { return r.draw(r.futures[p.future].arcs), nil }, nil)
}

// probe goes down the path on which the bounds of the futures are farthest apart (Baucke, Downward and Zakeri, 2017),
// and lowers the upper bounds on the way back.
func (r *run) probe() (bool, error) {
	// Most runs need no probe, so that the upper hulls are made for the first one.
	if r.upperHulls == nil {
		r.hullPrograms = make([]*hullProgram, len(r.groups))
		for _, s := range r.slopeBounds() {
			r.upperHulls = append(r.upperHulls, &upperHull{slopes: s})
		}
	}
	return r.paths(1, r.widestGap, r.addUpperBound)
}

// paths is a forward pass along paths, at whose nodes choose returns the next one, and a backward pass that cuts the
// futures on them, from the last to the first, and then calls back, if that is not nil. It returns false if the program
// is infeasible.
func (r *run) paths(count int, choose func(point) (int32, error), back func(point) error) (bool, error) {
	trails, err := r.forward(count, choose)
	if err != nil || trails == nil {
		return false, err
	}

	// From the last futures to the first, each cut has the ones below it. An infeasible future got a feasibility cut, and
	// has no upper bound.
	for t := len(r.periods) - 2; t >= 0; t-- {
		points := make([]point, count)
		for k := range trails {
			points[k] = trails[k].points[t]
		}
		feasible, err := r.cut(points)
		if err != nil {
			return false, err
		}
		for k, p := range points {
			if !feasible[k] || back == nil {
				continue
			}
			if err := back(p); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// forward goes down paths, all of them a node at a time, and returns nil if the program is infeasible.
func (r *run) forward(count int, choose func(point) (int32, error)) ([]*trail, error) {
	trails := make([]*trail, count)
	for k := range trails {
		trails[k] = &trail{nodes: []int32{0}}
	}
	for open := trails; len(open) > 0; {
		list := make([]request, len(open))
		before := make([]int, len(open)) // cuts of the future that leads to each node
		for k, t := range open {
			list[k] = t.last()
			if len(t.points) > 0 {
				before[k] = len(r.pools[t.points[len(t.points)-1].future].cuts)
			}
		}
		out, err := r.solveCertified(list)
		if err != nil {
			return nil, err
		}

		var next []*trail
		for k, t := range open {
			// An infeasible first node has no state to cut off.
			if infeasible(out[k]) && len(t.points) == 0 {
				return nil, nil
			}
			if err := r.step(t, out[k], before[k], choose); err != nil {
				return nil, err
			}
			if !t.ended {
				next = append(next, t)
			}
		}
		open = next
	}
	return trails, nil
}

// step moves a path by the outcome of its last node. before is how many cuts the future that leads there had at the
// time.
func (r *run) step(t *trail, out outcome, before int, choose func(point) (int32, error)) error {
	// Where the node is infeasible, its state is cut off, and the node before it is solved again.
	if infeasible(out) {
		end := len(t.points) - 1
		f := t.points[end].future
		t.nodes = t.nodes[:len(t.nodes)-1]
		t.points = t.points[:end]
		return r.addFeasibilityCut(f, out.lower, before)
	}

	// A node of the last period has no future.
	if out.unsuited != nil {
		return out.unsuited
	}
	f := r.of[t.nodes[len(t.nodes)-1]]
	if f < 0 {
		t.ended = true
		return nil
	}
	p := point{f, out.next}
	n, err := choose(p)
	t.nodes = append(t.nodes, n)
	t.points = append(t.points, p)
	return err
}

// draw returns the node of an arc, drawn by the probabilities. Their sum may be below 1 by rounding: the last arc has
// the rest.
func (r *run) draw(arcs []stoch.Arc) int32 {
	// u less the probabilities so far falls below 0 at the arc whose interval has u.
	u := r.rng.Float64()
	for _, a := range arcs {
		if u -= a.Probability; u < 0 {
			return a.To
		}
	}
	return arcs[len(arcs)-1].To
}

// follow returns the costs of the decisions of the cuts from futures on, over all paths, +Inf where a future is
// infeasible, and cuts every future on the way back. Each future at each state is followed once.
func (r *run) follow(points []point) ([]float64, error) {
	// A point that was followed, and a state that is known to be infeasible, need no program.
	unique, at := distinct(points)
	costs := make([]float64, len(unique))
	var open []int
	for k, p := range unique {
		v, ok := r.memo[p.key()]
		switch {
		case ok:
			costs[k] = v
		case r.pools[p.future].excludes(p.z):
			costs[k] = math.Inf(1)
		default:
			open = append(open, k)
		}
	}

	// A pass that takes too long is given up.
	asked := pick(unique, open)
	list := r.following(asked)
	if r.lps+len(list) > r.budget {
		return nil, errBudget
	}

	// The nodes that follow, and the paths from each.
	before := r.poolSizes(asked)
	out, below, err := r.descend(list)
	if err != nil {
		return nil, err
	}
	if err := r.strengthen(list, out); err != nil {
		return nil, err
	}
	for i, k := range open {
		arcs := r.futures[unique[k].future].arcs
		feasible, err := r.addCuts(unique[k], out[:len(arcs)], before[i])
		if err != nil {
			return nil, err
		}
		total := math.Inf(1)
		if feasible {
			total = 0
			for j, a := range arcs {
				total += a.Probability * below[j]
			}
			r.memo[unique[k].key()] = total
		}
		costs[k] = total
		out = out[len(arcs):]
		below = below[len(arcs):]
	}
	return pick(costs, at), nil
}

// strengthen solves nodes again whose own futures were cut by the paths below, and replaces their outcomes: another
// solve gives a stronger cut.
func (r *run) strengthen(list []request, out []outcome) error {
	var changed []int
	for k, q := range list {
		solved := out[k].unsuited == nil && !infeasible(out[k])
		if g := r.of[q.node]; g >= 0 && solved && len(r.pools[g].cuts) > out[k].cutsUsed {
			changed = append(changed, k)
		}
	}
	again, err := r.solveCertified(pick(list, changed))
	for i, k := range changed {
		if err == nil {
			out[k] = again[i]
		}
	}
	return err
}

// descend solves nodes, follows their decisions and returns the outcomes with the costs of nodes and paths. A node is
// solved again while the future at its decision is infeasible: feasibility cuts then exclude that decision.
func (r *run) descend(list []request) ([]outcome, []float64, error) {
	out := make([]outcome, len(list))
	costs := make([]float64, len(list))
	open := numbers(len(list))
	for try := 0; len(open) > 0; try++ {
		if try > maxResolves {
			return nil, nil, r.cycling(list[open[0]].node)
		}
		found, err := r.solveCertified(pick(list, open))
		if err != nil {
			return nil, nil, err
		}

		// The decisions whose futures are followed.
		var points []point
		var from []int
		for i, k := range open {
			out[k] = found[i]
			switch f := r.of[list[k].node]; {
			case found[i].unsuited != nil: // It does not count where another node of the point is infeasible.
			case infeasible(found[i]):
				costs[k] = math.Inf(1)
			case f < 0:
				costs[k] = found[i].cost
			default:
				points = append(points, point{f, found[i].next})
				from = append(from, k)
			}
		}
		below, err := r.follow(points)
		if err != nil {
			return nil, nil, err
		}

		// A decision with an infeasible future is excluded by the cut that its future has now.
		open = nil
		for i, k := range from {
			if costs[k] = out[k].cost + below[i]; math.IsInf(below[i], 1) {
				open = append(open, k)
			}
		}
	}
	return out, costs, nil
}
