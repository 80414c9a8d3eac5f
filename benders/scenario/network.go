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

// architecture is one network for all scenarios of a program, however many: a row of inputs is a scenario at a point
// (twostage.View.Numbers), its outputs are by how much the multipliers of the recourse rows differ from those of the
// mean scenario there, which one linear program a point gives. Predictions become dual feasible without one
// (twostage.View.Inside). It is for programs of one structure: costs, sides and scenarios may be others. Instances
// are *Problem, or have a method ByScenario that returns one. It implements proxy.Architecture.
type architecture struct {
	family    string
	structure string // twostage.Scenarios.Structure of the programs that it is for
	inputs    int    // of a scenario at a point
	outputs   int    // predicted rows
}

// recourseOf is the value of "recourse" in the metadata of these networks.
const recourseOf = "scenario"

// NewArchitecture returns the architecture for programs of the structure of p; family names them in files.
func NewArchitecture(family string, p *Problem) (proxy.Architecture, error) {
	// Infinite sides are left out of the inputs, whose number has to be the same for all scenarios.
	if p.scenarios.Random().Infinite {
		return nil, fmt.Errorf("scenario: %w: in %s sides or bounds are finite in some scenarios and infinite in others",
			proxy.ErrOptions, p.name)
	}
	v, err := p.scenarios.View()
	if err != nil {
		return nil, err
	}
	return &architecture{
		family:    family,
		structure: p.scenarios.Structure(),
		outputs:   len(v.Predicted()),
		inputs:    inputs(v, p.scenarios.Problem().First),
	}, nil
}

// Predicts reports whether metadata are of a network of this architecture.
func Predicts(meta map[string]string) bool { return meta["recourse"] == recourseOf }

// LoadModel builds the model that the tensors hold.
func LoadModel(t *nn.Tensors, family string) (*proxy.Model, error) {
	return proxy.Load(t, family, func(meta map[string]string, net *nn.MLP) (proxy.Architecture, error) {
		return &architecture{
			family:    family,
			structure: meta["structure"],
			inputs:    net.Inputs(),
			outputs:   net.Outputs(),
		}, nil
	})
}

// Describe implements proxy.Architecture.
func (a *architecture) Describe() map[string]string {
	return map[string]string{
		"family":    a.family,
		"structure": a.structure,
		"recourse":  recourseOf,
	}
}

// drawnScenarios is how many scenarios of a state a batch draws.
const drawnScenarios = 8

// Form implements proxy.Architecture.
func (a *architecture) Form() proxy.Form {
	return proxy.Form{
		Inputs:  a.inputs,
		Outputs: a.outputs,
		AtZero:  true, // an output of zero is the mean scenario's multiplier
		Drawn:   drawnScenarios,
		Normal:  &proxy.Normal{},
	}
}

// On implements proxy.Architecture.
func (a *architecture) On(instance any) (proxy.View, error) {
	// A family's instance has the program behind a method.
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
			p.name)
	}

	// The structure is that of the skeleton; the number of inputs depends on what is random too.
	v, err := p.scenarios.View()
	if err != nil {
		return nil, err
	}
	if n := inputs(v, p.scenarios.Problem().First); n != a.inputs {
		return nil, fmt.Errorf("scenario: %w: %s has %d inputs, not %d", proxy.ErrModel, p.name, n, a.inputs)
	}
	return &network{p: p, inputs: a.inputs}, nil
}

// network implements proxy.View and proxy.Reuse.
type network struct {
	p      *Problem
	inputs int // that a network for the problem has
}

// Exact implements proxy.View.
func (n *network) Exact() (benders.Separator, error) { return (&solvers{p: n.p}).separator(1) }

// Certifier implements proxy.View.
func (n *network) Certifier(aggregated bool) (proxy.Certifier, error) {
	m, v, err := meanAndView(n.p)
	if err != nil {
		return nil, err
	}

	// The cuts are those of an exact run: one for each epigraph of a tree.
	s, err := (&solvers{p: n.p}).separator(n.p.ofTree(aggregated))
	if err != nil {
		return nil, err
	}
	fails, err := s.canFail()
	return &certifier{
		view:  v,
		s:     s,
		mean:  m,
		zero:  make([]float64, len(v.Predicted())),
		fails: fails,
	}, err
}

// Predictor implements proxy.View.
func (n *network) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	m, v, err := meanAndView(n.p)
	if err != nil {
		return nil, err
	}
	if net.Inputs() != n.inputs || net.Outputs() != len(v.Predicted()) {
		return nil, fmt.Errorf("scenario: %w: a network with %d inputs and %d outputs", proxy.ErrModel, net.Inputs(),
			net.Outputs())
	}
	return &predictor{
		p:     n.p,
		sight: sight{view: v},
		mean:  m,
		net:   net.NewInference(),
	}, nil
}

// predictor evaluates the network for all scenarios at once.
type predictor struct {
	p *Problem
	sight
	mean *mean
	net  *nn.Inference
	in   []float64 // scratch: scenarios x inputs
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

	// Outputs become multipliers in place, a scenario after the other.
	rows := len(base)
	for s := range p.p.weight {
		p.mean.set(lambda[s*rows:][:rows], lambda[s*rows:][:rows], inset)
	}
	return nil
}

