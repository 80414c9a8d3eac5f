package cflp

// Features are the inputs of a full-state network (paper, Appendix A.1), 2n + m + mn numbers of the instance and then
// the n of the point: the capacities and demands over the mean ones that would be needed, D/n and D/m, the fixed costs over
// the mean cost of a facility's share of the clients, the costs over their mean, and y. The output for client i is
// what the capacities add to lambda_i, in units of the spread of the client's costs: without capacities the least
// optimal multiplier at y is the cost at which the mass of y, gathered by ascending cost, reaches one, and
// capacity prices only raise it. It is read-only after newFeatures.
type features struct {
	in       *Instance
	order    []int32   // facilities of each client by ascending cost
	constant []float64 // the inputs that do not depend on y
	span     []float64 // lambda_i = base_i(y) + span_i out_i
	norm     float64   // what certified values are divided by in training
}

// inputs returns the number of inputs for a shape: 3n + m + mn.
func inputs(n, m int) int { return 3*n + m + m*n }

func newFeatures(in *Instance) *features {
	n, m := in.Facilities, in.Clients
	f := &features{in: in, order: sortRows(in), span: scales(in)}
	mean := positive(sum(in.Cost) / float64(len(in.Cost)))
	demand := positive(in.TotalDemand())
	for _, s := range in.Capacity {
		f.constant = append(f.constant, s/(demand/float64(n)))
	}
	for _, v := range in.Fixed {
		f.constant = append(f.constant, v/(mean*float64(m)/float64(n)))
	}
	for _, d := range in.Demand {
		f.constant = append(f.constant, d/(demand/float64(m)))
	}
	for i := range m {
		row := in.Row(i)
		for _, c := range row {
			f.constant = append(f.constant, c/mean)
		}
		if f.span[i] == 0 {
			f.span[i] = mean
		}
		f.norm += row[f.order[i*n]] + f.span[i]
	}
	return f
}

// positive returns v, or 1 where v is 0.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

// base fills dst with the multipliers of the recourse without capacities at y.
func (f *features) base(dst, y []float64) {
	n := f.in.Facilities
	for i := range dst {
		row, mass := f.in.Row(i), 0.0
		for _, j := range f.order[i*n : (i+1)*n] {
			if y[j] > 0 {
				mass += y[j]
				dst[i] = row[j]
			}
			if mass >= 1-massTolerance {
				break
			}
		}
		if mass <= 0 {
			dst[i] = row[f.order[i*n]]
		}
	}
}

// duals adds to the base what the outputs of the network say. Any output is fine: Certifier.Project follows.
func (f *features) duals(lambda, base, out []float64) {
	for i, v := range out {
		lambda[i] = base[i] + f.span[i]*v
	}
}
