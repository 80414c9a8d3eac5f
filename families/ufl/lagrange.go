package ufl

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/outward"
)

// dualOptions steer the bound: enough steps to come within about 0.01% of the linear relaxation on the M instances, and
// probes, which more than double the number of facilities that are fixed there.
var dualOptions = lagrange.Options{Steps: 600, Every: 600, Probe: 80}

// raiseDual improves duals for the Lagrangian relaxation of the assignment rows by the volume algorithm (Barahona and
// Chudak 2005) from the duals given, and fixes facilities for all designs that cost at most ub, the cost of a known
// one. Fixed facilities leave the relaxation, and the bound may rise above that of the linear relaxation; it is then a
// bound on the designs within ub.
func raiseDual(ctx context.Context, in *Instance, pi []float64, ub float64,
	o lagrange.Options) (*lagrange.Preparation, error) {
	l, v := relax(in, pi, ub)
	p := &lagrange.Preparation{Relaxation: l, Volume: v, Accuracy: costAccuracy, Options: o}
	return p, p.Run(ctx)
}

// relax returns the relaxation with the cost ub of a known design, and a volume algorithm that begins at the duals
// given.
func relax(in *Instance, pi []float64, ub float64) (*lagrangian, *lagrange.Volume) {
	l := newLagrangian(in)
	l.Lower(ub, costAccuracy)
	v := lagrange.NewVolume(in.Clients, in.Facilities)
	copy(v.Multipliers, pi)
	v.Restart(l)
	return l, v
}

// levelDuals returns feasible duals of the condensed dual of the strong linear relaxation,
//
//	max sum_i v_i   s.t.  sum_i (v_i - c_ij)+ <= f_j,
//
// each the cost of the same position in its row, the last position at which no facility is overdrawn.
func levelDuals(in *Instance) []float64 {
	rows := in.Ranked()
	slack := make([]float64, in.Facilities)
	v := make([]float64, in.Clients)
	overdrawn := func(position int) bool {
		copy(slack, in.Fixed)
		for i := range v {
			order, cost := rows.Row(i)
			v[i] = cost[position]
			for t, c := range cost[:position] {
				slack[order[t]] -= v[i] - c
			}
		}
		return slices.Min(slack) < 0
	}

	// At position 0 all slacks are the fixed costs, so the search returns at least 1. The last call sets v.
	position := sort.Search(in.Facilities, overdrawn) - 1
	overdrawn(position)
	return v
}

// costAccuracy bounds the relative error of TotalCost; see outward.Sum.
const costAccuracy = 1e-15

// lagrangian is the relaxation of the assignment rows,
//
//	L(pi) = sum_i pi_i + min { sum_j rho_j y_j : y binary },  rho_j = f_j - sum_i (pi_i - c_ij)+,
//
// whose maximum is the bound of the strong linear relaxation. It keeps its own copy of the sorted rows, from which
// closed facilities are dropped now and then, and the costs by columns. It implements lagrange.Binary.
type lagrangian struct {
	lagrange.Columns
	m         int // the number of clients
	fixed     []float64
	column    []float64   // cost of facility j for client i at j*m + i
	rows      rowSet      // the sorted rows without some closed facilities
	compacted rowSet      // memory of Compact for good
	levels    []compacted // by depth of the tree
	low, high []float64   // range of the costs of each row
	kappa     []float64   // sum_i (pi_i - c_ij)+
	chi       []float64   // the Lagrangian design
	count     []int32     // number of facilities of the design that are cheaper than pi_i
}

// compacted are the rows before Compact at a depth of the tree, and the memory for those after it.
type compacted struct{ before, memory rowSet }

// newLagrangian returns the relaxation of a valid instance, without fixed facilities.
func newLagrangian(in *Instance) *lagrangian {
	n := in.Facilities
	m := in.Clients
	rows := in.Ranked()
	l := &lagrangian{
		Columns: lagrange.NewColumns(n),
		m:       m,
		fixed:   in.Fixed,
		column:  make([]float64, n*m),
		rows:    rowSet{slices.Clone(rows.Order), slices.Clone(rows.Cost), n, n},
		low:     make([]float64, m),
		high:    make([]float64, m),
		kappa:   make([]float64, n),
		chi:     make([]float64, n),
		count:   make([]int32, m),
	}

	// The costs by columns, and the range of each row.
	l.compacted = l.rows
	for i := range m {
		for j, c := range in.Row(i) {
			l.column[j*m+i] = c
		}
		l.low[i] = rows.Cost[i*n]
		l.high[i] = rows.Cost[i*n+n-1]
	}
	return l
}

// rowSet is sorted rows from which some facilities were dropped: row i begins at i*stride and has width entries.
type rowSet struct {
	order         []int32
	cost          []float64
	width, stride int
}

// row returns the facilities and costs of row i, as views.
func (r *rowSet) row(i int) ([]int32, []float64) {
	lo := i * r.stride
	return r.order[lo : lo+r.width], r.cost[lo : lo+r.width]
}

// Known implements lagrange.Binary.
func (l *lagrangian) Known() *lagrange.Columns { return &l.Columns }

// Feasible implements lagrange.Binary: a facility is left.
func (l *lagrangian) Feasible() bool { return l.left() > 0 }

