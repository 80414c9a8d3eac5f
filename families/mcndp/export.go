package mcndp

import (
	"fmt"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/wire"
)

// export is what makes shortcuts in another process: the network, and the demands of the scenarios there.
func (n *Scenarios) export() *scenario.Export {
	in := n.Network
	var w wire.Writer
	w.Int(in.Nodes)
	for _, list := range [][]int32{in.Tail, in.Head, in.Origin, in.Destination} {
		wire.Ints(&w, list)
	}
	for _, list := range [][]float64{in.Cost, in.Capacity, in.Fixed, in.Demand} {
		w.Floats(list)
	}
	return &scenario.Export{Family: name, Common: w.Bytes, Range: n.exportRange}
}

// exportRange returns the demands of consecutive scenarios.
func (n *Scenarios) exportRange(from, to int) []byte {
	var w wire.Writer
	w.Int(from)
	w.Int(to - from)
	for _, d := range n.Draws[from:to] {
		w.Floats(d.Demand)
	}
	return w.Bytes
}

// restoreShortcut implements families.Family.Shortcut.
func restoreShortcut(common []byte) (scenario.RangeShortcut, error) {
	r := &wire.Reader{Bytes: common}
	in := &Instance{Name: name, Nodes: r.Int()}
	for _, list := range []*[]int32{&in.Tail, &in.Head, &in.Origin, &in.Destination} {
		*list = wire.IntList[int32](r)
	}
	for _, list := range []*[]float64{&in.Cost, &in.Capacity, &in.Fixed, &in.Demand} {
		*list = r.Floats()
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("mcndp: %w: %w", instance.ErrInstance, err)
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return in.rangeShortcut, nil
}

// rangeShortcut returns a shortcut for the scenarios of exportRange.
func (in *Instance) rangeShortcut(scenarios []byte) (scenario.Shortcut, error) {
	r := &wire.Reader{Bytes: scenarios}
	from := r.Int()
	var demands [][]float64
	for range r.Length(1) {
		d := r.Floats()
		if len(d) != in.commodities() {
			return nil, fmt.Errorf("mcndp: %w: %d demands for %d commodities", instance.ErrInstance, len(d), in.commodities())
		}
		demands = append(demands, d)
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("mcndp: %w: %w", instance.ErrInstance, err)
	}

	// Each number is one that a scenario may have.
	for _, d := range demands {
		for _, v := range d {
			if !(v >= 0 && v < tooLarge) {
				return nil, fmt.Errorf("mcndp: %w: a demand of %g", instance.ErrInstance, v)
			}
		}
	}
	return newShortcut(in, func(s int) []float64 { return demands[s-from] })
}
