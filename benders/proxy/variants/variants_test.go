package variants_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/proxy/variants"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// plants is a model of one's own: four plants are built or not, and then serve six customers or pay for what they do
// not get. Each seed is a variant with its own demands and costs.
func plants(seed uint64) *lp.Model {
	const sites, customers = 4, 6
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &lp.Model{Name: fmt.Sprintf("plants-%d", seed)}
	var build [sites]lp.Var
	var used [sites]lp.Sum
	for j := range sites {
		build[j] = m.Binary(fmt.Sprintf("build_%d", j), 60+20*rng.Float64())
	}
	for i := range customers {
		demand := 5 + 6*rng.Float64()
		served := lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", i), 30))
		for j := range sites {
			ship := m.Nonnegative(fmt.Sprintf("ship_%d_%d", j, i), 2+math.Abs(float64(i-j))+rng.Float64())
			served, used[j] = append(served, ship.Times(1)), append(used[j], ship.Times(1))
		}
		m.AtLeast(demand, served)
	}
	for j := range sites {
		m.AtMost(0, used[j], build[j].Times(-25))
	}
	return m
}

// problem splits a variant; its integer columns are the first stage.
func problem(seed uint64) *twostage.Problem {
	p, err := twostage.New(plants(seed), nil, twostage.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A proxy for a model of one's own: train on some variants, and solve another by certified predictions first.
func Example() {
	ctx := context.Background()
	var models []*lp.Model
	for seed := range uint64(12) {
		models = append(models, plants(seed))
	}
	o := variants.DefaultOptions()
	o.Train.NN.Steps, o.States.Designs = 1500, 100
	trained, err := variants.Train(ctx, models, nil, o) // the integer columns are the first stage
	if err != nil {
		log.Fatal(err)
	}
	so := decompose.DefaultOptions()
	so.Method, so.Model = decompose.Hybrid, trained.Model
	r, err := twostage.Solve(ctx, plants(99), nil, so)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, "certified share above 80%:", trained.Share > 0.8, "proxy cuts:", r.Uses.QuickCuts > 0)
	// Output: optimal certified share above 80%: true proxy cuts: true
}

// TestOneProblem trains on a single problem and reads the model back.
func TestOneProblem(t *testing.T) {
	p := plants(3)

	// A short training certifies more than half of the recourse cost.
	o := variants.DefaultOptions()
	o.Hidden, o.Train.NN.Steps, o.Train.NN.ValidateEvery, o.States.Designs = []int{16}, 200, 100, 40
	trained, err := variants.Train(t.Context(), []*lp.Model{p}, nil, o)
	if err != nil || !(trained.Share > 0.5 && trained.Share <= 1) || trained.States < 20 {
		t.Fatal(trained, err)
	}

	// The model that was saved and read fits another variant of the same program.
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := trained.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	tensors, err := nn.ReadTensors(path)
	if err != nil {
		t.Fatal(err)
	}
	back, err := variants.Load(tensors, "mps")
	if err != nil || back.Fits(problem(4)) != nil {
		t.Fatal(err)
	}

	// It fits no value that is not a problem, and no problem of another structure: here one column has no upper bound.
	if err := back.Fits(1); !errors.Is(err, proxy.ErrModel) {
		t.Errorf("no problem: %v", err)
	}
	other := plants(3)
	other.Cols[0].Upper = lp.Inf
	stranger, err := twostage.New(other, nil, twostage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Fits(stranger); !errors.Is(err, proxy.ErrModel) {
		t.Errorf("another model: %v", err)
	}

	// Training needs at least one problem that is not held out.
	if _, err := variants.Train(t.Context(), nil, nil, o); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("no problems: %v", err)
	}
	o.Held = 2
	if _, err := variants.Train(t.Context(), []*lp.Model{p, p}, nil, o); !errors.Is(err, proxy.ErrOptions) {
		t.Errorf("all held out: %v", err)
	}

	// A cancelled context ends the training with its error.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := variants.Train(ctx, []*lp.Model{p}, nil, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
