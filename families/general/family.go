package general

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/proxy/variants"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
	"github.com/proxybd/proxybd/simplex"
)

// Family implements families.Family. Its name on the command line and in files is mps.
type Family struct{}

// Name returns mps.
func (Family) Name() string { return "mps" }

// About says what the family is.
func (Family) About() string { return "any two-stage model (MPS, LP)" }

// Read reads a model; see the function Read.
func (Family) Read(path string, o families.ReadOptions) (families.Instance, error) {
	return wrap(Read(path, o.FirstStage))
}

// Classes lists shapes of stochastic location models; see Generate.
func (Family) Classes() []string { return classes }

// Generate makes a two-stage stochastic location model of a shape first-stage columns x recourse columns x rows.
func (Family) Generate(class string, seed uint64) (families.Instance, error) {
	return wrap(generate(class, seed))
}

// NewModel returns a network for variants of the instance.
func (Family) NewModel(like families.Instance, o families.ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	budget := o.Preset.Budget(o.Seed)
	in, ok := like.(instance)
	if !ok || o.Features != "" {
		return nil, budget, fmt.Errorf("general: %w: a model for a %T with features %q", families.ErrUnsupported, like, o.Features)
	}
	v, err := variants.New(Family{}.Name(), in.Problem)
	if err != nil {
		return nil, budget, err
	}
	m, err := proxy.New(v, o.Widths([]int{64, 64}, []int{256, 256}), o.Seed)
	return m, budget, err
}

// LoadModel builds a model from the tensors that Save wrote.
func (Family) LoadModel(t *nn.Tensors) (*proxy.Model, error) {
	return variants.Load(t, Family{}.Name())
}

// instance implements families.Instance.
type instance struct{ *Instance }

func wrap(in *Instance, err error) (families.Instance, error) {
	if err != nil {
		return nil, err
	}
	return instance{in}, nil
}

// TwoStage returns the problem, as variants.Architecture wants it.
func (u instance) TwoStage() *twostage.Problem { return u.Problem }

func (u instance) Name() string      { return u.model.Name }
func (u instance) Family() string    { return Family{}.Name() }
func (u instance) Ext() string       { return ".mps" }
func (u instance) Master() *lp.Model { return u.Problem.Master() }

// Compact is a minimisation, with the first-stage columns in front.
func (u instance) Compact() *lp.Model { return u.Problem.Compact.Clone() }

// Hash is that of the program as a record holds it; names do not enter.
func (u instance) Hash() string {
	program := u.Problem.Record()
	return program.Hash()
}

// Shape is first-stage columns x recourse columns x rows.
func (u instance) Shape() string {
	p := u.Problem
	return families.FormatShape(p.First, len(p.Compact.Cols)-p.First, len(p.Compact.Rows))
}

func (u instance) Title() string {
	p := u.Problem
	return fmt.Sprintf("%s: two-stage model, %d first-stage and %d recourse columns, %d rows, %d independent recourse parts", u.Name(),
		p.First, len(p.Compact.Cols)-p.First, len(p.Compact.Rows), p.Components())
}

