package cflp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/outward"
)

// DualOptions steer the Lagrangian bound. Start from DefaultDualOptions.
type DualOptions struct {
	Iterations int     // volume steps, in all
	Probe      int     // volume steps spent on each undecided facility afterwards, 0 for none
	Gap        float64 // stop when the bound is within this fraction of the best design's cost
	Search     int     // volume steps between two local searches from the average design
	Kicks      int     // descents from disturbed designs without a better one, after which the search ends
}

// DefaultDualOptions returns the defaults.
func DefaultDualOptions() DualOptions {
	return DualOptions{Iterations: 600, Probe: 50, Gap: 1e-6, Search: 40, Kicks: 12}
}

// Validate reports options that cannot be used.
func (o DualOptions) Validate() error {
	if o.Iterations < 0 || o.Probe < 0 || o.Search < 1 || o.Kicks < 0 || !(o.Gap >= 0) {
		return fmt.Errorf("cflp: %w: %+v", families.ErrOptions, o)
	}
	return nil
}

const (
	undecided int8 = iota
	fixedClosed
	fixedOpen
)

// lagrangian evaluates the relaxation of the demand rows,
//
//	L(lambda) = sum_i lambda_i + min { sum_j g_j y_j : cover row, y in [0,1]^n },  g_j = f_j - kappa_j(lambda),
//
// with facilities that are settled. The coefficients are those of the certified cut of lambda, so L is a bound on
// every design with those facilities over the float64 data, and so are the tests that settle facilities: a design
// with y_j = 1 costs at least L + rho_j+, one with y_j = 0 at least L + (-rho_j)+, rho the reduced costs.
type lagrangian struct {
	in        *Instance
	certifier *Certifier
	rows      []coverRow
	ub        float64 // what a design must cost to be of no interest; above the best known
	state     []int8
	g         []float64
	relaxed   [2]relaxed
	best      int // the row with the better bound
	bound     float64
	grad      []float64
}

func newLagrangian(in *Instance) *lagrangian {
	n := in.Facilities
	l := &lagrangian{in: in, certifier: NewCertifier(in), rows: in.coverRows(), ub: math.Inf(1), state: make([]int8, n),
		g: make([]float64, n), grad: make([]float64, in.Clients)}
	for k := range l.relaxed {
		l.relaxed[k].y = make([]float64, n)
	}
	return l
}

// limit takes the cost of the best known design. Costs are computed to a relative 1e-12 or so; a thousand times that
// keeps the design itself, and every one as good, on the right side.
func (l *lagrangian) limit(cost float64) { l.ub = min(l.ub, cost*(1+1e-9)) }

// evaluate computes L(lambda) and the reduced costs; +Inf where no design is left.
func (l *lagrangian) evaluate(lambda []float64) float64 {
	var alpha outward.Sum
	for _, v := range lambda {
		alpha.Add(v)
	}
	for j, f := range l.in.Fixed {
		if l.state[j] != fixedClosed {
			l.certifier.solve(benders.Optimality, lambda, j)
			l.g[j] = outward.AddDown(f, -l.certifier.up(benders.Optimality))
		}
	}
	l.bound = math.Inf(-1)
	for k := range l.relaxed {
		if !l.relaxed[k].solve(l.rows[k], alpha.Down(), l.g, l.state) {
			l.bound = math.Inf(1)
			return l.bound
		}
		if l.relaxed[k].bound > l.bound {
			l.bound, l.best = l.relaxed[k].bound, k
		}
	}
	return l.bound
}

// design is the solution of the relaxation at the last evaluation.
func (l *lagrangian) design() []float64 { return l.relaxed[l.best].y }

// gradient fills grad with the supergradient of L at lambda, the last point evaluated.
func (l *lagrangian) gradient(lambda []float64) {
	for i := range l.grad {
		l.grad[i] = 1
	}
	for j, v := range l.design() {
		if v != 0 {
			l.certifier.solve(benders.Optimality, lambda, j)
			l.certifier.sack.AddSolution(l.grad, -v)
		}
	}
}

