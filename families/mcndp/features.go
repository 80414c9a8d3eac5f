package mcndp

import "math"

// features are the inputs and outputs of the network on one instance. The network is applied to every arc alike, so
// that neither the numbering nor the number of arcs matters. Its inputs are arcFeatures numbers: of the arc, y, cost,
// capacity and fixed cost; the estimates of congestion, the price and the metric, with the loads before and after,
// and how much longer the arc is than other ways; how the capacity open at its tail compares with what has to leave
// there, and at its head with what has to arrive; and the same means over all arcs for each. The output is added to
// the price, in mean costs. It is for one goroutine.
type features struct {
	in            *Instance
	congestion    *congestion
	leaves, comes []float64 // demand at each node
	out, into     []float64 // capacity open at each node
	norm          float64   // what certified costs are divided by in training
}

const (
	ownFeatures  = 12 // of the arc itself
	meanFeatures = 5  // means over all arcs
	arcFeatures  = ownFeatures + meanFeatures
)

// newFeatures returns the features of a valid instance.
func newFeatures(in *Instance) *features {
	vector := func() []float64 { return make([]float64, in.Nodes) }
	f := &features{
		in:         in,
		congestion: newCongestion(in),
		leaves:     vector(),
		comes:      vector(),
		out:        vector(),
		into:       vector(),
		norm:       in.cheapest(),
	}

	// What has to leave each node and what has to arrive there.
	for i, d := range in.Demand {
		f.leaves[in.Origin[i]] += d
		f.comes[in.Destination[i]] += d
	}

	// Where all paths are free, the total demand is the unit.
	if f.norm == 0 {
		f.norm = max(in.totalDemand(), tooSmall)
	}
	return f
}

// inputs fills x, arcFeatures numbers for each arc, with the features at y, and price with the estimate to correct.
func (f *features) inputs(x, price, y []float64) {
	in := f.in
	congestion := f.congestion
	congestion.estimate(y)
	copy(price, congestion.price)

	// What the open arcs can carry out of each node and into it.
	clear(f.out)
	clear(f.into)
	for j, room := range congestion.room {
		f.out[in.Tail[j]] += room
		f.into[in.Head[j]] += room
	}

	// The features of each arc, and the means of five of them.
	var means [meanFeatures]float64
	for j, v := range y {
		own := x[j*arcFeatures:][:ownFeatures]

		// The mean demand keeps quotients by the room finite where an arc is closed.
		room := congestion.room[j] + congestion.mean
		tail := in.Tail[j]
		head := in.Head[j]

		copy(own, []float64{
			// The data of the arc, in units of the instance: mean cost and mean demand.
			0: v,
			1: in.Cost[j] / congestion.unit,
			2: math.Log1p(in.Capacity[j] / congestion.mean),
			3: math.Log1p(in.Fixed[j] / (congestion.unit * (in.Capacity[j] + congestion.mean))),
			// The estimates at the point. Logarithms and limits keep them within a few units.
			4: math.Log1p(congestion.price[j] / congestion.unit),
			5: math.Log1p(congestion.first[j] / room),
			6: math.Log1p(congestion.load[j] / room),
			7: min(congestion.reduced[j]/congestion.unit, 10),
			8: math.Log(max(congestion.metric[j], 1e-6)) / 4,
			// The capacity at the two ends against the demand there, and how full the arc is.
			9:  math.Log1p(f.out[tail] / (f.leaves[tail] + congestion.mean)),
			10: math.Log1p(f.into[head] / (f.comes[head] + congestion.mean)),
			11: min(1, v*congestion.load[j]/(congestion.room[j]+1e-9*congestion.mean)),
		})

		// The means are of y, price, both loads and metric.
		for k, at := range [meanFeatures]int{0, 4, 5, 6, 8} {
			means[k] += own[at] / float64(len(y))
		}
	}

	for j := range y {
		// The means are the same for every arc.
		copy(x[j*arcFeatures+ownFeatures:], means[:])
	}
}

// lengths fills length with c_j + the corrected price.
func (f *features) lengths(length, price, out []float64) {
	for j, p := range price {
		// The output is in mean costs, as every cost of the inputs; no price is negative.
		length[j] = f.in.Cost[j] + max(0, p+f.congestion.unit*out[j])
	}
}
