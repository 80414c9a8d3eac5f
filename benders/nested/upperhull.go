package nested

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// upperHull bounds a future from above: by the convex hull of states at which an upper bound is known (Philpott, de
// Matos and Finardi, Operations Research 61, 2013), and next to them by the slopes that the future cannot exceed.
type upperHull struct {
	slopes
	states [][]float64 // of the next period
	values []float64   // an upper bound on the expected cost at each state
}

// hullProgram is the linear program of a group of nodes with an upper hull in place of cuts: its rows make the state of
// the next period a convex combination of the states of the hull, up to differences that are paid by the slopes.
type hullProgram struct {
	*stage
	upperHull *upperHull
	synced    int     // states of the hull that are columns
	link      []int32 // row of each column of the next period's state
	mean      int32   // row that makes the weights sum to 1
}

// newHullProgram builds the program of a node's group: that of the stage without cuts.
func (r *run) newHullProgram(n int32) (*hullProgram, error) {
	nodes := r.stages[n].nodes
	s, err := r.newStage(nodes, -1)
	if err != nil {
		return nil, err
	}

	// For every column of the state a row z' = sum of weighted states + rise - fall, the last two at the slopes' costs.
	h := &hullProgram{stage: s, upperHull: r.upperHulls[r.of[n]]}
	for k, j := range s.period.next {
		h.link = append(h.link, int32(s.solver.AddRow(0, 0, []int32{j}, []float64{1})))
		for _, side := range []struct{ cost, value float64 }{{h.upperHull.rise[k], -1}, {h.upperHull.fall[k], 1}} {
			if !math.IsInf(side.cost, 1) {
				h.column(side.cost, []int32{h.link[k]}, []float64{side.value})
			}
		}
	}

	// The weights of the states, whose columns follow as the hull grows, sum to 1.
	h.mean = int32(s.solver.AddRow(1, 1, nil, nil))
	for _, m := range nodes {
		r.hullPrograms[m] = h
	}
	return h, nil
}

// column adds a column that is not negative.
func (h *hullProgram) column(cost float64, rows []int32, values []float64) {
	h.solver.AddCol(cost, 0, math.Inf(1), rows, values)
	h.extra = append(h.extra, cost)
}

// sync adds the states that the hull has and the program has not.
func (h *hullProgram) sync() {
	for ; h.synced < len(h.upperHull.states); h.synced++ {
		// The column of a state is its weight; the value of the state is its cost.
		rows := []int32{h.mean}
		values := []float64{1}
		for k, v := range h.upperHull.states[h.synced] {
			if v != 0 {
				rows = append(rows, h.link[k])
				values = append(values, -v)
			}
		}
		h.column(h.upperHull.values[h.synced], rows, values)
	}
}

// upperBound returns an upper bound on the cost of a node at a state from its period on, +Inf for none, and, of node
// 0, the decision behind it.
func (r *run) upperBound(n int32, z []float64) (value float64, own []float64, err error) {
	// A node of the last period is its own program; a future without a state in its hull has no upper bound.
	if r.of[n] < 0 {
		out, err := r.solveNode(n, z)
		if err != nil || out.status != lp.Optimal {
			return math.Inf(1), nil, err
		}
		return out.cost, nil, nil
	}
	if len(r.upperHulls[r.of[n]].states) == 0 {
		return math.Inf(1), nil, nil
	}

	// The program of the node's group is built at the first need.
	h := r.hullPrograms[n]
	if h == nil {
		if h, err = r.newHullProgram(n); err != nil {
			return 0, nil, err
		}
	}
	limits, err := r.limits()
	if err != nil {
		return 0, nil, err
	}
	return h.solve(r, n, z, limits)
}

// solve returns the least cost of a node at a state under the hull, +Inf for none.
func (h *hullProgram) solve(r *run, n int32, z []float64, limits simplex.Limits) (float64, []float64, error) {
	h.sync()
	if h.setNode(n); h.crossed {
		return math.Inf(1), nil, nil
	}

	// A state that the rows before it allow to their tolerance may need the slack.
	for _, slack := range [2]float64{0, leastSlack} {
		h.setState(n, z, slack)
		res, err := h.run(r.ctx, limits)
		r.lps++
		r.pivots += res.Iterations
		switch {
		case err != nil: // Without this program there is one upper bound less, which is no failure of the run.
			return math.Inf(1), nil, nil
		case res.Status.Limited():
			r.stopped = res.Status
			return 0, nil, errStopped
		case res.Status == lp.Optimal:
			value, own := h.answer(n)
			return value, own, nil
		}
	}
	return math.Inf(1), nil, nil
}

// answer returns the cost of the last point, and, of node 0, the period's own columns.
func (h *hullProgram) answer(n int32) (value float64, own []float64) {
	// The costs of all columns: those of the period, of the slopes, and the values of the weighted states.
	x := h.vectors.x()
	for j := range x {
		value += h.cost(j) * x[j]
	}
	if n == 0 {
		own = slices.Clone(x[:len(h.period.own)])
	}
	return value, own
}

// addUpperBound adds a state to the hull of its future, with the mean of the upper bounds of the nodes there, if all
// of them have one.
func (r *run) addUpperBound(p point) error {
	total := 0.0
	for _, a := range r.futures[p.future].arcs {
		v, _, err := r.upperBound(a.To, p.z)
		if err != nil {
			return err
		}
		if total += a.Probability * v; math.IsInf(total, 1) {
			return nil
		}
	}

	// The programs of the future get the state as a column when they are solved next.
	h := r.upperHulls[p.future]
	h.states = append(h.states, p.z)
	h.values = append(h.values, total)
	return nil
}

// widestGap returns the node of a future at a state whose bounds are farthest apart, weighted by its probability; an
// infeasible node comes first, since it gives a feasibility cut.
func (r *run) widestGap(p point) (int32, error) {
	at, widest := int32(-1), math.Inf(-1)
	for _, a := range r.futures[p.future].arcs {
		out, err := r.solveCertified(a.To, p.z)
		if err != nil {
			return 0, err
		}
		if out.status == lp.Infeasible {
			return a.To, nil
		}

		// The gap of the node at this state is its share of the gap of the future.
		v, _, err := r.upperBound(a.To, p.z)
		if err != nil {
			return 0, err
		}
		gap := a.Probability * (v - out.lower.at(p.z))
		if at < 0 || gap > widest {
			at = a.To
			widest = gap
		}
	}
	return at, nil
}
