package nn

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/autodiff"
)

// regression fits y = sin(x_0 + 2 x_1) x_2 with noise, batches drawn as they are needed.
type regression struct {
	net        *MLP
	x, y       autodiff.Node
	inf        *Inference
	heldX      []float64
	heldY, out []float64
	onFill     func(step int) error
	onValidate func() error
	poison     float64 // added to the targets
}

const regressionBatch = 32

func newRegression(t testing.TB, hidden autodiff.Activation) *regression {
	net, err := NewMLP(Config{Sizes: []int{3, 16, 16, 1}, Hidden: hidden, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	r := &regression{net: net, inf: net.NewInference()}
	rng := rand.New(rand.NewPCG(99, 1))
	r.heldX, r.heldY, r.out = make([]float64, 3*100), make([]float64, 100), make([]float64, 100)
	r.draw(r.heldX, r.heldY, rng)
	return r
}

func (r *regression) draw(x, y []float64, rng *rand.Rand) {
	for i := range y {
		for j := range 3 {
			x[3*i+j] = 2*rng.Float64() - 1
		}
		y[i] = math.Sin(x[3*i]+2*x[3*i+1])*x[3*i+2] + 0.01*rng.NormFloat64()
	}
}

func (r *regression) Build(t *autodiff.Tape) (autodiff.Node, error) {
	r.x, r.y = t.Input("x", regressionBatch, 3), t.Input("y", regressionBatch, 1)
	e := t.Sub(r.net.Apply(t, r.x), r.y)
	return t.Mean(t.Mul(e, e)), t.Err()
}

func (r *regression) Fill(_ context.Context, step int, rng *rand.Rand) error {
	r.draw(r.x.Value(), r.y.Value(), rng)
	r.y.Value()[0] += r.poison
	if r.onFill != nil {
		return r.onFill(step)
	}
	return nil
}

func (r *regression) Validate(context.Context) (float64, error) {
	if r.onValidate != nil {
		if err := r.onValidate(); err != nil {
			return 0, err
		}
	}
	r.inf.Refresh()
	if err := r.inf.Forward(r.out, r.heldX, len(r.out)); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range r.out {
		sum += (v - r.heldY[i]) * (v - r.heldY[i])
	}
	return sum / float64(len(r.out)), nil
}

func testOptions() Options {
	o := DefaultOptions()
	o.Steps, o.ValidateEvery, o.Rate, o.Seed = 400, 50, 5e-3, 17
	o.CheckpointEvery = 20
	return o
}

func weights(m *MLP) []float64 {
	var w []float64
	for _, p := range m.Params() {
		w = append(w, p.Value...)
	}
	return w
}

// TestGoldenTrajectory compares a run with a recorded one. The tolerance covers the order of summation of the
// implementations; a change of method exceeds it.
func TestGoldenTrajectory(t *testing.T) {
	golden := map[autodiff.Activation][]float64{
		autodiff.ReLU: {0.175130500159, 0.0426588692512, 0.0212450685635, 0.00990153123423, 0.0106004038248,
			0.00777997211975,
			0.00815775206544, 0.0068368170545, 0.00757387415081, 0.00653980559928, 0.00681072024483, 0.00615892388724,
			0.00620165716111, 0.00511164052745, 0.00710220507947, 0.00444273510473},
		autodiff.Softplus: {0.225150245595, 0.144884075636, 0.179168551527, 0.136889124068, 0.155470700396,
			0.125843856573,
			0.111203656061, 0.0716492913275, 0.0504497942365, 0.0250971529847, 0.0272371128407, 0.0197538559214,
			0.024054820642, 0.0183857124636, 0.0267133437505, 0.016251097218},
	}

	for act, want := range golden {
		r := newRegression(t, act)
		opt := testOptions()

		// Each check adds the training loss before it and its validation loss.
		var got []float64
		opt.Progress = func(p Progress) { got = append(got, p.Loss, p.Validation) }
		if _, err := Train(context.Background(), r.net.Params(), r, opt); err != nil {
			t.Fatal(err)
		}

		if len(got) != len(want) {
			t.Fatalf("%v: trajectory %.12g", act, got)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-7*want[i]) {
				t.Errorf("%v: entry %d is %.12g, want %.12g", act, i, got[i], want[i])
			}
		}
	}
}

// TestResume stops a run in every way there is, at several steps, resumes it and compares weights and result with
// an uninterrupted run, to the bit.
func TestResume(t *testing.T) {
	// The run without interruption.
	full := newRegression(t, autodiff.ReLU)
	want, err := Train(context.Background(), full.net.Params(), full, testOptions())
	if err != nil {
		t.Fatal(err)
	}

	// The ways to stop the run while the batch of a step is made.
	boom := errors.New("boom")
	for name, stop := range map[string]func(r *regression, cancel func(), step int) error{
		// The process dies between two checkpoints: what is left is the last one.
		"killed": func(*regression, func(), int) error { return boom },
		// The context ends while a batch is made, which has used the random numbers.
		"cancelled in Fill": func(_ *regression, cancel func(), _ int) error { cancel(); return context.Canceled },
		// The context ends during a step; the last one completes the run.
		"cancelled": func(_ *regression, cancel func(), _ int) error { cancel(); return nil },
		// The context ends in the next validation.
		"cancelled in Validate": func(r *regression, cancel func(), _ int) error {
			r.onValidate = func() error { cancel(); return context.Canceled }
			return nil
		},
	} {
		for _, at := range []int{0, 1, 49, 50, 51, 133, 399} {
			opt := testOptions()
			opt.Checkpoint, opt.Resume = filepath.Join(t.TempDir(), "run.safetensors"), true

			r := newRegression(t, autodiff.ReLU)
			ctx, cancel := context.WithCancel(context.Background())
			r.onFill = func(step int) error {
				if step == at {
					return stop(r, cancel, step)
				}
				return nil
			}

			// Only the run that is killed returns an error. The others are interrupted, unless the last step completes them.
			res, err := Train(ctx, r.net.Params(), r, opt)
			if name == "killed" && !errors.Is(err, boom) || name != "killed" &&
				(err != nil || res.Status != Interrupted && at != 399) {
				t.Fatalf("%s at %d: status %v, error %v", name, at, res.Status, err)
			}

			// A new network resumes the run. It begins with wrong weights where each way to stop leaves a checkpoint.
			r = newRegression(t, autodiff.ReLU)
			for i := range r.net.Params()[0].Value {
				if at > 20 {
					r.net.Params()[0].Value[i] = 3 // the checkpoint brings the weights
				}
			}
			got, err := Train(context.Background(), r.net.Params(), r, opt)
			if err != nil {
				t.Fatal(err)
			}

			// All but the time is the same.
			got.Elapsed, want.Elapsed = 0, 0
			if got != want {
				t.Errorf("%s at %d: result %+v, want %+v", name, at, got, want)
			}

			w, v := weights(full.net), weights(r.net)
			for i := range w {
				if w[i] != v[i] {
					t.Fatalf("%s at %d: weight %d is %v, want %v", name, at, i, v[i], w[i])
				}
			}
		}
	}
}

// TestSaved lists the checkpoints between two checks.
func TestSaved(t *testing.T) {
	r := newRegression(t, autodiff.ReLU)
	opt := testOptions()
	opt.Steps, opt.ValidateEvery, opt.CheckpointEvery = 130, 50, 20
	opt.Checkpoint = filepath.Join(t.TempDir(), "run.safetensors")
	var steps []int
	opt.Saved = func(step int) { steps = append(steps, step) }
	if _, err := Train(context.Background(), r.net.Params(), r, opt); err != nil {
		t.Fatal(err)
	}
	if want := []int{20, 40, 60, 80, 120}; !slices.Equal(steps, want) {
		t.Errorf("checkpoints at %v, want %v", steps, want)
	}
}

// TestBestIsKept checks that the weights at the end are those of the best check.
func TestBestIsKept(t *testing.T) {
	r := newRegression(t, autodiff.ReLU)
	opt := testOptions()
	opt.Rate, opt.Floor = 0.05, 0 // noisy
	res, err := Train(context.Background(), r.net.Params(), r, opt)
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := r.Validate(context.Background()); v != res.Best {
		t.Errorf("validation of the result is %g, best %g", v, res.Best)
	}
}

func TestSchedule(t *testing.T) {
	opt := DefaultOptions()
	opt.Rate, opt.Factor, opt.Floor, opt.Plateau, opt.MinImprovement = 1, 0.1, 0.005, 2, 0.1
	s := newState([]*Param{NewVector("b", 1)}, opt)

	// The loss of each check, and the rate, the best loss and the checks without an improvement after it.
	for i, c := range []struct {
		loss, rate, best float64
		idle             int
	}{
		{10, 1, 10, 0},
		{9.5, 1, 9.5, 1}, // too small an improvement to count, but kept as best
		{9.6, 0.1, 9.5, 2},
		{8.9, 0.1, 8.9, 0},
		{8.9, 0.1, 8.9, 1},
		{9, 0.01, 8.9, 2},
		{9, 0.01, 8.9, 3},
		{9, 0.005, 8.9, 4}, // the floor
		{9, 0.005, 8.9, 5},
		{9, 0.005, 8.9, 6},
		{-1, 0.005, -1, 0},
		{-1.05, 0.005, -1.05, 1},
		{-1.2, 0.005, -1.2, 0},
	} {
		s.step++
		s.observe(c.loss, &opt)

		if math.Abs(s.rate-c.rate) > 1e-15 || s.best != c.best || s.idle != c.idle {
			t.Errorf("check %d: rate %g, best %g, idle %d, want %+v", i, s.rate, s.best, s.idle, c)
		}
	}
}

func TestStopsEarly(t *testing.T) {
	r := newRegression(t, autodiff.ReLU)
	opt := testOptions()
	opt.Rate, opt.Floor, opt.StopAfter, opt.ValidateEvery, opt.Steps = 1e-12, 0, 3, 5, 1000
	res, err := Train(context.Background(), r.net.Params(), r, opt)
	if err != nil || res.Status != StoppedEarly || res.Step != 20 {
		t.Errorf("result %+v, error %v, want to stop early at step 20", res, err)
	}
}

func TestDivergence(t *testing.T) {
	r := newRegression(t, autodiff.ReLU)
	r.poison = math.NaN()
	if _, err := Train(context.Background(), r.net.Params(), r, testOptions()); !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v, want ErrDiverged", err)
	}
}

