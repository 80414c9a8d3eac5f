package mcndp

import (
	"context"
	"fmt"
	"io"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Family implements families.Family.
type Family struct{}

// Name returns mcndp.
func (Family) Name() string { return "mcndp" }

// About says what the family is.
func (Family) About() string { return "multicommodity capacitated network design (.dow)" }

// Read reads a .dow file.
func (Family) Read(path string, _ families.ReadOptions) (families.Instance, error) {
	return wrap(Read(path))
}

// Classes lists the paper's shapes and the classes of the R set.
func (Family) Classes() []string {
	return append([]string{"10x35x50", "10x60x50", "10x83x50"}, classes()...)
}

// Generate makes an instance of a shape nodes x arcs x commodities, at levels of fixed costs and capacities that the
// seed draws, or of a class of the R set such as r03.6.
func (Family) Generate(class string, seed uint64) (families.Instance, error) {
	c, err := ParseClass(class, seed)
	if err != nil {
		return nil, err
	}
	return wrap(Generate(context.Background(), c, seed))
}

// NewModel returns a network with two heads for the shape.
func (Family) NewModel(like families.Instance, mo families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	in, err := own(like)
	if err != nil {
		return nil, proxy.TrainOptions{}, err
	}
	o := mo.Preset.Budget(mo.Seed)
	o.NN.Rate = 3e-4 // paths make the loss piecewise: large steps lose what small ones gain
	m, err := proxy.New(networkFor(in), mo.Widths([]int{128, 128}, []int{256, 256}), mo.Seed)
	return m, o, err
}

// LoadModel builds a model from the tensors that Save wrote.
func (Family) LoadModel(t *nn.Tensors) (*proxy.Model, error) {
	return proxy.Load(t, Family{}.Name(), describe)
}

// instance implements families.Instance.
type instance struct{ *Instance }

func wrap(in *Instance, err error) (families.Instance, error) {
	if err != nil {
		return nil, err
	}
	return instance{in}, nil
}

func (u instance) Name() string   { return u.Instance.Name }
func (u instance) Family() string { return Family{}.Name() }
func (u instance) Shape() string  { return u.shape() }
func (u instance) Ext() string    { return ".dow" }

func (u instance) Title() string {
	return fmt.Sprintf("%s: network design, %d nodes, %d arcs, %d commodities", u.Name(), u.Nodes, u.Arcs(), u.Commodities())
}

func (u instance) Write(path string) error {
	return families.WriteFile(path, func(w io.Writer) error { return Encode(w, u.Instance) })
}

func (u instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	out, raised, err := Perturb(context.Background(), u.Instance, sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	out.Name = name
	return instance{out}, raised, nil
}

func (u instance) Price(ctx context.Context, y []float64) (float64, bool, error) {
	if len(y) != u.Arcs() {
		return 0, false, fmt.Errorf("mcndp: %w: a design of %d arcs for %d", families.ErrOptions, len(y), u.Arcs())
	}
	recourse, err := NewRecourse(u.Instance)
	if err != nil {
		return 0, false, err
	}
	q, feasible, err := recourse.Solve(ctx, y)
	if err != nil || !feasible {
		return 0, false, err
	}
	return u.fixedCost(y) + q, true, nil
}

// Solve solves the instance by the method and scheme that the options name. Cuts are aggregated always, so that the
// method aggregated is exact.
func (u instance) Solve(ctx context.Context, o families.SolveOptions) (*benders.Result, error) {
	if o.Method == families.Full {
		return families.SolveFull(ctx, u, nil, o.Benders)
	}
	so := DefaultSolveOptions()
	inOut := so.Benders.InOut
	so.Benders = o.Benders
	so.Benders.InOut = inOut
	if o.Method == families.Proxy {
		proxyOptions(&so.Benders)
	}
	sep, err := u.separation(o)
	if err != nil {
		return nil, err
	}
	scheme, ok := map[families.Scheme]Scheme{families.Auto: Auto, families.BBC: MasterTree, families.Outer: OuterLoop, families.Dual: DualTree}[o.Scheme]
	if !ok {
		return nil, fmt.Errorf("mcndp: %w: scheme %q", families.ErrUnsupported, o.Scheme)
	}
	so.Scheme = scheme
	so.Prepared = func(p *Prepared) {
		o.LogStart(p.Design.Cost, p.Bound, p.Elapsed)
		o.LogFixing(len(p.Fixing.Closed), len(p.Fixing.Opened), u.Arcs(), "arcs")
	}
	so.Ended = o.LogPhase
	return Solve(ctx, u.Instance, sep, so)
}

// Where a run with proxy cuts alone stops: after so many nodes of its tree without a better design. It is after a design, not
// after a proof that its cuts cannot give; with heuristics it starts from one that is seldom bettered.
const (
	proxyStallNodes   = 2000
	proxyStartedNodes = 100
)

// proxyOptions sets the options of a run with proxy cuts alone that the caller left to the family.
func proxyOptions(o *benders.Options) {
	switch {
	case o.StallNodes != 0:
	case o.Heuristic:
		o.StallNodes = proxyStartedNodes
	default:
		o.StallNodes = proxyStallNodes
	}
}

// separation returns the separation of a method.
func (u instance) separation(o families.SolveOptions) (Separation, error) {
	switch o.Method {
	case families.Exact, families.Aggregated:
		return ExactSeparation(), nil
	case families.Proxy, families.Hybrid:
		m := o.Model
		if m == nil {
			return Separation{}, families.ErrNoModel
		}
		if o.Method == families.Hybrid {
			return HybridSeparation(m, o.Benders.Violation), m.Fits(u)
		}
		return ProxySeparation(m), m.Fits(u)
	}
	return Separation{}, fmt.Errorf("mcndp: %w: method %q", families.ErrUnsupported, o.Method)
}
