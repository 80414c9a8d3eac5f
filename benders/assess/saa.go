package assess

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Sampler draws a program of n equally likely scenarios from a seed.
type Sampler func(n int, seed uint64) (*stoch.Program, error)

// Resample returns the sampler that draws from the scenarios of a program, with replacement.
func Resample(p *stoch.Program) Sampler {
	return func(n int, seed uint64) (*stoch.Program, error) { return resample(p, n, seed) }
}

// Replications steer Replicate. Start from DefaultReplications.
type Replications struct {
	Count      int     // programs that are solved
	Size       int     // scenarios of each
	Evaluation int     // scenarios that designs are priced on
	Level      float64 // of confidence
	Seed       uint64
	Report     func(k int, r *benders.Result) // called with each solved program; may be nil
}

// DefaultReplications returns the defaults: 20 programs of 50 scenarios, designs priced on 1000, a confidence of 95%.
func DefaultReplications() Replications {
	return Replications{
		Count:      20,
		Size:       50,
		Evaluation: 1000,
		Level:      0.95,
		Seed:       1,
	}
}

// Validate reports the first option that makes no sense. The error wraps benders.ErrOptions.
func (o *Replications) Validate() error {
	// An interval needs two values.
	enough := o.Count >= 2 && o.Size >= 1 && o.Evaluation >= 2
	if !enough || !(o.Level > 0 && o.Level < 1) {
		return fmt.Errorf("assess: %w: %d replications of %d scenarios, %d to evaluate, confidence %g", benders.ErrOptions,
			o.Count, o.Size, o.Evaluation, o.Level)
	}
	return nil
}

// Replicated is the result of replications of a sample average approximation. For a maximisation Bound is an upper
// bound and Cost the expected profit.
type Replicated struct {
	Bound   Interval  // of the optimum of a sampled program, which is on average no worse than the true optimum
	Cost    Interval  // of the design, on scenarios of its own
	Design  []float64 // the best design on the sample that compares them
	Designs int       // how many different ones
	Gap     float64   // estimate of how much worse the design is than the optimum
	GapHigh float64   // upper end of a one-sided interval of the confidence for it (Bonferroni)
	Reason  string    // why there is no interval, "" if there is one
	Status  lp.Status // Optimal for an estimate; Infeasible, Unbounded or TimeLimit where there is none
	Solved  int       // programs that were solved; fewer than asked for where the context ended
}

// Streams of seeds: of the programs, of the sample that compares designs, of the one that prices the best.
const (
	programStream = iota << 32
	compareStream
	priceStream
)

// Replicate estimates the gap of sample average approximation (Mak, Morton and Wood, Operations Research Letters 24,
// 1999): it solves sampled programs, whose mean optimum is a bound, compares their designs on one sample and prices the
// best on another.
func Replicate(ctx context.Context, draw Sampler, solve func(context.Context, *stoch.Program) (*benders.Result, error),
	o Replications) (*Replicated, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	out := &Replicated{
		Status:  lp.Optimal,
		Gap:     math.NaN(),
		GapHigh: math.NaN(),
		Cost:    Sample(nil, o.Level),
	}
	var bounds []float64    // of the sampled programs
	var designs [][]float64 // their best ones, each once
	maximize := false

	// The replications are independent, each with a seed of its own.
	for k := range o.Count {
		p, err := draw(o.Size, o.Seed<<34+programStream+uint64(k))
		if err != nil {
			return nil, err
		}
		maximize = p.Core.Maximize

		// A program that was solved when the time ended does not count: its bound may be far off.
		r, err := solve(ctx, p)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		if o.Report != nil {
			o.Report(k, r)
		}

		// Without an optimum of one sampled program there is no mean of them.
		if r.Status == lp.Infeasible || r.Status == lp.Unbounded {
			out.Reason = fmt.Sprintf("replication %d is %v", k+1, r.Status)
			out.Status = r.Status
			return out, nil
		}
		bounds = append(bounds, r.Bound)
		if r.Design != nil && !slices.ContainsFunc(designs, func(y []float64) bool { return slices.Equal(y, r.Design) }) {
			designs = append(designs, r.Design)
		}
	}

	// The mean of the bounds is on the right side of the mean of the optima, whatever gap the solver left. Programs that
	// were not solved leave an estimate from fewer of them.
	out.Bound = Sample(bounds, o.Level)
	out.Solved = len(bounds)
	out.Designs = len(designs)
	if out.Solved < o.Count {
		out.Status = lp.TimeLimit
	}
	if len(designs) == 0 {
		out.Reason = "no replication had a design"
		out.Status = lp.TimeLimit
		return out, nil
	}
	return out, out.price(ctx, draw, designs, maximize, o)
}

// price compares the designs and prices the best.
func (r *Replicated) price(ctx context.Context, draw Sampler, designs [][]float64, maximize bool,
	o Replications) error {
	// An error after the context has ended is a status.
	stopped := func(err error) error {
		if ctx.Err() != nil {
			r.Reason = "the time was over before the designs were priced"
			r.Status = lp.TimeLimit
			return nil
		}
		return err
	}

	// Designs are compared on the same scenarios.
	r.Design = designs[0]
	if len(designs) > 1 {
		// Their sample has a stream of its own: on the scenarios that made it a design looks better than it is.
		p, err := draw(o.Evaluation, o.Seed<<34+compareStream)
		if err != nil {
			return err
		}
		best := math.Inf(1)
		for _, y := range designs {
			c, err := Evaluate(ctx, p, y)
			if err != nil {
				return stopped(err)
			}

			// The mean of a design without a recourse in some scenario is NaN, and no less than any other.
			if v := sense(maximize) * c.Mean(); v < best {
				best = v
				r.Design = y
			}
		}
	}

	// The best one is priced on scenarios that did not choose it, so that its mean cost has no bias.
	// Its sample does not depend on how many designs there were.
	p, err := draw(o.Evaluation, o.Seed<<34+priceStream)
	if err != nil {
		return err
	}
	c, err := Evaluate(ctx, p, r.Design)
	if err != nil {
		return stopped(err)
	}

	// Both intervals are needed for that of the gap.
	if c.Infeasible > 0 {
		r.Status = lp.Infeasible
		r.Reason = fmt.Sprintf("the design has no recourse in %d of %d scenarios", c.Infeasible, o.Evaluation)
		return nil
	}

	// The scenarios are equally likely, so that their costs are a sample.
	r.Cost = Sample(c.Scenario, o.Level)
	if r.Bound.Count < 2 {
		r.Reason = "fewer than two replications were solved"
		r.Status = lp.TimeLimit
		return nil
	}
	r.gap(maximize)
	return nil
}

// gap combines the two intervals: each misses with at most half of 1 - level on the side that counts.
func (r *Replicated) gap(maximize bool) {
	// A negative difference is chance, since no design is better than the optimum.
	r.Gap = max(0, sense(maximize)*(r.Cost.Mean-r.Bound.Mean))
	r.GapHigh = r.Gap + r.Cost.half() + r.Bound.half()
}
