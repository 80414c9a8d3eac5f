// Package variants is the proxy for the variants of one two-stage model, whatever model that is: instances that
// differ in costs and sides. A network predicts the multipliers of the rows with a first-stage column, from the numbers
// of the variant and a point; package twostage completes them to certificates, so that the cuts of a variant are valid
// however far it is from those of training.
package variants

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/nn"
)

// Projection is the projection of the predictions of a feasibility head onto the certificates of the slice (paper,
// section 3.1, slice normalisation).
type Projection string

const (
	NoHead Projection = ""      // there is no such head, since no infeasible recourse was found
	Joint  Projection = "joint" // together with the multipliers of the other rows
	V1     Projection = "v1"    // onto V1(B) of the paper, jointly only where that leaves nothing
)

// Architecture is a network with the costs and sides that a variant may change, and the point, as inputs. Its outputs
// are the differences of the multipliers of all rows with a first-stage column from those of the variant's linear
// relaxation. Where the recourse can be infeasible it has a second head, of as many multipliers of a feasibility
// certificate. Instances are *twostage.Problem, or have a method TwoStage that returns one. It implements
// proxy.Architecture.
type Architecture struct {
	family    string
	structure string // of the model, which all variants share
	inputs    int
	outputs   int        // of both heads
	head      Projection // of the feasibility head, NoHead for none
}

// New returns the architecture for the variants of a problem; family names them in files. Its feasibility head, if the
// recourse is found to need one, has the projection given; NoHead is for Joint.
func New(family string, p *twostage.Problem, head Projection) (*Architecture, error) {
	switch head {
	case NoHead:
		head = Joint
	case Joint, V1:
	default:
		return nil, fmt.Errorf("variants: %w: the projection %q is neither %s nor %s", proxy.ErrOptions, head, Joint, V1)
	}

	// Without an infeasible recourse there is nothing for a feasibility head to predict.
	fails, err := canFail(p)
	if err != nil {
		return nil, err
	}
	if !fails {
		head = NoHead
	}

	// The dimension of the certifier is the number of multipliers, of both heads.
	c, err := twostage.NewCertifier(p, head.options())
	if err != nil {
		return nil, err
	}
	if c.Dim() == 0 {
		return nil, fmt.Errorf("variants: %w: no recourse row has a first-stage column, there is nothing to predict",
			proxy.ErrOptions)
	}
	return &Architecture{
		family:    family,
		structure: p.Structure(),
		inputs:    len(constants(p)) + p.First,
		outputs:   c.Dim(),
		head:      head,
	}, nil
}

// options returns how a certifier completes predictions of an architecture with this head.
func (h Projection) options() twostage.CompletionOptions {
	return twostage.CompletionOptions{Feasibility: h != NoHead, V1: h == V1}
}

// canFail reports whether the recourse is infeasible at the least or at the greatest first stage, where it is so most
// often.
func canFail(p *twostage.Problem) (bool, error) {
	e, err := twostage.NewExact(p.Aggregated(), twostage.DefaultExactOptions())
	if err != nil {
		return false, err
	}

	// Two points are a sample: a recourse that is infeasible elsewhere alone is not found.
	q := make([]float64, 1)
	for _, y := range proxy.Corners(p.Compact.Cols[:p.First]) {
		// A recourse of unbounded value is feasible.
		feasible, err := e.Recourse(context.Background(), y, q)
		if errors.Is(err, twostage.ErrUnbounded) {
			continue
		}
		if err != nil || !feasible {
			return err == nil, err
		}
	}
	return false, nil
}

// Load builds the model that the tensors hold.
func Load(t *nn.Tensors, family string) (*proxy.Model, error) {
	return proxy.Load(t, family, func(meta map[string]string, net *nn.MLP) (proxy.Architecture, error) {
		if meta["structure"] == "" {
			return nil, errors.New("its metadata names no model structure")
		}
		head := Projection(meta["feasibility"])
		if head != NoHead && head != Joint && head != V1 {
			return nil, fmt.Errorf("feasibility is %q", head)
		}

		// Proxies that are older than the head have no such metadata, and no head.
		return &Architecture{
			family:    family,
			structure: meta["structure"],
			inputs:    net.Inputs(),
			outputs:   net.Outputs(),
			head:      head,
		}, nil
	})
}

// Describe implements proxy.Architecture.
func (a *Architecture) Describe() map[string]string {
	meta := map[string]string{"family": a.family, "structure": a.structure}
	if a.head != NoHead {
		meta["feasibility"] = string(a.head)
	}
	return meta
}

