package nested

import (
	"math"

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

// size returns by how much the value changes, at most, where a state does by 1 and its values once more.
func (a *affine) size(z []float64) float64 {
	v := 0.0
	for k, b := range a.beta {
		v += math.Abs(b) * (1 + math.Abs(z[k]))
	}
	return v
}

// certify turns the multipliers of the rows of a stage program into an affine function that holds in exact arithmetic
// for all states within reach, whatever the multipliers are (Neumaier and Shcherbina, Mathematical Programming 99,
// 2004): sums are formed in doubled precision, and every reduced cost is priced at the bound of its column that makes
// the function least, at reach where there is none. With costs false it is that of a Farkas ray. It returns false for
// multipliers that are not finite, or that leave an epigraph without its share.
func (g *stage) certify(dual []float64, costs bool) (affine, bool) {
	rows := len(g.rows)
	var sum outward.Dot
	slack := 0.0
	y := g.multipliers
	for i := range rows {
		v := dual[i]
		r := &g.rows[i]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return affine{}, false
		}
		if v > 0 && math.IsInf(r.Lower, -1) || v < 0 && math.IsInf(r.Upper, 1) {
			v = 0
		}
		switch y[i] = v; {
		case v > 0:
			sum.Add(v, r.Lower)
		case v < 0:
			sum.Add(v, r.Upper)
		}
	}
	weight, ok := g.shares(dual[rows:], costs)
	if !ok {
		return affine{}, false
	}
	for k, w := range weight {
		if w != 0 {
			sum.Add(w, g.pool.cuts[k].alpha)
		}
	}
	out := affine{beta: make([]float64, len(g.period.state))}
	for j := range g.cols {
		d := g.reduced(j, y, weight, costs)
		v, err := d.Value()
		if k := j - len(g.period.own); k >= 0 { // of the state
			out.beta[k] = v
			slack += outward.Up(err * g.reach[j])
			continue
		}
		if v == 0 && err == 0 {
			continue
		}
		lower, upper := bounds(&g.cols[j], g.reach[j])
		if v > 0 {
			sum.Add(v, lower)
		} else {
			sum.Add(v, upper)
		}
		slack += outward.Up(err * max(math.Abs(lower), math.Abs(upper)))
	}
	low, _ := sum.Interval()
	out.alpha = outward.Down(low - outward.Up(slack*(1+1e-12)))
	out.trim(g.reach[len(g.period.own):])
	return out, true
}

// reduced forms the reduced cost of a column.
func (g *stage) reduced(j int, y, weight []float64, costs bool) *outward.Dot {
	d := &outward.Dot{}
	if costs {
		d.Add(g.cols[j].Cost, 1)
	}
	index, value := g.matrix.Vec(j)
	for k, i := range index {
		d.Add(-value[k], y[i])
	}
	if at := g.inCut[j]; at >= 0 {
		for k, w := range weight {
			if w != 0 {
				d.Add(g.pool.cuts[k].beta[at], w)
			}
		}
	}
	return d
}

// trim drops slopes that are rounding beside the largest one: as coefficients of a row they mislead the simplex
// method.
func (a *affine) trim(reach []float64) {
	const nothing = 1e-14
	largest := 0.0
	for _, b := range a.beta {
		largest = max(largest, math.Abs(b))
	}
	slack := 0.0
	for k, b := range a.beta {
		if b != 0 && math.Abs(b) < nothing*largest {
			slack += outward.Up(math.Abs(b) * reach[k])
			a.beta[k] = 0
		}
	}
	if slack > 0 {
		a.alpha = outward.Down(a.alpha - outward.Up(slack*(1+1e-12)))
	}
}

// grain is what weights of cuts are multiples of, so that sums of them are exact.
const grain = 1 << 52

// shares returns the weights of the cuts: not negative, and of the optimality cuts of every part exactly one together,
// as the cost of its epigraph says, or none of a ray.
func (g *stage) shares(dual []float64, costs bool) ([]float64, bool) {
	weight := g.weights[:0]
	total, most := make([]float64, g.pool.parts), make([]int, g.pool.parts)
	for q := range most {
		most[q] = -1
	}
	for k := range dual {
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
	var alpha outward.Dot
	beta := make([]outward.Dot, len(reach))
	for k := range list {
		alpha.Add(weight[k], list[k].alpha)
		for j, b := range list[k].beta {
			beta[j].Add(weight[k], b)
		}
	}
	out := affine{beta: make([]float64, len(reach))}
	slack := 0.0
	for j := range beta {
		v, err := beta[j].Value()
		out.beta[j] = v
		slack += outward.Up(err * reach[j])
	}
	low, _ := alpha.Interval()
	out.alpha = outward.Down(low - outward.Up(slack*(1+1e-12)))
	out.trim(reach)
	return out
}
