package ufl

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Fixing says what is known of every facility: closed or open in each design that costs at most the upper
// bound UB. Facilities are listed in ascending order.
type Fixing struct {
	Closed, Opened []int32
	UB             float64
}

// DualOptions steer Dual.
type DualOptions struct {
	Iterations int     // volume steps, in all
	Target     float64 // stop when the bound is within this fraction of UB
	Probe      int     // volume steps spent on each undecided facility afterwards, 0 for none
}

// DefaultDualOptions returns the defaults: enough steps to come within about 0.1% of the linear relaxation
// on the M instances.
func DefaultDualOptions() DualOptions { return DualOptions{Iterations: 600, Target: 1e-9} }

// Validate reports options that cannot be used.
func (o DualOptions) Validate() error {
	if o.Iterations < 0 || o.Probe < 0 || !(o.Target >= 0) {
		return fmt.Errorf("ufl: %w: %+v", ErrOptions, o)
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
	Fixing Fixing
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
		return DualResult{}, fmt.Errorf("ufl: %w: %d duals for %d clients, upper bound %g", ErrOptions, len(pi), in.Clients, ub)
	}
	l := newLagrangian(in, ub)
	best := slices.Clone(pi)
	NewCertifier(in, true).Project(best)
	r := DualResult{Primal: make([]float64, in.Facilities)}
	r.Bound, r.Steps = l.volume(ctx, best, r.Primal, o.Iterations, o.Target)
	if o.Probe > 0 {
		r.Steps += l.probe(ctx, best, r.Primal, o.Probe)
		bound, steps := l.volume(ctx, best, r.Primal, o.Iterations/4, o.Target)
		r.Bound, r.Steps = max(r.Bound, bound), r.Steps+steps
	}
	r.Pi, r.Fixing = best, l.fixing()
	return r, nil
}

