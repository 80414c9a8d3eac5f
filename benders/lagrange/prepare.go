package lagrange

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Options steer a Preparation.
type Options struct {
	Steps  int // volume steps, in all
	Every  int // volume steps between two local searches from the average point
	Budget int // designs that a local search prices at most
	Kicks  int // descents from disturbed designs without a better one, after which the search ends
	Probe  int // volume steps on each undecided column afterwards, 0 for none
}

// Preparation raises a Lagrangian bound and looks for designs, each with the help of the other, before a master or a
// tree starts: the volume algorithm with local searches from its average points on the way, then kicks, then probes.
type Preparation struct {
	Relaxation Binary
	Volume     *Volume      // with the multipliers to begin with
	Search     *LocalSearch // nil for none: then the relaxation has its UB
	Accuracy   float64      // of prices, relative
	Gap        float64      // at which the bound counts as proof of the design
	Options    Options
	Refine     func() error // called every now and then: new rows from the average point, say; nil for none

	// Report is called now and then with the cost of the best design, +Inf without one, and the bound; nil for nobody.
	Report func(cost, bound float64)

	Bound float64     // proven lower bound on every design that costs at most UB
	Cores [][]float64 // the last multipliers on the way, the best ones at the end: each makes a cut for the master
}

const (
	maxCores    = 20
	kickGap     = 1e-3 // above it the best design is disturbed and improved again
	minLength   = 1e-3 // of volume steps, below which they are not worth taking
	probedSteps = 100  // of the volume algorithm after the probes
)

// Run does it all. Where it is cancelled it returns what it has.
func (p *Preparation) Run(ctx context.Context) error {
	p.Bound = math.Inf(-1)
	if p.Search != nil {
		p.Search.Report = p.report
		defer func() { p.Search.Report = nil }() // a tree that goes on with the search reports what it finds
	}
	if err := p.ascend(ctx); err != nil {
		return benders.NotCancelled(ctx, err)
	}
	// A design that is nearly proven is hardly improved by disturbing it.
	if p.Search != nil && !p.closed(kickGap) {
		if err := p.Search.Kick(ctx, p.Options.Kicks, p.Options.Budget); err != nil {
			return benders.NotCancelled(ctx, err)
		}
		p.offer()
		p.Volume.Resume(p.Relaxation)
	}

	// Probes come last, when the bound is as high and the limit as low as they will be.
	if p.Options.Probe == 0 {
		return nil
	}
	return p.probe(ctx)
}

// closed reports whether the bound proves the best design to a gap.
func (p *Preparation) closed(gap float64) bool {
	if p.Search == nil {
		return p.Bound >= p.Relaxation.Limit()
	}
	return p.Search.Best.Y != nil && p.Bound >= p.Search.Cost()*(1-gap)
}

// report calls Report with what is known.
func (p *Preparation) report() {
	if p.Report == nil {
		return
	}

	// Without a search of its own the relaxation has the cost of a known design.
	cost := p.Relaxation.Limit()
	if p.Search != nil {
		cost = p.Search.Cost()
	}
	p.Report(cost, p.Bound)
}

// offer lowers the limit of the relaxation to the cost of the best design.
func (p *Preparation) offer() {
	if p.Search != nil {
		p.Relaxation.Known().Lower(p.Search.Cost(), p.Accuracy)
	}
}

// ascend takes all volume steps, with searches in between.
func (p *Preparation) ascend(ctx context.Context) error {
	p.offer()
	p.Volume.Restart(p.Relaxation)
	p.Bound = p.Volume.Bound
	known := p.Search == nil || p.Search.Best.Y != nil
	for done := 0; ; {
		// The first search comes before the first steps only where no design is known.
		if p.Search != nil && (done > 0 || !known) {
			if err := p.Search.Round(ctx, p.Volume.Average, p.Options.Budget); err != nil {
				return err
			}
			p.offer()
		}
		spent := done >= p.Options.Steps || p.Volume.Length < minLength
		if spent || p.closed(p.Gap) || ctx.Err() != nil {
			return nil
		}

		// The last steps may be fewer than the others.
		steps := min(p.Options.Every, p.Options.Steps-done)
		if err := p.improve(ctx, steps); err != nil {
			return err
		}
		done += steps
	}
}

// improve raises the bound, refines the relaxation and keeps multipliers on the way.
func (p *Preparation) improve(ctx context.Context, steps int) error {
	const parts = 4
	for part := range parts {
		// Four nearly equal parts: after each of them the relaxation may get new rows.
		p.Volume.Improve(ctx, p.Relaxation, steps*(part+1)/parts-steps*part/parts)
		if p.Refine != nil {
			if err := p.Refine(); err != nil {
				return err
			}
		}

		// The oldest multipliers, which are the worst ones, make room.
		if len(p.Cores) == maxCores {
			p.Cores = append(p.Cores[:0], p.Cores[1:]...)
		}
		p.Cores = append(p.Cores, slices.Clone(p.Volume.Multipliers))
		p.Bound = max(p.Bound, p.Volume.Bound)
		p.report()
	}
	return nil
}

// probe fixes columns one by one, and raises the bound of what is left.
func (p *Preparation) probe(ctx context.Context) error {
	if p.closed(p.Gap) || ctx.Err() != nil || Probe(ctx, p.Relaxation, p.Volume, p.Options.Probe, p.report) == 0 {
		return nil
	}

	// Where columns were fixed the bound has room that the old steps, which have become short, would not use.
	p.Relaxation.Compact(-1)
	p.Volume.Length = longRun.Length
	p.Volume.Resume(p.Relaxation)
	return p.improve(ctx, probedSteps)
}
