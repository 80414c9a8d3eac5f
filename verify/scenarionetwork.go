package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/proxybd/proxybd/record"
)

// scenarioNetwork is an instance of netdes: in scenario s, whose probability is p_s, the arcs e = (a, b) that are built
// carry 0 <= y_e <= u_se x_e at c_se a unit, and b_sv more leaves than enters node v.
type scenarioNetwork struct {
	record.ScenarioNetwork
	parts int // epigraphs
}

// openScenarios reads an instance of netdes.
func openScenarios(r *record.Record) (problem, error) {
	w := &scenarioNetwork{parts: r.Header.Epigraphs}
	if err := r.Instance.Decode(&w.ScenarioNetwork); err != nil {
		return nil, err
	}

	arcs, count := len(w.Tail), len(w.Probability)
	// The number of nodes bounds the products below.
	if w.Nodes < 1 || w.Nodes > maxNodes {
		return nil, fmt.Errorf("%d nodes", w.Nodes)
	}

	// Costs and capacities are by scenario and arc, demands by scenario and node.
	byArc := lengths(arcs, len(w.Head), len(w.Fixed)) && lengths(arcs*count, len(w.Cost), len(w.Capacity))
	if !byArc || !lengths(w.Nodes*count, len(w.Demand)) {
		return nil, errLengths
	}

	// Demands alone may be negative.
	if err := ends(w.Nodes, w.Tail, w.Head); err != nil {
		return nil, err
	}
	if !finite(w.Demand...) {
		return nil, errors.New("a number that is not finite")
	}
	if err := nonnegative(w.Fixed, w.Probability, w.Cost, w.Capacity); err != nil {
		return nil, err
	}
	if w.parts < 1 || w.parts > count {
		return nil, fmt.Errorf("%d epigraphs for %d scenarios", w.parts, count)
	}
	return w, nil
}

// epigraphs is as many as the record has, each of some scenarios.
func (w *scenarioNetwork) epigraphs() int { return w.parts }

// first has the arcs as columns.
func (w *scenarioNetwork) first() *stage { return binary01(w.Fixed) }

// hash is that of the instance.
func (w *scenarioNetwork) hash() string { return w.Hash() }

// demand is what leaves a node less what enters it.
func (w *scenarioNetwork) demand(s int, v int32) float64 { return w.Demand[s*w.Nodes+int(v)] }

// checkRow proves a row of a cut set.
func (w *scenarioNetwork) checkRow(r *record.Row) error {
	return w.cutSet(r.Nodes, r.Case, r.Index, r.Value, r.Lower)
}

// cutSet proves value'y >= lower from what has to leave a set of nodes, in a scenario or in all of them, and the arcs
// that do.
func (w *scenarioNetwork) cutSet(nodes []int32, at int, index []int32, value []float64, lower float64) error {
	inside, arcs, a, err := leaving(nodes, w.Nodes, w.Tail, w.Head, dense(len(w.Tail), index, value))
	if err != nil {
		return err
	}

	// The capacities of these arcs in a scenario, and what has to leave the set.
	one := func(s int) ([]float64, *num) {
		// The sum is exact, so that the order of the map does not matter.
		demand := of(0)
		capacity := make([]float64, len(arcs))
		for v := range inside {
			demand.add(of(w.demand(s, v)))
		}
		for k, e := range arcs {
			capacity[k] = w.Capacity[s*len(w.Tail)+e]
		}
		return capacity, demand
	}

	// A row may be proven from one scenario, or from all of them together.
	switch {
	case at >= 0 && at < len(w.Probability):
		capacity, demand := one(at)
		return carriers(a, capacity, demand, lower)
	case at != record.AllCases:
		return fmt.Errorf("there is no scenario %d", at)
	}

	// In all scenarios together, a choice of arcs has to suffice in each of them.
	var c choices
	for s := range w.Probability {
		c.require(one(s))
	}
	return c.prove(a, lower)
}

// scenarios are those of an epigraph.
func (w *scenarioNetwork) scenarios(theta int) (list []int) {
	// The epigraphs divide the scenarios into parts of about the same number, in their order.
	for s := range w.Probability {
		if theta == record.AllEpigraphs || s*w.parts/len(w.Probability) == theta {
			list = append(list, s)
		}
	}
	return list
}

