package nested

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/outward"
)

// affine is alpha + beta'z, z the state of a period: a lower bound on the value of a node there, or, of a node that is
// infeasible, an expression that is at most zero wherever the node is feasible.
type affine struct {
	alpha float64
	beta  []float64
}

// at returns the value at a state.
func (a *affine) at(z []float64) float64 {
	v := a.alpha
	for k, b := range a.beta {
		v += b * z[k]
	}
	return v
}

// largestSlope is the magnitude of the largest slope.
func (a *affine) largestSlope() float64 {
	largest := 0.0
	for _, b := range a.beta {
		largest = max(largest, math.Abs(b))
	}
	return largest
}

// size returns by how much the value changes, at most, when each column of the state changes by 1 plus its value.
func (a *affine) size(z []float64) float64 {
	v := 0.0
	for k, b := range a.beta {
		v += math.Abs(b) * (1 + math.Abs(z[k]))
	}
	return v
}

// certify turns the multipliers of the rows of a stage program into an affine function that holds in exact arithmetic
// for all states within reach, whatever the multipliers are (outward.DualBound): a column without a bound is priced at
// its reach. With costs false the function is that of a Farkas ray. certify returns errMultipliers for multipliers that
// are not finite, or that leave an epigraph without its share.
func (g *stage) certify(dual []float64, costs bool) (affine, error) {
	// The rows of the period: a multiplier is taken as zero where its side of the row is infinite.
	var bound outward.DualBound
	rows := len(g.rows)
	y := g.multipliers
	for i := range rows {
		r := &g.rows[i]
		if math.IsNaN(dual[i]) || math.IsInf(dual[i], 0) {
			return affine{}, errMultipliers
		}
		y[i] = outward.Multiplier(dual[i], r.Lower, r.Upper)
		bound.AddRow(y[i], r.Lower, r.Upper)
	}

	// The cuts of the future: each epigraph column costs 1, so that the weights of its cuts sum to 1.
	weight, ok := g.shares(dual[rows:], costs)
	if !ok {
		return affine{}, errMultipliers
	}
	for k, w := range weight {
		if w != 0 {
			bound.Add(w, g.pool.cuts[k].alpha)
		}
	}

	// The reduced costs: those of the state are the slopes, the others are priced at the bounds of their columns.
	own := len(g.period.own)
	out := affine{beta: make([]float64, len(g.period.state))}
	for j := range g.cols {
		v, err := g.reduced(j, y, weight, costs).Value()
		if j >= own {
			out.beta[j-own] = v
			bound.Lose(outward.Up(err * g.period.reach[j]))
			continue
		}
		lower, upper := bounds(&g.cols[j], g.period.reach[j])
		bound.AddColumn(v, err, lower, upper)
	}
	out.finish(&bound, g.period.stateReach())
	return out, nil
}

// reduced forms the reduced cost of a column, its cost less the multipliers y of the period's rows and plus the weights
// of the cuts: in a cut theta - beta'z' >= alpha the coefficient of a column of the next state is -beta.
func (g *stage) reduced(j int, y, weight []float64, costs bool) *outward.Dot {
	d := &outward.Dot{}
	if costs {
		d.Add(g.cols[j].Cost, 1)
	}
	index, value := g.matrix.Vec(j)
	for k, i := range index {
		d.Add(-value[k], y[i])
	}

	// Columns that the next state does not have are in no cut.
	if at := g.inCut[j]; at >= 0 {
		for k, w := range weight {
			if w != 0 {
				d.Add(g.pool.cuts[k].beta[at], w)
			}
		}
	}
	return d
}

// finish rounds the constant of the function down from a bound. Slopes that are rounding next to the largest one are
// dropped first, since they mislead the simplex method as coefficients of a row.
func (a *affine) finish(bound *outward.DualBound, reach []float64) {
	const negligible = 1e-14 // relative to the largest slope
	largest := a.largestSlope()
	for k, b := range a.beta {
		if math.Abs(b) < negligible*largest {
			bound.Lose(outward.Up(math.Abs(b) * reach[k]))
			a.beta[k] = 0
		}
	}
	a.alpha = bound.Below()
}

// grain: weights of cuts are multiples of 1/grain, so that sums of them are exact.
const grain = 1 << 52

// shares returns the weights of the cuts: not negative, with a sum over the optimality cuts of every part of exactly 1,
// the cost of its epigraph, or 0 for a ray.
func (g *stage) shares(dual []float64, costs bool) ([]float64, bool) {
	weight := g.weights[:0]
	total := make([]float64, g.pool.parts)
	most := slices.Repeat([]int{-1}, g.pool.parts) // the cut of each part with the largest weight, -1 for none

	// Multiples of the grain add up without rounding, so that what is missing to 1 is exact, too.
	for k := range dual {
		// A cut has a lower side alone, so that a negative multiplier is rounding.
		c := &g.pool.cuts[k]
		w := max(0, dual[k])
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, false
		}
		if c.part >= 0 {
			w = math.Round(w*grain) / grain
			if !costs {
				w = 0
			}
			total[c.part] += w
			if m := most[c.part]; m < 0 || w > weight[m] {
				most[c.part] = k
			}
		}
		weight = append(weight, w)
	}
	g.weights = weight
	if !costs {
		return weight, true
	}

	// The largest weight of each part takes up what the sum lacks or exceeds.
	for q, m := range most {
		if m < 0 {
			return nil, false
		}
		if weight[m] += 1 - total[q]; weight[m] < 0 {
			return nil, false
		}
	}
	return weight, true
}

// mean returns the sum of functions with weights, rounded so that it is not above the exact one for states within
// reach.
func mean(list []affine, weight []float64, reach []float64) affine {
	// Constants and slopes in doubled precision.
	var bound outward.DualBound
	beta := make([]outward.Dot, len(reach))
	for k := range list {
		bound.Add(weight[k], list[k].alpha)
		for j, b := range list[k].beta {
			beta[j].Add(weight[k], b)
		}
	}

	// Rounding a slope changes the value by at most its error times the reach of the column.
	out := affine{beta: make([]float64, len(reach))}
	for j := range beta {
		v, err := beta[j].Value()
		out.beta[j] = v
		bound.Lose(outward.Up(err * reach[j]))
	}
	out.finish(&bound, reach)
	return out
}
