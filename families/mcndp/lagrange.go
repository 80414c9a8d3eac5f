package mcndp

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
)

// lagrangian is the knapsack relaxation: the flow rows have multipliers u and some cut-set rows w'y >= r, r(w),
// multipliers tau, and what is left falls apart by arc,
//
//	L(u, tau) = sum_i (u_{i,o_i} - u_{i,t_i}) + tau'r + min { sum_j g_j y_j : y in [0,1]^n },  g_j = f_j - kappa_j(u) - tau'w_j,
//
// with arcs that are fixed. Its best value is that of the strong linear relaxation with the rows (Gendron, Crainic and
// Frangioni 1999). The coefficients are those of certified cuts, rounded outward, so L is a bound over the float64
// data, and so are the tests that fix arcs: a design with y_j = 1 costs at least L + g_j+, one with y_j = 0 at least
// L + (-g_j)+. It implements lagrange.Binary.
type lagrangian struct {
	lagrange.Columns
	in        *Instance
	certifier *certifier
	sets      *cutset.Separator
	rows      []benders.Cut // 0 >= alpha + beta'y; tau has one entry for each
	g         []float64     // the reduced cost of each arc, rounded down
	y         []float64     // the arcs that the relaxation opens
	pay       []float64     // what the rows pay for each arc, rounded up
}

// maxRows is how many cut-set rows the relaxation has at most.
const maxRows = 80

// newLagrangian returns the relaxation of a valid instance, without rows of cut sets and with no arc fixed.
func newLagrangian(in *Instance, sets *cutset.Separator) *lagrangian {
	n := in.arcs()
	return &lagrangian{
		Columns:   lagrange.NewColumns(n),
		in:        in,
		certifier: newCertifier(in),
		sets:      sets,
		g:         make([]float64, n),
		y:         make([]float64, n),
		pay:       make([]float64, n),
	}
}

// costTolerance is how far, relative, the cost of a design from a linear program may be off. A hundred times that keeps
// the best design itself, and every one as good, within the limit.
const (
	costTolerance = 1e-9
	costAccuracy  = 100 * costTolerance
)

// volume returns a volume algorithm for the relaxation that starts at the multipliers of the linear relaxation without
// x_ij <= d_i y_j and without capacities: shortest paths with the fixed cost of an arc spread over its capacity.
func (l *lagrangian) volume() *lagrange.Volume {
	in := l.in
	size := in.size()
	v := lagrange.NewVolume(size+maxRows, in.arcs())

	// An arc without capacity is none. The unit is the mean length of an arc.
	length := make([]float64, in.arcs())
	unit := 0.0
	for j, c := range in.Cost {
		if length[j] = math.Inf(1); in.Capacity[j] > 0 {
			length[j] = c + in.Fixed[j]/in.Capacity[j]
			unit += min(length[j], l.certifier.penalty) / float64(in.arcs())
		}
	}
	newPotentials(in).set(v.Multipliers[:size], length)

	// Steps in the multipliers of flow rows are in proportion to the demands, those in tau to a mean fixed cost.
	m := in.commodities()
	for k := range size {
		v.Scale[k] = in.Demand[k%m] * unit
	}
	for k := range maxRows {
		v.Scale[size+k] = outward.Total(in.Fixed) / float64(in.arcs())
	}
	return v
}

// Known implements lagrange.Binary.
func (l *lagrangian) Known() *lagrange.Columns { return &l.Columns }

// Compact implements lagrange.Binary: there is nothing to compact.
func (l *lagrangian) Compact(int) {}

// Restore implements lagrange.Binary: nothing was compacted.
func (l *lagrangian) Restore(int) {}

// Project implements lagrange.Relaxation.
func (l *lagrangian) Project(v []float64) {
	size := l.in.size()

	// The multipliers of the flow rows are brought where they are of use; see certifier.Project.
	l.certifier.Project(v[:size])

	// The multipliers of rows are not negative, and zero where there is no row.
	for k := range v[size:] {
		if t := v[size+k]; !(t > 0) || k >= len(l.rows) {
			v[size+k] = 0
		}
	}
}

