package scenario

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

// Architecture is one network for all scenarios of a program, however many: a row of inputs is a scenario at a point
// (twostage.View.Numbers), its outputs are by how much the multipliers of the recourse rows differ from those of the
// mean scenario there, which one linear program a point gives. Predictions become dual feasible without one
// (twostage.View.Inside). It is for programs of one structure: costs, sides and scenarios may be others. Instances
// are *Problem, or have a method ByScenario that returns one. It implements proxy.Architecture.
type Architecture struct {
	family, structure string
	inputs, outputs   int
}

// recourseOf is what the metadata of these networks say they predict.
const recourseOf = "scenario"

// NewArchitecture returns the architecture for programs of the structure of p; family names them in files.
func NewArchitecture(family string, p *Problem) (*Architecture, error) {
	if p.scenarios.Random().Infinite {
		return nil, fmt.Errorf("scenario: %w: in %s sides or bounds are finite in some scenarios and infinite in others",
			proxy.ErrOptions, p.Name)
	}
	v, err := p.scenarios.View()
	if err != nil {
		return nil, err
	}
	return &Architecture{family: family, structure: p.scenarios.Structure(), outputs: len(v.Predicted()),
		inputs: inputs(v, p.scenarios.Problem().First)}, nil
}

// Predicts reports whether metadata are of a network of this architecture.
func Predicts(meta map[string]string) bool { return meta["recourse"] == recourseOf }

// LoadModel builds the model that the tensors hold.
func LoadModel(t *nn.Tensors, family string) (*proxy.Model, error) {
	return proxy.Load(t, family, func(meta map[string]string, net *nn.MLP) (proxy.Architecture, error) {
		return &Architecture{family: family, structure: meta["structure"], inputs: net.Inputs(), outputs: net.Outputs()},
			nil
	})
}

// Describe implements proxy.Architecture.
func (a *Architecture) Describe() map[string]string {
	return map[string]string{"family": a.family, "structure": a.structure, "recourse": recourseOf}
}

// drawnScenarios is how many scenarios of a state a batch draws.
const drawnScenarios = 8

// Form implements proxy.Architecture.
func (a *Architecture) Form() proxy.Form {
	return proxy.Form{Inputs: a.inputs, Outputs: a.outputs, AtZero: true, Drawn: drawnScenarios, Normal: &proxy.Normal{}}
}

// On implements proxy.Architecture.
func (a *Architecture) On(instance any) (proxy.View, error) {
	p, ok := instance.(*Problem)
	if of, has := instance.(interface{ ByScenario() *Problem }); has {
		p = of.ByScenario()
		ok = p != nil
	}
	if !ok {
		return nil, fmt.Errorf("scenario: %w: the model is for programs with scenarios, not for a %T", proxy.ErrModel,
			instance)
	}
	if p.scenarios.Random().Infinite || a.structure != p.scenarios.Structure() {
		return nil, fmt.Errorf("scenario: %w: %s has not the structure of the program that it was made for", proxy.ErrModel,
			p.Name)
	}
	v, err := p.scenarios.View()
	if err != nil {
		return nil, err
	}
	if n := inputs(v, p.scenarios.Problem().First); n != a.inputs {
		return nil, fmt.Errorf("scenario: %w: %s has %d inputs, not %d", proxy.ErrModel, p.Name, n, a.inputs)
	}
	return &network{p: p, inputs: a.inputs}, nil
}

// network implements proxy.View and proxy.Reuse.
type network struct {
	p      *Problem
	inputs int
}

// Exact implements proxy.View.
func (n *network) Exact() (benders.Separator, error) { return (&solvers{p: n.p}).separator(1) }

// Certifier implements proxy.View.
func (n *network) Certifier(aggregated bool) (proxy.Certifier, error) {
	v, err := n.p.scenarios.View()
	if err != nil {
		return nil, err
	}
	s, err := (&solvers{p: n.p}).separator(n.p.ofTree(aggregated))
	if err != nil {
		return nil, err
	}
	fails, err := s.canFail()
	if err != nil {
		return nil, err
	}
	m, err := newMean(n.p, v)
	return &certifier{view: v, s: s, mean: m, zero: make([]float64, len(v.Predicted())), fails: fails}, err
}

// Predictor implements proxy.View.
func (n *network) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	v, err := n.p.scenarios.View()
	if err != nil {
		return nil, err
	}
	m, err := newMean(n.p, v)
	if err != nil {
		return nil, err
	}
	if net.Inputs() != n.inputs || net.Outputs() != len(v.Predicted()) {
		return nil, fmt.Errorf("scenario: %w: a network with %d inputs and %d outputs", proxy.ErrModel, net.Inputs(),
			net.Outputs())
	}
	return &predictor{p: n.p, sight: sight{view: v}, mean: m, net: net.NewInference()}, nil
}

// predictor evaluates the network for all scenarios at once.
type predictor struct {
	p *Problem
	sight
	mean *mean
	net  *nn.Inference
	in   []float64
}

// Predict implements proxy.Predictor.
func (p *predictor) Predict(y, lambda []float64) error {
	base, inset, err := p.mean.at(context.Background(), y)
	if err != nil {
		return err
	}
	if p.in, err = p.all(p.in[:0], p.p.weight, y, base, p.mean.span); err != nil {
		return err
	}
	if err := p.net.Forward(lambda, p.in, len(p.p.weight)); err != nil {
		return err
	}
	rows := len(base)
	for s := range p.p.weight {
		p.mean.set(lambda[s*rows:][:rows], lambda[s*rows:][:rows], inset)
	}
	return nil
}

