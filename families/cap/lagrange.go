package cap

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/internal/outward"
)

// lagrangian is the relaxation of the demand rows,
//
//	L(lambda) = sum_i lambda_i + min { sum_j g_j y_j : cover row, y in [0,1]^n },  g_j = f_j - kappa_j(lambda),
//
// with facilities that are fixed and the better one of the two cover rows. The coefficients are those of the certified
// cut of lambda, so L is a bound on every design with those facilities over the float64 data. It implements
// lagrange.Binary.
type lagrangian struct {
	lagrange.Columns
	in        *Instance
	certifier *certifier
	rows      []coverRow // the two rows of Master
	g         []float64  // the reduced costs, rounded down
	relaxed   [2]relaxed // of each row
}

// newLagrangian returns the relaxation of a valid instance, without fixed facilities.
func newLagrangian(in *Instance) *lagrangian {
	n := in.Facilities
	l := &lagrangian{
		Columns:   lagrange.NewColumns(n),
		in:        in,
		certifier: newCertifier(in),
		rows:      in.coverRows(),
		g:         make([]float64, n),
	}
	for k := range l.relaxed {
		l.relaxed[k].y = make([]float64, n)
	}
	return l
}

// costAccuracy bounds the relative error of costs: they are computed to about 1e-12, and with a thousand times that no
// bound cuts off the best design or a design as good.
const costAccuracy = 1e-9

// volume returns a volume algorithm that starts at the multipliers of the relaxation without x_ij <= y_j: the least
// cost with the fixed cost of the facility spread over its capacity.
func (l *lagrangian) volume() *lagrange.Volume {
	v := lagrange.NewVolume(l.in.Clients, l.in.Facilities)
	v.Scale = scales(l.in)

	// At its best facility a client pays its cost and the share of the fixed cost for the capacity that it takes.
	for i, d := range l.in.Demand {
		v.Multipliers[i] = math.Inf(1)
		for j, c := range l.in.Row(i) {
			if s := l.rows[0].weight[j]; s > 0 {
				v.Multipliers[i] = min(v.Multipliers[i], c+l.in.Fixed[j]*d/s)
			}
		}
	}
	return v
}

// scales returns the spread of each client's costs, to which its multiplier moves in proportion.
func scales(in *Instance) []float64 {
	scale := make([]float64, in.Clients)
	for i := range scale {
		// From the cheapest facility to the mean one of those that may serve the client.
		mean := 0.0
		row := in.allowed(i)
		for _, c := range row {
			mean += c / float64(len(row))
		}
		scale[i] = mean - slices.Min(row)
	}
	return scale
}

// allowed returns the costs of client i at the facilities that may serve it, all where there is none.
func (in *Instance) allowed(i int) []float64 {
	row := in.Row(i)
	if in.Forbidden == nil {
		return row
	}
	var list []float64
	for j, c := range row {
		if in.Allowed(i, j) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return row
	}
	return list
}

// Known implements lagrange.Binary.
func (l *lagrangian) Known() *lagrange.Columns { return &l.Columns }

// Feasible implements lagrange.Binary: Evaluate detects infeasibility.
func (l *lagrangian) Feasible() bool { return true }

// Compact implements lagrange.Binary: there is nothing to compact.
func (l *lagrangian) Compact(int) {}

// Restore implements lagrange.Binary: nothing was compacted.
func (l *lagrangian) Restore(int) {}

// Project implements lagrange.Relaxation.
func (l *lagrangian) Project(lambda []float64) { l.certifier.Project(lambda) }

// Evaluate implements lagrange.Relaxation. It fixes facilities on the way.
func (l *lagrangian) Evaluate(lambda, slope []float64) (float64, []float64) {
	var alpha outward.Sum
	for i, v := range lambda {
		alpha.Add(v)
		slope[i] = 1
	}

	// g_j = f_j - kappa_j(lambda), rounded down.
	for j, f := range l.in.Fixed {
		if l.State[j] != lagrange.Closed {
			l.certifier.solve(benders.Optimality, lambda, j)
			l.g[j] = outward.AddDown(f, -l.certifier.up(benders.Optimality))
		}
	}

	// Both cover rows give a bound; if one of them cannot be satisfied, no design is left.
	best := &l.relaxed[0]
	for k := range l.relaxed {
		if !l.relaxed[k].solve(l.rows[k], alpha.Down(), l.g, l.State) {
			return math.Inf(1), nil
		}
		if l.relaxed[k].bound > best.bound {
			best = &l.relaxed[k]
		}
	}

	// The supergradient: what each client lacks of one.
	for j, v := range best.y {
		l.Shift(slope, lambda, j, v)
	}

	// Each of the two bounds may fix facilities, also the one that is lower.
	for k := range l.relaxed {
		r := &l.relaxed[k]
		for j := range l.State {
			if l.State[j] == lagrange.Undecided {
				low, high := r.reduced(l.rows[k], l.g, j)
				l.FixByReducedCost(j, r.bound, low, high)
			}
		}
	}
	return best.bound, best.y
}

// Shift implements lagrange.Binary.
func (l *lagrangian) Shift(slope, lambda []float64, j int, by float64) {
	if by != 0 {
		l.certifier.solve(benders.Optimality, lambda, j)
		l.certifier.knapsack.AddSolution(slope, -by)
	}
}