// Evaluate implements lagrange.Relaxation. It fixes arcs on the way. No relaxation is infeasible: an arc that is fixed
// has one value left.
func (l *lagrangian) Evaluate(v, slope []float64) (float64, []float64) {
	// The slope in u is what the flow rows lack: the supplies less the flows of the open arcs.
	size := l.in.size()
	u := v[:size]
	tau := v[size:]
	l.certifier.supplies(slope[:size], u)
	clear(slope[size:])

	// The constants of the rows, and what the rows pay for each arc.
	var plus, minus outward.Sum
	clear(l.pay)
	for k := range l.rows {
		row := &l.rows[k]

		// A row adds tau times its violation at y, which is alpha where all arcs are closed.
		slope[size+k] = row.Alpha
		if t := tau[k]; t > 0 {
			plus.Add(max(0, outward.Down(t*row.Alpha)))
			for p, j := range row.Index {
				l.pay[j] = outward.AddUp(l.pay[j], outward.Up(-t*row.Beta[p]))
			}
		}
	}

	// The knapsack of each arc that is not closed decides whether the relaxation opens it.
	for j, f := range l.in.Fixed {
		if l.y[j] = 0; l.State[j] == lagrange.Closed {
			continue
		}
		l.certifier.solve(benders.Optimality, u, j)
		l.g[j] = outward.AddDown(f, -l.certifier.up())

		// AddDown rounds again, which without rows would only lose accuracy.
		if len(l.rows) > 0 {
			l.g[j] = outward.AddDown(l.g[j], -l.pay[j])
		}

		// An arc that is fixed open pays its reduced cost, whatever the sign.
		if l.g[j] < 0 || l.State[j] == lagrange.Open {
			l.y[j] = 1
			l.certifier.addSolution(slope[:size], j, 1)
			if l.g[j] < 0 {
				minus.Add(-l.g[j])
			} else {
				plus.Add(l.g[j])
			}
		}
	}

	// The slope in tau is the violation of each row at y.
	for k := range l.rows {
		row := &l.rows[k]
		for p, j := range row.Index {
			slope[size+k] += row.Beta[p] * l.y[j]
		}
	}

	// Every term of the bound is rounded down, and so are the tests that fix arcs.
	bound := outward.Down(outward.AddDown(l.certifier.alphaDown(u), plus.Down()) - minus.Up())
	for j, g := range l.g {
		l.FixByReducedCost(j, bound, g, g)
	}
	return bound, l.y
}

// Shift implements lagrange.Binary.
func (l *lagrangian) Shift(slope, v []float64, j int, by float64) {
	size := l.in.size()

	// The flow that the arc carries in the relaxation, and its part of the rows.
	l.certifier.solve(benders.Optimality, v[:size], j)
	l.certifier.addSolution(slope[:size], j, by)
	for k := range l.rows {
		if p, ok := slices.BinarySearch(l.rows[k].Index, int32(j)); ok {
			slope[size+k] += l.rows[k].Beta[p] * by
		}
	}
}

// separate exchanges the rows that have no price for cut-set inequalities that the average point violates most, if
// there are any. The bound is what it was: rows without a price add nothing.
func (l *lagrangian) separate(ctx context.Context, v *lagrange.Volume) {
	const maxCuts = 20
	size := l.in.size()
	cuts := l.sets.Cuts(ctx, v.Average, maxCuts)
	if len(cuts) == 0 {
		return
	}

	// The rows with a price move to the front; room stays for the new ones.
	tau := v.Multipliers[size:]
	slope := v.Direction[size:]
	kept := 0
	for k := range l.rows {
		if tau[k] > 0 && kept < maxRows-maxCuts {
			l.rows[kept], tau[kept], slope[kept] = l.rows[k], tau[k], slope[k]
			kept++
		}
	}
	clear(tau[kept:])
	clear(slope[kept:])
	l.rows = append(l.rows[:kept:kept], cuts...)

	// The direction of a new multiplier is the violation of its row at the average point.
	for k := range cuts {
		slope[kept+k] = cuts[k].Value(v.Average)
	}
}

// Feasible implements lagrange.Binary: the arcs that are not closed carry the demand across the cut sets.
func (l *lagrangian) Feasible() bool {
	// An arc that is not fixed may be opened.
	for j, s := range l.State {
		l.y[j] = 1
		if s == lagrange.Closed {
			l.y[j] = 0
		}
	}
	return l.sets.MayBeFeasible(l.y)
}
