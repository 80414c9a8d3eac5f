package nested

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// Errors that the package wraps.
var (
	ErrUnsuited  = errors.New("not for nested decomposition") // integer columns; a period without a least cost
	ErrNumerical = errors.New("numerical failure")
	ErrOptions   = errors.New("invalid options")
)

// errStopped ends a run at a limit, errLong a pass that would take too long.
var (
	errStopped = errors.New("stopped")
	errLong    = errors.New("too many linear programs")
)

// run is one solve.
type run struct {
	*layout
	o      Options
	ctx    context.Context
	began  time.Time
	pools  []*pool
	stages []*stage        // of each node
	bases  []simplex.Basis // of each period, to begin with
	lids   []*lid          // of each future, nil before they are needed
	hulls  []*hull         // of each node, nil before they are needed
	rng    *rand.Rand

	memo   map[[16]byte]float64 // of a complete pass: costs of futures at states
	budget int                  // linear programs after which a complete pass is given up

	lps, pivots, optimality, feasibility int
	stopped                              lp.Status
}

func newRun(ctx context.Context, p *stoch.Multistage, o Options) (*run, error) {
	l, err := newLayout(p, o.Parts)
	if err != nil {
		return nil, err
	}
	r := &run{layout: l, o: o, ctx: ctx, began: time.Now(), stages: make([]*stage, len(p.Nodes)),
		rng: rand.New(rand.NewPCG(o.Seed, 0x6e657374))}
	r.bases = make([]simplex.Basis, p.Periods)
	for f := range l.futures {
		r.pools = append(r.pools, newPool(&l.futures[f]))
	}
	return r, r.group()
}

// group gives nodes their programs: those that share one have the same future, and the same coefficients.
func (r *run) group() error {
	type kin struct {
		future int32
		period int32
		matrix string
	}
	members := map[kin][]int32{}
	var order []kin
	for n := range r.p.Nodes {
		node := &r.p.Nodes[n]
		text := ""
		for _, c := range node.Changes {
			if c.Kind == stoch.Entry {
				text += fmt.Sprint(c.Row, c.Col, math.Float64bits(c.Value), ";")
			}
		}
		k := kin{r.of[n], node.Period, text}
		if members[k] == nil {
			order = append(order, k)
		}
		members[k] = append(members[k], int32(n))
	}
	for _, k := range order {
		s, err := r.newStage(members[k], k.future)
		if err != nil {
			return err
		}
		for _, n := range members[k] {
			r.stages[n] = s
		}
	}
	return nil
}

// limits returns those of a linear program.
func (r *run) limits() (simplex.Limits, error) {
	l := simplex.NoLimits()
	if r.ctx.Err() != nil {
		r.stopped = lp.Interrupted
		return l, errStopped
	}
	if r.o.TimeLimit != math.MaxInt64 {
		if l.Time = r.o.TimeLimit - time.Since(r.began); l.Time <= 0 {
			r.stopped = lp.TimeLimit
			return l, errStopped
		}
	}
	return l, nil
}

// once solves a node at a state by the cuts that there are.
func (r *run) once(n int32, z []float64) (outcome, error) {
	limits, err := r.limits()
	if err != nil {
		return outcome{}, err
	}
	s := r.stages[n]
	var out outcome
	for _, play := range [...]float64{0, least, most} {
		out, err = s.solve(r.ctx, n, z, play, limits)
		r.lps++
		r.pivots += out.pivots
		if err != nil {
			return out, fmt.Errorf("nested: period %d: %w: %w", r.p.Nodes[n].Period+1, ErrNumerical, err)
		}
		if out.status != lp.Infeasible || out.lower.at(z) > least*out.lower.size(z) {
			break
		}
	}
	if out.status.Limited() {
		r.stopped = out.status
		return out, errStopped
	}
	return out, nil
}

// A state that the cuts allow to the tolerance of their rows may be infeasible by as little. It may then differ by the
// play, relative to 1 plus its values: the policy is feasible to that tolerance, and certificates hold all the same.
const (
	least = 1e-7
	most  = 1e-6
)

// tries is how often a node is solved anew because its decision has no future, or its program no least cost.
const tries = 10000

func (r *run) stuck(n int32) error {
	return fmt.Errorf("nested: %w: cuts do not change the decisions of period %d", ErrNumerical, r.p.Nodes[n].Period+1)
}