// checkCut proves that in its scenarios, whose potentials are pi,
//
//	alpha <= sum_s p_s sum_v b_sv pi_sv,  beta_e <= -sum_s p_s u_se (pi_sa - pi_sb - c_se)+,
//
// where slopes may be larger if alpha is smaller by as much. A feasibility cut is about one scenario, without its costs
// and its probability.
func (w *scenarioNetwork) checkCut(c *record.Cut) error {
	// A feasibility cut without potentials is the row of a cut set.
	if c.Feasibility && len(c.Certificate) == 0 {
		return w.cutSet(c.Nodes, c.Case, c.Index, negated(c.Beta), c.Alpha)
	}

	// A feasibility cut is about its scenario, an optimality cut about those of its epigraph.
	list := []int{c.Case}
	if !c.Feasibility {
		list = w.scenarios(c.Theta)
	} else if c.Case < 0 || c.Case >= len(w.Probability) {
		return fmt.Errorf("there is no scenario %d", c.Case)
	}
	if len(c.Certificate) != len(list)*w.Nodes {
		return fmt.Errorf("%d potentials for %d nodes in %d scenarios", len(c.Certificate), w.Nodes, len(list))
	}

	// The planes of the scenarios are added up.
	alpha := of(0)
	slopes := make([]num, len(w.Tail))
	for k, s := range list {
		w.plane(s, c.Certificate[k*w.Nodes:(k+1)*w.Nodes], !c.Feasibility, alpha, slopes)
	}

	// A slope may be larger than what the certificate gives, at the cost of the constant.
	var over []*big.Rat
	for e, b := range dense(len(w.Tail), c.Index, c.Beta) {
		if d := of(b).sub(&slopes[e]); d.sign() > 0 {
			over = append(over, d.rat())
		}
	}
	return implied(c.Alpha, alpha, over)
}

// plane adds the constant and the slopes that follow from the potentials of a scenario; if costs is true, with its
// costs and times its probability.
func (w *scenarioNetwork) plane(s int, pi []float64, costs bool, alpha *num, slopes []num) {
	// Without costs the plane is that of one scenario, whatever its probability.
	weight := of(1)
	if costs {
		weight = of(w.Probability[s])
	}

	// The constant is the value of the demands at the potentials.
	sum := of(0)
	for v, p := range pi {
		sum.add(product(w.demand(s, int32(v)), p))
	}
	alpha.add(times(weight, sum))

	// The slope of an arc is what its capacity is worth, if the potentials make the flow profitable.
	arcs := len(w.Tail)
	for e := range arcs {
		gain := of(pi[w.Tail[e]]).sub(of(pi[w.Head[e]]))
		if costs {
			gain.sub(of(w.Cost[s*arcs+e]))
		}
		if gain.sign() > 0 {
			slopes[e].sub(times(weight, times(of(w.Capacity[s*arcs+e]), gain)))
		}
	}
}

// price makes the recorded flows exact, scenario by scenario. Arcs without a recorded flow carry none, so that only
// what has one enters.
func (w *scenarioNetwork) price(ctx context.Context, d *record.Design) (*big.Rat, error) {
	arcs := len(w.Tail)
	if err := sparseVector(d.Index, d.Value, arcs*len(w.Probability)); err != nil {
		return nil, err
	}

	// The fixed costs of the design come first.
	total := of(0)
	for e, y := range d.Y {
		total.add(product(w.Fixed[e], y))
	}

	flows := make([][]int, len(w.Probability)) // positions in Index
	for k, t := range d.Index {
		flows[int(t)/arcs] = append(flows[int(t)/arcs], k)
	}

	// The expected cost of the flows is added, scenario by scenario.
	sum := total.rat()
	for s := range flows {
		cost, err := w.route(ctx, s, d, flows[s])
		if err != nil {
			return nil, fmt.Errorf("scenario %d: %w", s, err)
		}
		sum.Add(sum, cost.Mul(cost, exactly(w.Probability[s])))
	}
	return sum, nil
}

// route returns the exact cost of the flows of a scenario.
func (w *scenarioNetwork) route(ctx context.Context, s int, d *record.Design, flows []int) (*big.Rat, error) {
	// A row of flow conservation for every node that a flow meets, or that has a demand.
	arcs := len(w.Tail)
	p := &system{fixed: new(big.Rat)}
	balance := make(map[int32]int) // rows
	at := func(v int32) int {
		row, ok := balance[v]
		if !ok {
			row = p.addRow(w.demand(s, v), w.demand(s, v))
			balance[v] = row
		}
		return row
	}

	for _, k := range flows {
		e := int(d.Index[k]) % arcs
		// A flow on an arc that is not built counts as none.
		if d.Y[e] != 1 {
			continue
		}

		// The flow is bounded by the capacity of its arc in the scenario.
		col := p.addColumn(w.Cost[s*arcs+e], 0, w.Capacity[s*arcs+e], d.Value[k])
		p.add(at(w.Tail[e]), col, 1)
		p.add(at(w.Head[e]), col, -1)
	}

	// A node with a demand has a row also where no flow meets it: such a row cannot hold.
	for k, b := range w.Demand[s*w.Nodes : (s+1)*w.Nodes] {
		if b != 0 {
			at(int32(k))
		}
	}
	return p.solve(ctx)
}
