package cflp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/nn"
)

// Family implements families.Family. Its name on the command line and in files is cap, the paper's.
type Family struct{}

// Name returns cap.
func (Family) Name() string { return "cap" }

// About says what the family is.
func (Family) About() string { return "capacitated facility location (OR-Library)" }

// Read reads an OR-Library file.
func (Family) Read(path string, o families.ReadOptions) (families.Instance, error) {
	return wrap(Read(path, o.Capacity))
}

// Classes lists the paper's shapes.
func (Family) Classes() []string { return []string{"50x16", "50x25", "50x50", "1000x100"} }

// defaultRatio is that of total capacity to demand in a class that names none.
const defaultRatio = 3

// Generate makes an instance of a shape clients x facilities, with a ratio of total capacity to demand after a colon if
// it is not to be 3: 50x16 or 50x16:1.5.
func (f Family) Generate(class string, seed uint64) (families.Instance, error) {
	ratio := float64(defaultRatio)
	name, text, given := strings.Cut(class, ":")
	shape, err := families.ParseShape(name, 2)
	if err == nil && given {
		ratio, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		return nil, fmt.Errorf("cflp: %w: class %q: %w (such as %s or 50x16:1.5)", families.ErrOptions, class, err, strings.Join(f.Classes(), ", "))
	}
	return wrap(Generate(Class{Facilities: shape[1], Clients: shape[0], Ratio: ratio}, seed))
}

// NewModel returns a full-state network for the shape.
func (Family) NewModel(like families.Instance, mo families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	in, err := own(like)
	if err != nil {
		return nil, proxy.TrainOptions{}, err
	}
	if mo.Features != "" {
		return nil, proxy.TrainOptions{}, fmt.Errorf("cflp: %w: there is one kind of features, not %q", families.ErrUnsupported, mo.Features)
	}
	o := mo.Preset.Budget(mo.Seed)
	if mo.Preset == families.Fast {
		o.NN.Steps, o.NN.ValidateEvery = 16000, 500
	}
	m, err := proxy.New(network{in.Facilities, in.Clients}, mo.Widths([]int{128, 128}, []int{512, 512}), mo.Seed)
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

func (u instance) Name() string            { return u.Instance.Name }
func (u instance) Family() string          { return Family{}.Name() }
func (u instance) Shape() string           { return families.FormatShape(u.Clients, u.Facilities) }
func (u instance) Ext() string             { return ".txt" }
func (u instance) Write(path string) error { return Write(path, u.Instance) }

func (u instance) Title() string {
	return fmt.Sprintf("%s: capacitated facility location, %d clients, %d facilities", u.Name(), u.Clients, u.Facilities)
}

func (u instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	out, raised, err := Perturb(u.Instance, sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	out.Name = name
	return instance{out}, raised, nil
}

func (u instance) Price(ctx context.Context, y []float64) (float64, bool, error) {
	q, feasible, err := NewTransport(u.Instance).Solve(ctx, y)
	if err != nil || !feasible {
		return 0, false, err
	}
	for j, v := range y {
		q += u.Fixed[j] * v
	}
	return q, true, nil
}

// Solve solves the instance by the method and scheme that the options name. Cuts are aggregated always, so that the
// method aggregated is exact.
func (u instance) Solve(ctx context.Context, o families.SolveOptions) (*benders.Result, error) {
	if o.Method == families.Full {
		return families.SolveFull(ctx, u, u.fullStart(ctx, o.Benders), o.Benders)
	}
	so := DefaultSolveOptions()
	inOut := so.Benders.InOut
	so.Benders = o.Benders
	so.Benders.InOut = inOut
	sep, err := u.separation(o, &so)
	if err != nil {
		return nil, err
	}
	scheme, ok := map[families.Scheme]Scheme{families.Auto: Auto, families.BBC: MasterTree, families.Outer: OuterLoop}[o.Scheme]
	if !ok {
		return nil, fmt.Errorf("cflp: %w: scheme %q: it is auto, bbc or outer", families.ErrUnsupported, o.Scheme)
	}
	so.Scheme = scheme
	so.Prepared = func(p Prepared) {
		o.LogStart(p.Design.Cost, p.Bound, p.Elapsed)
		o.LogFixing(len(p.Fixing.Closed), len(p.Fixing.Opened), u.Facilities, "facilities")
	}
	so.Ended = o.LogPhase
	return Solve(ctx, u.Instance, sep, so)
}

// separation returns the separation of a method.
func (u instance) separation(o families.SolveOptions, so *SolveOptions) (Separation, error) {
	switch o.Method {
	case families.Exact, families.Aggregated:
		return ExactSeparation(), nil
	case families.Proxy, families.Hybrid:
		m := o.Model
		if m == nil {
			return Separation{}, families.ErrNoModel
		}
		so.Reduce = false
		if o.Method == families.Hybrid {
			return HybridSeparation(m, o.Benders.Violation), m.Fits(u)
		}
		return ProxySeparation(m), m.Fits(u)
	}
	return Separation{}, fmt.Errorf("cflp: %w: method %q", families.ErrUnsupported, o.Method)
}

// fullStart returns the design of the Lagrangian bound, or nil.
func (u instance) fullStart(ctx context.Context, o benders.Options) []float64 {
	if !o.Heuristic || !u.Feasible(ones(u.Facilities)) {
		return nil
	}
	so := DefaultSolveOptions()
	so.Benders = o
	pre, err := prepareWithin(ctx, u.Instance, so, time.Now())
	if err != nil || pre.Design.Open == nil {
		return nil
	}
	return u.Design(pre.Design.Open)
}
