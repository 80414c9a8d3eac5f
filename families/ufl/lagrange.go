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

// DualOptions steer Dual.
type DualOptions struct {
	Iterations int     // volume steps, in all
	Target     float64 // stop when the bound is within this fraction of UB
	Probe      int     // volume steps spent on each undecided facility afterwards, 0 for none
}

// DefaultDualOptions returns the defaults: enough steps to come within about 0.01% of the linear relaxation on
// the M instances, and probes, which more than double the number of facilities that are fixed there.
func DefaultDualOptions() DualOptions { return DualOptions{Iterations: 600, Target: 1e-9, Probe: 80} }

// Validate reports options that cannot be used.
func (o DualOptions) Validate() error {
	if o.Iterations < 0 || o.Probe < 0 || !(o.Target >= 0) {
		return fmt.Errorf("ufl: %w: %+v", families.ErrOptions, o)
	}
	return nil
}

// DualResult is what Dual found.
type DualResult struct {
	Pi    []float64 // the best duals, each within its row's range of costs
	Bound float64   // a proven lower bound on the cost of every design, or on those within UB if larger
	// Primal is the volume algorithm's average of the Lagrangian designs, an approximate solution of the
	// linear relaxation: a good core point, and a good interior point for in-out separation.
	Primal []float64
	Fixing lagrange.Fixing
	Steps  int
}

// Dual improves duals for the Lagrangian relaxation of the assignment rows,
//
//	L(pi) = sum_i pi_i + min { sum_j rho_j y_j : y binary },  rho_j = f_j - sum_i (pi_i - c_ij)+,
//
// whose maximum is the bound of the strong linear relaxation, by the volume algorithm (Barahona and Anbil
// 2000; Barahona and Chudak 2005 for this problem) from the duals given. On the way it fixes facilities: a
// design with y_j = 1 costs at least L + rho_j+, one with y_j = 0 at least L + (-rho_j)+, and where that
// exceeds ub, the cost of a known design, y_j is settled for every design that costs at most ub. All tests
// round outward, so a fixing is a proof over the float64 data. Fixed facilities leave the relaxation, and
// the bound may rise above that of the linear relaxation; it is then a bound on the designs within ub.
func Dual(ctx context.Context, in *Instance, pi []float64, ub float64, o DualOptions) (DualResult, error) {
	if err := o.Validate(); err != nil {
		return DualResult{}, err
	}
	if len(pi) != in.Clients || math.IsNaN(ub) {
		return DualResult{}, fmt.Errorf("ufl: %w: %d duals for %d clients, upper bound %g", families.ErrOptions, len(pi), in.Clients, ub)
	}
	l := newLagrangian(in, ub)
	v := &volume{pi: slices.Clone(pi), direction: make([]float64, in.Clients), primal: make([]float64, in.Facilities), pace: longRun}
	v.target = o.Target
	NewCertifier(in, true).Project(v.pi)
	var r DualResult
	r.Bound, r.Steps = l.improve(ctx, v, l.start(v), o.Iterations)
	if o.Probe > 0 && r.Bound <= l.ub {
		r.Steps += l.probe(ctx, v, o.Probe)
		l.compact(&l.rows)
		bound, steps := l.improve(ctx, v, l.evaluate(v.pi), o.Iterations/4)
		l.fix()
		r.Bound, r.Steps = max(r.Bound, bound), r.Steps+steps
	}
	r.Pi, r.Primal, r.Fixing = v.pi, v.primal, l.fixing()
	return r, nil
}

// FixByBound applies the fixing test once, at the duals given; ub is the cost of a known design.
func FixByBound(in *Instance, pi []float64, ub float64) (lagrange.Fixing, float64, error) {
	if len(pi) != in.Clients || math.IsNaN(ub) {
		return lagrange.Fixing{}, 0, fmt.Errorf("ufl: %w: %d duals for %d clients, upper bound %g", families.ErrOptions, len(pi), in.Clients, ub)
	}
	l := newLagrangian(in, ub)
	projected := slices.Clone(pi)
	NewCertifier(in, true).Project(projected)
	bound := l.evaluate(projected)
	l.fix()
	return l.fixing(), bound, nil
}

const (
	undecided int8 = iota
	fixedClosed
	fixedOpen
)

// lagrangian evaluates L and its supergradient, with facilities that are fixed. It keeps its own copy of the
// sorted rows, from which closed facilities are dropped now and then, and the costs by columns.
type lagrangian struct {
	n, m      int
	fixed     []float64
	column    []float64 // cost of facility j for client i at j*m + i
	rows      rowSet
	low, high []float64 // range of the costs of each row
	ub        float64   // rounded up
	state     []int8
	kappa     []float64 // sum_i (pi_i - c_ij)+
	chi       []float64 // the Lagrangian design
	count     []int32   // number of facilities of the design that are cheaper than pi_i
	grad      []float64 // 1 - count
	bound     float64   // the last evaluation, rounded down
}

