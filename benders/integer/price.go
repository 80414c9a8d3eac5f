package integer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// maxChunks is the number of parts into which the scenarios are split, each with one linear program that stays warm. It
// does not depend on the number of threads, so that no result does.
const maxChunks = 16

// keptPoints is how many numbers the points of all scenarios at a design may have to be kept.
const keptPoints = 1 << 24

// keptEntries is how many coefficients models of scenarios may have in all to be kept; others are made anew each time.
const keptEntries = 1 << 24

// pricer solves the scenarios exactly at designs.
type pricer struct {
	p       *Problem
	threads int
	chunks  []*chunk
	models  *models
	counts  counts

	at       []float64 // the design of values, nil for none
	values   []value
	recent   [][]float64 // the last solution of the mixed-integer program of each scenario; nil where they are not kept
	nodes    []int       // of the last mixed-integer program of each scenario at a design
	supports *supports   // values of recourse columns in the points that were found, nil where they are not kept
	points   [][]float64 // of the scenarios at the design, with their copy of the first stage; nil where they are not kept
}

// counts are those of a run, for its log.
type counts struct {
	lps, integral int // linear programs of scenarios at designs, and how many had an integer solution
	mips, nodes   int // mixed-integer programs of scenarios at designs
	lagrangian    int // mixed-integer programs for Lagrangian cuts
	bumps, planes int // integer L-shaped cuts, Lagrangian cuts
}

// add adds the counts of a part of the run.
func (c *counts) add(o *counts) {
	c.lps += o.lps
	c.integral += o.integral
	c.mips += o.mips
	c.nodes += o.nodes
	c.lagrangian += o.lagrangian
	c.bumps += o.bumps
	c.planes += o.planes
}

// value is what is known of a scenario at the design: low <= Q_s(y) <= high. Infeasible says that there is no recourse.
type value struct {
	state      valueState
	low, high  float64
	infeasible bool
}

type valueState uint8

const (
	unknown valueState = iota
	relaxed            // low is the value of the linear relaxation
	exact              // low and high are the value, to the tolerance of a mixed-integer program
)

// chunk is a part of the scenarios with its linear program.
type chunk struct {
	view      *twostage.View
	scenarios []int
	counts    counts
	x         []float64 // scratch: a point of the skeleton
}

func newPricer(p *Problem, threads int) (*pricer, error) {
	r := &pricer{
		p:       p,
		threads: threads,
		models:  newModels(p),
		values:  make([]value, len(p.weight)),
		nodes:   make([]int, len(p.weight)),
	}

	// Points are kept where there is room for those of all scenarios.
	if len(p.tight.Core.Cols)*len(p.weight) <= keptPoints {
		r.recent = make([][]float64, len(p.weight))
		if p.continuum {
			r.points = make([][]float64, len(p.weight))
		}
	}
	if !p.binary {
		r.supports = newSupports(p)
	}

	// Every part of the scenarios has a linear program of its own.
	for _, list := range parallel.Parts(len(p.weight), maxChunks) {
		v, err := p.scenarios.View()
		if err != nil {
			return nil, prefixed(err)
		}
		r.chunks = append(r.chunks, &chunk{view: v, scenarios: list, x: make([]float64, len(p.tight.Core.Cols))})
	}
	return r, nil
}

// move makes y the design of the values, none of which is known there.
func (r *pricer) move(y []float64) {
	if r.at != nil && slices.Equal(r.at, y) {
		return
	}
	r.at = append(r.at[:0], y...)
	clear(r.values)
}

// price solves all scenarios at the design. It stops, and reports false, where the cost is at least cutoff for certain:
// low then is a lower bound. A scenario without a recourse makes the design infeasible.
func (r *pricer) price(ctx context.Context, y []float64, cutoff float64) (complete, feasible bool, err error) {
	r.move(y)
	own := r.p.master.Evaluate(y)

	// The linear relaxations first: most have an integer solution, and with it the cost of their scenario.
	if err := r.each(func(c *chunk) error { return c.relax(ctx, r) }); err != nil {
		return false, false, err
	}
	if r.infeasible() {
		return true, false, nil
	}
	if own+r.total() >= cutoff {
		return false, true, nil
	}

	// Then the scenarios whose linear solution is not integer.
	for wave := range r.waves() {
		if err := r.solve(ctx, wave); err != nil {
			return false, false, err
		}
		switch {
		case r.infeasible():
			return true, false, nil
		case own+r.total() >= cutoff:
			// Where these were the last ones, the cost is known.
			return r.known(), true, nil
		}
	}
	return true, true, nil
}

