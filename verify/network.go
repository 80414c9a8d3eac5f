package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/proxybd/proxybd/record"
)

// network is an instance of mcndp: commodity i sends its demand d_i from its origin to its target, the share x_ie of it
// over arc e at the cost d_i c_e x_ie, with sum_i d_i x_ie <= s_e y_e and 0 <= x_ie <= y_e.
type network struct{ record.Network }

func openNetwork(r *record.Record) (problem, error) {
	w := &network{}
	if err := json.Unmarshal(r.Instance.Data, &w.Network); err != nil {
		return nil, err
	}
	arcs, commodities := len(w.Tail), len(w.Origin)
	if len(w.Head) != arcs || len(w.Cost) != arcs || len(w.Capacity) != arcs || len(w.Fixed) != arcs ||
		len(w.Target) != commodities || len(w.Demand) != commodities {
		return nil, errLengths
	}
	for _, list := range [][]int32{w.Tail, w.Head, w.Origin, w.Target} {
		for _, v := range list {
			if v < 0 || int(v) >= w.Nodes {
				return nil, fmt.Errorf("node %d of %d", v, w.Nodes)
			}
		}
	}
	for _, list := range [][]float64{w.Cost, w.Capacity, w.Fixed, w.Demand} {
		for _, v := range list {
			if !finite(v) || v < 0 {
				return nil, fmt.Errorf("the number %g", v)
			}
		}
	}
	return w, nil
}

func (w *network) epigraphs() int { return 1 }

func (w *network) first() *stage { return binary01(w.Fixed) }

func (w *network) hash() string {
	sizes := []int{w.Nodes, len(w.Tail), len(w.Origin)}
	for _, part := range [][]int32{w.Tail, w.Head, w.Origin, w.Target} {
		for _, v := range part {
			sizes = append(sizes, int(v))
		}
	}
	return contentHash("mcndp", sizes, w.Cost, w.Capacity, w.Fixed, w.Demand)
}

// checkRow proves a row of a cut set.
func (w *network) checkRow(r *record.Row) error { return w.cutSet(r.Nodes, r.Index, r.Value, r.Lower) }

// cutSet proves value'y >= lower from the demand that leaves a set of nodes and the arcs that do.
func (w *network) cutSet(nodes, index []int32, value []float64, lower float64) error {
	inside := make([]bool, w.Nodes)
	for _, v := range nodes {
		if v < 0 || int(v) >= w.Nodes {
			return fmt.Errorf("there is no node %d", v)
		}
		inside[v] = true
	}
	demand := of(0)
	for i, d := range w.Demand {
		if inside[w.Origin[i]] && !inside[w.Target[i]] {
			demand.add(of(d))
		}
	}
	var a, s []float64
	for e, v := range dense(len(w.Tail), index, value) {
		if inside[w.Tail[e]] && !inside[w.Head[e]] {
			a, s = append(a, v), append(s, w.Capacity[e])
		} else if v < 0 {
			return errors.New("a negative coefficient")
		}
	}
	return carriers(a, s, demand, lower)
}

// checkCut proves alpha <= sum_i (u_i,origin - u_i,target) and beta_e <= -kappa_e(u), or makes up for slopes above that by
// alpha; see families/mcndp. The potentials may have any sign: flow is conserved with equality.
func (w *network) checkCut(c *record.Cut) error {
	if len(c.Certificate) == 0 && c.Feasibility {
		minus := make([]float64, len(c.Beta))
		for k, b := range c.Beta {
			minus[k] = -b
		}
		return w.cutSet(c.Nodes, c.Index, minus, c.Alpha)
	}
	if len(c.Certificate) != w.Nodes*len(w.Origin) {
		return fmt.Errorf("%d potentials for %d commodities and %d nodes", len(c.Certificate), len(w.Origin), w.Nodes)
	}
	alpha := of(0)
	for i := range w.Origin {
		alpha.add(of(w.at(c, i, w.Origin[i]))).sub(of(w.at(c, i, w.Target[i])))
	}
	var over []*big.Rat
	for e, b := range dense(len(w.Tail), c.Index, c.Beta) {
		var items []item
		worth := of(b)
		for i, d := range w.Demand {
			profit := of(w.at(c, i, w.Tail[e])).sub(of(w.at(c, i, w.Head[e])))
			if !c.Feasibility {
				profit.sub(product(d, w.Cost[e]))
			}
			switch {
			case profit.sign() <= 0:
			case d > 0:
				items = append(items, item{profit, d})
			default:
				worth.add(profit)
			}
		}
		over = append(over, excess(items, w.Capacity[e], worth))
	}
	return implied(c.Alpha, alpha, over)
}

func (w *network) at(c *record.Cut, i int, node int32) float64 {
	return c.Certificate[int(node)*len(w.Origin)+i]
}

// price makes the recorded flows exact.
func (w *network) price(d *record.Design) (*big.Rat, error) {
	arcs := len(w.Tail)
	if err := sparseVector(d.Index, d.Value, arcs*len(w.Origin)); err != nil {
		return nil, err
	}
	flow := make(map[int]float64, len(d.Index))
	for k, at := range d.Index {
		flow[int(at)] = d.Value[k]
	}
	s := &system{}
	total := of(0)
	room := make([]int, arcs)
	for e, y := range d.Y {
		if room[e] = -1; y == 1 {
			room[e] = s.addRow(negativeInfinity, w.Capacity[e])
			total.add(of(w.Fixed[e]))
		}
	}
	for i, demand := range w.Demand {
		first := len(s.rows)
		for v := range w.Nodes {
			b := 0.0
			if w.Origin[i] != w.Target[i] {
				switch int32(v) {
				case w.Origin[i]:
					b = demand
				case w.Target[i]:
					b = -demand
				}
			}
			s.addRow(b, b)
		}
		for e := range arcs {
			if room[e] < 0 {
				continue
			}
			col := s.addColumn(w.Cost[e], 0, demand, flow[i*arcs+e])
			s.add(room[e], col, 1)
			s.add(first+int(w.Tail[e]), col, 1)
			s.add(first+int(w.Head[e]), col, -1)
		}
	}
	cost, err := s.solve()
	if err != nil {
		return nil, err
	}
	return cost.Add(cost, total.rat()), nil
}