// settle solves a node at a state, whose future gets its first cuts where it has none. The outcome is Optimal or
// Infeasible, and has a certificate.
func (r *run) settle(n int32, z []float64) (outcome, error) {
	f := r.of[n]
	for try := 0; ; try++ {
		out, err := r.once(n, z)
		switch {
		case try > tries:
			return out, r.stuck(n)
		case err != nil || out.status == lp.Infeasible:
			return out, err
		case out.status == lp.Unbounded:
			if err := r.bound(n, z, out.ray); err != nil {
				return out, err
			}
			continue
		case f < 0 || r.pools[f].complete():
			return out, nil
		}
		if _, err := r.deepen(f, out.next); err != nil {
			return out, err
		}
	}
}

// deepen cuts a future at a state, and reports false where it is infeasible there.
func (r *run) deepen(f int32, z []float64) (bool, error) {
	if r.pools[f].excludes(z) {
		return false, nil
	}
	arcs := r.futures[f].arcs
	list := make([]affine, len(arcs))
	for k, a := range arcs {
		out, err := r.settle(a.To, z)
		if err != nil {
			return false, err
		}
		if out.status == lp.Infeasible {
			return false, r.refute(f, out.lower)
		}
		list[k] = out.lower
	}
	r.cut(f, list, z)
	return true, nil
}

// refute adds a feasibility cut. The error of one that the pool has wraps ErrNumerical: the state that it does not cut
// off would come again.
func (r *run) refute(f int32, a affine) error {
	largest := 0.0
	for _, b := range a.beta {
		largest = max(largest, math.Abs(b))
	}
	scale := 1.0
	if largest > 0 {
		_, e := math.Frexp(largest)
		scale = math.Ldexp(1, -e)
	}
	b := affine{alpha: a.alpha * scale, beta: make([]float64, len(a.beta))}
	for k := range b.beta {
		b.beta[k] = a.beta[k] * scale
	}
	if r.pools[f].refutes(&b) {
		return fmt.Errorf("nested: %w: a state of period %d is infeasible by no more than rounding", ErrNumerical,
			r.futures[f].period+2)
	}
	r.pools[f].add(cut{b, -1})
	r.feasibility++
	return nil
}

// cut adds the optimality cuts of the arcs' functions that say more at the state than the pool does, and reports
// whether there was one.
func (r *run) cut(f int32, list []affine, z []float64) bool {
	q, p := &r.futures[f], r.pools[f]
	next := &r.periods[q.period+1]
	reach := make([]float64, len(next.state))
	for k, j := range next.state {
		reach[k] = r.reach[j]
	}
	found := false
	for part := range q.parts {
		var own []affine
		var weight []float64
		for k, of := range q.part {
			if int(of) == part {
				own, weight = append(own, list[k]), append(weight, q.arcs[k].Probability)
			}
		}
		a := mean(own, weight, reach)
		if v := a.at(z); v > p.least(part, z)+worth*max(1, math.Abs(v)) {
			p.add(cut{a, part})
			r.optimality++
			found = true
		}
	}
	return found
}

// worth is by how much, relative, a cut has to be above the others at its state.
const worth = 1e-9

// bound cuts the future of an unbounded program along its ray, and what follows there.
func (r *run) bound(n int32, z, ray []float64) error {
	s, f := r.stages[n], r.of[n]
	if f < 0 || len(ray) == 0 {
		return r.unbounded(n)
	}
	x, err := s.feasible(r.ctx, n, z)
	if err != nil {
		return err
	}
	if x == nil {
		return nil // the next solve says so
	}
	memo, budget, before := r.memo, r.budget, r.optimality+r.feasibility
	defer func() { r.memo, r.budget = memo, budget }()
	r.budget = math.MaxInt
	for step := 1.0; step <= farthest; step *= 1e3 {
		at := append([]float64(nil), x...)
		for j := range at {
			at[j] += step * ray[j]
		}
		r.memo = map[[16]byte]float64{}
		if _, err := r.follow(point{f, s.chosen(at)}); errors.Is(err, ErrNumerical) {
			break // so far out little can be told
		} else if err != nil {
			return err
		}
	}
	if r.optimality+r.feasibility == before {
		return r.unbounded(n)
	}
	return nil
}

// unbounded is the error of a node that has no least cost as far as its cuts say: the program may be unbounded, or
// infeasible elsewhere.
func (r *run) unbounded(n int32) error {
	return fmt.Errorf("nested: %w: period %d has no least cost by its own rows and the cuts of its future", ErrUnsuited,
		r.p.Nodes[n].Period+1)
}

// farthest is how far along a ray a future is looked at.
const farthest = 1e6
