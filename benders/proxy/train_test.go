package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// separable is Q(y) = sum_i max { lambda_i (c_i - y_i) - lambda_i^2 / 2 } = sum_i (c_i - y_i)^2 / 2; a row of the
// network reads (c_i, y_i) and predicts lambda_i, whose best value is their difference.
type separable []float64

// rowwise is an architecture for separable instances of every size. With drawn rows each has a value of its own. A
// network that is applied several times adds its output to those before, and reads c_i less their sum.
type rowwise struct {
	drawn  int
	atZero bool
	times  int
	bias   float64
}

func (a rowwise) Describe() map[string]string {
	return map[string]string{"family": "toy", "drawn": fmt.Sprint(a.drawn)}
}
func (a rowwise) Form() proxy.Form {
	return proxy.Form{Inputs: 2, Outputs: 1, AnySize: true, NearZero: true, AtZero: a.atZero, Drawn: a.drawn, Notes: 2,
		Bias: a.bias, Normal: &proxy.Normal{Centred: 1}}
}
func (a rowwise) On(in any) (proxy.View, error) {
	c, ok := in.(separable)
	if !ok {
		return nil, fmt.Errorf("%w: a %T", proxy.ErrModel, in)
	}
	return view{a, c}, nil
}

type view struct {
	rowwise
	c separable
}

func (v view) TrainingSet(_ context.Context, states []benders.State) (proxy.TrainingSet, error) {
	return lesson{v, states}, nil
}
func (v view) Predictor(net *nn.MLP) (proxy.Predictor, error) {
	return predictor{v.c, net.NewInference(), max(1, v.times)}, nil
}
func (v view) Certifier(bool) (proxy.Certifier, error) { return certifier(v), nil }
func (v view) Exact() (benders.Separator, error)       { return exact(v), nil }

type lesson struct {
	view
	states []benders.State
}

func (l lesson) States() int  { return len(l.states) }
func (l lesson) Rows(int) int { return len(l.c) }
func (l lesson) Fill(x, notes []float64, state int, rows []int) {
	for k, i := range rows {
		x[2*k], x[2*k+1] = l.c[i], l.states[state].Y[i]
		notes[2*k], notes[2*k+1] = l.c[i]-l.states[state].Y[i], 0
	}
}
func (l lesson) Times() int { return max(1, l.times) }
func (l lesson) Next(x, notes, out []float64, _ int) error {
	for k, v := range out {
		x[2*k] -= v
		notes[2*k+1] += v
	}
	return nil
}
func (l lesson) Certify(value, slope, out, notes []float64, _ int, rows []int) error {
	for k := range rows {
		said := notes[2*k+1] + out[k]
		v := said*notes[2*k] - said*said/2
		slope[k] = notes[2*k] - said
		if l.drawn > 0 {
			value[k] = v
		} else {
			value[0] += v
		}
	}
	return nil
}
func (l lesson) Value(out, notes []float64, _ int) (v float64, err error) {
	for k := range out {
		said := notes[2*k+1] + out[k]
		v += said*notes[2*k] - said*said/2
	}
	if l.drawn > 0 {
		v /= float64(len(out))
	}
	return v, nil
}

type predictor struct {
	c     separable
	net   *nn.Inference
	times int
}

func (p predictor) Predict(y, lambda []float64) error {
	clear(lambda)
	out := make([]float64, len(lambda))
	for range p.times {
		var x []float64
		for i, c := range p.c {
			x = append(x, c-lambda[i], y[i])
		}
		if err := p.net.Forward(out, x, len(out)); err != nil {
			return err
		}
		for i, v := range out {
			lambda[i] += v
		}
	}
	return nil
}

type certifier view

func (c certifier) Dim() int              { return len(c.c) }
func (c certifier) Project([]float64) int { return 0 }
func (c certifier) Complete(lambda []float64, p benders.Point) (s benders.Separation, err error) {
	for i, v := range lambda {
		s.Value += v*(c.c[i]-p.Y[i]) - v*v/2
	}
	return s, nil
}

type exact view

