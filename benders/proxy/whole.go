package proxy

import (
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/nn"
)

// Whole is an instance for a network whose inputs are all numbers of the instance and then the point, and whose outputs
// are all multipliers (the paper's networks for cap and mcndp, Appendix B).
type Whole struct {
	Constant []float64 // inputs that do not depend on the point
	Order    []int     // the entry of the point at each place of the inputs, all of them
	Unit     []float64 // of each multiplier: its value for an output of one
}

// point writes the inputs that depend on y.
func (w *Whole) point(x, y []float64) {
	for k, j := range w.Order {
		x[k] = y[j]
	}
}

// Set writes the multipliers of the outputs, before any projection.
func (w *Whole) Set(u, out []float64) {
	for k, v := range out {
		u[k] = w.Unit[k] * v
	}
}

// Predictor evaluates a network on the instance. The inputs that do not depend on the point are multiplied into the
// first layer once.
func (w *Whole) Predictor(net *nn.MLP) (Predictor, error) {
	split, err := net.NewSplit(1, len(w.Constant), len(w.Order), w.Constant)
	return &wholePredictor{
		Whole: w,
		split: split,
		x:     make([]float64, len(w.Order)),
		out:   make([]float64, len(w.Unit)),
	}, err
}

// wholePredictor implements Predictor.
type wholePredictor struct {
	*Whole
	split  *nn.Split
	x, out []float64 // scratch: the inputs that depend on the point, and the outputs
}

// Predict implements Predictor.
func (p *wholePredictor) Predict(y, u []float64) error {
	p.point(p.x, y)
	if err := p.split.Forward(p.out, p.x, nil); err != nil {
		return err
	}
	p.Set(u, p.out)
	return nil
}

// TrainingSet returns the training data of states of the instance. certify returns the value that the outputs
// certify at a state, and fills slope with a supergradient in the outputs; u are their multipliers, which it may
// change. With a slope of nil it returns the value that they certify in a run.
func (w *Whole) TrainingSet(states []benders.State,
	certify func(slope, out, u []float64, s *benders.State) float64) TrainingSet {
	return &wholeSet{
		Whole:   w,
		states:  states,
		u:       make([]float64, len(w.Unit)),
		certify: certify,
	}
}

// wholeSet implements TrainingSet: a state is one row.
type wholeSet struct {
	*Whole
	states  []benders.State
	u       []float64 // scratch: multipliers
	certify func(slope, out, u []float64, s *benders.State) float64
}

// States implements TrainingSet.
func (l *wholeSet) States() int { return len(l.states) }

// Rows implements TrainingSet.
func (l *wholeSet) Rows(int) int { return 1 }

// Fill implements TrainingSet.
func (l *wholeSet) Fill(x, _ []float64, state int, _ []int) {
	l.point(x[copy(x, l.Constant):], l.states[state].Y)
}

// Certify implements TrainingSet.
func (l *wholeSet) Certify(value, slope, out, _ []float64, state int, _ []int) error {
	l.Set(l.u, out)
	value[0] = l.certify(slope, out, l.u, &l.states[state])
	return nil
}

// Value implements TrainingSet.
func (l *wholeSet) Value(out, _ []float64, state int) (float64, error) {
	l.Set(l.u, out)
	return l.certify(nil, out, l.u, &l.states[state]), nil
}
