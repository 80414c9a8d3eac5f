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
	Report     func(k int, r *Solved) // called with each solved program; may be nil
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

// Solved is a sampled program that was solved.
type Solved struct {
	Status           lp.Status
	Objective, Bound float64
	Design           []float64 // nil for none
	Maximize         bool
}

// Solver solves a program.
type Solver func(context.Context, *stoch.Program) (*benders.Result, error)

// SolveSample draws a program of n scenarios and solves it.
func SolveSample(ctx context.Context, draw Sampler, solve Solver, n int, seed uint64) (*Solved, error) {
	p, err := draw(n, seed)
	if err != nil {
		return nil, err
	}
	r, err := solve(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Solved{
		Status:    r.Status,
		Objective: r.Objective,
		Bound:     r.Bound,
		Design:    r.Design,
		Maximize:  p.Core.Maximize,
	}, nil
}

// Steps are the parts of replications that take time. What they answer depends on sizes, seeds and designs alone, so
// that others may do them in any order.
type Steps interface {
	// Solve does SolveSample for each seed, and returns the results by the number of the seed: nil where the context ended
	// before, and behind one that is infeasible or unbounded, if that is an end. It calls report for each that is there.
	Solve(ctx context.Context, n int, seeds []uint64, report func(k int, r *Solved)) ([]*Solved, error)

	// Price prices each of the designs on the same sample of n scenarios.
	Price(ctx context.Context, n int, seed uint64, designs [][]float64) ([]*Costs, error)
}

// inTurn does one thing after the other. It implements Steps.
type inTurn struct {
	draw  Sampler
	solve Solver
}

// Solve implements Steps.
func (s inTurn) Solve(ctx context.Context, n int, seeds []uint64, report func(k int, r *Solved)) ([]*Solved, error) {
	out := make([]*Solved, len(seeds))
	for k, seed := range seeds {
		// A program that was solved when the time ended does not count: its bound may be far off.
		r, err := SolveSample(ctx, s.draw, s.solve, n, seed)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		report(k, r)
		if out[k] = r; r.hopeless() {
			break
		}
	}
	return out, nil
}

// Price implements Steps.
func (s inTurn) Price(ctx context.Context, n int, seed uint64, designs [][]float64) ([]*Costs, error) {
	p, err := s.draw(n, seed)
	if err != nil {
		return nil, err
	}
	var out []*Costs
	for _, y := range designs {
		c, err := Evaluate(ctx, p, y)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// hopeless reports whether there is no mean of the optima.
func (r *Solved) hopeless() bool { return r.Status == lp.Infeasible || r.Status == lp.Unbounded }

// Replicate estimates the gap of sample average approximation (Mak, Morton and Wood, Operations Research Letters 24,
// 1999): it solves sampled programs, whose mean optimum is a bound, compares their designs on one sample and prices the
// best on another.
func Replicate(ctx context.Context, draw Sampler, solve Solver, o Replications) (*Replicated, error) {
	return ReplicateBy(ctx, inTurn{draw, solve}, o)
}

// ReplicateBy is Replicate by steps of the caller.
func ReplicateBy(ctx context.Context, steps Steps, o Replications) (*Replicated, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	out := &Replicated{
		Status:  lp.Optimal,
		Gap:     math.NaN(),
		GapHigh: math.NaN(),
		Cost:    Sample(nil, o.Level),
	}

	// The replications are independent, each with a seed of its own.
	seeds := make([]uint64, o.Count)
	for k := range seeds {
		seeds[k] = o.Seed<<34 + programStream + uint64(k)
	}
	report := func(k int, r *Solved) {
		if o.Report != nil {
			o.Report(k, r)
		}
	}
	list, err := steps.Solve(ctx, o.Size, seeds, report)
	if err != nil {
		return nil, err
	}

	var bounds []float64    // of the sampled programs
	var designs [][]float64 // their best ones, each once
	maximize := false
	for k, r := range list {
		if r == nil {
			continue
		}
		maximize = r.Maximize

		// Without an optimum of one sampled program there is no mean of them.
		if r.hopeless() {
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
	return out, out.price(ctx, steps, designs, maximize, o)
}

// price compares the designs and prices the best.
func (r *Replicated) price(ctx context.Context, steps Steps, designs [][]float64, maximize bool, o Replications) error {
	// An error after the context has ended is a status.
	stopped := func(err error) error {
		if ctx.Err() != nil {
			r.Reason = "the time was over before the designs were priced"
			r.Status = lp.TimeLimit
			return nil
		}
		return err
	}

	// Designs are compared on the same scenarios. Their sample has a stream of its own: on the scenarios that made it a
	// design looks better than it is.
	r.Design = designs[0]
	if len(designs) > 1 {
		list, err := steps.Price(ctx, o.Evaluation, o.Seed<<34+compareStream, designs)
		if err != nil {
			return stopped(err)
		}

		// The mean of a design without a recourse in some scenario is NaN, and no less than any other.
		best := math.Inf(1)
		for k, c := range list {
			if v := sense(maximize) * c.Mean(); v < best {
				best = v
				r.Design = designs[k]
			}
		}
	}

	// The best one is priced on scenarios that did not choose it, so that its mean cost has no bias.
	// Its sample does not depend on how many designs there were.
	list, err := steps.Price(ctx, o.Evaluation, o.Seed<<34+priceStream, [][]float64{r.Design})
	if err != nil {
		return stopped(err)
	}

	// Both intervals are needed for that of the gap.
	c := list[0]
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