// TestUpdate checks clipping and decoupled weight decay of the first Adam step by hand: without them its
// length is the rate in every entry, whatever the gradient's size.
func TestUpdate(t *testing.T) {
	opt := DefaultOptions()
	opt.Rate, opt.WeightDecay, opt.ClipNorm, opt.Epsilon = 0.1, 0.5, 5, 1
	w, b := NewParam("w", 1, 1), NewVector("b", 1)
	w.Value[0], b.Value[0] = 2, 2
	w.Grad[0], b.Grad[0] = 30, -40 // norm 50, clipped to 3 and -4
	s := newState([]*Param{w, b}, opt)
	s.step = 1
	s.update(&opt)
	wantW := 2*(1-0.1*0.5) - 0.1*3/(3+1)
	wantB := 2 + 0.1*4/(4+1.0)
	if math.Abs(w.Value[0]-wantW) > 1e-12 || math.Abs(b.Value[0]-wantB) > 1e-12 {
		t.Errorf("weights %g, %g, want %g, %g", w.Value[0], b.Value[0], wantW, wantB)
	}
}

func TestOptionsValidate(t *testing.T) {
	for name, change := range map[string]func(o *Options){
		"Steps":           func(o *Options) { o.Steps = 0 },
		"ValidateEvery":   func(o *Options) { o.ValidateEvery = 0 },
		"Rate":            func(o *Options) { o.Rate = math.NaN() },
		"Beta1":           func(o *Options) { o.Beta1 = 1 },
		"Beta2":           func(o *Options) { o.Beta2 = -0.1 },
		"Epsilon":         func(o *Options) { o.Epsilon = 0 },
		"WeightDecay":     func(o *Options) { o.WeightDecay = 1e4 },
		"ClipNorm":        func(o *Options) { o.ClipNorm = 0 },
		"Factor":          func(o *Options) { o.Factor = 0 },
		"Floor":           func(o *Options) { o.Floor = 1 },
		"Plateau":         func(o *Options) { o.Plateau = 0 },
		"StopAfter":       func(o *Options) { o.StopAfter = 0 },
		"MinImprovement":  func(o *Options) { o.MinImprovement = -1 },
		"CheckpointEvery": func(o *Options) { o.CheckpointEvery = 0 },
		"Resume":          func(o *Options) { o.Resume = true },
	} {
		// The defaults are valid.
		o := DefaultOptions()
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}

		// The error names the option that is out of its range.
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestBadCheckpoint checks that a checkpoint which does not fit is refused with an error that says why.
func TestBadCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.safetensors")
	r := newRegression(t, autodiff.ReLU)
	opt := testOptions()
	opt.Checkpoint, opt.Steps = path, 20
	if _, err := Train(context.Background(), r.net.Params(), r, opt); err != nil {
		t.Fatal(err)
	}

	good, err := ReadTensors(path)
	if err != nil {
		t.Fatal(err)
	}

	// A run that resumes from a changed copy of the checkpoint ends with an error that names the file and the reason.
	try := func(want string, change func(x *Tensors)) {
		t.Helper()
		x := Tensors{Meta: map[string]string{}, List: append([]Tensor(nil), good.List...)}
		for k, v := range good.Meta {
			x.Meta[k] = v
		}
		change(&x)

		bad := filepath.Join(t.TempDir(), "bad.safetensors")
		if err := x.WriteFile(bad); err != nil {
			t.Fatal(err)
		}

		r := newRegression(t, autodiff.ReLU)
		o := opt
		o.Checkpoint, o.Resume = bad, true
		_, err := Train(context.Background(), r.net.Params(), r, o)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), bad) {
			t.Errorf("error %v, want the file and %q", err, want)
		}
	}

	// The metadata lack a key, or a value is not one of this run; then the tensors have another number or shape.
	try(`lacks "step"`, func(x *Tensors) { delete(x.Meta, "step") })
	try(`"step" is "-1"`, func(x *Tensors) { x.Meta["step"] = "-1" })
	try("the run's seed is 17", func(x *Tensors) { x.Meta["seed"] = "18" })
	try(`"rng" is "zz"`, func(x *Tensors) { x.Meta["rng"] = "zz" })
	try("of a training with other data", func(x *Tensors) { x.Meta["task"] = "other" })
	try("the format is", func(x *Tensors) { x.Meta["format"] = "other" })
	try("tensors, want", func(x *Tensors) { x.List = x.List[1:] })
	try("has shape", func(x *Tensors) { x.List[0].Shape = []int{3, 16} })

	// A checkpoint that cannot be written is an error, too.
	opt.Checkpoint = filepath.Join(t.TempDir(), "absent", "run")
	if _, err := Train(context.Background(), r.net.Params(), r, opt); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a directory that does not exist", err)
	}

	// No temporary file is left beside the checkpoint.
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}