// left returns the number of facilities that are not closed.
func (l *lagrangian) left() (left int) {
	for _, state := range l.State {
		if state != lagrange.Closed {
			left++
		}
	}
	return left
}

// Compact implements lagrange.Binary.
func (l *lagrangian) Compact(depth int) {
	if depth < 0 {
		l.compact(&l.compacted)
		return
	}

	// Below the root the rows before are kept for Restore.
	for len(l.levels) <= depth {
		l.levels = append(l.levels, compacted{})
	}
	l.levels[depth].before = l.rows
	l.compact(&l.levels[depth].memory)
}

// Restore implements lagrange.Binary.
func (l *lagrangian) Restore(depth int) { l.rows = l.levels[depth].before }

// compact drops the closed facilities from the sorted rows if a quarter of their facilities is closed. The rows are
// written to dst, which may share their memory; its memory is used again.
func (l *lagrangian) compact(dst *rowSet) {
	left := l.left()
	if 4*left > 3*l.rows.width || left == 0 {
		return
	}

	dst.order = slices.Grow(dst.order[:0], left*l.m)[:left*l.m]
	dst.cost = slices.Grow(dst.cost[:0], left*l.m)[:left*l.m]

	// The order of a row stays, so that it is sorted as before.
	k := 0
	for i := range l.m {
		order, cost := l.rows.row(i)
		for t, j := range order {
			if l.State[j] != lagrange.Closed {
				dst.order[k] = j
				dst.cost[k] = cost[t]
				k++
			}
		}
	}
	dst.width = left
	dst.stride = left
	l.rows = *dst
}

// rho returns bounds on the exact reduced cost f_j - kappa_j: kappa_j is off by at most (m+1) u of itself and the
// difference by u, and the factor 2 covers the rounding of this bound.
func (l *lagrangian) rho(j int) (low, high float64) {
	// All terms are nonnegative, so that errors are relative to their sum.
	f := l.fixed[j]
	kappa := l.kappa[j]
	slack := float64(2*(l.m+8)) * outward.UnitRoundoff * (f + kappa)
	return f - kappa - slack, f - kappa + slack
}

// Project implements lagrange.Relaxation: the range of each row's costs holds an optimal dual; see certifier.Project.
func (l *lagrangian) Project(pi []float64) {
	for i, v := range pi {
		pi[i] = location.Clamp(v, l.low[i], l.high[i])
	}
}

// Evaluate implements lagrange.Relaxation: L(pi), rounded down, with its design. It fixes facilities on the way.
func (l *lagrangian) Evaluate(pi, slope []float64) (float64, []float64) {
	// L = plus - minus, both sums of nonnegative terms, so that each has a rigorous bound.
	kappa := l.kappa
	clear(kappa)
	var plus, minus outward.Sum
	for i, v := range pi {
		plus.Add(v)
		order, cost := l.rows.row(i)
		cost = cost[:len(order)] // no bounds check in the loop that takes nearly all the time
		for t, j := range order {
			d := v - cost[t]
			if !(d > 0) {
				break
			}
			kappa[j] += d
		}
	}

	// The facilities with a negative reduced cost, and those that are fixed open, are the Lagrangian design.
	empty := true
	for j, state := range l.State {
		l.chi[j] = 0
		if state == lagrange.Closed {
			continue
		}
		low, _ := l.rho(j)
		if state == lagrange.Open || low < 0 {
			l.chi[j] = 1
			empty = false
			if low < 0 {
				minus.Add(-low)
			} else {
				plus.Add(low)
			}
		}
	}
	bound := outward.Down(plus.Down() - minus.Up())
	if empty && !l.openCheapest() {
		return math.Inf(1), nil
	}

	l.gradient(pi, slope)

	// A design with a facility in the other state costs at least the bound and its reduced cost.
	for j := range l.State {
		low, high := l.rho(j)
		l.FixByReducedCost(j, bound, low, high)
	}
	return bound, l.chi
}

// openCheapest makes the facility with the least reduced cost the design if no reduced cost is negative: the row
// sum y >= 1 would open it. The bound does not depend on this. It returns false if no facility is left.
func (l *lagrangian) openCheapest() bool {
	least := -1
	for j, state := range l.State {
		// Of equal reduced costs the first one, so that the choice is the same in every run.
		if state != lagrange.Closed && (least < 0 || l.fixed[j]-l.kappa[j] < l.fixed[least]-l.kappa[least]) {
			least = j
		}
	}
	if least >= 0 {
		l.chi[least] = 1
	}
	return least >= 0
}

// gradient fills slope for the design chi.
func (l *lagrangian) gradient(pi, slope []float64) {
	clear(l.count)
	for j, v := range l.chi {
		if v == 0 {
			continue
		}
		for i, c := range l.column[j*l.m : (j+1)*l.m] {
			cheaper := int32(0)
			if c < pi[i] {
				cheaper = 1 // compiled without a branch
			}
			l.count[i] += cheaper
		}
	}
	for i, k := range l.count {
		slope[i] = float64(1 - k)
	}
}

// Shift implements lagrange.Binary.
func (l *lagrangian) Shift(slope, pi []float64, j int, by float64) {
	for i, c := range l.column[j*l.m : (j+1)*l.m] {
		if c < pi[i] {
			slope[i] -= by
		}
	}
}