func (e exact) Source() benders.Source { return "exact" }
func (e exact) Separate(_ context.Context, p benders.Point) (s benders.Separation, err error) {
	for i, c := range e.c {
		s.Value += (c - p.Y[i]) * (c - p.Y[i]) / 2
	}
	s.Infeasible = p.Y[0] == 7
	if p.Y[0] == 8 { // neither a cost nor that there is no recourse could be certified
		s.Value = math.Inf(-1)
	}
	return s, nil
}

// samples returns instances of different sizes with states.
func samples(seed uint64) (list []proxy.Sample) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for k := range 6 {
		s := proxy.Sample{}
		c := make(separable, 2+k%3)
		for i := range c {
			c[i] = 3 * rng.Float64()
		}
		for range 20 {
			y := make([]float64, len(c))
			for i := range y {
				y[i] = rng.Float64()
			}
			s.States = append(s.States, benders.State{Y: y})
		}
		s.Instance = c
		list = append(list, s)
	}
	return list
}

// TestTrain fits the network on states of instances of different sizes in one batch, with joint and with drawn rows:
// nearly all of the recourse is certified on others, twice the same, and a saved model is as good.
func TestTrain(t *testing.T) {
	ctx := t.Context()
	train, held := samples(1), samples(2)
	held[0].States[0].Y[0] = 7 // no feasible recourse: does not count

	// Each architecture is trained twice from the same seed.
	for _, a := range []rowwise{{}, {drawn: 2}, {times: 3}} {
		var best [2]float64
		for k := range best {
			m, err := proxy.New(a, []int{16}, 1)
			if err != nil {
				t.Fatal(err)
			}

			// The share before training is low, so that a high share afterwards is due to training.
			before, err := m.Share(ctx, held)
			if err != nil || before > 0.2 {
				t.Fatalf("share %v before training, %v", before, err)
			}

			o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 16}
			o.NN.Steps, o.NN.ValidateEvery, o.NN.Rate = 1500, 500, 5e-3
			r, err := m.Train(ctx, train, held, o)
			if err != nil {
				t.Fatal(err)
			}

			// The loss of the trained model on the held-out states is the best one that training reports.
			loss, err := m.Validation(ctx, held)
			if err != nil || loss != r.Best {
				t.Errorf("validation %v, training ended at %v, %v", loss, r.Best, err)
			}
			best[k] = loss

			// Nearly all of the recourse cost is certified on instances that are not in the training data.
			share, err := m.Share(ctx, held)
			if err != nil || !(share > 0.97 && share <= 1) {
				t.Errorf("%+v: share %v, %v", a, share, err)
			}
			checkScore(t, m, held)

			// A saved model keeps the caller's metadata, but the family is always that of the architecture.
			path := filepath.Join(t.TempDir(), "m.safetensors")
			m.Meta = map[string]string{"note": "kept", "family": "hidden"}
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			back, err := load(path, "toy", a)
			if err != nil || back.Describe()["family"] != "toy" || back.Meta["note"] != "kept" ||
				back.Fits(train[0].Instance) != nil {
				t.Fatal(back, err)
			}

			// The model that was read certifies the same share.
			if again, err := back.Share(ctx, held); err != nil || again != share {
				t.Errorf("share %v from the file, %v before, %v", again, share, err)
			}

			// Models and instances of another family are refused.
			if _, err := load(path, "other", a); !errors.Is(err, proxy.ErrModel) {
				t.Errorf("a model of another family: %v", err)
			}
			if err := back.Fits("text"); !errors.Is(err, proxy.ErrModel) {
				t.Errorf("an instance of another family: %v", err)
			}
		}

		if best[0] != best[1] {
			t.Errorf("two runs end at %v", best)
		}
	}
}

func load(path, family string, a proxy.Architecture) (*proxy.Model, error) {
	tensors, err := nn.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	return proxy.Load(tensors, family, func(map[string]string, *nn.MLP) (proxy.Architecture, error) { return a, nil })
}

