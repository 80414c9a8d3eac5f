package cflp

// Features are the inputs of a full-state network (paper, Appendix A.1), 2n + m + mn numbers of the instance and then
// the n of the point: the capacities and demands over the mean ones that would be needed, D/n and D/m, the fixed costs over
// the mean cost of a facility's share of the clients, the costs over their mean, and y. The output for client i is
// the part of lambda_i above the cheapest cost of its row, in units of the row's spread. It is read-only after
// newFeatures.
type features struct {
	constant  []float64 // the inputs that do not depend on y
	low, span []float64 // lambda_i = low_i + span_i out_i
	norm      float64   // what certified values are divided by in training: sum_i (low_i + span_i)
}

// inputs returns the number of inputs for a shape: 3n + m + mn.
func inputs(n, m int) int { return 3*n + m + m*n }

func newFeatures(in *Instance) *features {
	n, m := in.Facilities, in.Clients
	f := &features{low: make([]float64, m), span: scales(in)}
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
		f.low[i] = row[0]
		for _, c := range row {
			f.low[i] = min(f.low[i], c)
			f.constant = append(f.constant, c/mean)
		}
		if f.span[i] == 0 {
			f.span[i] = mean
		}
		f.norm += f.low[i] + f.span[i]
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

// duals maps the outputs of the network to multipliers. Any output is fine: Certifier.Project follows.
func (f *features) duals(lambda, out []float64) {
	for i, v := range out {
		lambda[i] = f.low[i] + f.span[i]*v
	}
}
