package mcndp

import "math"

// features are the inputs and outputs of the network on one instance. The network is applied to every arc alike, so
// that neither the numbering nor the number of arcs matters. Its inputs are arcFeatures numbers: of the arc, y, cost,
// capacity and fixed cost; the estimates of congestion, the price and the metric, with the loads before and after,
// and how much longer the arc is than other ways; how the capacity open at its tail compares with what has to leave
// there, and at its head with what has to arrive; and the same means over all arcs for each. The outputs correct the
// two estimates: the first, of the optimality head, is added to the price, in mean costs; the second, of the
// feasibility head, stretches the arc in the metric. It is for one goroutine.
type features struct {
	in            *Instance
	congestion    *congestion
	leaves, comes []float64 // demand at each node
	out, into     []float64 // capacity open at each node
	norm          float64   // what certified costs are divided by in training
}

const (
	ownFeatures  = 12
	meanFeatures = 5
	arcFeatures  = ownFeatures + meanFeatures
	heads        = 2
)

func newFeatures(in *Instance) *features {
	f := &features{in: in, congestion: newCongestion(in), leaves: make([]float64, in.Nodes), comes: make([]float64,
		in.Nodes),
		out: make([]float64, in.Nodes), into: make([]float64, in.Nodes), norm: in.cheapest()}
	for i, d := range in.Demand {
		f.leaves[in.Origin[i]] += d
		f.comes[in.Destination[i]] += d
	}
	if f.norm == 0 {
		f.norm = max(in.TotalDemand(), tooSmall)
	}
	return f
}

// estimates are what the network corrects, arc by arc.
type estimates struct{ price, metric []float64 }

func newEstimates(n int) estimates { return estimates{make([]float64, n), make([]float64, n)} }

// inputs fills x, arcFeatures numbers for each arc, with the features at y, and e with the estimates.
func (f *features) inputs(x []float64, e estimates, y []float64) {
	in, congestion := f.in, f.congestion
	congestion.estimate(y)
	copy(e.price, congestion.price)
	copy(e.metric, congestion.metric)
	clear(f.out)
	clear(f.into)
	for j, room := range congestion.room {
		f.out[in.Tail[j]] += room
		f.into[in.Head[j]] += room
	}
	var means [meanFeatures]float64
	for j, v := range y {
		own := x[j*arcFeatures:][:ownFeatures]
		room := congestion.room[j] + congestion.mean
		tail, head := in.Tail[j], in.Head[j]
		own[0] = v
		own[1] = in.Cost[j] / congestion.unit
		own[2] = math.Log1p(in.Capacity[j] / congestion.mean)
		own[3] = math.Log1p(in.Fixed[j] / (congestion.unit * (in.Capacity[j] + congestion.mean)))
		own[4] = math.Log1p(congestion.price[j] / congestion.unit)
		own[5] = math.Log1p(congestion.first[j] / room)
		own[6] = math.Log1p(congestion.load[j] / room)
		own[7] = min(congestion.reduced[j]/congestion.unit, 10)
		own[8] = math.Log(max(congestion.metric[j], 1e-6)) / 4
		own[9] = math.Log1p(f.out[tail] / (f.leaves[tail] + congestion.mean))
		own[10] = math.Log1p(f.into[head] / (f.comes[head] + congestion.mean))
		own[11] = min(1, v*congestion.load[j]/(congestion.room[j]+1e-9*congestion.mean))
		for k, at := range [meanFeatures]int{0, 4, 5, 6, 8} {
			means[k] += own[at] / float64(len(y))
		}
	}
	for j := range y {
		copy(x[j*arcFeatures+ownFeatures:], means[:])
	}
}

// lengths fills length with c_j + the corrected price of the first head.
func (f *features) lengths(length []float64, e estimates, out []float64) {
	for j, p := range e.price {
		length[j] = f.in.Cost[j] + max(0, p+f.congestion.unit*out[heads*j])
	}
}

// stretched fills length with the corrected metric of the second head.
func (f *features) stretched(length []float64, e estimates, out []float64) {
	for j, w := range e.metric {
		length[j] = w * stretch(out[heads*j+1])
	}
}

// stretch is exp within four natural logarithms, and constant beyond.
func stretch(v float64) float64 { return math.Exp(max(-maxStretch, min(v, maxStretch))) }

const maxStretch = 4
