package nested

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
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
	nodes := r.groups[r.groupOf[n]]
	s, err := r.newStage(nodes, &pool{}, r.seed)
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
	r.hullPrograms[r.groupOf[n]] = h
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

// bounded is an upper bound on the cost of a node at a state from its period on, +Inf for none.
type bounded struct {
	value  float64
	own    []float64 // of node 0: the decision behind the bound
	status lp.Status // a limit where there was one
	lps    int
	pivots int
}

// upperBounds returns upper bounds on the costs of nodes at states.
func (r *run) upperBounds(list []request) ([]bounded, error) {
	out := make([]bounded, len(list))
	var last []int               // nodes of the last period: each is its own program
	var order []*hullProgram     // the programs of the others
	members := map[int32][]int{} // of each group
	for k, q := range list {
		out[k].value = math.Inf(1)
		f := r.of[q.node]
		switch {
		case f < 0:
			last = append(last, k)
		case len(r.upperHulls[f].states) > 0:
			g := r.groupOf[q.node]
			if members[g] == nil {
				h, err := r.hullProgram(q.node)
				if err != nil {
					return nil, err
				}
				order = append(order, h)
			}
			members[g] = append(members[g], k)
		}
	}

	// Hull programs stay in this process.
	_ = parallel.Each(r.o.Threads, len(order), func(at int) error {
		for _, k := range members[r.groupOf[order[at].nodes[0]]] {
			out[k] = order[at].solve(r.ctx, list[k].node, list[k].z)
		}
		return nil
	})
	for k := range out {
		r.lps += out[k].lps
		r.pivots += out[k].pivots
		if out[k].status.Limited() {
			return nil, r.stop()
		}
	}

	found, err := r.solveNodes(pick(list, last))
	if err != nil {
		return nil, err
	}
	for i, k := range last {
		if found[i].status == lp.Optimal {
			out[k].value = found[i].cost
		}
	}
	return out, nil
}

// hullProgram returns the program of a node's group, which is built at the first need.
func (r *run) hullProgram(n int32) (*hullProgram, error) {
	if h := r.hullPrograms[r.groupOf[n]]; h != nil {
		return h, nil
	}
	return r.newHullProgram(n)
}

// solve returns the least cost of a node at a state under the hull.
func (h *hullProgram) solve(ctx context.Context, n int32, z []float64) bounded {
	out := bounded{value: math.Inf(1)}
	h.sync()
	if h.setNode(n); h.crossed {
		return out
	}

	// A state that the rows before it allow to their tolerance may need the slack.
	for _, slack := range [2]float64{0, leastSlack} {
		h.setState(n, z, slack)
		res, err := h.run(ctx)
		out.lps++
		out.pivots += res.Iterations
		out.status = res.Status
		switch {
		case err != nil: // Without this program there is one upper bound less, which is no failure of the run.
			return out
		case res.Status == lp.Optimal:
			out.value, out.own = h.answer(n)
			return out
		case res.Status.Limited():
			return out
		}
	}
	return out
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
	upper, err := r.upperBounds(r.following([]point{p}))
	if err != nil {
		return err
	}
	total := 0.0
	for k, a := range r.futures[p.future].arcs {
		total += a.Probability * upper[k].value
	}
	if math.IsInf(total, 1) {
		return nil
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
	list := r.following([]point{p})
	out, err := r.solveCertified(list)
	if err != nil {
		return 0, err
	}
	if k := slices.IndexFunc(out, infeasible); k >= 0 {
		return list[k].node, nil
	}
	if err := unsuited(out); err != nil {
		return 0, err
	}
	upper, err := r.upperBounds(list)
	if err != nil {
		return 0, err
	}

	// The gap of a node at this state is its share of the gap of the future.
	at := int32(-1)
	widest := math.Inf(-1)
	for k, a := range r.futures[p.future].arcs {
		gap := a.Probability * (upper[k].value - out[k].lower.at(p.z))
		if at < 0 || gap > widest {
			at = a.To
			widest = gap
		}
	}
	return at, nil
}
