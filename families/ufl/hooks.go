package ufl

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/families/instance"
)

// program is an instance with what a run has computed of it.
type program struct {
	in     *Instance
	search searchOptions    // of the first design
	dual   lagrange.Options // of the bound
	pi     []float64        // good duals
}

// Program implements families.Instance. Facilities that are fixed closed leave the instance, costs are conditioned, and
// an exact run has a tree of its own before the master.
func (in *Instance) Program() (*decompose.Program, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return newProgram(in).hooks(), nil
}

// newProgram returns the program of a run that begins.
func newProgram(in *Instance) *program {
	return &program{in: in, search: defaultSearch, dual: dualOptions}
}

// of returns what the run has computed, for an instance with the same clients.
func (p *program) of(in *Instance) *program {
	q := *p
	q.in = in
	return &q
}

// treeNodes is how many nodes the tree without a master has before one, in an exact run by the best scheme.
const treeNodes = 10000

// hooks declares what a run needs of the instance, in five parts.
func (p *program) hooks() *decompose.Program {
	in := p.in

	// A design is priced in closed form, and an exact run has the tree without a master first.
	out := &decompose.Program{
		Model: decompose.Model{
			Name:       in.Name,
			ColumnNoun: "facilities",
			Master:     in.master,
			Compact:    in.compact,
			Paper:      p.paper,
		},
		Recourse: decompose.Recourse{Problem: p.problem, Exact: p.exact, Cost: p.price},
		Preparation: decompose.Preparation{
			Condition: p.condition,
			Start:     p.prepare,
			Fix:       p.fix,
			Reduce:    p.reduce,
			Tree:      decompose.Search{Solve: p.tree, Nodes: treeNodes},
			ForFull:   true,
		},
		Proxy: decompose.ProxyRun{
			Instance: in,
			Rounds:   proxyRounds,
			OneCut:   true,
			Stall:    p.proxyStall,
			Draw:     in.drawStates,
		},
		Record: decompose.Recording{Data: in.data, Subject: in.subject},
	}

	// An instance that no design serves is for the master to prove infeasible.
	if in.NoFacility() != "" {
		out.Preparation = decompose.Preparation{}
	}
	return out
}

// paper is the paper's run. By its scheme, that of Fischetti, Ljubic and Sinnl, exact separation is at fractional
// points too, stabilised at the root, with a cut for every client; a proxy is asked at integer points alone and adds
// one aggregated cut, and the cheapest design visited is returned. Classic is one plain tree: integer points alone, a
// cut for every client, no stabilisation, and a proxy run returns the master's last design.
func (p *program) paper(s decompose.Scheme) *decompose.Faithful {
	classic := s == decompose.Classic
	own := newProgram(p.in).hooks()
	own.Proxy.OneCut = !classic
	own.Recourse.Exact = func(aggregated bool) (benders.Separator, error) {
		return newPlainExact(p.in, aggregated), nil
	}
	return &decompose.Faithful{Program: own, Scheme: decompose.BBC, Set: func(m decompose.Method, o *benders.Options) {
		if classic {
			o.InOut.Weight = 1
		}
		if m == decompose.Proxy {
			o.TrueCost = !classic
		}
		if classic || m == decompose.Proxy {
			o.Fractional = benders.Never
		}
	}}
}

// problem is the Benders problem.
func (p *program) problem(_ context.Context, aggregated bool) (*benders.Problem, error) {
	return p.in.problem(aggregated), nil
}

// exact is the exact separator.
func (p *program) exact(aggregated bool) (benders.Separator, error) {
	return newExact(p.in, aggregated), nil
}

// price is the cost of a design, which is feasible where a facility is open that may serve each client.
func (p *program) price(_ context.Context, y []float64) (cost float64, feasible bool, err error) {
	open := instance.Open(y)
	return p.in.TotalCost(open), p.in.served(y), nil
}

