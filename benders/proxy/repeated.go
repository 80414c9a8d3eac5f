package proxy

import (
	"math/rand/v2"

	"github.com/proxybd/proxybd/nn"
)

// Repeated is implemented by lessons of networks that a run applies several times, each time to what came of the time
// before. A batch has states before each of the first times, as the weights of the moment leave them; it does not draw
// rows (Form.Drawn is 0).
type Repeated interface {
	// Times returns of how many times training is, at least one. It is the same for all lessons of an architecture.
	Times() int

	// Next writes the inputs and notes that follow from the outputs over those which the outputs are for, of all rows
	// of a state.
	Next(x, notes, out []float64, state int) error
}

// times returns of how many times training at the state is.
func (e example) times() int {
	if r, ok := e.Lesson.(Repeated); ok {
		return r.Times()
	}
	return 1
}

// next replaces the inputs and notes of the state by those of the next time.
func (e example) next(x, notes, out []float64) error {
	return e.Lesson.(Repeated).Next(x, notes, out, e.state)
}

// roll applies the network to states before they enter a batch.
type roll struct {
	net   *nn.Inference
	stale bool // the weights have changed
	out   []float64
}

// draw replaces inputs and notes of the state, which are those of the first time, by those of a time that is drawn.
func (r *roll) draw(e example, net *nn.MLP, x, notes []float64, rng *rand.Rand) error {
	times := e.times()
	if times == 1 {
		return nil
	}
	if r.net == nil {
		r.net = net.NewInference()
	} else if r.stale {
		r.net.Refresh()
	}
	r.stale = false
	for range rng.IntN(times) {
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

// forward applies the network to the states of the block as often as training is for.
func (b *block) forward(net *nn.Inference) error {
	err := net.Forward(b.out, b.x, b.rows)
	for k := 1; k < b.states[0].times() && err == nil; k++ {
		if err = b.each(example.next); err == nil {
			err = net.Forward(b.out, b.x, b.rows)
		}
	}
	return err
}
