package nn

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/internal/f64"
)

// state is the complete state of a run between two steps. A checkpoint holds exactly this.
type state struct {
	params []*Param

	// Adam's moments, one pair a parameter, and the weights at the best validation loss.
	m, v [][]float64
	kept [][]float64

	// The name of the task and its data.
	task string

	// Steps done.
	step int

	// The random source of the batches, and its state before the current step.
	seed   uint64
	source *source
	rng    *rand.Rand
	mark   []byte

	rate float64

	// The lowest validation loss, its step, and the loss at the last improvement that counted.
	best     float64
	bestStep int
	target   float64

	// Checks since that improvement or since the last decay, and checks since that improvement.
	stalled int
	idle    int

	// A validation check is to be made before the next step.
	due bool

	// The sum and the number of the training losses since the last check.
	lossSum float64
	lossN   int
}

// newState returns the state before the first step: moments of zero, and the present weights as the best ones.
func newState(params []*Param, opt Options) *state {
	s := &state{
		params: params,
		task:   opt.Task,
		seed:   opt.Seed,
		rate:   opt.Rate,
		best:   math.Inf(1),
		target: math.Inf(1),
	}
	// The second word separates this stream from others of the same seed.
	s.source = &source{*rand.NewPCG(opt.Seed, 0x747261696e)}
	s.rng = rand.New(s.source)
	for _, p := range params {
		s.m = append(s.m, make([]float64, len(p.Value)))
		s.v = append(s.v, make([]float64, len(p.Value)))
		s.kept = append(s.kept, slices.Clone(p.Value))
	}
	return s
}

// source is the run's random source, whose state can be kept and restored.
type source struct{ rand.PCG }

// AppendTo appends the state.
func (s *source) AppendTo(b []byte) []byte {
	b, _ = s.AppendBinary(b) // PCG's never fails
	return b
}

// update clips the gradient and applies one Adam step; step already counts it.
func (s *state) update(opt *Options) {
	a := f64.NewAdamStep(s.step, s.rate, opt.Beta1, opt.Beta2, opt.Epsilon)
	// The norm is that of all gradients together. Clipping scales them by one factor.
	if !math.IsInf(opt.ClipNorm, 1) {
		var sq float64
		for _, p := range s.params {
			sq += f64.Dot(p.Grad, p.Grad)
		}
		if norm := math.Sqrt(sq); norm > opt.ClipNorm {
			a.GradScale = opt.ClipNorm / norm
		}
	}
	for i, p := range s.params {
		// The step is the same for all parameters but for the decay of their weights.
		a.Decay = 0
		if p.Decay {
			a.Decay = s.rate * opt.WeightDecay
		}
		f64.Adam(p.Value, s.m[i], s.v[i], p.Grad, &a)
	}
}

// observe records a validation loss: best weights, plateau decay, counts for early stopping.
func (s *state) observe(loss float64, opt *Options) {
	// The weights are kept at every better loss, also where the improvement is too small to count.
	if loss < s.best {
		s.best = loss
		s.bestStep = s.step
		for i, p := range s.params {
			copy(s.kept[i], p.Value)
		}
	}

	// A check without an improvement that counts brings the next decay and the end nearer.
	s.stalled++
	s.idle++
	if math.IsInf(s.target, 1) || loss < s.target-opt.MinImprovement*math.Abs(s.target) {
		s.target = loss
		s.stalled = 0
		s.idle = 0
	} else if s.stalled >= opt.Plateau {
		// A plateau lowers the rate, and its checks count for the end all the same.
		s.rate = max(s.rate*opt.Factor, opt.Floor)
		s.stalled = 0
	}
}

// restoreBest sets the weights to those of the best check.
func (s *state) restoreBest() {
	for i, p := range s.params {
		copy(p.Value, s.kept[i])
	}
}
