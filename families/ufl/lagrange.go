package ufl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// dualOptions steer Dual.
type dualOptions struct {
	Iterations int // volume steps, in all
	Probe      int // volume steps spent on each undecided facility afterwards, 0 for none
}

// defaultDualOptions returns the defaults: enough steps to come within about 0.01% of the linear relaxation on
// the M instances, and probes, which more than double the number of facilities that are fixed there.
func defaultDualOptions() dualOptions { return dualOptions{Iterations: 600, Probe: 80} }

// Validate reports options that cannot be used.
func (o dualOptions) Validate() error {
	if o.Iterations < 0 || o.Probe < 0 {
		return fmt.Errorf("ufl: %w: %+v", families.ErrOptions, o)
	}
	return nil
}

// dualResult is what Dual found.
type dualResult struct {
	Pi    []float64 // the best duals, each within its row's range of costs
	Bound float64   // a proven lower bound on the cost of every design, or on those within UB if larger
	// Primal is the volume algorithm's average of the Lagrangian designs, an approximate solution of the
	// linear relaxation: a good core point, and a good interior point for in-out separation.
	Primal []float64
	Fixing lagrange.Fixing
	Steps  int
}

// raiseDual improves duals for the Lagrangian relaxation of the assignment rows by the volume algorithm (Barahona and
// Chudak 2005) from the duals given, and fixes facilities for all designs that cost at most ub, the cost of a known
// one. Fixed facilities leave the relaxation, and the bound may rise above that of the linear relaxation; it is then a
// bound on the designs within ub.
func raiseDual(ctx context.Context, in *Instance, pi []float64, ub float64, o dualOptions) (dualResult, error) {
	if err := o.Validate(); err != nil {
		return dualResult{}, err
	}
	l, v, err := relax(in, pi, ub)
	if err != nil {
		return dualResult{}, err
	}
	r := dualResult{Steps: v.Improve(ctx, l, o.Iterations), Bound: v.Bound}
	if o.Probe > 0 && r.Bound <= l.UB && lagrange.Probe(ctx, l, v, o.Probe) > 0 {
		l.Compact(-1)
		v.Again(l)
		r.Steps += v.Improve(ctx, l, o.Iterations/4)
		r.Bound = max(r.Bound, v.Bound)
	}
	r.Pi, r.Primal, r.Fixing = v.Multipliers, v.Average, l.Fixing()
	return r, nil
}

// relax returns the relaxation with the cost ub of a known design, and a volume algorithm that begins at the duals
// given.
func relax(in *Instance, pi []float64, ub float64) (*lagrangian, *lagrange.Volume, error) {
	if len(pi) != in.Clients || math.IsNaN(ub) {
		return nil, nil, fmt.Errorf("ufl: %w: %d duals for %d clients, upper bound %g",
			families.ErrOptions, len(pi), in.Clients, ub)
	}
	l := newLagrangian(in)
	l.Lower(ub, costAccuracy)
	v := lagrange.NewVolume(in.Clients, in.Facilities)
	copy(v.Multipliers, pi)
	v.Restart(l)
	return l, v, nil
}

// costAccuracy is how far, relative, TotalCost may be off the exact cost; see outward.Sum.
const costAccuracy = 1e-15

// lagrangian is the relaxation of the assignment rows,
//
//	L(pi) = sum_i pi_i + min { sum_j rho_j y_j : y binary },  rho_j = f_j - sum_i (pi_i - c_ij)+,
//
// whose maximum is the bound of the strong linear relaxation. It keeps its own copy of the sorted rows, from which
// closed facilities are dropped now and then, and the costs by columns. It implements lagrange.Binary.
type lagrangian struct {
	lagrange.Columns
	n, m      int
	fixed     []float64
	column    []float64 // cost of facility j for client i at j*m + i
	rows      rowSet
	compacted rowSet // memory of Compact for good
	levels    []compacted
	low, high []float64 // range of the costs of each row
	kappa     []float64 // sum_i (pi_i - c_ij)+
	chi       []float64 // the Lagrangian design
	count     []int32   // number of facilities of the design that are cheaper than pi_i
}

