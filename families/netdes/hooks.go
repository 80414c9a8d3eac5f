package netdes

import (
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
)

// Program implements families.Instance: the program with inequalities on the cut sets of every scenario.
func (in *Instance) Program() (*decompose.Program, error) {
	p, err := in.Scenarios.Program()
	if err != nil {
		return nil, err
	}
	p.Around = func(s benders.Separator) benders.Separator { return cutset.Around(s, cutset.New(in.Data.network())) }
	return p, nil
}

// network is the graph with every scenario as a case.
func (d *Data) network() cutset.Network {
	n := cutset.Network{Nodes: d.Nodes, Tail: d.Tail, Head: d.Head}
	for s := range d.Scenarios {
		n.Capacity, n.Balance = append(n.Capacity, d.Scenarios[s].Capacity), append(n.Balance, d.Scenarios[s].Demand)
	}
	n.Leaving = func(inside []bool, k int) float64 {
		total := 0.0
		for v, b := range d.Scenarios[k].Demand {
			if inside[v] {
				total += b
			}
		}
		if total < balance*d.Scenarios[k].Total() { // rounding
			return 0
		}
		return total
	}
	return n
}