func (u instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	out, err := u.perturb(sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	out.model.Name, out.Problem.Name = name, name
	return instance{out}, 1, nil
}

// Price is in the sense of a minimisation.
func (u instance) Price(ctx context.Context, y []float64) (float64, bool, error) {
	e, err := twostage.NewExact(u.Problem, twostage.DefaultExactOptions())
	if err != nil {
		return 0, false, err
	}
	q := make([]float64, u.Problem.Epigraphs())
	feasible, err := e.Recourse(ctx, y, q)
	if err != nil || !feasible {
		return 0, false, err
	}
	cost := u.Problem.Master().Evaluate(y)
	for _, v := range q {
		cost += v
	}
	return cost, true, nil
}

// Solve solves the instance by the method and scheme that the options name. Objective and bound are in the sense of the
// model as it was read.
func (u instance) Solve(ctx context.Context, o families.SolveOptions) (*benders.Result, error) {
	if u.Problem.Maximize {
		o.Benders.Progress = negated(o.Benders.Progress)
	}
	r, err := u.solve(ctx, o)
	if err != nil {
		return nil, err
	}
	if u.Problem.Maximize {
		r.Objective, r.Bound, r.Terminal = -r.Objective, -r.Bound, -r.Terminal
	}
	return r, nil
}

// negated turns the values of a minimisation into those of the maximisation that it stands for.
func negated(report func(benders.Progress)) func(benders.Progress) {
	if report == nil {
		return nil
	}
	return func(p benders.Progress) {
		p.Objective, p.Bound, p.TrueCost = -p.Objective, -p.Bound, -p.TrueCost
		report(p)
	}
}

func (u instance) solve(ctx context.Context, o families.SolveOptions) (*benders.Result, error) {
	if o.Method == families.Full {
		return families.SolveFull(ctx, u, nil, o.Benders)
	}
	began := time.Now()
	p := u.Problem
	if o.Method == families.Aggregated {
		p = p.Aggregated()
	}
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	b, status, err := prepare(ctx, exact, o.Benders.TimeLimit)
	switch {
	case errors.Is(err, twostage.ErrUnbounded):
		o.Logf("%v", err)
		o.Benders.Spend(time.Since(began))
		return unboundedOrInfeasible(ctx, p, o)
	case err != nil:
		return nil, err
	case status.Limited():
		r := nothing(status)
		r.Elapsed = time.Since(began)
		return r, nil
	}
	sep, err := u.separator(o, exact)
	if err != nil {
		return nil, err
	}
	o.Benders.Spend(time.Since(began))
	presolve := time.Since(began)
	r, err := drive(ctx, b, sep, o)
	if err != nil {
		return nil, err
	}
	r.Parts.Presolve, r.Elapsed = presolve, time.Since(began)
	return r, nil
}

// drive runs the scheme that the options name.
func drive(ctx context.Context, b *benders.Problem, sep benders.Separator, o families.SolveOptions) (*benders.Result, error) {
	var r *benders.Result
	var err error
	switch o.Scheme {
	case families.Auto, families.BBC, "":
		r, err = benders.BranchAndCut(ctx, b, sep, o.Benders)
	case families.Outer:
		r, err = benders.OuterLoop(ctx, b, sep, o.Benders)
	default:
		return nil, fmt.Errorf("general: %w: scheme %q: it is auto, bbc or outer", families.ErrUnsupported, o.Scheme)
	}
	if err == nil && r.Status == lp.Unbounded { // its linear relaxation is not
		return nil, fmt.Errorf("general: %w: the master of %s has no bound", simplex.ErrNumerical, b.Name)
	}
	return r, err
}

// nothing is the result without a design and a bound.
func nothing(s lp.Status) *benders.Result {
	return &benders.Result{Status: s, Objective: math.NaN(), Terminal: math.NaN(), Bound: math.Inf(-1), Gap: math.Inf(1)}
}

// unboundedOrInfeasible decides between the two for a problem whose linear relaxation is unbounded: with a feasible point the
// ray of the relaxation pays for ever, up to the multiples that keep columns integer. The point is looked for exactly,
// whatever the method, without costs.
func unboundedOrInfeasible(ctx context.Context, p *twostage.Problem, o families.SolveOptions) (*benders.Result, error) {
	began := time.Now()
	p = p.Feasibility()
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	b, status, err := prepare(ctx, exact, o.Benders.TimeLimit)
	if err != nil {
		return nil, err
	}
	if !status.Limited() {
		o.Benders.Spend(time.Since(began))
		o.Benders.Progress = nil
		r, err := drive(ctx, b, exact, o)
		if err != nil {
			return nil, err
		}
		status = r.Status
		if status == lp.Optimal {
			status = lp.Unbounded
		}
	}
	r := nothing(status)
	if status == lp.Infeasible {
		r.Bound = math.Inf(1)
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

// prepare solves the linear relaxation and what else comes before the master, within the time limit. Where it is stopped
// it returns the status.
func prepare(ctx context.Context, exact *twostage.Exact, limit time.Duration) (*benders.Problem, lp.Status, error) {
	within := ctx
	if limit != math.MaxInt64 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	b, err := exact.Benders(within)
	switch {
	case err == nil || within.Err() == nil:
		return b, lp.NotSolved, err
	case ctx.Err() != nil:
		return nil, lp.Interrupted, nil
	}
	return nil, lp.TimeLimit, nil
}

// separator returns the separator of a method; an exact one shares the linear programs of exact.
func (u instance) separator(o families.SolveOptions, exact *twostage.Exact) (benders.Separator, error) {
	switch o.Method {
	case families.Exact, families.Aggregated, "":
		return exact, nil
	case families.Proxy, families.Hybrid:
		if o.Model == nil {
			return nil, families.ErrNoModel
		}
		s, err := o.Model.Separator(u.Problem, false)
		if err != nil || o.Method == families.Proxy {
			return s, err
		}
		return benders.NewHybrid(s, exact, o.Benders.Violation), nil
	}
	return nil, fmt.Errorf("general: %w: method %q", families.ErrUnsupported, o.Method)
}