// certifier implements proxy.Certifier: predictions are the multipliers of all scenarios one after the other.
type certifier struct {
	view  *twostage.View
	s     *separator       // for the groups, and for designs that may have no recourse
	mean  *mean            // the control, and where completion begins
	zero  []float64        // the other control
	kept  []*twostage.Kept // of a prediction, the mean scenario's multipliers and zero, nil where scenarios do not share
	fails bool             // the recourse may be infeasible

	fallback fallback // the certificate that stands in where none of these can be completed
}

// fallback is a certificate of a lower bound on a scenario's recourse over the bounds of the first stage, which always
// holds. The zero value has none yet.
type fallback struct{ by *twostage.Certificate }

// cut returns the cut of a lower bound for the scenario that the view shows, and false if there is none.
func (f *fallback) cut(v *twostage.View) (cut benders.Cut, ok bool, err error) {
	// The certificate of one scenario is tried in the next before a linear program finds another.
	if _, f.by, err = v.Lowest(context.Background(), f.by); err != nil || f.by == nil {
		return cut, false, err
	}
	cut, err = v.Again(f.by)
	if errors.Is(err, twostage.ErrCertificate) {
		return cut, false, nil
	}
	return cut, err == nil, err
}

// Dim implements proxy.Certifier.
func (c *certifier) Dim() int { return len(c.s.weight) * len(c.view.Predicted()) }

// Project implements proxy.Certifier. What is not finite becomes zero. Signs are left to Complete: which sides a row
// has depends on the scenario.
func (c *certifier) Project(prediction []float64) (notFinite int) {
	for k, v := range prediction {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			prediction[k] = 0
			notFinite++
		}
	}
	return notFinite
}

// Complete implements proxy.Certifier. Where the recourse may be infeasible, a design is priced by linear programs
// first: multipliers of a value cannot prove that there is no recourse.
func (c *certifier) Complete(projected []float64, pt benders.Point) (out benders.Separation, err error) {
	if len(projected) != c.Dim() {
		return out, fmt.Errorf("scenario: %w: %d multipliers of %d", twostage.ErrProblem, len(projected), c.Dim())
	}

	// Fractional points are left to the cuts of values.
	if c.fails && pt.Integer {
		c.s.move(pt.Y)
		failed, err := c.s.solveAll(context.Background())
		if err != nil {
			return out, err
		}
		if len(failed) > 0 {
			return c.s.infeasible(failed), nil
		}
	}

	// The controls next to the prediction: the mean scenario's multipliers, and zero. Both are completed once for all
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

		// A group without a cut has no lower bound, and then the sum has none either.
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
	cut, err := ownCut(c.view, list[best], middle, y)
	if err == nil && kept != nil {
		c.view.Share(kept, &cut)
	}

	if errors.Is(err, twostage.ErrCertificate) {
		if cut, ok, err = c.fallback.cut(c.view); err == nil && !ok {
			return false, nil
		}
	}

	if err != nil {
		return false, err
	}
	w.Add(c.s.weight[scenario], &cut)
	return true, nil
}

// ownCut returns the cut of multipliers in the scenario that the view shows, after a step towards the middle. The error
// wraps twostage.ErrCertificate where there is none.
func ownCut(v *twostage.View, predicted, middle, y []float64) (benders.Cut, error) {
	lambda, _ := v.Inside(predicted, middle, y)
	return v.Certify(benders.Optimality, lambda)
}

// better returns which multipliers certify most of the scenario's recourse at y, of equals the first that is kept or
// else the first. Those that are kept for all scenarios at y are in kept at their place, nil for the others; it may be
// nil.
func better(v *twostage.View, list [][]float64, kept []*twostage.Kept, middle, y []float64) (best int) {
	highest := math.Inf(-1)
	for k, predicted := range list {
		// Multipliers that are kept are evaluated without a completion, and of equal values they are preferred.
		var value float64
		cheaper := kept != nil && kept[k] != nil
		if cheaper {
			value = v.Certified(kept[k], y)
			cheaper = kept[best] == nil
		} else {
			value = v.Supergradient(nil, predicted, middle, y)
		}

		// Not a number: neither these multipliers nor the middle are dual feasible. What they are worth is the value of
		// their cut, which prices the columns that lack a bound at bounds that rows imply.
		if math.IsNaN(value) {
			value = math.Inf(-1)
			if cut, err := ownCut(v, predicted, middle, y); err == nil {
				value = cut.ValueDown(y)
			}
		}
		if value > highest || cheaper && value == highest {
			best, highest = k, value
		}
	}
	return best
}

// canFail reports whether the first scenario of a chunk has no recourse at the least or at the greatest first stage. It
// is a test on a sample: a recourse that is infeasible elsewhere alone is not found.
func (e *engine) canFail() (bool, error) {
	e.focus(true)
	defer e.focus(false)
	for _, y := range proxy.Corners(e.p.master.Cols) {
		e.move(y)
		failed, err := e.solveAll(context.Background())
		if err != nil || len(failed) > 0 {
			return true, err
		}
	}
	return false, nil
}