// TestStatesWithoutExactCost compares shares with and without states whose exact cost is not finite: they are the same.
func TestStatesWithoutExactCost(t *testing.T) {
	m, err := proxy.New(rowwise{}, []int{4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	held := samples(2)
	share, err := m.Share(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}
	score, err := m.Score(t.Context(), held, 1)
	if err != nil {
		t.Fatal(err)
	}

	for k := range held {
		y := make([]float64, len(held[k].Instance.(separable)))
		y[0] = 8
		held[k].States = append(held[k].States, benders.State{Y: y})
	}
	if again, err := m.Share(t.Context(), held); err != nil || again != share {
		t.Errorf("share %v, without the states %v, %v", again, share, err)
	}
	if again, err := m.Score(t.Context(), held, 1); err != nil || again.Trained != score.Trained || again.OverZero != score.OverZero {
		t.Errorf("%v, without the states %v, %v", again, score, err)
	}
}

// TestTrainRepeats compares a network that has learnt to be applied three times with the same one applied once: training
// judges it by what a run makes of it, and it is better for having seen what it leaves.
func TestTrainRepeats(t *testing.T) {
	train, held := samples(1), samples(2)
	shares := map[int]float64{}

	// A small network is trained for one and for three applications.
	for _, learnt := range []int{1, 3} {
		m, err := proxy.New(rowwise{times: learnt}, []int{4}, 1)
		if err != nil {
			t.Fatal(err)
		}
		o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 16}
		o.NN.Steps, o.NN.ValidateEvery = 300, 300
		r, err := m.Train(t.Context(), train, held, o)
		if err != nil {
			t.Fatal(err)
		}

		// The mean value that the separators of a run certify is the negated loss of training.
		certified := 0.0
		for _, s := range held {
			sep, err := m.Separator(s.Instance, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, state := range s.States {
				p, err := sep.Separate(t.Context(), benders.Point{Y: state.Y})
				if err != nil {
					t.Fatal(err)
				}
				certified += p.Value / float64(len(held)*len(s.States))
			}
		}
		if !(math.Abs(certified+r.Best) <= 1e-9) {
			t.Errorf("runs certify %v, training says %v", certified, -r.Best)
		}

		// For the comparison both networks are applied three times, also the one that was trained for one application.
		m.Architecture = rowwise{times: 3}
		if shares[learnt], err = m.Share(t.Context(), held); err != nil {
			t.Fatal(err)
		}
	}

	if t.Logf("%v", shares); !(shares[3] > shares[1]) {
		t.Errorf("shares by what was learnt: %v", shares)
	}
}

// TestTrainAtZero begins at outputs of zero, which steps that are too long make worse: they are what is kept.
func TestTrainAtZero(t *testing.T) {
	ctx := t.Context()
	train, held := samples(1), samples(2)
	m, err := proxy.New(rowwise{atZero: true}, []int{16}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Validation(ctx, held); err != nil || v != 0 {
		t.Fatalf("an untrained network certifies %g, %v", -v, err)
	}
	o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 16}
	o.NN.Steps, o.NN.ValidateEvery, o.NN.Rate = 5, 5, 10
	if r, err := m.Train(ctx, train, held, o); err != nil || r.Best != 0 {
		t.Fatal(r, err)
	}
	if v, err := m.Validation(ctx, held); err != nil || v != 0 {
		t.Errorf("the weights that were kept certify %g, %v", -v, err)
	}
	o.NN.Steps, o.NN.Rate = 200, 5e-3
	if r, err := m.Train(ctx, train, held, o); err != nil || !(r.Best < 0) {
		t.Error(r, err)
	}
}

func TestTrainRefuses(t *testing.T) {
	m, err := proxy.New(rowwise{}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 1}
	if _, err := m.Train(t.Context(), nil, nil, o); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("no states: %v", err)
	}
	if _, err := m.Train(t.Context(), samples(1), samples(2),
		proxy.TrainOptions{NN: nn.DefaultOptions()}); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("no batch: %v", err)
	}
	if _, err := m.Train(t.Context(), []proxy.Sample{{Instance: 1}}, samples(2), o); !errors.Is(err, proxy.ErrModel) {
		t.Errorf("a stranger: %v", err)
	}
}

