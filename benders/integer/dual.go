package integer

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Dual decomposition (Caroe and Schultz 1999) gives every scenario a copy of the first stage. For multipliers with
// sum_s p_s pi_s = f,
//
//	sum_s p_s L_s(pi_s),   L_s(pi) = min { q_s'x + pi'z : rows of s, z in the first stage, x and z integer where they have to be },
//
// is a lower bound on every design, concave in pi. It is maximised by steps in a trust region: every optimal copy z of
// a scenario bounds L_s from above by a plane, and the bundle of these planes has a maximum near the best multipliers
// (Marsten, Hogan, Blankenship 1975), at which the scenarios are solved next. Copies, their mean and the point of the
// bundle are priced as designs.

// Sizes of the search.
const (
	dualReach      = 0.1  // half-width of the first trust region, in units of scales
	dualGrowth     = 2.0  // factor of the trust region after a step that got most of what the bundle promised
	dualShrinkage  = 0.3  // and after one that did not improve the bound
	goodShare      = 0.5  // share of the promised gain from which the trust region grows
	leastScale     = 0.02 // scale of a multiplier, relative to the mean of all, where the linear programs agree on it
	designRounds   = 3    // rounds of scenarios after which copies are priced as designs
	openShare      = 1.25 // ratio of the promised gain to those gaps up to which the limit grows
	firstNodes     = 1    // limit of the nodes of a scenario at first
	maxDualNodes   = 1 << 20
	moreNodes      = 4    // factor of the limit of nodes of a scenario where its gaps hide what steps may gain
	dualPrecision  = 1e-6 // promised gain, relative to the bound, at which the search ends
	dualSmallReach = 1e-9 // trust region, relative to the scales, at which the search gives up
)

// scenarioDual is a run of dual decomposition.
type scenarioDual struct {
	*lagrangian
	*pricedDesigns
	run   *run
	o     benders.Options
	root  box
	f     []float64 // costs of the first stage
	model *bundle

	bound  float64     // the best one that is proven
	center [][]float64 // multipliers of the highest value so far
	value  float64     // which is this
	slack  float64     // what the value may rise where the scenarios of the centre are solved with more nodes
	reach  float64     // of the trust region, in units of scale
	scale  []float64   // of the multipliers, by columns
	nodes  int         // limit of the mixed-integer program of a scenario
	points [][]float64 // the last one of each scenario, with which its next search begins; nil where it is not kept

	rounds int
	began  time.Time
	logged time.Time
}

// ScenarioDual solves a program with scenarios by dual decomposition from a start. Its recourse need not have integer
// columns. Values are those of a minimisation.
func ScenarioDual(ctx context.Context, p *stoch.Program, start *decompose.Start, o decompose.Options) (
	*benders.Result, error) {
	q, err := New(p)
	if err != nil {
		return nil, err
	}
	r := &run{p: q, base: q.relaxed.Program(), best: math.Inf(1)}
	r.begin(&o)
	return r.scenarioDual(ctx, start, o.Benders)
}

// scenarioDual is the run of the method dual.
func (r *run) scenarioDual(ctx context.Context, start *decompose.Start, o benders.Options) (*benders.Result, error) {
	prices, err := r.prices()
	if err != nil {
		return nil, err
	}
	d := newScenarioDual(r, prices, start, o)
	limited, cancel := o.Within(ctx, d.began)
	defer cancel()
	why, err := d.search(limited)
	if err != nil && limited.Err() == nil {
		return nil, err
	}

	// The result is what is known, whatever ended the search.
	why = limitOf(ctx, limited, why)
	out := d.outcome(d.bound)
	out.Iterations = d.rounds
	out.Elapsed = time.Since(d.began)
	out.Settle(why, o.Gap)
	return out, nil
}

// newScenarioDual returns a run from a start, before its first round.
func newScenarioDual(r *run, prices *pricer, start *decompose.Start, o benders.Options) *scenarioDual {
	d := &scenarioDual{
		lagrangian:    newLagrangian(prices),
		pricedDesigns: newPricedDesigns(prices, &r.best),
		run:           r,
		o:             o,
		bound:         start.Bound,
		value:         math.Inf(-1),
		reach:         dualReach,
		nodes:         firstNodes,
		points:        make([][]float64, len(r.p.weight)),
		root:          wholeBox(r.p.master),
		began:         time.Now(),
	}
	for _, c := range r.p.master.Cols {
		d.f = append(d.f, c.Cost)
	}
	if start.Design != nil {
		d.accept(start.Design, start.Cost)
	}
	return d
}