func TestBadParams(t *testing.T) {
	r := newRegression(t, autodiff.ReLU)
	w := NewParam("w", 2, 2)
	short := NewParam("s", 2, 2)
	short.Grad = short.Grad[1:]
	for _, ps := range [][]*Param{nil, {w, w}, {short}} {
		if _, err := Train(context.Background(), ps, r, testOptions()); err == nil {
			t.Errorf("%d bad parameters pass", len(ps))
		}
	}
}

// TestFit refuses tables that do not fit together, and comes back to the same weights.
func TestFit(t *testing.T) {
	x, y := [][]float64{{1, 2}, {2, 0}, {3, 1}, {4, 5}, {5, 1}}, [][]float64{{100}, {200}, {300}, {400}, {500}}
	o := DefaultFitOptions()
	o.Hidden, o.Train.Steps, o.Train.ValidateEvery = []int{8}, 200, 100

	ctx := context.Background()
	a, r, err := Fit(ctx, x, y, o)
	if err != nil || math.IsInf(r.Best, 1) {
		t.Fatal(r, err)
	}
	b, _, err := Fit(ctx, x, y, o)
	if err != nil || !slices.Equal(weights(a), weights(b)) {
		t.Errorf("two fits differ, %v", err)
	}

	// Each row has to have the right length, even where all rows together have the right number of values.
	if _, err := a.Predict([][]float64{{1}}); err == nil {
		t.Error("a short row is predicted")
	}
	if _, err := a.Predict([][]float64{{1}, {1, 2, 3}}); err == nil {
		t.Error("rows of different lengths are predicted")
	}

	// Numbers of rows that differ, rows of different lengths, too few rows to hold one out, no rows, and NaN.
	short := [][]float64{{1, 2}, {2}, {3, 1}, {4, 5}, {5, 1}}
	for _, bad := range []struct{ x, y [][]float64 }{{x[:4], y}, {short, y}, {x[:1], y[:1]}, {nil, nil},
		{x, [][]float64{{1}, {2}, {3}, {4}, {math.NaN()}}}} {
		if _, _, err := Fit(ctx, bad.x, bad.y, o); err == nil {
			t.Errorf("fits %v to %v", bad.x, bad.y)
		}
	}
}
