package nn_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/proxybd/proxybd/autodiff"
	"github.com/proxybd/proxybd/nn"
)

// uflTask trains a row-wise net pi = net(c, y) to maximise the certified value of a client,
//
//	pi - sum_j y_j (pi - c_j)+,
//
// whose supergradient in pi is 1 - sum_j y_j [pi > c_j]; its maximum is the client's assignment cost.
type uflTask struct {
	net   *nn.MLP
	n     int // facilities
	batch int
	x     autodiff.Node // batch x 2n: the client's costs, then y
	costs [][]float64
	inf   *nn.Inference
	held  []float64 // fixed validation rows
	pi    []float64
}

func (u *uflTask) Build(t *autodiff.Tape) (autodiff.Node, error) {
	u.x = t.Input("c, y", u.batch, 2*u.n)
	pi := u.net.Apply(t, u.x)
	value := t.RowValue("certified value", u.certify, pi)
	return t.Scale(-1, t.Mean(value)), nil
}

// certify is the completion: the value and its supergradient for each row's prediction.
func (u *uflTask) certify(value []float64, slope, pi autodiff.Matrix) error {
	for r := range value {
		row := u.x.Value()[r*2*u.n : (r+1)*2*u.n]
		value[r], slope.Data[r] = certified(pi.Data[r], row[:u.n], row[u.n:])
	}
	return nil
}

func certified(pi float64, c, y []float64) (value, slope float64) {
	value, slope = pi, 1
	for j := range c {
		if pi > c[j] {
			value -= y[j] * (pi - c[j])
			slope -= y[j]
		}
	}
	return value, slope
}

func (u *uflTask) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	u.draw(u.x.Value(), rng)
	return nil
}

// draw fills rows with a random client each and a random design.
func (u *uflTask) draw(rows []float64, rng *rand.Rand) {
	for row := range slices.Chunk(rows, 2*u.n) {
		copy(row, u.costs[rng.IntN(len(u.costs))])
		y := row[u.n:]
		for j := range y {
			y[j] = float64(rng.IntN(2))
		}
		y[rng.IntN(u.n)] = 1
	}
}

func (u *uflTask) Validate(context.Context) (float64, error) {
	u.inf.Refresh()
	if err := u.inf.Forward(u.pi, u.held, len(u.pi)); err != nil {
		return 0, err
	}
	sum := 0.0
	for r, pi := range u.pi {
		row := u.held[r*2*u.n : (r+1)*2*u.n]
		v, _ := certified(pi, row[:u.n], row[u.n:])
		sum -= v
	}
	return sum / float64(len(u.pi)), nil
}

// The pattern by which a certified proxy is trained: a graph that is built once, batches made as they are
// needed, and a loss whose gradient is the completion's supergradient.
func ExampleTrain() {
	const n = 5
	net, err := nn.NewMLP(nn.Config{Sizes: []int{2 * n, 32, 32, 1}, Hidden: autodiff.ReLU, Output: autodiff.Softplus,
		Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	u := &uflTask{net: net, n: n, batch: 64, inf: net.NewInference(), held: make([]float64, 256*2*n),
		pi: make([]float64, 256)}
	for range 8 {
		c := make([]float64, n)
		for j := range c {
			c[j] = 1 + 9*rng.Float64()
		}
		u.costs = append(u.costs, c)
	}
	u.draw(u.held, rng)

	opt := nn.DefaultOptions()
	opt.Steps, opt.ValidateEvery, opt.Seed = 2000, 200, 3
	before, _ := u.Validate(context.Background())
	res, err := nn.Train(context.Background(), net.Params(), u, opt)
	if err != nil {
		log.Fatal(err)
	}
	exact := 0.0 // the largest certified value is the cheapest open facility's cost
	for row := range slices.Chunk(u.held, 2*n) {
		best := 100.0
		for j, y := range row[n:] {
			if y == 1 {
				best = min(best, row[j])
			}
		}
		exact += best / 256
	}
	fmt.Println(res.Status)
	fmt.Println("share of the exact bound before and after:", -before < 0.6*exact, -res.Best > 0.97*exact,
		-res.Best <= exact)
	// Output:
	// completed
	// share of the exact bound before and after: true true true
}

// A trained network is stored with what it needs to be used, and evaluated for all clients at one design: the
// clients' costs are constant, the design is shared.
func ExampleMLP_NewSplit() {
	const clients, facilities = 3, 2
	costs := []float64{1, 5, 2, 2, 9, 3}
	net, err := nn.NewMLP(nn.Config{Sizes: []int{2 * facilities, 8, 1}, Hidden: autodiff.ReLU,
		Output: autodiff.Softplus, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := net.NormaliseInputs(2, []float64{1, 2, 0, 0, 9, 5, 1, 1}); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "nn")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ufl.safetensors")
	if err := net.Save(path, map[string]string{"family": "ufl"}); err != nil {
		log.Fatal(err)
	}

	stored, meta, err := nn.LoadMLP(path)
	if err != nil {
		log.Fatal(err)
	}
	split, err := stored.NewSplit(clients, facilities, facilities, costs)
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{1, 0}
	pi := make([]float64, clients)
	if err := split.Forward(pi, y, nil); err != nil {
		log.Fatal(err)
	}
	whole := make([]float64, 1) // the second client's row, evaluated as it stands
	if err := net.NewInference().Forward(whole, []float64{2, 2, 1, 0}, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(meta["family"], math.Abs(whole[0]-pi[1]) < 1e-12)
	// Output: ufl true
}

// Regression: the distance from the origin, from 2000 noisy points.
func ExampleFit() {
	rng := rand.New(rand.NewPCG(1, 1))
	var x, y [][]float64
	for range 2000 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x = append(x, []float64{a, b})
		y = append(y, []float64{math.Hypot(a, b) + 0.05*rng.NormFloat64()})
	}
	net, res, err := nn.Fit(context.Background(), x, y, nn.DefaultFitOptions())
	if err != nil {
		log.Fatal(err)
	}
	out, err := net.Predict([][]float64{{0.3, 0.4}, {-1.2, 0.5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %.1f, unexplained below 2%%: %v\n", out[0][0], out[1][0], res.Best < 0.02)
	// Output: 0.5 1.3, unexplained below 2%: true
}