// search raises the bound until the multipliers are optimal, the bound proves the best design, or a limit ends it.
func (d *scenarioDual) search(ctx context.Context) (benders.Reason, error) {
	pi, err := d.firstMultipliers(ctx)
	if err != nil {
		return benders.TimeOut, err
	}
	if d.model, err = newBundle(d.f, d.p.weight); err != nil {
		return benders.Unfinished, prefixed(err)
	}
	d.setScale(pi)

	var next proposal
	for {
		if d.rounds >= d.o.MaxIterations {
			return benders.IterationsOut, nil
		}
		planes, feasible, err := d.round(ctx, d.centred(pi), next.value)
		switch {
		case err != nil:
			return benders.TimeOut, err
		case !feasible:
			d.bound = math.Inf(1)
			return benders.NoDesign, nil
		}

		// Designs from what the scenarios chose. The point of the bundle is known from the second round on.
		if d.rounds%designRounds == 1 {
			if next.y == nil {
				next.y = mean(planes, d.p.weight)
			}
			if err := d.copies(ctx, planes, next.y); err != nil {
				return benders.TimeOut, err
			}
		}
		if d.rounds == 1 && d.run.o.Log != nil {
			d.run.o.Log(fmt.Sprintf("dual decomposition: bound %.9g by the multipliers of linear programs, %.1fs", d.value,
				time.Since(d.began).Seconds()))
		}
		d.report()
		if d.closed() {
			return benders.OneSided, nil
		}

		// The next multipliers; the best ones again where their scenarios were left open by too much to go on.
		var why benders.Reason
		if next, why, err = d.next(ctx); err != nil || why != benders.Unfinished {
			return why, err
		}
		pi = next.pi
	}
}

// closed reports whether the bound proves the best design.
func (d *scenarioDual) closed() bool {
	return d.design != nil && lp.RelativeGap(d.cost, min(d.bound, d.cost)) <= d.o.Gap*(1-1e-6)
}

// setScale sets the units of the trust region: how much the first multipliers of a column differ between scenarios.
func (d *scenarioDual) setScale(pi [][]float64) {
	d.scale = make([]float64, len(d.f))
	total := 0.0
	for j, c := range d.f {
		sum := 0.0
		for s, p := range d.p.weight {
			sum += p * (pi[s][j] - c) * (pi[s][j] - c)
		}
		d.scale[j] = math.Sqrt(sum)
		total += d.scale[j]
	}

	least := leastScale * total / float64(len(d.f))
	for j, c := range d.f {
		d.scale[j] = max(d.scale[j], least, leastScale*math.Abs(c), 1e-6)
	}
}

// centred returns finite multipliers whose weighted sum is f but for rounding.
func (d *scenarioDual) centred(pi [][]float64) [][]float64 {
	out := make([][]float64, len(pi))
	excess := make([]float64, len(d.f))
	for s, p := range d.p.weight {
		out[s] = finite(pi[s])
		for j, v := range out[s] {
			excess[j] += p * v
		}
	}
	for s := range out {
		for j, c := range d.f {
			out[s][j] -= excess[j] - c
		}
		out[s] = finite(out[s])
	}
	return out
}

// round solves the scenarios at multipliers, adds their copies to the bundle and moves the centre where the value is
// higher. It reports false where a scenario has no point.
func (d *scenarioDual) round(ctx context.Context, pi [][]float64, promised float64) (planes []plane, feasible bool,
	err error) {
	found, err := d.evaluate(ctx, pi)
	if err != nil {
		return nil, false, err
	}
	d.rounds++

	// What the scenarios prove together, and what they left open.
	slack := 0.0
	planes = make([]plane, len(found))
	for s, v := range found {
		if v.infeasible {
			return nil, false, nil
		}
		planes[s] = v.plane
		if v.z == nil {
			d.model.limit(s, v.low)
			planes[s].z = make([]float64, len(d.f))
			slack = math.Inf(1)
			continue
		}
		d.model.add(s, v.z, v.cost)
		if len(v.x)*len(d.points) <= keptPoints {
			d.points[s] = v.x
		}
		slack += d.p.weight[s] * (v.cost + dot(pi[s], v.z) - v.low)
	}
	value := d.total(planes)
	d.bound = max(d.bound, value)
	// A step that did not improve the value is followed by a shorter one, unless the gaps of its scenarios are what it
	// lacks; one that got most of what was promised is followed by a longer one.
	switch {
	case math.IsInf(value, -1) || value < d.value:
		if value+slack > d.value && d.center != nil && d.nodes < maxDualNodes {
			d.nodes *= moreNodes
		} else {
			d.reach *= dualShrinkage
		}
		return planes, true, nil
	case d.center != nil && value-d.value >= goodShare*(promised-d.value):
		d.reach *= dualGrowth
	}
	d.center = pi
	d.value = value
	d.slack = slack
	return planes, true, nil
}