// certifier implements proxy.Certifier: predictions are the multipliers of all scenarios one after the other.
type certifier struct {
	view  *twostage.View
	s     *Separator
	mean  *mean
	zero  []float64
	kept  []*twostage.Kept // of a prediction, the mean scenario's multipliers and zero, nil where scenarios do not share
	fails bool             // the recourse may be infeasible

	always *twostage.Certificate // of a lower bound on the recourse, nil before it was asked for
}

// Dim implements proxy.Certifier.
func (c *certifier) Dim() int { return len(c.s.weight) * len(c.view.Predicted()) }

// Project implements proxy.Certifier. What is not finite becomes zero; the rest is Complete's, which knows the
// scenario.
func (c *certifier) Project(prediction []float64) (notFinite int) {
	for k, v := range prediction {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			prediction[k] = 0
			notFinite++
		}
	}
	return notFinite
}

// Complete implements proxy.Certifier. A design for which a scenario may have no recourse is asked of the linear
// programs first: no multipliers of a value say that.
func (c *certifier) Complete(projected []float64, pt benders.Point) (out benders.Separation, err error) {
	if len(projected) != c.Dim() {
		return out, fmt.Errorf("scenario: %w: %d multipliers of %d", twostage.ErrProblem, len(projected), c.Dim())
	}

	if c.fails && pt.Integer {
		c.s.move(pt.Y)
		failed, err := c.s.solve(context.Background(), func() bool { return false })
		if err != nil {
			return out, err
		}
		if len(failed) > 0 {
			return c.s.infeasible(failed), nil
		}
	}

	// The controls beside the prediction: the mean scenario's multipliers, and zero. Both are completed once for all
	// scenarios.
	rows := len(c.view.Predicted())
	base, middle, err := c.mean.at(context.Background(), pt.Y)
	if err != nil {
		return out, err
	}
	if err := c.view.Set(0); err != nil {
		return out, err
	}
	c.kept = append(c.kept[:0], nil, c.view.Keep(base, middle, pt.Y), c.view.Keep(c.zero, middle, pt.Y))

	// A cut is the weighted sum of the best certificates of its scenarios.
	for g, group := range c.s.groups {
		w := c.s.p.scenarios.NewWeighted()
		known := true
		for _, k := range group {
			if err := c.view.Set(k); err != nil {
				return out, err
			}
			list := [][]float64{projected[k*rows:][:rows], base, c.zero}
			if known, err = c.add(w, k, list, middle, pt.Y); err != nil {
				return out, err
			}
			if !known {
				break
			}
		}
		cut, ok := w.Cut(g)
		if !known || !ok {
			out.Value = math.Inf(-1)
			continue
		}
		out.Value += cut.ValueDown(pt.Y)
		out.Cuts = append(out.Cuts, cut)
	}
	return out, nil
}

// add adds the cut of the scenario that the view shows: that of the multipliers of the list that certify most,
// completed without a linear program or where that fails by one, or else one that always holds. It reports false if
// there is none of them.
func (c *certifier) add(w *twostage.Weighted, scenario int, list [][]float64, middle, y []float64) (ok bool,
	err error) {
	best := better(c.view, list, c.kept, middle, y)

	// A certificate that another scenario has made is shared, if it can be.
	kept := c.kept[best]
	if kept != nil {
		if d := c.view.Shared(kept); d != nil {
			w.AddDual(c.s.weight[scenario], d, scenario)
			return true, nil
		}
	}

	// Else the multipliers are completed, and where that fails the certificate of the lower bound stands in, which
	// always holds.
	lambda, _ := c.view.Inside(list[best], middle, y)
	cut, err := c.view.Certify(benders.Optimality, lambda)
	if err == nil && kept != nil {
		c.view.Share(kept, &cut)
	}

	if errors.Is(err, twostage.ErrCertificate) {
		if _, c.always, err = c.view.Lowest(context.Background(), c.always); err != nil || c.always == nil {
			return false, err
		}
		if cut, err = c.view.Again(c.always); errors.Is(err, twostage.ErrCertificate) {
			return false, nil
		}
	}

	if err != nil {
		return false, err
	}
	w.Add(c.s.weight[scenario], &cut)
	return true, nil
}

// better returns which multipliers certify most of the scenario's recourse at y, of equals the first that is kept or
// else the first, and the first where a step towards the middle does not complete these. Those that are kept for all
// scenarios at y are in kept at their place, nil for the others; it may be nil.
func better(v *twostage.View, list [][]float64, kept []*twostage.Kept, middle, y []float64) (best int) {
	highest := math.Inf(-1)
	for k, predicted := range list {
		var value float64
		cheaper := kept != nil && kept[k] != nil
		if cheaper {
			value = v.Certified(kept[k], y)
			cheaper = kept[best] == nil
		} else {
			value = v.Supergradient(nil, predicted, middle, y)
		}
		if k == 0 && math.IsNaN(value) {
			break
		}
		if value > highest || cheaper && value == highest {
			best, highest = k, value
		}
	}
	return best
}

// canFail reports whether the first scenario of a chunk has no recourse at the least or at the greatest first stage.
func (e *engine) canFail() (bool, error) {
	e.focus(true)
	defer e.focus(false)
	for _, least := range []bool{true, false} {
		y := make([]float64, len(e.p.master.Cols))
		for j := range y {
			c := &e.p.master.Cols[j]
			if y[j] = c.Upper; least && !math.IsInf(c.Lower, -1) || math.IsInf(c.Upper, 1) {
				y[j] = c.Lower
			}
			if math.IsInf(y[j], 0) {
				y[j] = 0
			}
		}
		e.move(y)
		failed, err := e.solve(context.Background(), func() bool { return false })
		if err != nil || len(failed) > 0 {
			return true, err
		}
	}
	return false, nil
}
