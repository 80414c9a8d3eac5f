package proxybd_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/nn"
)

// The headline benchmarks of the kernels, of training and of inference, on one thread. Each reports
//
//	GFLOP/s   useful work (two for a multiply-add of the mathematics, whatever the code does) over the
//	          fastest iteration, as STREAM reports: other processes on a machine only ever add time
//	of-peak   that rate over the rate of multiply-adds on registers alone, measured just before and after
//
// while ns/op is the mean, as always. The peak is the fastest of short runs, for the same reason.

// lap times the iterations of a benchmark.
type lap struct {
	start time.Time
	best  float64 // seconds
	peak  float64 // GFLOP/s of PeakFMA before the first iteration
}

func newLap() *lap { return &lap{best: math.Inf(1), peak: peakRate()} }

func (l *lap) begin() { l.start = time.Now() }
func (l *lap) end()   { l.best = min(l.best, time.Since(l.start).Seconds()) }

// report ends the benchmark; an iteration did flops of useful work.
func (l *lap) report(b *testing.B, flops float64) {
	rate := flops / l.best / 1e9
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(rate/max(l.peak, peakRate()), "of-peak")
}

// peakRate returns the rate of the fastest of 100 runs of about a quarter of a millisecond, in GFLOP/s.
func peakRate() float64 {
	const rounds, runs = 1 << 17, 100
	best := 0.0
	for range runs {
		start := time.Now()
		flops := f64.PeakFMA(rounds)
		best = max(best, float64(flops)/time.Since(start).Seconds()/1e9)
	}
	return best
}

func BenchmarkPeakFMA(b *testing.B) {
	l, flops := newLap(), 0
	for b.Loop() {
		l.begin()
		flops = f64.PeakFMA(1 << 17)
		l.end()
	}
	l.report(b, float64(flops))
}

func BenchmarkGemm512(b *testing.B) {
	const n = 512
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, z := random(rng, n*n), random(rng, n*n), make([]float64, n*n)
	l := newLap()
	for b.Loop() {
		l.begin()
		f64.Gemm(false, false, n, n, n, 1, x, n, y, n, 0, z, n)
		l.end()
	}
	l.report(b, 2*n*n*n)
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	return x
}

// trainTask fits random targets with a squared loss. Every call of Fill but the first ends a lap of nn.Train: the
// forward pass, the loss, the backward pass and Adam.
type trainTask struct {
	b      *testing.B
	net    *nn.MLP
	batch  int
	x, y   autodiff.Node
	lap    *lap
	warm   int
	cancel context.CancelFunc
}

func (t *trainTask) Build(tape *autodiff.Tape) (autodiff.Node, error) {
	t.x, t.y = tape.Input("x", t.batch, t.net.Inputs()), tape.Input("y", t.batch, t.net.Outputs())
	d := tape.Sub(t.net.Apply(tape, t.x), t.y)
	return tape.Mean(tape.Mul(d, d)), tape.Err()
}

func (t *trainTask) Fill(_ context.Context, step int, rng *rand.Rand) error {
	if step == 0 {
		copy(t.x.Value(), random(rng, len(t.x.Value())))
		copy(t.y.Value(), random(rng, len(t.y.Value())))
	} else {
		t.lap.end()
	}
	if step >= t.warm && !t.b.Loop() {
		t.cancel()
		return context.Canceled
	}
	t.lap.begin()
	return nil
}

func (t *trainTask) Validate(context.Context) (float64, error) { return 0, nil }

// benchmarkTrainStep times the steps of nn.Train on a batch of 512. The useful work is that of the products of a
// step: forward, gradients of the weights, and gradients of the inputs of all layers but the first.
func benchmarkTrainStep(b *testing.B, sizes ...int) {
	const batch = 512
	net, err := nn.NewMLP(nn.Config{Sizes: sizes, Hidden: autodiff.ReLU, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	task := &trainTask{b: b, net: net, batch: batch, lap: newLap(), warm: 2, cancel: cancel}
	opt := nn.DefaultOptions()
	opt.Steps, opt.ValidateEvery = math.MaxInt, math.MaxInt
	if res, err := nn.Train(ctx, net.Params(), task, opt); err != nil || res.Status != nn.Interrupted {
		b.Fatalf("status %v, error %v", res.Status, err)
	}
	flops := 0.0
	for l := range len(sizes) - 1 {
		products := 3.0
		if l == 0 {
			products = 2
		}
		flops += 2 * products * batch * float64(sizes[l]) * float64(sizes[l+1])
	}
	task.lap.report(b, flops)
}

func BenchmarkTrainStepCAP(b *testing.B) { benchmarkTrainStep(b, 898, 512, 512, 50) }
func BenchmarkTrainStepUFL(b *testing.B) { benchmarkTrainStep(b, 400, 512, 512, 1) }

// benchmarkInferRowwise evaluates the row-wise net on (c_i, y) for all m clients at one design y of m facilities, a
// tenth of them open: the state of one node of the tree. The useful work is m h^2 multiply-adds.
func benchmarkInferRowwise(b *testing.B, m int) {
	const h = 512
	net, err := nn.NewMLP(nn.Config{Sizes: []int{2 * m, h, h, 1}, Hidden: autodiff.ReLU, Output: autodiff.Softplus, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	split, err := net.NewSplit(m, m, m, random(rng, m*m))
	if err != nil {
		b.Fatal(err)
	}
	y, out := make([]float64, m), make([]float64, m)
	for j := 0; j < m; j += 10 {
		y[j] = 1
	}
	l := newLap()
	for b.Loop() {
		l.begin()
		err := split.Forward(out, y, nil)
		l.end()
		if err != nil {
			b.Fatal(err)
		}
	}
	l.report(b, 2*float64(m)*h*h)
	b.ReportMetric(l.best*1e3, "ms/state")
}

func BenchmarkInferRowwise200(b *testing.B)  { benchmarkInferRowwise(b, 200) }
func BenchmarkInferRowwise2000(b *testing.B) { benchmarkInferRowwise(b, 2000) }
