package mcndp

import (
	"cmp"
	"math"
	"slices"
)

// features are the inputs and outputs of the network on one instance. The inputs are arcFeatures numbers an arc, with the
// arcs ordered by cost so that the numbering does not matter: y; the estimated capacity price over the mean cost; the load
// of cheapest paths over the capacity, without prices and with them; and of the instance the cost over its mean, the capacity
// over the demand, and the fixed cost over the mean cost of carrying the mean load. The outputs are two heads of one number
// an arc. The first corrects the estimated price, in mean costs; the second says, in logits, how long the arc is in the
// metric that proves a design infeasible. It is for one goroutine.
type features struct {
	in       *Instance
	order    []int32 // arcs by ascending cost
	jam      *congestion
	constant []float64 // the last three features of each arc, in order
	norm     float64   // what certified costs are divided by in training
}

const arcFeatures = 7

func newFeatures(in *Instance) *features {
	n := in.Arcs()
	f := &features{in: in, order: make([]int32, n), jam: newCongestion(in), norm: in.cheapest()}
	for j := range f.order {
		f.order[j] = int32(j)
	}
	slices.SortStableFunc(f.order, func(a, b int32) int { return cmp.Compare(in.Cost[a], in.Cost[b]) })
	total := in.TotalDemand()
	for _, j := range f.order {
		f.constant = append(f.constant, in.Cost[j]/f.jam.unit, math.Log1p(float64(n)*in.Capacity[j]/total), in.Fixed[j]/(f.jam.unit*total/float64(n)+1e-300))
	}
	if !(f.norm > 0 && !math.IsInf(f.norm, 1)) {
		f.norm = max(total, tooSmall)
	}
	return f
}

// inputs fills x with the features at y and price with the estimated prices, arc by arc.
func (f *features) inputs(x, price, y []float64) {
	f.jam.estimate(y)
	mean := f.in.TotalDemand() / float64(f.in.Commodities())
	for k, j := range f.order {
		room := y[j]*f.in.Capacity[j] + mean
		x := x[k*arcFeatures:][:arcFeatures]
		x[0], x[1] = y[j], f.jam.price[j]/f.jam.unit
		x[2], x[3] = math.Log1p(f.jam.first[j]/room), math.Log1p(f.jam.load[j]/room)
		copy(x[4:], f.constant[3*k:3*k+3])
	}
	copy(price, f.jam.price)
}

// lengths fills length with c_j + the corrected price of the first head.
func (f *features) lengths(length, price, out []float64) {
	for k, j := range f.order {
		length[j] = f.in.Cost[j] + max(0, price[j]+f.jam.unit*out[k])
	}
}

// metric fills length with softplus(out + 4 (1 - y) - 2) of the second head: long where an arc is closed.
func (f *features) metric(length, y, out []float64) {
	for k, j := range f.order {
		length[j] = softplus(metricLogit(y[j], out[k]))
	}
}

func metricLogit(y, out float64) float64 { return out + 4*(1-y) - 2 }

func softplus(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
