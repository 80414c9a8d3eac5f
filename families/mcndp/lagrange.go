package mcndp

import (
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
)

const (
	undecided int8 = iota
	fixedClosed
	fixedOpen
)

// lagrangian is the knapsack relaxation: the flow rows have multipliers u and some cut-set rows w'y >= r, r(w), multipliers
// tau, and what is left falls apart by arc,
//
//	L(u, tau) = sum_i (u_{i,o_i} - u_{i,t_i}) + tau'r + min { sum_j g_j y_j : y in [0,1]^n },  g_j = f_j - kappa_j(u) - tau'w_j,
//
// with arcs that are settled. Its best value is that of the strong linear relaxation with the rows (Gendron, Crainic and
// Frangioni 1999). The coefficients are those of certified cuts, rounded outward, so L is a bound over the float64
// data, and so are the tests that settle arcs: a design with y_j = 1 costs at least L + g_j+, one with y_j = 0 at least
// L + (-g_j)+. It implements lagrange.Relaxation.
type lagrangian struct {
	in        *Instance
	certifier *Certifier
	sets      *CutSets
	rows      []benders.Cut // 0 >= alpha + beta'y, of which tau has one entry each
	ub        float64       // what a design must cost to be of no interest
	state     []int8
	g         []float64
	y         []float64
	pay       []float64 // what the rows pay for each arc, rounded up
	bound     float64
	fixing    bool // settle arcs at every evaluation
}

// mostRows is how many cut-set rows the relaxation has at most.
const mostRows = 80

func newLagrangian(in *Instance) *lagrangian {
	n := in.Arcs()
	sets := NewCutSets(in)
	sets.Covers = true
	return &lagrangian{in: in, certifier: NewCertifier(in, Penalty(in)), sets: sets, ub: math.Inf(1), state: make([]int8, n),
		g: make([]float64, n), y: make([]float64, n), pay: make([]float64, n), fixing: true}
}

// volume returns a volume algorithm for the relaxation that starts at the multipliers of the linear relaxation without
// x_ij <= d_i y_j and without capacities: shortest paths with the fixed cost of an arc spread over its capacity.
func (l *lagrangian) volume() *lagrange.Volume {
	in, size := l.in, l.in.size()
	v := lagrange.NewVolume(size+mostRows, in.Arcs())
	length := make([]float64, in.Arcs())
	unit := 0.0
	for j, c := range in.Cost {
		if length[j] = math.Inf(1); in.Capacity[j] > 0 {
			length[j] = c + in.Fixed[j]/in.Capacity[j]
			unit += min(length[j], l.certifier.penalty) / float64(in.Arcs())
		}
	}
	newPotentials(in).set(v.Multipliers[:size], length)
	m := in.Commodities()
	for k := range size {
		v.Scale[k] = in.Demand[k%m] * unit
	}
	for k := range mostRows {
		v.Scale[size+k] = outward.Total(in.Fixed) / float64(in.Arcs())
	}
	return v
}

// limit takes the cost of the best known design. Costs are computed to a relative 1e-9 or so, the tolerance of a
// linear program; a hundred times that keeps the design itself, and every one as good, on the right side.
func (l *lagrangian) limit(cost float64) { l.ub = min(l.ub, cost*(1+1e-7)) }

// Limit implements lagrange.Relaxation.
func (l *lagrangian) Limit() float64 { return l.ub }

// Project implements lagrange.Relaxation.
func (l *lagrangian) Project(v []float64) {
	size := l.in.size()
	l.certifier.Project(v[:size])
	for k := range v[size:] {
		if t := v[size+k]; !(t > 0) || k >= len(l.rows) {
			v[size+k] = 0
		}
	}
}

// Evaluate implements lagrange.Relaxation. It settles arcs on the way. No relaxation is infeasible: an arc that is settled
// has one value left.
func (l *lagrangian) Evaluate(v, slope []float64) (float64, []float64) {
	size := l.in.size()
	u, tau := v[:size], v[size:]
	l.certifier.supplies(slope[:size], u)
	clear(slope[size:])
	var plus, minus outward.Sum
	clear(l.pay)
	for k := range l.rows {
		row := &l.rows[k]
		slope[size+k] = row.Alpha
		if t := tau[k]; t > 0 {
			plus.Add(max(0, outward.Down(t*row.Alpha)))
			for p, j := range row.Index {
				l.pay[j] = outward.AddUp(l.pay[j], outward.Up(-t*row.Beta[p]))
			}
		}
	}
	for j, f := range l.in.Fixed {
		if l.y[j] = 0; l.state[j] == fixedClosed {
			continue
		}
		l.certifier.solve(benders.Optimality, u, j)
		l.g[j] = outward.AddDown(f, -l.certifier.up())
		if len(l.rows) > 0 {
			l.g[j] = outward.AddDown(l.g[j], -l.pay[j])
		}
		if l.g[j] < 0 || l.state[j] == fixedOpen {
			l.y[j] = 1
			l.certifier.addSolution(slope[:size], j, 1)
			if l.g[j] < 0 {
				minus.Add(-l.g[j])
			} else {
				plus.Add(l.g[j])
			}
		}
	}
	for k := range l.rows {
		row := &l.rows[k]
		for p, j := range row.Index {
			slope[size+k] += row.Beta[p] * l.y[j]
		}
	}
	l.bound = outward.Down(outward.AddDown(l.certifier.alphaDown(u), plus.Down()) - minus.Up())
	if l.fixing {
		l.fix()
	}
	return l.bound, l.y
}

// fix settles arcs by the last evaluation.
func (l *lagrangian) fix() {
	for j, s := range l.state {
		if s != undecided {
			continue
		}
		switch g := l.g[j]; {
		case g > 0 && outward.AddDown(l.bound, g) > l.ub:
			l.state[j] = fixedClosed
		case g < 0 && outward.AddDown(l.bound, -g) > l.ub:
			l.state[j] = fixedOpen
		}
	}
}

// separate exchanges the rows that have no price for cut-set inequalities that the average point violates most, and reports
// whether there are any. The bound is what it was: rows without a price add nothing.
func (l *lagrangian) separate(v *lagrange.Volume) (bool, error) {
	const most = 20
	size := l.in.size()
	cuts, err := l.sets.Separate(v.Average, most)
	if err != nil || len(cuts) == 0 {
		return false, err
	}
	tau, slope := v.Multipliers[size:], v.Direction[size:]
	kept := 0
	for k := range l.rows {
		if tau[k] > 0 && kept < mostRows-most {
			l.rows[kept], tau[kept], slope[kept] = l.rows[k], tau[k], slope[k]
			kept++
		}
	}
	clear(tau[kept:])
	clear(slope[kept:])
	l.rows = append(l.rows[:kept:kept], cuts...)
	for k := range cuts {
		slope[kept+k] = cuts[k].Value(v.Average)
	}
	return true, nil
}

// available reports whether the arcs that are not closed carry the demand across the cut sets.
func (l *lagrangian) available() bool {
	for j, s := range l.state {
		l.y[j] = 1
		if s == fixedClosed {
			l.y[j] = 0
		}
	}
	return l.in.carries(l.y)
}
