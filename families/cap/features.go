package cap

import (
	"math"

	"github.com/proxybd/proxybd/internal/outward"
)

// Features are the inputs of a full-state network (paper, Appendix A.1) and the meaning of its outputs. The inputs
// are 2n + m + mn numbers of the instance: capacities and demands over the mean ones that would be needed, D/n and
// D/m, the fixed costs over the mean cost of a facility's share of the clients, and the costs over their mean; and
// then 2n + 1 of the point: y, the load of each facility over its capacity s_j y_j when every client goes where it is
// cheapest, and D over the open capacity.
//
// The outputs are prices mu_j of the capacities, negative ones taken as none. They give the multipliers of the demand
// rows in closed form: with the capacities priced, the recourse falls apart by clients, and lambda_i is the cost c_ij
// + d_i mu_j at which the mass of y, gathered by ascending cost, reaches one. The value of that relaxation,
//
//	W(mu) = sum_i min { sum_j (c_ij + d_i mu_j) x_ij : sum_j x_ij = 1, 0 <= x_ij <= y_j } - sum_j s_j y_j mu_j,
//
// is concave in mu, its largest value is Q(y), and load less capacity is a supergradient; the certified value of
// lambda is at least W(mu). It is read-only after newFeatures.
type features struct {
	in       *Instance
	constant []float64 // the inputs that do not depend on y
	total    float64   // D
	unit     float64   // mu_j = unit max(0, out_j)
	norm     float64   // what certified values are divided by in training
	mean     float64   // cost
}

// constants returns how many inputs of a shape do not depend on the point.
func constants(n, m int) int { return 2*n + m + m*n }

// maxOverload bounds the inputs that are ratios of load to capacity.
const maxOverload = 20

func newFeatures(in *Instance) *features {
	n, m := in.Facilities, in.Clients
	demand := positive(in.TotalDemand())
	mean := positive(outward.Total(in.Cost) / float64(len(in.Cost)))
	f := &features{in: in, total: in.TotalDemand(), mean: mean}
	for _, s := range in.Capacity {
		f.constant = append(f.constant, s/(demand/float64(n)))
	}
	for _, v := range in.Fixed {
		f.constant = append(f.constant, v/(mean*float64(m)/float64(n)))
	}
	for _, d := range in.Demand {
		f.constant = append(f.constant, d/(demand/float64(m)))
	}
	spread := 0.0
	for i, span := range scales(in) {
		row := in.Row(i)
		low := row[0]
		for _, c := range row {
			f.constant = append(f.constant, c/mean)
			low = min(low, c)
		}
		spread += span
		f.norm += low + span
	}
	f.norm, f.unit = positive(f.norm), positive(spread)/demand
	return f
}

// positive returns v, or 1 where v is 0.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

// point is the memory of the features at a point.
type point struct {
	site []int32   // facilities with mass
	cost []float64 // of a client, one a site
	load []float64 // one a facility
	mu   []float64
}

func (f *features) newPoint() *point {
	n := f.in.Facilities
	return &point{cost: make([]float64, n), load: make([]float64, n), mu: make([]float64, n)}
}

// fill writes the 2n + 1 inputs of the point y; lambda is overwritten.
func (f *features) fill(dst, lambda, y []float64, p *point) {
	n := f.in.Facilities
	clear(p.mu)
	f.relax(lambda, y, p)
	open := 0.0
	for j, v := range y {
		room := v * f.in.Capacity[j]
		open += room
		dst[j], dst[n+j] = v, 0
		if p.load[j] > 0 {
			dst[n+j] = min(p.load[j]/room, maxOverload)
		}
	}
	dst[2*n] = min(f.total/open, maxOverload)
	if open == 0 {
		dst[2*n] = maxOverload
	}
}

// price sets the prices that the outputs of a network say, none below zero, and reports whether they are numbers.
func (f *features) price(out []float64, p *point) bool {
	for j, v := range out {
		p.mu[j] = f.unit * max(0, v)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// relax serves every client where it is cheapest at the prices p.mu: it fills lambda with the clients' critical costs
// and p.load, and returns W(mu).
func (f *features) relax(lambda, y []float64, p *point) (value float64) {
	clear(p.load)
	p.site = p.site[:0]
	for j, v := range y {
		if v > 0 {
			p.site = append(p.site, int32(j))
			value -= v * f.in.Capacity[j] * p.mu[j]
		}
	}
	for i, d := range f.in.Demand {
		row := f.in.Row(i)
		for k, j := range p.site {
			p.cost[k] = row[j] + d*p.mu[j]
		}
		value += f.serve(lambda, i, y, p)
	}
	return value
}

// serve gives client i to its cheapest sites, whose costs are in p.cost, until it is served, and returns what that
// costs.
func (f *features) serve(lambda []float64, i int, y []float64, p *point) (spent float64) {
	left, costs := 1.0, p.cost[:len(p.site)]
	lambda[i] = 0
	for left > massTolerance {
		best := -1
		for k, c := range costs {
			if c < math.Inf(1) && (best < 0 || c < costs[best]) {
				best = k
			}
		}
		if best < 0 {
			break // the mass of y is below one
		}
		j := p.site[best]
		x := min(left, y[j])
		lambda[i] = costs[best]
		spent += x * costs[best]
		p.load[j] += x * f.in.Demand[i]
		left -= x
		costs[best] = math.Inf(1)
	}
	return spent
}