// condition lowers costs that are in no optimum and scales those of an extreme unit.
func (p *program) condition() (*decompose.Program, int) {
	known := p.in.TotalCost(p.in.repaired(greedy(p.in)))
	in, exponent := scaled(capCosts(p.in, known), known)

	// Where nothing changes the run keeps its instance.
	if in == p.in {
		return nil, 0
	}
	return p.of(in).hooks(), exponent
}

// capCosts lowers every assignment cost to at most twice the known cost of a design, if any is higher, as
// the very large cost of a forbidden pair is. A design that uses such a pair costs at least that in either
// instance, and all others cost the same; so the optima are the same, and a bound below the known cost
// holds for both. The masters are spared coefficients that no tolerance fits.
func capCosts(in *Instance, known float64) *Instance {
	top := 2 * known
	if top == 0 || slices.Max(in.Cost) <= top { // twice nothing would make expensive designs free
		return in
	}
	out := in.Clone()
	for k, c := range out.Cost {
		out.Cost[k] = min(c, top)
	}
	return out
}

// prepare finds a design by local search, and duals.
func (p *program) prepare(ctx context.Context, _ decompose.StartOptions) (decompose.Start, error) {
	s := decompose.NoStart()
	p.pi = levelDuals(p.in)
	d := search(ctx, p.in, p.search)
	open := p.in.repaired(d.Open)
	s.Design = p.in.Design(open)
	s.Cost = p.in.TotalCost(open)
	return s, nil
}

// fix raises the Lagrangian bound and fixes facilities against the cost of the design. Probing takes longer than all
// the nodes of a run with proxy cuts alone.
func (p *program) fix(ctx context.Context, s *decompose.Start, quick bool) error {
	o := p.dual
	if quick {
		o.Probe = 0
	}
	dual, err := raiseDual(ctx, p.in, p.pi, s.Cost, o)
	if err != nil {
		return err
	}
	s.Bound = max(s.Bound, dual.Bound)
	s.Fixing = dual.Relaxation.Known().Fixing()
	p.pi = dual.Volume.Multipliers
	return nil
}

// tree is branchAndBound as a run without a master.
func (p *program) tree(ctx context.Context, s *decompose.Start, o benders.Options) (*benders.Result, error) {
	o.Gap = max(o.Gap, 5e-10) // no tighter than floats can say
	return branchAndBound(ctx, p.in, instance.Open(s.Design), p.pi, o)
}

// reduce leaves out the facilities that a fixing closes.
func (p *program) reduce(f lagrange.Fixing) (*decompose.Program, *lagrange.Reduction, error) {
	small, r, err := p.in.Without(f)
	if err != nil {
		return nil, nil, err
	}

	// The duals are one a client, so that they fit the smaller instance as well.
	return p.of(&Instance{small}).hooks(), r, nil
}

// What a run with proxy cuts alone does at its nodes. It is after a design: the bound that it proves is the network's,
// and further rounds at a node, or a tree that has not found a better design for long, do not pay. On a variant of MR3,
// whose relaxation is 7% below the optimum, a run of 11700 nodes and 113 s left a gap of 4.3% and had its design after
// 2 s. A run that starts from the design of Search has it at once, as a rule, and stops early.
const (
	proxyRounds       = 1
	proxyStallRows    = 500_000 // predictions without a better design: the time of a node grows with the clients
	proxyStallNodes   = 1000    // nodes at most
	proxyStartedRows  = 20_000  // the same where Search has found the start
	proxyStartedNodes = 100
	proxyMinNodes     = 20
)

// proxyStall is the number of nodes in a row without a better design after which a run with proxy cuts alone stops.
func (p *program) proxyStall(heuristic bool) int {
	rows, nodes := proxyStallRows, proxyStallNodes
	if heuristic {
		rows, nodes = proxyStartedRows, proxyStartedNodes
	}

	// The time of a node grows with the number of clients, so that the limit is one of predictions.
	return max(proxyMinNodes, min(nodes, rows/p.in.Clients))
}
