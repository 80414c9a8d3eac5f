package nn

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/autodiff"
)

// benchTask trains on a fixed batch with a loss that costs nothing, so that the step is the network's.
type benchTask struct {
	net   *MLP
	batch int
	x     autodiff.Node
}

func (b *benchTask) Build(t *autodiff.Tape) (autodiff.Node, error) {
	b.x = t.Input("x", b.batch, b.net.Inputs())
	return t.Mean(b.net.Apply(t, b.x)), t.Err()
}
func (b *benchTask) Fill(context.Context, int, *rand.Rand) error { return nil }
func (b *benchTask) Validate(context.Context) (float64, error)   { return 0, nil }

// benchmarkTrainStep times forward, backward and Adam. GFLOP/s counts the multiply-adds of the products that a
// step needs: forward, weight gradients, and input gradients of all layers but the first.
func benchmarkTrainStep(b *testing.B, batch int, sizes ...int) {
	m := randomMLP(b, false, autodiff.Softplus, sizes...)
	task := &benchTask{net: m, batch: batch}
	tape := autodiff.NewTape()
	loss, err := task.Build(tape)
	if err != nil {
		b.Fatal(err)
	}
	if err := tape.Compile(loss); err != nil {
		b.Fatal(err)
	}
	opt := DefaultOptions()
	r := run{state: newState(m.Params(), opt), opt: opt, task: task, tape: tape, loss: loss}
	uniform(task.x.Value(), 1, rand.New(rand.NewPCG(1, 1)))
	for b.Loop() {
		if err := r.advance(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	flops := 0
	for l := range len(sizes) - 1 {
		products := 3
		if l == 0 {
			products = 2
		}
		flops += 2 * products * batch * sizes[l] * sizes[l+1]
	}
	b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkTrainStepSmall(b *testing.B) { benchmarkTrainStep(b, 256, 100, 64, 64, 1) }

// BenchmarkInferSorted2000 has y in each client's own order: a sparse varying group instead of a shared one.
func BenchmarkInferSorted2000(b *testing.B) {
	const m, n = 2000, 2000
	net := randomMLP(b, false, autodiff.Softplus, 2*n, 512, 512, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	costs, z, out := make([]float64, m*n), make([]float64, m*n), make([]float64, m)
	uniform(costs, 1, rng)
	for i := range m {
		for range 20 {
			z[i*n+rng.IntN(n)] = 1
		}
	}
	p, err := net.NewSplit(m, n, 0, costs)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := p.Forward(out, nil, z); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2*float64(m)*512*512*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
