package mcndp

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// DualOptions steer the Lagrangian bound and the local search that come before the master or the tree. Start from
// DefaultDualOptions.
type DualOptions struct {
	Iterations int // volume steps, in all
	Search     int // volume steps between two local searches from the average point
	Budget     int // designs that a local search prices at most
	Kicks      int // descents from disturbed designs without a better one, after which the search ends
	Probe      int // volume steps on each undecided arc, 0 for none
}

// DefaultDualOptions returns the defaults.
func DefaultDualOptions() DualOptions {
	return DualOptions{Iterations: 2000, Search: 400, Budget: 60, Kicks: 6, Probe: 30}
}

// Prepared is what is known of an instance before the master or the tree starts.
type Prepared struct {
	Design  Design  // the best design found
	Bound   float64 // proven lower bound on every design that costs at most the limit
	Closed  []int32 // arcs that are closed in every design that costs at most Design.Cost, ascending
	Opened  []int32 // and arcs that are open
	Elapsed time.Duration

	l      *lagrangian
	volume *lagrange.Volume
	search *LocalSearch
	cores  [][]float64
	cuts   []benders.Cut // of an earlier phase
}

// masterCuts is how many cuts of the Lagrangian bound the master holds from the start.
const masterCuts = 20

// prepare runs slope scaling, and then the volume algorithm with local searches from its average points on the way, and
// settles arcs. Where it is cancelled it returns what it has.
func prepare(ctx context.Context, in *Instance, gap float64, o DualOptions) (*Prepared, error) {
	began := time.Now()
	s, err := NewLocalSearch(in)
	if err != nil {
		return nil, err
	}
	p := &Prepared{l: newLagrangian(in), search: s}
	defer func() {
		p.finish()
		p.Elapsed = time.Since(began)
	}()
	p.volume = p.l.volume()
	const scalings = 12
	if err := s.scale(ctx, scalings, o.Budget); err != nil {
		return p, notCancelled(ctx, err)
	}
	p.l.limit(s.Best.Cost)
	p.volume.Restart(p.l)
	for done := 0; done < o.Iterations && !p.closed(gap) && ctx.Err() == nil; {
		steps, err := p.improve(ctx, min(o.Search, o.Iterations-done))
		if err != nil {
			return p, err
		}
		done += steps
		if err := s.Round(ctx, p.volume.Average, o.Budget); err != nil {
			return p, notCancelled(ctx, err)
		}
		p.l.limit(s.Best.Cost)
		if p.volume.Length < 1e-3 {
			break
		}
	}
	if !p.closed(gap) {
		if err := s.Kick(ctx, rand.New(rand.NewPCG(1, drawStream)), o.Kicks, o.Budget); err != nil {
			return p, notCancelled(ctx, err)
		}
		p.l.limit(s.Best.Cost)
	}
	if o.Probe > 0 && !p.closed(gap) {
		if err := p.probe(ctx, o.Probe); err != nil {
			return p, err
		}
	}
	return p, nil
}

// improve raises the bound, with new cut-set rows on the way, and keeps the multipliers for the master's first cuts.
func (p *Prepared) improve(ctx context.Context, steps int) (int, error) {
	const slices = 4
	done := 0
	for range slices {
		done += p.volume.Improve(ctx, p.l, steps/slices)
		if _, err := p.l.separate(p.volume); err != nil {
			return done, err
		}
		if len(p.cores) == masterCuts {
			p.cores = append(p.cores[:0], p.cores[1:]...)
		}
		p.cores = append(p.cores, copied(p.volume.Multipliers[:p.l.in.size()]))
	}
	p.Bound = max(p.Bound, p.volume.Bound)
	return max(done, 1), nil
}

// closed reports whether the bound proves the design to the gap.
func (p *Prepared) closed(gap float64) bool {
	return !math.IsInf(p.search.Best.Cost, 1) && p.Bound >= p.search.Best.Cost*(1-gap)
}

// finish lists what is settled.
func (p *Prepared) finish() {
	p.Design = p.search.Best
	p.Closed, p.Opened = nil, nil
	for j, s := range p.l.state {
		switch s {
		case fixedClosed:
			p.Closed = append(p.Closed, int32(j))
		case fixedOpen:
			p.Opened = append(p.Opened, int32(j))
		}
	}
}

// probe settles arcs one by one: with the value forced that the average point speaks against, a few steps raise the
// bound on the designs that have it; beyond the limit the other value is proven.
func (p *Prepared) probe(ctx context.Context, steps int) error {
	l := p.l
	trial := lagrange.NewVolume(len(p.volume.Multipliers), l.in.Arcs())
	trial.Weight, trial.Patience = 0.5, 3
	saved := make([]int8, len(l.state))
	for j := range l.state {
		if l.state[j] != undecided || ctx.Err() != nil {
			continue
		}
		value, other := fixedOpen, fixedClosed
		if p.volume.Average[j] > 0.5 {
			value, other = other, value
		}
		copy(saved, l.state)
		l.state[j] = value
		trial.CopyFrom(p.volume)
		trial.Length = 0.7
		hopeless := !l.available()
		if !hopeless {
			trial.Restart(l)
			trial.Improve(ctx, l, steps)
			hopeless = trial.Bound > l.ub
		}
		copy(l.state, saved) // what follows from a forced value is not known without it
		if hopeless {
			l.state[j] = other
		}
	}
	p.volume.Length = 0.5
	p.volume.Restart(l)
	_, err := p.improve(ctx, 100)
	return err
}