// each runs do for every chunk, by several goroutines, and collects the counts.
func (r *pricer) each(do func(c *chunk) error) error {
	err := parallel.Each(r.threads, len(r.chunks), func(k int) error { return do(r.chunks[k]) })
	for _, c := range r.chunks {
		r.counts.add(&c.counts)
		c.counts = counts{}
	}
	return err
}

// known reports whether the cost of every scenario is known at the design.
func (r *pricer) known() bool {
	return !slices.ContainsFunc(r.values, func(v value) bool { return v.state != exact })
}

// infeasible reports whether a scenario has no recourse at the design.
func (r *pricer) infeasible() bool {
	return slices.ContainsFunc(r.values, func(v value) bool { return v.infeasible })
}

// total returns what the recourse costs at least, as far as it is known.
func (r *pricer) total() float64 { return r.collect(nil, nil) }

// collect fills q, where it is not nil, with the lower bounds of groups of scenarios, and returns the sum of all.
func (r *pricer) collect(groups [][]int, q []float64) (total float64) {
	for s, p := range r.p.weight {
		total += p * r.values[s].low
	}
	for g := range q {
		q[g] = 0
		for _, s := range groups[g] {
			q[g] += r.p.weight[s] * r.values[s].low
		}
	}
	return total
}

// relax solves the linear relaxations of the scenarios of a chunk that are not known yet.
func (c *chunk) relax(ctx context.Context, r *pricer) error {
	for _, s := range c.scenarios {
		v := &r.values[s]
		if v.state != unknown {
			continue
		}
		if err := c.view.Set(s); err != nil {
			return prefixed(err)
		}

		// The linear program begins where that of the scenario before ended.
		cost, feasible, err := c.view.Value(ctx, r.at)
		if err != nil {
			return prefixed(err)
		}
		c.counts.lps++

		// A scenario without a recourse ends the pricing of the design.
		*v = value{state: relaxed, low: cost, high: math.Inf(1), infeasible: !feasible}
		if !feasible {
			v.state = exact
			return nil
		}

		// An integer solution of the linear program is one of the mixed-integer program.
		c.view.Point(r.at, c.x)
		r.supports.add(s, c.x)
		if r.p.integral(c.x) {
			v.state = exact
			v.high = cost
			c.counts.integral++
			r.keepPoint(s, c.x)
		}
	}
	return nil
}

// integral reports whether the integer recourse columns of a point of the skeleton are integers.
func (p *Problem) integral(x []float64) bool {
	const tolerance = 1e-9 // tighter than that of a mixed-integer program: the cost is not computed again
	for j := p.tight.First; j < len(x); j++ {
		if p.tight.Core.Cols[j].Integer && math.Abs(x[j]-math.Round(x[j])) > tolerance {
			return false
		}
	}
	return true
}

// solve solves scenarios at the design as mixed-integer programs.
func (r *pricer) solve(ctx context.Context, scenarios []int) error {
	tasks := make([]*mipTask, len(scenarios))
	for k, s := range scenarios {
		tasks[k] = &mipTask{
			scenario: s,
			in:       box{r.at, r.at},
			cost:     make([]float64, len(r.at)), // which is not that of the recourse
			nodes:    math.MaxInt,
			start:    r.start(s),
		}
	}
	found, err := r.solveAll(ctx, tasks)
	if err != nil {
		return err
	}

	for k, s := range scenarios {
		out := &found[k]
		if out.unbounded {
			return r.p.inScenario(s, ErrUnbounded)
		}
		r.counts.mips++
		r.counts.nodes += out.Nodes
		r.nodes[s] = out.Nodes
		v := &r.values[s]
		v.state = exact
		if out.Status == lp.Infeasible {
			v.infeasible = true
			continue
		}

		// The bound of the linear program may be above that of the search by rounding.
		v.high = out.Objective
		v.low = min(max(v.low, out.Bound), v.high)
		r.keepPoint(s, out.X)
		r.supports.add(s, out.X)
		if r.recent != nil {
			r.recent[s] = out.X
		}
	}
	return nil
}

