package netdes

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// record returns the instance as a record holds it, with what the arcs can carry as capacities.
func (in *Instance) record() record.ScenarioNetwork {
	d := in.Data
	w := record.ScenarioNetwork{Nodes: d.Nodes, Tail: d.Tail, Head: d.Head, Fixed: d.Fixed}
	for k := range d.Scenarios {
		s := &d.Scenarios[k]
		w.Probability = append(w.Probability, s.Probability)
		w.Cost = append(w.Cost, s.Cost...)
		w.Demand = append(w.Demand, s.Demand...)

		// No arc carries more than the total demand, so that the proof has the smaller capacity.
		total := s.total()
		for e := range d.Tail {
			w.Capacity = append(w.Capacity, s.Limit(e, total))
		}
	}
	return w
}

// Hash implements families.Instance: it is that of the program as a record holds it.
func (in *Instance) Hash() string {
	w := in.record()
	return w.Hash()
}

// recorder makes the cuts of a recorded run such that package verify proves them: of node potentials, and of cut sets.
type recorder struct {
	in *Instance
	// p is the program whose cuts are restated.
	p *decompose.Program
	// Separator is that of the run, with inequalities on cut sets in front.
	benders.Separator
}

// subject returns what a recorded run needs: the master without rows, since those of the nodes are cuts here, and the
// cheapest flows with all arcs open as lower bounds.
func (r *recorder) subject(ctx context.Context, aggregated bool) (*prove.Subject, error) {
	problem, err := r.p.Recourse.Problem(ctx, aggregated)
	if err != nil {
		return nil, err
	}
	inner, err := r.p.Recourse.Exact(aggregated)
	if err != nil {
		return nil, err
	}

	// All cuts of the run pass the recorder: those that it begins with, and those that are separated.
	r.Separator = r.p.Recourse.Strengthen(inner)
	for k := range problem.Initial {
		r.restate(&problem.Initial[k])
	}
	problem.Initial = append(problem.Initial, r.in.Data.nodeCuts()...)
	// A record has no rows but cuts, so the rows of the master are taken out.
	m := problem.Master
	problem.Master = &lp.Model{Name: m.Name, Objective: m.Objective, Offset: m.Offset, Cols: m.Cols}
	return &prove.Subject{
		Problem:   problem,
		Separator: r,
		Provable:  provable,
		Doubtful:  ofSet,
		Certify:   certify,
		Recourse:  r.flows,
		Lower:     r.lowest(problem.Epigraphs),
	}, nil
}

// nodeCuts are the rows of the nodes.
func (d *Data) nodeCuts() (list []benders.Cut) {
	for _, c := range d.nodeCounts() {
		// The set is the node itself for arcs that leave it, and all other nodes for arcs that enter it.
		set := cutset.Nodes{Inside: make([]bool, d.Nodes), Case: c.at}
		for v := range set.Inside {
			set.Inside[v] = (v == c.node) != c.enter
		}
		list = append(list, benders.Cut{
			Kind:        benders.Feasibility,
			Theta:       benders.AllEpigraphs,
			Alpha:       float64(c.least),
			Index:       c.arcs,
			Beta:        slices.Repeat([]float64{-1}, len(c.arcs)),
			Certificate: set,
		})
	}
	return list
}

// Separate implements benders.Separator.
func (r *recorder) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	s, err := r.Separator.Separate(ctx, p)

	// Cuts on cut sets pass as they are.
	for k := range s.Cuts {
		r.restate(&s.Cuts[k])
	}
	return s, err
}

// restate makes a cut of scenarios the one of its potentials, which is at least as strong.
func (r *recorder) restate(c *benders.Cut) {
	by, ok := c.Certificate.(*scenario.Certificate)
	if !ok {
		return
	}
	// The multipliers of the rows of flow come first in the dual of a scenario; the others follow from them at their
	// best.
	of := potentials{kind: c.Kind, scenarios: by.Scenarios}
	for _, p := range by.Parts {
		if p == nil {
			return
		}
		of.pi = append(of.pi, p.Vector()[:r.in.Data.Nodes]...)
	}
	if cut, ok := r.in.Data.cut(&of, c.Theta); ok {
		*c = cut
	}
}

// ofSet reports whether a cut is of a cut set, whose capacities and demands were added in floats.
func ofSet(c *benders.Cut) bool {
	_, ok := c.Certificate.(cutset.Nodes)
	return ok
}

// provable implements prove.Subject.Provable.
func provable(c *benders.Cut) bool {
	_, ok := c.Certificate.(*potentials)
	return ok || ofSet(c)
}

// certify implements prove.Subject.Certify.
func certify(c *benders.Cut, to *record.Cut) {
	switch by := c.Certificate.(type) {
	case *potentials:
		// A cut of feasibility belongs to one scenario, which the record names.
		if to.Certificate = by.pi; by.kind == benders.Feasibility {
			to.Case = by.scenarios[0]
		}
	case cutset.Nodes:
		to.Nodes = by.List()
		to.Case = by.Case
	}
}

// lowest returns for every epigraph a cut without slopes, of the potentials of the cheapest flows with all arcs open.
func (r *recorder) lowest(epigraphs int) (list []benders.Cut) {
	d := r.in.Data
	flows := newRouter(d)
	flows.use(func(int) bool { return true })
	of := make([]potentials, epigraphs)
	for s := range d.Scenarios {
		// The scenarios of an epigraph follow each other.
		pi := make([]float64, d.Nodes)
		if flows.begin(s); flows.route(s, false) { // else they are 0, which bound nonnegative costs by 0
			flows.potentials(s, pi)
		}
		p := &of[s*epigraphs/len(d.Scenarios)]
		p.scenarios = append(p.scenarios, s)
		p.pi = append(p.pi, pi...)
	}
	for g := range of {
		cut, ok := d.cut(&of[g], g)
		if !ok {
			cut = benders.Cut{Theta: g, Alpha: math.Inf(-1)}
		}
		list = append(list, constant(cut))
	}
	return list
}

// flows returns the recourse solution of a design: the flow on arc e in scenario s, at s*arcs+e.
func (r *recorder) flows(_ context.Context, y []float64, _ float64) (index []int32, value []float64, err error) {
	d := r.in.Data
	flows := newRouter(d)
	flows.use(func(e int) bool { return y[e] > 0.5 })
	for s := range d.Scenarios {
		flows.begin(s)

		// A design that cannot carry the demand has no solution to record.
		if !flows.route(s, false) {
			return nil, nil, nil
		}
		for k, e := range flows.arcs {
			if v := flows.flow(k); v > 0 {
				index = append(index, int32(s*d.arcs())+e)
				value = append(value, v)
			}
		}
	}
	return index, value, nil
}
