package nn

import (
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/internal/f64"
)

// state is the complete state of a run between two steps. A checkpoint holds exactly this.
type state struct {
	params []*Param
	m, v   [][]float64 // Adam's moments, one pair a parameter
	kept   [][]float64 // weights at the best validation loss
	step   int         // steps done
	seed   uint64
	source *source
	rng    *rand.Rand // over source
	mark   []byte     // source before the current step

	rate     float64
	best     float64 // lowest validation loss
	bestStep int
	target   float64 // loss at the last improvement that counted
	stalled  int     // checks since then or since the last decay
	idle     int     // checks since then
	due      bool    // a validation check is to be made before the next step

	lossSum float64 // training losses since the last check
	lossN   int
}

func newState(params []*Param, opt Options) *state {
	s := &state{params: params, seed: opt.Seed, rate: opt.Rate, best: math.Inf(1), target: math.Inf(1)}
	s.source = &source{*rand.NewPCG(opt.Seed, 0x747261696e)}
	s.rng = rand.New(s.source)
	for _, p := range params {
		s.m = append(s.m, make([]float64, len(p.Value)))
		s.v = append(s.v, make([]float64, len(p.Value)))
		s.kept = append(s.kept, append([]float64(nil), p.Value...))
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

func (s *source) restore(b []byte) error { return s.UnmarshalBinary(b) }

// update clips the gradient and applies one Adam step; step already counts it.
func (s *state) update(opt *Options) {
	a := f64.NewAdamStep(s.step, s.rate, opt.Beta1, opt.Beta2, opt.Epsilon)
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
		a.Decay = 0
		if p.Decay {
			a.Decay = s.rate * opt.WeightDecay
		}
		f64.Adam(p.Value, s.m[i], s.v[i], p.Grad, &a)
	}
}

// observe records a validation loss: best weights, plateau decay, counts for early stopping.
func (s *state) observe(loss float64, opt *Options) {
	if loss < s.best {
		s.best = loss
		s.bestStep = s.step
		for i, p := range s.params {
			copy(s.kept[i], p.Value)
		}
	}

	s.stalled++
	s.idle++
	if math.IsInf(s.target, 1) || loss < s.target-opt.MinImprovement*math.Abs(s.target) {
		s.target = loss
		s.stalled = 0
		s.idle = 0
	} else if s.stalled >= opt.Plateau {
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
