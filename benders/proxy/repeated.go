package proxy

import (
	"math/rand/v2"

	"github.com/proxybd/proxybd/nn"
)

// Repeated is implemented by training sets of recurrent networks, which a run applies several times, each time to the
// inputs that follow from the outputs before. A batch has states at any of these times, as the present weights lead
// to them; it does not draw rows (Form.Drawn is 0).
type Repeated interface {
	// Times returns the number of applications, at least one. It is the same for all training sets of an architecture.
	Times() int

	// Next replaces the inputs and notes of all rows of a state by those that follow from the outputs.
	Next(x, notes, out []float64, state int) error
}

// times returns the number of applications of the network at the state.
func (e example) times() int {
	if r, ok := e.TrainingSet.(Repeated); ok {
		return r.Times()
	}
	return 1
}

// next replaces the inputs and notes of the state by those of the next time.
func (e example) next(x, notes, out []float64) error {
	return e.TrainingSet.(Repeated).Next(x, notes, out, e.state)
}

// roll applies the network to states before they enter a batch.
type roll struct {
	net   *nn.Inference
	stale bool // the weights have changed
	out   []float64
}

// draw replaces inputs and notes of the state, which are those of the first time, by those of a random time.
func (r *roll) draw(e example, net *nn.MLP, x, notes []float64, rng *rand.Rand) error {
	times := e.times()
	if times == 1 {
		return nil
	}

	// The copy of the weights is made anew once a batch, where it is needed.
	if r.net == nil {
		r.net = net.NewInference()
	} else if r.stale {
		r.net.Refresh()
	}
	r.stale = false

	for range rng.IntN(times) {
		// An application, and the inputs that follow from its outputs.
		r.out = extended(r.out[:0], e.rows()*net.Outputs())
		if err := r.net.Forward(r.out, x, e.rows()); err != nil {
			return err
		}
		if err := e.next(x, notes, r.out); err != nil {
			return err
		}
	}
	return nil
}

// forward applies the network to the states of the block, as often as a run does.
func (b *block) forward(net *nn.Inference) error {
	// All states of a block are of one architecture, and have the same number of times.
	err := net.Forward(b.out, b.x, b.rows)
	for k := 1; k < b.states[0].times() && err == nil; k++ {
		if err = b.each(example.next); err == nil {
			err = net.Forward(b.out, b.x, b.rows)
		}
	}
	return err
}