// fix settles facilities by the last evaluation and returns how many.
func (l *lagrangian) fix() (settled int) {
	if math.IsInf(l.bound, 1) {
		return 0
	}
	for k := range l.relaxed {
		r := &l.relaxed[k]
		for j, s := range l.state {
			if s != undecided {
				continue
			}
			low, high := r.reduced(l.rows[k], l.g, j)
			switch {
			case low > 0 && outward.AddDown(r.bound, low) > l.ub:
				l.state[j] = fixedClosed
				settled++
			case high < 0 && outward.AddDown(r.bound, -high) > l.ub:
				l.state[j] = fixedOpen
				settled++
			}
		}
	}
	return settled
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

// volume is the state of the volume algorithm (Barahona and Anbil 2000): the best multipliers, and the averages of
// the Lagrangian designs and of their supergradients. Steps are taken in lambda_i / scale_i.
type volume struct {
	lambda, direction, primal []float64
	trial, scale              []float64
	length                    float64 // of a step, as a fraction of Polyak's
	weight                    float64 // greatest weight of the newest supergradient in the average
	patience                  int     // steps without a better bound, after which the step length is cut
	hopeless                  int     // if positive, the step after which a quarter of the way to ub must be made, else give up
}

func newVolume(in *Instance, length, weight float64, patience int) *volume {
	m := in.Clients
	return &volume{lambda: make([]float64, m), direction: make([]float64, m), primal: make([]float64, in.Facilities),
		trial: make([]float64, m), scale: scales(in), length: length, weight: weight, patience: patience}
}

// scales returns the spread of each client's costs, to which its multiplier moves in proportion.
func scales(in *Instance) []float64 {
	scale := make([]float64, in.Clients)
	for i := range scale {
		row := in.Row(i)
		low, mean := row[0], 0.0
		for _, c := range row {
			low = min(low, c)
			mean += c / float64(len(row))
		}
		scale[i] = mean - low
	}
	return scale
}

// start puts the volume at the multipliers that the relaxation without x_ij <= y_j has: the least cost with the fixed
// cost of the facility spread over its capacity.
func (l *lagrangian) start(v *volume) {
	for i, d := range l.in.Demand {
		v.lambda[i] = math.Inf(1)
		for j, c := range l.in.Row(i) {
			if s := l.rows[0].weight[j]; s > 0 {
				v.lambda[i] = min(v.lambda[i], c+l.in.Fixed[j]*d/s)
			}
		}
	}
	l.certifier.Project(v.lambda)
}

// centre sets the averages from the Lagrangian design at the present multipliers alone, and returns the bound there.
func (l *lagrangian) centre(v *volume) float64 {
	bound := l.evaluate(v.lambda)
	if !math.IsInf(bound, 1) {
		l.gradient(v.lambda)
		copy(v.direction, l.grad)
		copy(v.primal, l.design())
	}
	return bound
}

// improve takes up to the given number of steps and returns the best bound, which v.lambda then has. It stops where
// the bound exceeds the limit: then no design within it is left. better, if not nil, is told of every better bound.
func (l *lagrangian) improve(ctx context.Context, v *volume, bound float64, steps int, better func()) float64 {
	failed, first := 0, bound
	for step := range steps {
		norm := 0.0
		for i, d := range v.direction {
			norm += d * d * v.scale[i] * v.scale[i]
		}
		if norm == 0 || bound > l.ub || v.length < 1e-4 || ctx.Err() != nil {
			return bound
		}
		if v.hopeless > 0 && step == v.hopeless && bound-first < 0.25*(l.ub-first) {
			return bound
		}
		size := v.length * (l.goal(bound) - bound) / norm
		for i, d := range v.direction {
			v.trial[i] = v.lambda[i] + size*d*v.scale[i]*v.scale[i]
		}
		l.certifier.Project(v.trial)
		value := l.evaluate(v.trial)
		if math.IsInf(value, 1) {
			return value
		}
		l.fix()
		l.gradient(v.trial)
		v.average(l.grad, l.design())
		if value > bound {
			if better != nil {
				better()
			}
			if value > bound+1e-5*(l.goal(bound)-bound) {
				failed = 0
			}
			bound = value
			copy(v.lambda, v.trial)
			v.length = min(v.length*1.05, 1.5)
		} else if failed++; failed >= v.patience {
			v.length, failed = v.length*0.7, 0
		}
	}
	return bound
}

// goal is the value that the step length aims at.
func (l *lagrangian) goal(bound float64) float64 {
	if math.IsInf(l.ub, 1) {
		return bound + 0.05*math.Abs(bound) + 1e-9
	}
	return max(l.ub, bound+1e-4*math.Abs(bound))
}

// average moves direction and primal towards a supergradient and its design by the step in [weight/10, weight] that
// makes the direction shortest.
func (v *volume) average(grad, design []float64) {
	var across, length float64
	for i, d := range v.direction {
		e, s := grad[i]-d, v.scale[i]*v.scale[i]
		across -= e * d * s
		length += e * e * s
	}
	alpha := v.weight
	if length > 0 {
		alpha = min(max(across/length, v.weight/10), v.weight)
	}
	for i, d := range v.direction {
		v.direction[i] += alpha * (grad[i] - d)
	}
	for j, y := range v.primal {
		v.primal[j] += alpha * (design[j] - y)
	}
}

// probe settles facilities one by one: with y_j forced to the value that the average design speaks against, a few
// steps raise the bound on the designs that have it; beyond the limit, the other value is proven.
func (l *lagrangian) probe(ctx context.Context, base *volume, steps int) (settled int) {
	const length = 0.7
	trial := newVolume(l.in, length, 0.5, 3)
	trial.hopeless = 16
	saved := make([]int8, len(l.state))
	for j := range l.state {
		if l.state[j] != undecided || ctx.Err() != nil {
			continue
		}
		value, other := fixedOpen, fixedClosed
		if base.primal[j] > 0.5 {
			value, other = other, value
		}
		copy(saved, l.state)
		l.state[j] = value
		trial.length = length
		copy(trial.lambda, base.lambda)
		bound := l.improve(ctx, trial, l.centre(trial), steps, nil)
		copy(l.state, saved) // what follows from a forced value is not known without it
		if bound > l.ub {
			l.state[j] = other
			settled++
		}
	}
	return settled
}

// cores keeps the multipliers of the last better bounds, of which each makes a cut for the master.
type cores struct {
	list [][]float64
	most int
}

func (c *cores) add(lambda []float64) {
	if len(c.list) == c.most {
		c.list = append(c.list[:0], c.list[1:]...)
	}
	c.list = append(c.list, slices.Clone(lambda))
}