// TestDraws draws designs within the bounds, integer where columns are, between recorded points and around a design.
func TestDraws(t *testing.T) {
	// The recorded points have at most 4 in the continuous column; the design of the run is at its upper bound, 5.
	cols := []lp.Col{{Upper: 1, Integer: true}, {Lower: -2, Upper: 5}}
	recorded := []benders.State{{Y: []float64{0.5, -2}}, {Y: []float64{1, 4}}}
	o := proxy.DefaultStatesOptions()
	o.Designs = 50

	for name, draw := range map[string]proxy.Draw{"between": proxy.Between(cols), "around": proxy.Around(cols)} {
		// A function that records the points stands in for the exact run.
		solve := func(_ context.Context, b benders.Options) (*benders.Result, error) {
			for _, s := range recorded {
				b.Recorder.Separated(benders.Point{Y: s.Y}, &benders.Separation{}, nil)
			}
			return &benders.Result{Design: []float64{1, 5}}, nil
		}

		// The states are the two recorded points and 50 different designs.
		states, _, err := proxy.States(t.Context(), o, solve, draw)
		if err != nil || len(states) != 52 {
			t.Fatalf("%s: %d states, %v", name, len(states), err)
		}

		// Every design is within the bounds and integer in the first column.
		lowest, above := 5.0, 0
		for _, s := range states[2:] {
			y := s.Y
			if y[0] != 0 && y[0] != 1 || y[1] < -2 || y[1] > 5 || !s.Integer {
				t.Errorf("%s: a design %v", name, s)
			}
			if y[1] > 4 {
				above++
			}
			lowest = min(lowest, y[1])
		}

		// Only designs around that of the run exceed the recorded points. Both draws also have values of 0 or less.
		if (above > 0) != (name == "around") || lowest > 0 {
			t.Errorf("%s: %d designs above the recorded points, the least has %g", name, above, lowest)
		}
	}

	// A run that may record no state is refused before it begins.
	o.Recorded = 0
	if _, _, err := proxy.States(t.Context(), o, nil, nil); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("no states to record: %v", err)
	}
}

// checkScore compares a good network with its controls: it helps, and a control does not help against itself. Samples
// of one base count together.
func checkScore(t *testing.T, m *proxy.Model, held []proxy.Sample) {
	t.Helper()

	// The network leads both controls, and its lead over random weights is the difference of the two shares.
	s, err := m.Score(t.Context(), held, 5)
	if err != nil || s.Bases != len(held) || !s.Helps() || !(s.OverZero.Low < s.OverZero.Mean) ||
		!(s.Trained.Run > 0.9 && s.Trained.Run == s.Trained.Alone && s.Zero.Run < s.Trained.Run) ||
		math.Abs(s.Trained.Run-s.Random.Run-s.OverRandom.Mean) > 1e-12 {
		t.Errorf("%v, %v", s, err)
	}

	// A control has no lead over itself.
	zero, err := m.Control(proxy.Zero, 5)
	if err != nil || zero.Meta["control"] != "zero" {
		t.Fatal(zero, err)
	}
	if s, err := zero.Score(t.Context(), held, 5); err != nil || s.OverZero != (proxy.Lead{}) || s.Helps() {
		t.Errorf("zero against zero: %v, %v", s, err)
	}

	// A single base has no confidence interval, so that it does not show whether the network helps.
	for k := range held {
		held[k].Base = "one"
	}
	if s, err := m.Score(t.Context(), held, 5); err != nil || s.Bases != 1 || !math.IsNaN(s.OverZero.Low) || s.Helps() {
		t.Errorf("one base: %v, %v", s, err)
	}

	// The samples are the caller's and get their names back.
	for k := range held {
		held[k].Base = ""
	}

	// Unknown controls and a score without samples are refused.
	if _, err := m.Control("none", 5); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("no control: %v", err)
	}
	if _, err := m.Score(t.Context(), nil, 5); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("nothing held out: %v", err)
	}
}