func newLagrangian(in *Instance, ub float64) *lagrangian {
	if !math.IsInf(ub, 0) {
		ub += 4 * outward.Ulp(ub) // TotalCost rounds; see outward.Sum
	}
	n, m, rows := in.Facilities, in.Clients, in.Sorted()
	l := &lagrangian{n: n, m: m, fixed: in.Fixed, column: make([]float64, n*m),
		rows: rowSet{slices.Clone(rows.Order), slices.Clone(rows.Cost), n, n}, low: make([]float64, m), high: make([]float64, m), ub: ub,
		state: make([]int8, n), kappa: make([]float64, n), chi: make([]float64, n), count: make([]int32, m), grad: make([]float64, m)}
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

// compact drops the closed facilities from the sorted rows if a quarter of what is left is closed. The rows go to
// dst, which may be where they are; its memory is used again.
func (l *lagrangian) compact(dst *rowSet) {
	left := 0
	for _, state := range l.state {
		if state != fixedClosed {
			left++
		}
	}
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
			if l.state[j] != fixedClosed {
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

// evaluate computes L(pi), rounded down, with its design and supergradient.
func (l *lagrangian) evaluate(pi []float64) float64 {
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
	for j, state := range l.state {
		l.chi[j] = 0
		if state == fixedClosed {
			continue
		}
		low, _ := l.rho(j)
		if state == fixedOpen || low < 0 {
			l.chi[j] = 1
			empty = false
			if low < 0 {
				minus.Add(-low)
			} else {
				plus.Add(low)
			}
		}
	}
	l.bound = outward.Down(plus.Down() - minus.Up())
	if empty {
		l.openLeast()
	}
	l.gradient(pi)
	return l.bound
}

// openLeast makes the facility with the least reduced cost the design where no reduced cost is negative: the
// row sum y >= 1 would open it. It only steers the search.
func (l *lagrangian) openLeast() {
	least := -1
	for j, state := range l.state {
		if state != fixedClosed && (least < 0 || l.fixed[j]-l.kappa[j] < l.fixed[least]-l.kappa[least]) {
			least = j
		}
	}
	if least >= 0 {
		l.chi[least] = 1
	}
}

// gradient fills grad for the design chi.
func (l *lagrangian) gradient(pi []float64) {
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
		l.grad[i] = float64(1 - k)
	}
}

// fix applies the fixing tests to the last evaluation.
func (l *lagrangian) fix() {
	for j, state := range l.state {
		if state != undecided {
			continue
		}
		low, high := l.rho(j)
		switch {
		case low > 0 && outward.Exceeds(l.bound, low, l.ub):
			l.state[j] = fixedClosed
		case high < 0 && outward.Exceeds(l.bound, -high, l.ub):
			l.state[j] = fixedOpen
		}
	}
}

func (l *lagrangian) fixing() lagrange.Fixing {
	f := lagrange.Fixing{UB: l.ub}
	for j, state := range l.state {
		switch state {
		case fixedClosed:
			f.Closed = append(f.Closed, int32(j))
		case fixedOpen:
			f.Opened = append(f.Opened, int32(j))
		}
	}
	return f
}

// volume is the state of the volume algorithm: the best duals, and the averages of the Lagrangian designs and of
// their supergradients.
type volume struct {
	pi, direction, primal []float64
	pace
}

// pace sets how the volume algorithm moves. A long run wants small weights, for averages that converge; a probe,
// which starts from good averages and has few steps, does best with nearly the plain supergradient.
type pace struct {
	target   float64 // stop within this fraction of the upper bound
	length   float64 // first step length, as a fraction of Polyak's
	weight   float64 // greatest weight of the newest supergradient in the average
	patience int     // steps without a better bound, after which the step length is cut
	hopeless int     // if positive, the step after which a probe must have made 30% of the way to ub, else give up
}

var (
	longRun = pace{length: 0.5, weight: 0.1, patience: 10}
	probing = pace{length: 0.3, weight: 0.7, patience: 3, hopeless: 8}
)

// start sets the averages from the Lagrangian design at pi alone.
func (l *lagrangian) start(v *volume) float64 {
	bound := l.evaluate(v.pi)
	l.fix()
	copy(v.direction, l.grad)
	copy(v.primal, l.chi)
	return bound
}

// improve takes up to the given number of steps and returns the best bound, which v.pi then has, and the number
// of steps. It stops when the bound exceeds the upper bound: then no design costs at most ub.
func (l *lagrangian) improve(ctx context.Context, v *volume, bound float64, steps int) (float64, int) {
	const period = 50 // steps between two looks at the progress of the bound
	pi := slices.Clone(v.pi)
	lambda, weight, failed, checkpoint, first := v.length, v.weight, 0, bound, bound
	for step := range steps {
		norm := dot(v.direction, v.direction)
		if bound >= l.ub*(1-v.target) || norm < 1e-12*float64(len(pi)) || ctx.Err() != nil ||
			v.lost(step, (bound-first)/(l.ub-first)) {
			return bound, step
		}
		length := lambda * (l.goal(bound) - bound) / norm
		for i := range pi {
			pi[i] = min(max(v.pi[i]+length*v.direction[i], l.low[i]), l.high[i]) // nothing is lost by the range
		}
		value := l.evaluate(pi)
		l.fix()
		v.average(l.grad, l.chi, weight)
		if value > bound {
			if dot(v.direction, l.grad) >= 0 {
				lambda = min(2, lambda*1.1)
			}
			bound, failed = value, 0
			copy(v.pi, pi)
		} else if failed++; failed >= v.patience {
			lambda, failed = max(1e-4, lambda*0.66), 0
		}
		if step%period == period-1 {
			if bound < checkpoint+1e-3*math.Abs(checkpoint) {
				weight = max(1e-4, weight/2)
			}
			checkpoint = bound
		}
	}
	return bound, steps
}

// lost reports whether a probe is to be given up after step steps, having made that fraction of the way to the
// upper bound: less than 30% at the first look, less than half at the second.
func (v *volume) lost(step int, fraction float64) bool {
	return v.hopeless > 0 && (step == v.hopeless && fraction < 0.3 || step == v.hopeless+v.hopeless/2 && fraction < 0.5)
}

// goal is the value that the step length aims at.
func (l *lagrangian) goal(bound float64) float64 {
	if math.IsInf(l.ub, 1) {
		return bound + 0.05*math.Abs(bound)
	}
	return max(l.ub, bound+1e-3*math.Abs(bound))
}

// average moves direction and primal towards a supergradient and its design by the step in [most/10, most] that
// makes the direction shortest.
func (v *volume) average(grad, chi []float64, most float64) {
	var across, length float64
	for i, d := range v.direction {
		e := grad[i] - d
		across -= e * d
		length += e * e
	}
	alpha := most
	if length > 0 {
		alpha = min(max(across/length, most/10), most)
	}
	for i, d := range v.direction {
		v.direction[i] += alpha * (grad[i] - d)
	}
	for j, x := range v.primal {
		v.primal[j] += alpha * (chi[j] - x)
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// probe settles facilities one by one: with y_j forced to the value that the duals speak against, a few steps raise
// the bound on the designs that have it; beyond ub, the other value is proven. A trial starts from the averages of
// the relaxation, corrected for the forced facility.
func (l *lagrangian) probe(ctx context.Context, base *volume, steps int) (used int) {
	trial := &volume{pi: make([]float64, l.m), direction: make([]float64, l.m), primal: make([]float64, l.n), pace: probing}
	saved := make([]int8, l.n)
	for j := range l.state {
		if l.state[j] != undecided || ctx.Err() != nil {
			continue
		}
		l.compact(&l.rows) // not within the trial, whose closed facilities come back
		value, other := fixedOpen, fixedClosed
		if base.primal[j] > 0.5 {
			value, other = other, value
		}
		copy(saved, l.state)
		l.state[j] = value
		l.force(trial, base, j, value)
		bound := l.evaluate(trial.pi)
		l.fix()
		bound, n := l.improve(ctx, trial, bound, steps)
		used += n
		copy(l.state, saved) // what follows from a forced value is not known without it
		if bound > l.ub {
			l.state[j] = other
		}
	}
	return used
}

// force makes child start where parent ended, with the averages corrected for facility j at the value it is forced to.
func (l *lagrangian) force(child, parent *volume, j int, value int8) {
	copy(child.pi, parent.pi)
	copy(child.primal, parent.primal)
	copy(child.direction, parent.direction)
	child.primal[j] = 0
	if value == fixedOpen {
		child.primal[j] = 1
	}
	shift := child.primal[j] - parent.primal[j]
	for i, c := range l.column[j*l.m : (j+1)*l.m] {
		if c < parent.pi[i] {
			child.direction[i] -= shift
		}
	}
}