// FixByBound applies the fixing test once, at the duals given; ub is the cost of a known design.
func FixByBound(in *Instance, pi []float64, ub float64) (Fixing, float64, error) {
	if len(pi) != in.Clients || math.IsNaN(ub) {
		return Fixing{}, 0, fmt.Errorf("ufl: %w: %d duals for %d clients, upper bound %g", ErrOptions, len(pi), in.Clients, ub)
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

// lagrangian evaluates L and its supergradient, with facilities that are fixed.
type lagrangian struct {
	in    *Instance
	rows  *Sorted
	ub    float64 // rounded up
	state []int8
	kappa []float64 // sum_i (pi_i - c_ij)+
	chi   []float64 // the Lagrangian design
	grad  []float64 // 1 - number of facilities of the design that are cheaper than pi_i
	low   float64   // the last evaluation, rounded down
}

func newLagrangian(in *Instance, ub float64) *lagrangian {
	if !math.IsInf(ub, 0) {
		ub += 4 * ulp(ub) // TotalCost rounds; see compensated.up
	}
	return &lagrangian{in: in, rows: in.Sorted(), ub: ub, state: make([]int8, in.Facilities),
		kappa: make([]float64, in.Facilities), chi: make([]float64, in.Facilities), grad: make([]float64, in.Clients)}
}

// rho returns bounds on the exact reduced cost f_j - kappa_j.
func (l *lagrangian) rho(j int) (low, high float64) {
	m := l.in.Clients
	low = math.Nextafter(l.in.Fixed[j]-sumUp(l.kappa[j], m), math.Inf(-1))
	high = math.Nextafter(l.in.Fixed[j]-sumDown(l.kappa[j], m), math.Inf(1))
	return low, high
}

// evaluate computes L(pi), rounded down, with its design and supergradient.
func (l *lagrangian) evaluate(pi []float64) float64 {
	clear(l.kappa)
	var plus, minus compensated // L = plus - minus, both sums of nonnegative terms
	for i, v := range pi {
		plus.add(v)
		order, cost := l.rows.Row(i)
		for t, c := range cost {
			if c >= v {
				break
			}
			l.kappa[order[t]] += v - c
		}
	}
	none := int32(-1)
	for j := range l.kappa {
		l.chi[j] = 0
		low, _ := l.rho(j)
		if l.state[j] == fixedOpen || l.state[j] == undecided && low < 0 {
			l.chi[j] = 1
			none = int32(j)
			if low < 0 {
				minus.add(-low)
			} else {
				plus.add(low)
			}
		}
	}
	l.low = plus.down() - minus.up()
	l.low = math.Nextafter(l.low, math.Inf(-1))
	l.gradient(pi, none < 0)
	return l.low
}

// gradient fills grad for the design chi; an empty design takes the facility with the least reduced cost,
// which the row sum y >= 1 would open, and only steers the search.
func (l *lagrangian) gradient(pi []float64, empty bool) {
	if empty {
		least := -1
		for j := range l.kappa {
			if l.state[j] != fixedClosed && (least < 0 || l.in.Fixed[j]-l.kappa[j] < l.in.Fixed[least]-l.kappa[least]) {
				least = j
			}
		}
		if least >= 0 {
			l.chi[least] = 1
		}
	}
	open := Open(l.chi)
	for i, v := range pi {
		row := l.in.Row(i)
		g := 1.0
		for _, j := range open {
			if row[j] < v {
				g--
			}
		}
		l.grad[i] = g
	}
}

// fix applies the fixing tests to the last evaluation and returns how many facilities it settled.
func (l *lagrangian) fix() int {
	settled := 0
	for j, state := range l.state {
		if state != undecided {
			continue
		}
		low, high := l.rho(j)
		switch {
		case low > 0 && math.Nextafter(l.low+low, math.Inf(-1)) > l.ub:
			l.state[j] = fixedClosed
			settled++
		case high < 0 && math.Nextafter(l.low-high, math.Inf(-1)) > l.ub:
			l.state[j] = fixedOpen
			settled++
		}
	}
	return settled
}

func (l *lagrangian) fixing() Fixing {
	f := Fixing{UB: l.ub}
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

// volume improves best in place and returns the best bound and the number of steps. primal receives the
// average design. It stops when the bound exceeds the upper bound: then no design costs at most ub.
func (l *lagrangian) volume(ctx context.Context, best, primal []float64, steps int, target float64) (float64, int) {
	const (
		patience = 10 // steps without a better bound, after which the step is cut
		period   = 50 // steps between two looks at the progress of the bound
	)
	bound := l.evaluate(best)
	l.fix()
	direction, pi := slices.Clone(l.grad), slices.Clone(best)
	copy(primal, l.chi)
	lambda, failed, weight, checkpoint := 0.5, 0, 0.1, bound
	for step := range steps {
		norm := dot(direction, direction)
		if bound >= l.ub*(1-target) || norm < 1e-12*float64(len(pi)) || ctx.Err() != nil {
			return bound, step
		}
		length := lambda * (l.goal(bound) - bound) / norm
		for i := range pi {
			pi[i] = l.clip(i, best[i]+length*direction[i])
		}
		value := l.evaluate(pi)
		l.fix()
		average(direction, primal, l.grad, l.chi, weight)
		if value > bound {
			if dot(direction, l.grad) >= 0 {
				lambda = min(2, lambda*1.1)
			}
			bound, failed = value, 0
			copy(best, pi)
		} else if failed++; failed >= patience {
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

// goal is the value that the step length aims at.
func (l *lagrangian) goal(bound float64) float64 {
	if math.IsInf(l.ub, 1) {
		return bound + 0.05*math.Abs(bound)
	}
	return max(l.ub, bound+1e-3*math.Abs(bound))
}

// clip keeps the dual of client i within its row's range of costs, where nothing is lost.
func (l *lagrangian) clip(i int, v float64) float64 {
	_, cost := l.rows.Row(i)
	return min(max(v, cost[0]), cost[len(cost)-1])
}

// average moves direction and primal towards the new supergradient and design by the step in
// [most/10, most] that makes the direction shortest.
func average(direction, primal, grad, chi []float64, most float64) {
	var across, length float64
	for i, d := range direction {
		e := grad[i] - d
		across -= e * d
		length += e * e
	}
	alpha := most
	if length > 0 {
		alpha = min(max(across/length, most/10), most)
	}
	for i := range direction {
		direction[i] += alpha * (grad[i] - direction[i])
	}
	for j := range primal {
		primal[j] += alpha * (chi[j] - primal[j])
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// probe settles facilities one by one: with y_j forced to the value that the duals speak against, a few
// volume steps raise the bound on the designs that have it; beyond ub, the other value is proven.
func (l *lagrangian) probe(ctx context.Context, pi, primal []float64, steps int) (used int) {
	trial, average := make([]float64, len(pi)), make([]float64, len(primal))
	saved := make([]int8, len(l.state))
	for j := range l.state {
		if l.state[j] != undecided || ctx.Err() != nil {
			continue
		}
		force, other := fixedOpen, fixedClosed
		if primal[j] > 0.5 {
			force, other = other, force
		}
		copy(saved, l.state)
		l.state[j] = force
		copy(trial, pi)
		bound, n := l.volume(ctx, trial, average, steps, 0)
		used += n
		copy(l.state, saved) // what follows from a forced value is not known without it
		if bound > l.ub {
			l.state[j] = other
		}
	}
	return used
}
