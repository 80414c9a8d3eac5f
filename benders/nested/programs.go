package nested

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// request is a node to solve at a state.
type request struct {
	node int32
	z    []float64
}

// task is what a stage program is given to do: to solve a node at a state.
type task struct {
	request
	feasible bool // return any feasible point instead
	basis    bool // return the basis, for the other programs of the period
}

// programs are the stage programs of a process, with the pools of their futures. What a stage program answers depends
// on the tasks that it was given so far, on the cuts that its pool had at each of them, and on the basis that the first
// one began at, and on nothing else: so neither threads nor other programs make a difference.
type programs struct {
	*layout
	seed   uint64           // of the simplex method
	pools  []*pool          // of each future
	bases  []*simplex.Basis // of each period, at which its programs begin; nil for none
	stages []*stage         // of each group, nil before its first task
}

// newPrograms returns the programs of a layout, which have solved nothing.
func newPrograms(l *layout, seed uint64) *programs {
	p := &programs{
		layout: l,
		seed:   seed,
		bases:  make([]*simplex.Basis, len(l.periods)),
		stages: make([]*stage, len(l.groups)),
	}
	for f := range l.futures {
		p.pools = append(p.pools, newPool(&l.futures[f]))
	}
	return p
}

// poolOf returns the pool of the future of a node; one without parts in the last period.
func (p *programs) poolOf(n int32) *pool {
	if f := p.of[n]; f >= 0 {
		return p.pools[f]
	}
	return &pool{}
}

// stage returns the program of a group.
func (p *programs) stage(group int32) (*stage, error) {
	if p.stages[group] == nil {
		nodes := p.groups[group]
		s, err := p.newStage(nodes, p.poolOf(nodes[0]), p.seed)
		if err != nil {
			return nil, err
		}
		p.stages[group] = s
	}
	return p.stages[group], nil
}

// solve does tasks, those of each program in their order, by at most threads goroutines, and returns the outcomes in
// the order of the tasks.
func (p *programs) solve(ctx context.Context, threads int, tasks []task) ([]outcome, error) {
	// The programs in the order of their first tasks.
	var order []int32
	of := map[int32][]int{}
	for k := range tasks {
		g := p.groupOf[tasks[k].node]
		if of[g] == nil {
			order = append(order, g)
		}
		of[g] = append(of[g], k)
	}

	out := make([]outcome, len(tasks))
	err := parallel.Each(threads, len(order), func(at int) error {
		s, err := p.stage(order[at])
		if err != nil {
			return err
		}
		for _, k := range of[order[at]] {
			out[k] = s.do(ctx, &tasks[k], p.bases[p.p.Nodes[tasks[k].node].Period])
			if out[k].failure != "" || out[k].status.Limited() {
				break // The run ends, or does without what these tasks were for.
			}
		}
		return nil
	})
	return out, err
}

// do does a task. The first one begins at a basis of the period, nil for none.
func (s *stage) do(ctx context.Context, t *task, basis *simplex.Basis) (out outcome) {
	s.begin(basis)
	var err error
	if t.feasible {
		out.point, out.status, err = s.feasible(ctx, t.node, t.z)
	} else {
		out, err = s.answer(ctx, t.node, t.z)
	}
	if err != nil {
		out.failure = err.Error()
	}
	if t.basis && err == nil && out.status == lp.Optimal {
		out.basis = s.basis()
	}
	return out
}

// answer solves a node at a state. A state that makes the program infeasible within the tolerances is given a slack.
func (s *stage) answer(ctx context.Context, n int32, z []float64) (out outcome, err error) {
	// A Farkas cut that excludes the state by more than a slack could mend ends the tries.
	lps, pivots := 0, 0
	for _, slack := range [...]float64{0, leastSlack, mostSlack} {
		out, err = s.solve(ctx, n, z, slack)
		lps++
		pivots += out.pivots
		if err != nil || out.status != lp.Infeasible || out.lower.at(z) > leastSlack*out.lower.size(z) {
			break
		}
	}
	out.lps = lps
	out.pivots = pivots
	return out, err
}

// A state that the cuts allow to the tolerance of their rows may be infeasible by as little. It may then differ by a
// slack, relative to 1 plus its values: the policy is feasible to that tolerance, and certificates still hold.
const (
	leastSlack = 1e-7
	mostSlack  = 1e-6
)

// key identifies the request: a hash of 128 bits, at which two requests never meet in practice.
func (q request) key() [16]byte { return hashState(q.node, q.z) }

// finite reports whether no entry is infinite or NaN.
func finite(list []float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