// Form implements proxy.Architecture.
func (a *Architecture) Form() proxy.Form {
	// Outputs near zero are the multipliers of the linear relaxation.
	return proxy.Form{
		Inputs:   a.inputs,
		Outputs:  a.outputs,
		NearZero: true,
		Normal:   &proxy.Normal{},
	}
}

// On implements proxy.Architecture.
func (a *Architecture) On(instance any) (proxy.View, error) {
	// A family's instance has the problem behind a method.
	p, ok := instance.(*twostage.Problem)
	if of, has := instance.(interface{ TwoStage() *twostage.Problem }); has {
		p = of.TwoStage()
		ok = true
	}
	if !ok {
		return nil, fmt.Errorf("variants: %w: the model is for two-stage models, not for a %T", proxy.ErrModel,
			instance)
	}

	// The structure has everything but the costs and sides, which variants may change.
	if a.structure != p.Structure() {
		return nil, fmt.Errorf("variants: %w: %s is no variant of the model that it was made for", proxy.ErrModel,
			p.Name)
	}
	return view{p, a.head}, nil
}

// constants are the inputs that do not depend on the point: costs of all columns, then the finite sides of the recourse
// rows, lower before upper.
func constants(p *twostage.Problem) (x []float64) {
	for _, col := range p.Compact.Cols {
		x = append(x, col.Cost)
	}

	// Infinite sides are part of the structure, and no inputs.
	for i, part := range p.RecourseRows() {
		for _, side := range []float64{p.Compact.Rows[i].Lower, p.Compact.Rows[i].Upper} {
			if part && !math.IsInf(side, 0) {
				x = append(x, side)
			}
		}
	}
	return x
}

// view implements proxy.View.
type view struct {
	p    *twostage.Problem
	head Projection
}

// Certifier implements proxy.View.
func (v view) Certifier(aggregated bool) (proxy.Certifier, error) { return v.certifier(aggregated) }

// certifier is Certifier with the type that training needs.
func (v view) certifier(aggregated bool) (*twostage.Certifier, error) {
	p := v.p
	if aggregated {
		p = p.Aggregated()
	}
	return twostage.NewCertifier(p, v.head.options())
}

// Exact implements proxy.View.
func (v view) Exact() (benders.Separator, error) {
	return twostage.NewExact(v.p.Aggregated(), twostage.DefaultExactOptions())
}

// multipliers is the map from outputs to multipliers: lambda = base + span*out.
type multipliers struct {
	base []float64
	span float64
	norm float64 // of certified values
}

// multipliers solves the linear relaxation, whose duals are the base, for the rows of a certifier.
func (v view) multipliers(c *twostage.Certifier) (*multipliers, error) {
	dual, value, err := v.p.RelaxationDuals(context.Background())
	if err != nil {
		return nil, err
	}

	// Without duals, as for an infeasible relaxation, the base is zero and the span one.
	m := &multipliers{span: 1, norm: max(1, math.Abs(value))}
	sum := 0.0
	for _, i := range c.Rows() {
		d := 0.0
		if dual != nil {
			d = dual[i]
		}
		m.base = append(m.base, d)
		sum += math.Abs(d)
	}

	// The span is the mean size of the duals, so that outputs of one are usual changes.
	if sum > 0 {
		m.span = sum / float64(len(m.base))
	}
	return m, nil
}

// set turns outputs into multipliers, those of the feasibility head scaled to the slice. Any output is allowed, since
// Certifier.Project follows.
func (m *multipliers) set(lambda, out []float64) {
	n := len(m.base)
	for i, b := range m.base {
		lambda[i] = b + m.span*out[i]
	}
	for i, v := range out[n:] {
		lambda[n+i] = v / float64(n)
	}
}

// predictor evaluates the network on one variant.
type predictor struct {
	*multipliers
	constant int // inputs that do not depend on the point, in front
	net      *nn.Inference
	in, out  []float64
}

// Predictor implements proxy.View.
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	c, err := v.certifier(true)
	if err != nil {
		return nil, err
	}
	m, err := v.multipliers(c)
	if err != nil {
		return nil, err
	}

	// The constant inputs are written once, the point before each prediction.
	x := constants(v.p)
	p := &predictor{
		multipliers: m,
		constant:    len(x),
		net:         net.NewInference(),
		in:          append(x, make([]float64, v.p.First)...),
		out:         make([]float64, net.Outputs()),
	}
	if len(p.in) != net.Inputs() || c.Dim() != net.Outputs() {
		return nil, fmt.Errorf("variants: %w: a network with %d inputs and %d outputs", proxy.ErrModel, net.Inputs(),
			net.Outputs())
	}
	return p, nil
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, lambda []float64) error {
	// The point follows the constant inputs.
	copy(p.in[p.constant:], y)
	if err := p.net.Forward(p.out, p.in, 1); err != nil {
		return err
	}
	p.set(lambda, p.out)
	return nil
}

