package nested

import (
	"math"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// lid bounds a future from above: by the convex hull of states at which an upper bound is known (Philpott, de Matos
// and Finardi, Operations Research 61, 2013), and beside it by the slopes that the future cannot exceed.
type lid struct {
	slopes
	states [][]float64
	values []float64
}

// hull is the linear program of a group of nodes under a lid in place of cuts: its rows say that the state of the next
// period is a mean of the states of the lid, of which it may differ at the price of the slopes.
type hull struct {
	*stage
	lid    *lid
	synced int     // states of the lid that are columns
	link   []int32 // row of each column of the next period's state
	mean   int32   // row of the weights
}

// newHull builds the program of a node's group.
func (r *run) newHull(n int32) (*hull, error) {
	f := r.of[n]
	var nodes []int32
	for m := range r.stages {
		if r.stages[m] == r.stages[n] {
			nodes = append(nodes, int32(m))
		}
	}
	s, err := r.newStage(nodes, -1)
	if err != nil {
		return nil, err
	}
	h := &hull{stage: s, lid: r.lids[f]}
	for k, j := range s.period.next {
		h.link = append(h.link, int32(s.solver.AddRow(0, 0, []int32{j}, []float64{1})))
		for _, side := range []struct{ cost, value float64 }{{h.lid.rise[k], -1}, {h.lid.fall[k], 1}} {
			if !math.IsInf(side.cost, 1) {
				h.column(side.cost, []int32{h.link[k]}, []float64{side.value})
			}
		}
	}
	h.mean = int32(s.solver.AddRow(1, 1, nil, nil))
	for m := range r.hulls {
		if r.stages[m] == r.stages[n] {
			r.hulls[m] = h
		}
	}
	return h, nil
}

// column adds a column that is not negative.
func (h *hull) column(cost float64, rows []int32, values []float64) {
	h.solver.AddCol(cost, 0, math.Inf(1), rows, values)
	h.extra = append(h.extra, cost)
}

// sync adds the states that the lid has and the program has not.
func (h *hull) sync() {
	for ; h.synced < len(h.lid.states); h.synced++ {
		rows, values := []int32{h.mean}, []float64{1}
		for k, v := range h.lid.states[h.synced] {
			if v != 0 {
				rows, values = append(rows, h.link[k]), append(values, -v)
			}
		}
		h.column(h.lid.values[h.synced], rows, values)
	}
}

// above returns an upper bound on the cost of a node at a state from its period on, +Inf for none, and, of node 0, the
// decision behind it.
func (r *run) above(n int32, z []float64) (value float64, own []float64, err error) {
	if r.of[n] < 0 {
		out, err := r.once(n, z)
		if err != nil || out.status != lp.Optimal {
			return math.Inf(1), nil, err
		}
		return out.cost, nil, nil
	}
	if len(r.lids[r.of[n]].states) == 0 {
		return math.Inf(1), nil, nil
	}
	h := r.hulls[n]
	if h == nil {
		if h, err = r.newHull(n); err != nil {
			return 0, nil, err
		}
	}
	limits, err := r.limits()
	if err != nil {
		return 0, nil, err
	}
	return h.above(r, n, z, limits)
}

func (h *hull) above(r *run, n int32, z []float64, limits simplex.Limits) (float64, []float64, error) {
	h.sync()
	if h.become(n); h.crossed {
		return math.Inf(1), nil, nil
	}
	for _, play := range [2]float64{0, least} {
		h.at(n, z, play)
		res, err := h.run(r.ctx, limits)
		r.lps++
		r.pivots += res.Iterations
		switch {
		case err != nil: // a bound less, and no more than that
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
func (h *hull) answer(n int32) (value float64, own []float64) {
	x := h.vectors.x()
	for j := range x {
		value += h.cost(j) * x[j]
	}
	if n == 0 {
		own = append([]float64(nil), x[:len(h.period.own)]...)
	}
	return value, own
}

// cover bounds a future at a state from above by its nodes there, and notes it where that is less than what is known.
func (r *run) cover(p point) error {
	total := 0.0
	for _, a := range r.futures[p.future].arcs {
		v, _, err := r.above(a.To, p.z)
		if err != nil {
			return err
		}
		if total += a.Probability * v; math.IsInf(total, 1) {
			return nil
		}
	}
	l := r.lids[p.future]
	l.states, l.values = append(l.states, p.z), append(l.values, total)
	return nil
}

// widest returns the node of a future at a state whose bounds are farthest apart.
func (r *run) widest(p point) (int32, error) {
	at, widest := int32(-1), math.Inf(-1)
	for _, a := range r.futures[p.future].arcs {
		out, err := r.settle(a.To, p.z)
		if err != nil {
			return 0, err
		}
		if out.status == lp.Infeasible {
			return a.To, nil
		}
		v, _, err := r.above(a.To, p.z)
		if err != nil {
			return 0, err
		}
		if gap := a.Probability * (v - out.lower.at(p.z)); at < 0 || gap > widest {
			at, widest = a.To, gap
		}
	}
	return at, nil
}