// start returns the last solution of a scenario at another design as a point to begin with at this one, nil for none.
// Its continuous columns are open: they depend on the design.
func (r *pricer) start(s int) []float64 {
	if r.recent == nil || r.recent[s] == nil {
		return nil
	}
	x := slices.Clone(r.recent[s])
	copy(x, r.at)
	for j := len(r.at); j < len(x); j++ {
		if !r.p.tight.Core.Cols[j].Integer {
			x[j] = math.NaN()
		}
	}
	return x
}

// fixed returns the model of a scenario with its copy of the first stage fixed at a design, whose cost is not that of
// the recourse.
func fixed(m *lp.Model, y []float64) *lp.Model {
	out := within(m, box{y, y})
	setCosts(out, make([]float64, len(y)))
	return out
}

// keepPoint keeps the point of a scenario at the design, where points are kept.
func (r *pricer) keepPoint(s int, x []float64) {
	if r.points != nil {
		r.points[s] = append(r.points[s][:0], x...)
	}
}

// scenarioGap is the relative gap of the mixed-integer programs of scenarios: far below that of a run.
const scenarioGap = 1e-7

// solveMIP solves a model of a scenario. Its status is Optimal or Infeasible, or NodeLimit where there is a limit on
// the nodes; the bound holds in any case.
func solveMIP(ctx context.Context, m *lp.Model, maxNodes int) (bnb.Result, error) {
	return solveMIPFrom(ctx, m, maxNodes, nil)
}

// solveMIPFrom is solveMIP from a point of the model, nil for none.
func solveMIPFrom(ctx context.Context, m *lp.Model, maxNodes int, start []float64) (bnb.Result, error) {
	o := bnb.DefaultOptions()
	o.Gap = scenarioGap
	o.MaxNodes = maxNodes
	if start != nil {
		o.Start = [][]float64{start}
	}
	out, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		return out, err
	case out.Status == lp.Unbounded:
		return out, ErrUnbounded
	case out.Status != lp.Optimal && out.Status != lp.Infeasible && out.Status != lp.NodeLimit:
		return out, fmt.Errorf("%w: its mixed-integer program ended with the status %v", ErrNumerical, out.Status)
	}
	return out, nil
}

// model returns the model of a scenario with its copy of the first stage, which must not be changed.
func (r *pricer) model(s int) (*lp.Model, error) { return r.models.of(s) }

// models has the models of scenarios with their copies of the first stage. It may be used by several goroutines.
type models struct {
	p    *Problem
	mu   sync.Mutex
	list []*lp.Model // nil before they are used, and all of them where they would take too much room
	keep bool
}

func newModels(p *Problem) *models {
	return &models{
		p:    p,
		list: make([]*lp.Model, len(p.weight)),
		keep: p.tight.Core.NumEntries()*len(p.weight) <= keptEntries,
	}
}

// of returns the model of a scenario, which must not be changed.
func (l *models) of(s int) (*lp.Model, error) {
	l.mu.Lock()
	m := l.list[s]
	l.mu.Unlock()
	if m != nil {
		return m, nil
	}

	// Two goroutines may make the same model; either one serves.
	m, err := l.p.tight.Model(s)
	if err != nil {
		return nil, prefixed(err)
	}
	if _, err := m.Matrix(); err != nil {
		return nil, prefixed(err)
	}
	if l.keep {
		l.mu.Lock()
		l.list[s] = m
		l.mu.Unlock()
	}
	return m, nil
}

// Outcomes solves the recourse of a design in every scenario, one after the other, and calls yield with its cost and
// the optimal point of the skeleton, nil where there is no recourse. Costs are in the sense of the program. Scenarios
// of probability 0 are left out.
func Outcomes(ctx context.Context, p *stoch.Program, y []float64,
	yield func(s int, cost float64, x []float64) error) error {
	return OutcomesOf(ctx, p, y, 0, len(p.Scenarios), yield)
}

// OutcomesOf is Outcomes for the scenarios from first to before end.
func OutcomesOf(ctx context.Context, p *stoch.Program, y []float64, first, end int,
	yield func(s int, cost float64, x []float64) error) error {
	for s := first; s < end; s++ {
		if p.Scenarios[s].Probability == 0 {
			continue
		}
		m, err := p.Model(s)
		if err != nil {
			return prefixed(err)
		}

		out, err := solveMIP(ctx, fixed(m, y), math.MaxInt)
		if err != nil {
			return fmt.Errorf("integer: scenario %s: %w", p.ScenarioName(s), err)
		}
		if err := yield(s, out.Objective, out.X); err != nil {
			return err
		}
	}
	return nil
}
