package nested

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// point is a future at a state.
type point struct {
	future int32
	z      []float64
}

// key identifies the point: a hash of 128 bits, at which two points never meet in practice.
func (p point) key() (k [16]byte) {
	// The bits of the state, in a fixed byte order, so that the key is the same on every machine.
	h := fnv.New128a()
	var b [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	put(uint64(p.future))
	for _, v := range p.z {
		put(math.Float64bits(v))
	}
	h.Sum(k[:0])
	return k
}

// sample goes down one path, drawn by the probabilities. It returns false if the program is infeasible.
func (r *run) sample() (bool, error) {
	return r.path(func(p point) (int32, error) { return r.draw(r.futures[p.future].arcs), nil }, nil)
}

// probe goes down the path on which the bounds of the futures are farthest apart (Baucke, Downward and Zakeri, 2017),
// and lowers the upper bounds on the way back.
func (r *run) probe() (bool, error) {
	// Most runs need no probe, so that the upper hulls are made for the first one.
	if r.upperHulls == nil {
		r.hullPrograms = make([]*hullProgram, len(r.p.Nodes))
		for _, s := range r.slopeBounds() {
			r.upperHulls = append(r.upperHulls, &upperHull{slopes: s})
		}
	}
	return r.path(r.widestGap, r.addUpperBound)
}

// path is a forward pass along one path, at whose nodes choose returns the next one, and a backward pass that cuts the
// futures on it, from the last to the first, and then calls back, if that is not nil. It returns false if the program
// is infeasible.
func (r *run) path(choose func(point) (int32, error), back func(point) error) (bool, error) {
	points, err := r.forward(choose)
	if err != nil || points == nil {
		return false, err
	}

	// From the last future to the first, each cut has the ones below it. An infeasible future got a feasibility cut, and
	// has no upper bound.
	for _, p := range slices.Backward(points) {
		feasible, err := r.cutFuture(p.future, p.z)
		if err == nil && feasible && back != nil {
			err = back(p)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// forward goes down one path and returns the futures and states on it, nil if the program is infeasible.
func (r *run) forward(choose func(point) (int32, error)) ([]point, error) {
	nodes := []int32{0} // of the path so far
	points := []point{} // the future of each of these nodes, but for the last one
	for {
		// The state of a node is that of the future before it; the first node has none.
		n := nodes[len(nodes)-1]
		var z []float64
		if len(points) > 0 {
			z = points[len(points)-1].z
		}
		out, err := r.solveCertified(n, z)
		if err != nil {
			return nil, err
		}

		// Where the node is infeasible, its state is cut off, and the node before it is solved again.
		if out.status == lp.Infeasible {
			if len(points) == 0 {
				return nil, nil
			}
			last := points[len(points)-1]
			if err := r.addFeasibilityCut(last.future, out.lower); err != nil {
				return nil, err
			}
			nodes = nodes[:len(nodes)-1]
			points = points[:len(points)-1]
			continue
		}

		// A node of the last period has no future.
		f := r.of[n]
		if f < 0 {
			return points, nil
		}
		p := point{f, out.next}
		points = append(points, p)
		if n, err = choose(p); err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
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

// follow returns the cost of the decisions of the cuts from a future on, over all paths, +Inf where the future is
// infeasible, and cuts every future on the way back. Each future at each state is followed once.
func (r *run) follow(p point) (float64, error) {
	// A point that was followed, a pass that takes too long, and a state that is known to be infeasible need no program.
	id := p.key()
	if v, ok := r.memo[id]; ok {
		return v, nil
	}
	if r.lps > r.budget {
		return 0, errBudget
	}
	if r.pools[p.future].excludes(p.z) {
		return math.Inf(1), nil
	}

	// The nodes that follow, and the paths from each.
	arcs := r.futures[p.future].arcs
	list := make([]affine, len(arcs))
	total := 0.0
	for k, a := range arcs {
		out, cost, err := r.descend(a.To, p.z)
		if err != nil {
			return 0, err
		}
		if out.status == lp.Infeasible {
			return math.Inf(1), r.addFeasibilityCut(p.future, out.lower)
		}
		total += a.Probability * cost

		// The paths below may have cut the node's own future: another solve gives a stronger cut.
		if g := r.of[a.To]; g >= 0 && len(r.pools[g].cuts) > out.cutsUsed {
			if out, err = r.solveCertified(a.To, p.z); err != nil {
				return 0, err
			}
		}
		list[k] = out.lower
	}

	r.addOptimalityCuts(p.future, list, p.z)
	r.memo[id] = total
	return total, nil
}

// descend solves a node, follows its decision and returns the cost of both. The node is solved again while the future
// at its decision is infeasible: feasibility cuts then exclude that decision.
func (r *run) descend(n int32, z []float64) (outcome, float64, error) {
	for try := 0; ; try++ {
		out, err := r.solveCertified(n, z)
		if err != nil || out.status == lp.Infeasible {
			return out, math.Inf(1), err
		}
		if try > maxResolves {
			return out, 0, r.cycling(n)
		}
		if r.of[n] < 0 {
			return out, out.cost, nil
		}

		// A decision with an infeasible future is excluded by the cut that its future has now.
		v, err := r.follow(point{r.of[n], out.next})
		if err != nil || !math.IsInf(v, 1) {
			return out, out.cost + v, err
		}
	}
}
