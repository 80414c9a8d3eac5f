package cflp

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/benders/lagrange"
)

// Prepared is what is known of an instance before the master starts.
type Prepared struct {
	Design  Design    // the best design found
	Bound   float64   // proven lower bound on every design that costs at most Fixing.UB
	Lambda  []float64 // the multipliers of the bound
	Fixing  lagrange.Fixing
	Elapsed time.Duration

	cores  [][]float64
	primal []float64
}

// masterCuts is how many cuts of the Lagrangian bound the master holds from the start.
const masterCuts = 20

// prepare runs the volume algorithm, with local searches from its average designs on the way, and settles
// facilities. The instance must have a feasible design.
func prepare(ctx context.Context, in *Instance, o DualOptions, began time.Time) (Prepared, error) {
	l, s := newLagrangian(in), NewLocalSearch(in)
	v := newVolume(in, 0.7, 0.2, 10)
	pre := Prepared{Design: Design{Cost: math.Inf(1)}}
	kept := cores{most: masterCuts}
	l.start(v)
	pre.Bound = l.centre(v)
	better := func() { kept.add(v.trial) }
	for done := 0; ; {
		if err := pre.search(ctx, s, v); err != nil {
			return pre, err
		}
		l.limit(pre.Design.Cost)
		if done >= o.Iterations || pre.closed(o.Gap) || ctx.Err() != nil || v.length < 1e-4 {
			break
		}
		steps := min(o.Search, o.Iterations-done)
		pre.Bound = l.improve(ctx, v, pre.Bound, steps, better)
		done += steps
	}
	if !pre.closed(kickGap) {
		if err := pre.kick(ctx, s, o.Kicks); err != nil {
			return pre, err
		}
		l.limit(pre.Design.Cost)
		l.centre(v)
		l.fix()
	}
	if o.Probe > 0 && !pre.closed(o.Gap) {
		for range 3 {
			if l.probe(ctx, v, o.Probe) == 0 {
				break
			}
			v.length = 0.7
			pre.Bound = l.improve(ctx, v, max(pre.Bound, l.centre(v)), o.Search, better)
			l.centre(v)
			l.fix()
		}
	}
	kept.add(v.lambda)
	pre.Lambda, pre.primal, pre.cores, pre.Fixing = v.lambda, v.primal, kept.list, l.fixing()
	pre.Elapsed = time.Since(began)
	return pre, nil
}

// kickGap is the gap above which the design after the volume algorithm is disturbed and improved again.
const kickGap = 1e-3

// kick is an iterated local search from the best design: some facilities are closed and others opened at random, and
// the design descends again. It stops after the given number of descents without a better design.
func (p *Prepared) kick(ctx context.Context, s *LocalSearch, most int) error {
	const budget = 60
	rng := rand.New(rand.NewPCG(1, 0x6b69636b))
	if p.Design.Open == nil {
		return nil
	}
	y := make([]float64, s.in.Facilities)
	for failed := 0; failed < most && ctx.Err() == nil; failed++ {
		for j := range y {
			y[j] = 0.5 * rng.Float64() // what Round takes first where capacity is missing
		}
		for _, j := range p.Design.Open {
			y[j] = 1
		}
		for range 1 + rng.IntN(3) {
			y[p.Design.Open[rng.IntN(len(p.Design.Open))]] = 0
			y[rng.IntN(len(y))] = 1
		}
		open := s.Round(y)
		if open == nil {
			continue
		}
		d, err := s.Descend(ctx, open, budget)
		if err != nil {
			return notCancelled(ctx, err)
		}
		if d.Cost < p.Design.Cost*(1-1e-9) {
			p.Design, failed = d, -1
		}
	}
	return nil
}

// closed reports whether the bound proves the design to the gap.
func (p *Prepared) closed(gap float64) bool { return p.Bound >= p.Design.Cost*(1-gap) }

// search improves the design from the average of the relaxation.
func (p *Prepared) search(ctx context.Context, s *LocalSearch, v *volume) error {
	const budget = 200
	open := s.Round(v.primal)
	if open == nil {
		return nil
	}
	s.core = v.lambda
	d, err := s.Descend(ctx, open, budget)
	if err != nil {
		return notCancelled(ctx, err)
	}
	if d.Cost < p.Design.Cost {
		p.Design = d
	}
	return nil
}