// trainingSet implements proxy.TrainingSet: a state is one row. The value of a state with a feasible recourse is the
// certified one, with the residual d(y) - B x of the completion as supergradient (paper, section 4.1), in units of the
// linear relaxation. The value of another state, where there is a second head, is the separation value of its
// certificate (section 3.2), as a share of the best one.
type trainingSet struct {
	*multipliers
	certifier     *twostage.Certifier
	constant      []float64   // inputs that do not depend on the point
	y             [][]float64 // of each state
	infeasible    []float64   // the separation value of the best certificate; 0 where there is a recourse
	lambda, slope []float64   // scratch
}

// TrainingSet implements proxy.View.
func (v view) TrainingSet(ctx context.Context, states []benders.State) (proxy.TrainingSet, error) {
	// All values are those of aggregated cuts, as in the share that is reported.
	c, err := v.certifier(true)
	if err != nil {
		return nil, err
	}
	m, err := v.multipliers(c)
	if err != nil {
		return nil, err
	}
	e, err := twostage.NewExact(v.p.Aggregated(), twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	l := &trainingSet{
		multipliers: m,
		certifier:   c,
		constant:    constants(v.p),
		lambda:      make([]float64, c.Dim()),
		slope:       make([]float64, c.Dim()),
	}

	// The states are priced: those without a recourse are for the feasibility head, if a certificate separates them.
	q := make([]float64, 1)
	for _, state := range states {
		if len(state.Y) != v.p.First {
			return nil, fmt.Errorf("variants: %w: a state of %s with %d columns", proxy.ErrOptions, v.p.Name,
				len(state.Y))
		}
		feasible, err := e.Recourse(ctx, state.Y, q)
		if err != nil {
			return nil, err
		}

		// The separation value of the best certificate is the unit of a state without a recourse.
		separation := 0.0
		if !feasible {
			if separation, err = separable(ctx, e, v.p.Components(), state.Y); err != nil {
				return nil, err
			}
		}

		// Without a head, or where every certificate is within tolerances, there is nothing to learn.
		if feasible || v.head != NoHead && separation > 0 {
			l.y = append(l.y, state.Y)
			l.infeasible = append(l.infeasible, separation)
		}
	}
	return l, nil
}

// separable is the separation value of the best certificate, 0 where no first stage has a recourse.
func separable(ctx context.Context, e *twostage.Exact, components int, y []float64) (total float64, err error) {
	// The components of the recourse have certificates of their own, whose values add up.
	for k := range components {
		_, value, err := e.Infeasibility(ctx, k, y)
		if err != nil || math.IsInf(value, 0) {
			return 0, err
		}
		total += max(0, value)
	}
	return total, nil
}

// States implements proxy.TrainingSet.
func (l *trainingSet) States() int { return len(l.y) }

// Rows implements proxy.TrainingSet.
func (l *trainingSet) Rows(int) int { return 1 }

// Fill implements proxy.TrainingSet.
func (l *trainingSet) Fill(x, _ []float64, state int, _ []int) {
	copy(x[copy(x, l.constant):], l.y[state])
}

// Certify implements proxy.TrainingSet.
func (l *trainingSet) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	// The slope of the head that has no part in the value is zero.
	l.set(l.lambda, out)
	l.certifier.Project(l.lambda)
	clear(slope)
	n := len(l.base)

	// The feasibility head. Its outputs are scaled by 1/n, and its value by that of the best certificate.
	if best := l.infeasible[state]; best > 0 {
		v, err := l.certifier.FeasibilitySupergradient(context.Background(), slope[n:], l.lambda[n:], l.y[state])
		value[0] = v / best
		for i := range slope[n:] {
			slope[n+i] /= float64(n) * best
		}
		return err
	}

	// The optimality head.
	slope = slope[:n]
	v, err := l.certifier.Supergradient(context.Background(), slope, l.lambda, l.y[state])
	if err != nil {
		return err
	}

	// The recourse is infeasible within the tolerances: the state has no value.
	if math.IsNaN(v) {
		clear(slope)
		value[0] = 0
		return nil
	}

	// By the chain rule: an output is a multiplier in spans, and the value is in units of the norm.
	for i := range slope {
		slope[i] *= l.span / l.norm
	}
	value[0] = v / l.norm
	return nil
}

// Value implements proxy.TrainingSet.
func (l *trainingSet) Value(out, notes []float64, state int) (float64, error) {
	// The value is the same as in training; its slope is not needed here.
	var value [1]float64
	err := l.Certify(value[:], l.slope, out, notes, state, nil)
	return value[0], err
}