// compacted are the rows before Compact at a depth of the tree, and the memory for those after it.
type compacted struct{ before, memory rowSet }

func newLagrangian(in *Instance) *lagrangian {
	n, m, rows := in.Facilities, in.Clients, in.Sorted()
	l := &lagrangian{Columns: lagrange.NewColumns(n), n: n, m: m, fixed: in.Fixed, column: make([]float64, n*m),
		rows: rowSet{slices.Clone(rows.Order), slices.Clone(rows.Cost), n, n}, low: make([]float64, m),
		high: make([]float64, m), kappa: make([]float64, n), chi: make([]float64, n), count: make([]int32, m)}
	l.compacted = l.rows
	for i := range m {
		for j, c := range in.Row(i) {
			l.column[j*m+i] = c
		}
		l.low[i], l.high[i] = rows.Cost[i*n], rows.Cost[i*n+n-1]
	}
	return l
}

// rowSet is sorted rows of which some facilities were dropped: row i begins at i*stride and has width entries.
type rowSet struct {
	order         []int32
	cost          []float64
	width, stride int
}

func (r *rowSet) row(i int) ([]int32, []float64) {
	lo := i * r.stride
	return r.order[lo : lo+r.width], r.cost[lo : lo+r.width]
}

// Known implements lagrange.Binary.
func (l *lagrangian) Known() *lagrange.Columns { return &l.Columns }

// Feasible implements lagrange.Binary: a facility is left.
func (l *lagrangian) Feasible() bool { return l.left() > 0 }

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
	for len(l.levels) <= depth {
		l.levels = append(l.levels, compacted{})
	}
	l.levels[depth].before = l.rows
	l.compact(&l.levels[depth].memory)
}

// Restore implements lagrange.Binary.
func (l *lagrangian) Restore(depth int) { l.rows = l.levels[depth].before }

// compact drops the closed facilities from the sorted rows if a quarter of what is left is closed. The rows go to
// dst, which may be where they are; its memory is used again.
func (l *lagrangian) compact(dst *rowSet) {
	left := l.left()
	if 4*left > 3*l.rows.width || left == 0 {
		return
	}
	if cap(dst.order) < left*l.m {
		dst.order, dst.cost = make([]int32, left*l.m), make([]float64, left*l.m)
	}
	dst.order, dst.cost = dst.order[:cap(dst.order)], dst.cost[:cap(dst.cost)]
	k := 0
	for i := range l.m {
		order, cost := l.rows.row(i)
		for t, j := range order {
			if l.State[j] != lagrange.Closed {
				dst.order[k], dst.cost[k] = j, cost[t]
				k++
			}
		}
	}
	dst.width, dst.stride = left, left
	l.rows = *dst
}

// rho returns bounds on the exact reduced cost f_j - kappa_j: kappa_j is off by at most (m+1) u of itself and the
// difference by u, and the factor 2 covers the rounding of this bound.
func (l *lagrangian) rho(j int) (low, high float64) {
	f, kappa := l.fixed[j], l.kappa[j]
	slack := float64(2*(l.m+8)) * outward.UnitRoundoff * (f + kappa)
	return f - kappa - slack, f - kappa + slack
}

// Project implements lagrange.Relaxation: nothing is lost by the range of each row's costs.
func (l *lagrangian) Project(pi []float64) {
	for i, v := range pi {
		if !(v >= l.low[i]) {
			v = l.low[i]
		}
		pi[i] = min(v, l.high[i])
	}
}

// Evaluate implements lagrange.Relaxation: L(pi), rounded down, with its design. It fixes facilities on the way.
func (l *lagrangian) Evaluate(pi, slope []float64) (float64, []float64) {
	kappa := l.kappa
	clear(kappa)
	var plus, minus outward.Sum // L = plus - minus, both sums of nonnegative terms
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
	for j := range l.State {
		low, high := l.rho(j)
		l.FixByReducedCost(j, bound, low, high)
	}
	return bound, l.chi
}

// openCheapest makes the facility with the least reduced cost the design where no reduced cost is negative: the
// row sum y >= 1 would open it. It only steers the search. It returns false where no facility is left.
func (l *lagrangian) openCheapest() bool {
	least := -1
	for j, state := range l.State {
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