// evaluate computes L_s of every scenario at its multipliers.
func (d *scenarioDual) evaluate(ctx context.Context, pi [][]float64) ([]supported, error) {
	tasks := make([]*mipTask, len(pi))
	for s := range tasks {
		tasks[s] = &mipTask{
			scenario: s,
			in:       d.root,
			cost:     pi[s],
			nodes:    d.nodes,
			start:    d.points[s],
		}
	}
	found, err := d.prices.solveAll(ctx, tasks)
	if err != nil {
		return nil, err
	}

	out := make([]supported, len(pi))
	for s := range found {
		if found[s].unbounded {
			// These multipliers prove nothing, and others may.
			out[s] = supported{plane: plane{low: math.Inf(-1), pi: pi[s]}}
			continue
		}
		d.counts.lagrangian++
		out[s] = supportedBy(&found[s].Result, pi[s])
	}
	return out, nil
}

// total returns what planes of all scenarios prove together: the least value of f'y plus their weighted sum over the
// bounds of the first stage. All of it is rounded down, so that it holds also where the weighted sum of the multipliers
// is f only but for rounding.
func (d *scenarioDual) total(planes []plane) float64 {
	all := make([]int, len(planes))
	for s := range all {
		if math.IsInf(planes[s].low, 0) || math.IsNaN(planes[s].low) {
			return math.Inf(-1)
		}
		all[s] = s
	}
	cuts := d.cuts(planes, [][]int{all})
	if len(cuts) == 0 {
		return math.Inf(-1)
	}

	// The costs and the slopes cancel, but for rounding; what is left is taken at the end of the column that is worse.
	sum := outward.Rat(cuts[0].Alpha)
	sum.Add(sum, outward.Rat(d.p.master.Offset))
	rest := make([]*big.Rat, len(d.f))
	for j, c := range d.f {
		rest[j] = outward.Rat(c)
	}
	for k, j := range cuts[0].Index {
		rest[j].Add(rest[j], outward.Rat(cuts[0].Beta[k]))
	}
	for j, r := range rest {
		l, u := inBounds(d.root.lower[j], d.root.upper[j])
		at := l
		if r.Sign() < 0 {
			at = u
		}
		sum.Add(sum, r.Mul(r, outward.Rat(at)))
	}
	return outward.RatDown(sum)
}

// next returns the multipliers of the next round, or why there is none.
func (d *scenarioDual) next(ctx context.Context) (out proposal, why benders.Reason, err error) {
	if d.center == nil || d.reach < dualSmallReach {
		return out, benders.NoImprovement, nil
	}

	enough := dualPrecision * max(1, math.Abs(d.value))
	for {
		reach := slices.Clone(d.scale)
		for j := range reach {
			reach[j] *= d.reach
		}
		ok := false
		if out, ok, err = d.model.propose(ctx, d.center, reach); err != nil || !ok {
			return out, benders.NoImprovement, err
		}
		out.value += d.p.master.Offset

		// Where most of what the bundle promises is gaps of the scenarios at the centre, they are solved once more.
		gain := out.value - d.value
		switch {
		case gain <= openShare*d.slack && d.slack > enough/2 && d.nodes < maxDualNodes:
			d.nodes *= moreNodes
			out.pi = d.center
			return out, benders.Unfinished, nil
		case gain > enough:
			return out, benders.Unfinished, nil
		case d.reach >= dualReach:
			return out, benders.OneSided, nil
		}

		// A small trust region promises little. Only what the bundle promises in a large one decides that the search ends.
		d.reach *= dualGrowth
	}
}

// mean returns the mean copy of the scenarios by their probabilities.
func mean(planes []plane, weight []float64) []float64 {
	out := make([]float64, len(planes[0].z))
	for s, p := range planes {
		for j, v := range p.z {
			out[j] += weight[s] * v
		}
	}
	return out
}

// report calls the Progress of the options, at most once in LogEvery.
func (d *scenarioDual) report() {
	now := time.Now()
	if d.o.Progress == nil || d.rounds > 1 && now.Sub(d.logged) < d.o.LogEvery {
		return
	}
	d.logged = now
	cost := d.cost
	if d.design == nil {
		cost = math.NaN()
	}
	bound := min(d.bound, d.cost)
	d.o.Progress(benders.Progress{TrueCost: cost, Iteration: d.rounds, Progress: bnb.Progress{Objective: cost,
		Bound: bound, Gap: lp.RelativeGap(cost, bound), Elapsed: now.Sub(d.began)}})
}
