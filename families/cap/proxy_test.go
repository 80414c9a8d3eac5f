package cap

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

func testModel(t testing.TB, seed uint64) *proxy.Model {
	t.Helper()
	m, err := proxy.New(network{}, []int{24, 24}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spoil makes weights that a training run gone wrong, or an adversary, could leave behind.
func spoil(m *proxy.Model, rng *rand.Rand) {
	scale := math.Pow(10, float64(rng.IntN(12)-4))
	for _, p := range m.Net.Params() {
		for k := range p.Value {
			p.Value[k] *= scale
			switch rng.IntN(300) {
			case 0:
				p.Value[k] = math.NaN()
			case 1:
				p.Value[k] = math.Inf(1 - 2*rng.IntN(2))
			case 2:
				p.Value[k] = math.MaxFloat64
			}
		}
	}
}

// TestRandomWeightsNeverGiveAnInvalidCut separates with untrained and spoilt networks and proves every cut.
func TestRandomWeightsNeverGiveAnInvalidCut(t *testing.T) {
	projected, cuts := 0, 0

	// Two of three networks have weights that are scaled, infinite or NaN; the others are untrained.
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 61))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		m := testModel(t, seed)
		if seed%3 > 0 {
			spoil(m, rng)
		}

		// Whatever the network predicts, the cuts at random points must be valid. Each cut is checked without the network.
		sep, err := m.Separator(in, true)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s, err := sep.Separate(context.Background(), benders.Point{Y: randomPoint(rng, in.Facilities)})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			projected += s.Projected
			for k := range s.Cuts {
				cuts++
				if err := Check(in, &s.Cuts[k]); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
	}

	// Enough cuts must be checked, and some predictions must not be finite, or the test has not reached the hard cases.
	if projected == 0 || cuts < 1000 {
		t.Errorf("only %d cuts were tried, %d predictions were not finite: the test proves nothing", cuts, projected)
	}
}

// TestSpoiltProxyRunsAreSafe solves tiny instances with spoilt networks by both schemes.
func TestSpoiltProxyRunsAreSafe(t *testing.T) {
	for seed := range uint64(60) {
		// The optimum is known from the enumeration of all designs.
		rng := rand.New(rand.NewPCG(seed, 62))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(8))
		want := brute(t, in)
		m := testModel(t, seed)
		spoil(m, rng)

		// A proxy of any quality may cost time or end at a fixed point, but the result must be correct.
		for _, scheme := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
			o := decompose.DefaultOptions()
			o.Scheme, o.Benders.Heuristic = scheme, rng.IntN(2) == 0
			r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}

			// An infeasible instance has no finite optimum. In all other cases the bound is at most the optimum, the objective
			// is at least the optimum, and the gap is closed if the status says so.
			slack := 1e-7 * max(1, want)
			switch {
			case math.IsInf(want, 1):
				if r.Status != lp.Infeasible {
					t.Errorf("seed %d: status %v, want infeasible", seed, r.Status)
				}
			case r.Status != lp.Optimal && r.Status != lp.FixedPoint,
				r.Bound > want+slack, !(r.Objective >= want-slack),
				r.Status == lp.Optimal && r.Objective > want*(1+o.Benders.Gap)+slack:
				t.Errorf("seed %d: %v, bound %v, cost %v, optimum %v", seed, r.Status, r.Bound, r.Objective, want)
			}
		}
	}
}

// predictorOf returns the predictor of a model on an instance.
func predictorOf(t testing.TB, m *proxy.Model, in *Instance) *predictor {
	t.Helper()
	v, err := m.On(in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.Predictor(m.Net)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*predictor)
}

// trainSmall trains a model for a moment on variants of one instance and returns it with a held-out variant.
func trainSmall(t testing.TB, steps int) (m *proxy.Model, held []proxy.Sample, before float64) {
	t.Helper()
	ctx := context.Background()
	base, err := generate(class{Facilities: 10, Clients: 15, Ratio: 3}, 4)
	if err != nil {
		t.Fatal(err)
	}

	// Each variant of the instance gives one sample: the variant and the states that are collected on it.
	var samples []proxy.Sample
	for seed := range uint64(4) {
		in, _, err := perturb(base, 0.1, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := proxy.DefaultStatesOptions()
		o.Seed = seed
		states, _, err := pipeline.States(ctx, in, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) < o.Designs/2 { // not every draw is a new design
			t.Fatalf("only %d states", len(states))
		}
		samples = append(samples, proxy.Sample{Instance: in, States: states})
	}

	// The last variant is held out of the training. Its share before the training is what callers compare with.
	m = testModel(t, 3)
	held = samples[3:]
	if before, err = m.Share(ctx, held); err != nil {
		t.Fatal(err)
	}

	// The budget is cut to the given number of steps, with four validations in that time.
	o := families.Fast.Budget(1)
	o.NN.Steps, o.NN.ValidateEvery = steps, max(1, steps/4)
	res, err := m.Train(ctx, samples[:3], held, o)
	if err != nil || res.Status != nn.Completed && res.Status != nn.StoppedEarly {
		t.Fatalf("training: %+v, %v", res, err)
	}
	return m, held, before
}

// TestTrainingStrengthensCuts trains for a moment: the certified share of the exact recourse cost rises on a held-out
// variant, and never passes one; and the trained proxy solves it with a design near the optimum.
func TestTrainingStrengthensCuts(t *testing.T) {
	m, held, before := trainSmall(t, 800)
	after, err := m.Share(context.Background(), held)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("certified share %.4f before, %.4f after", before, after)
	if !(after > before) || !(after > 0.9) || after > 1 {
		t.Errorf("certified share %v before, %v after", before, after)
	}
	in := held[0].Instance.(*Instance)
	want := brute(t, in)
	o := decompose.DefaultOptions()
	o.Benders.Heuristic = false
	r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("proxy run: %v, cost %.3f, bound %.3f, optimum %.3f", r.Status, r.Objective, r.Bound, want)
	if r.Bound > want*(1+1e-9) || !(r.Objective >= want*(1-1e-9)) || r.Objective > want*1.03 {
		t.Errorf("proxy run: cost %v, bound %v, optimum %v", r.Objective, r.Bound, want)
	}
}

// TestTrainingIsDeterministic trains twice and compares every weight.
func TestTrainingIsDeterministic(t *testing.T) {
	a, _, _ := trainSmall(t, 60)
	b, _, _ := trainSmall(t, 60)
	for k, p := range a.Net.Params() {
		if !slices.Equal(p.Value, b.Net.Params()[k].Value) {
			t.Fatalf("%s differs", p.Name)
		}
	}
}

// TestPredictionsKnowNoOrder numbers facilities and clients anew: the multipliers stay those of their clients. It also
// adds a facility that is closed, which changes nothing.
func TestPredictionsKnowNoOrder(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 63))
		in, err := generate(class{Facilities: 2 + rng.IntN(9), Clients: 2 + rng.IntN(15), Ratio: 3}, seed)
		if err != nil {
			t.Fatal(err)
		}
		n, m := in.Facilities, in.Clients

		// The second instance has the same data in a random order. Its additional facility keeps capacity 0 and is closed.
		site, client := rng.Perm(n+1), rng.Perm(m)
		other := &Instance{&location.Location{Facilities: n + 1, Clients: m, Capacity: make([]float64, n+1),
			Fixed: make([]float64, n+1), Demand: make([]float64, m), Cost: make([]float64, m*(n+1))}}

		// About half of the facilities are open and the others are open in part, so that the point is fractional.
		y, moved := make([]float64, n), make([]float64, n+1)
		for j := range n {
			if y[j] = rng.Float64(); rng.IntN(2) == 0 {
				y[j] = 1
			}
			moved[site[j]], other.Capacity[site[j]] = y[j], in.Capacity[j]
		}

		// The demand and the costs of a client move to its new number.
		for i := range m {
			other.Demand[client[i]] = in.Demand[i]
			for j, c := range in.Row(i) {
				other.Cost[client[i]*(n+1)+site[j]] = c
			}
		}

		// The predicted multiplier of a client is the same in both instances, up to rounding, as sums have another order.
		model := testModel(t, seed)
		a, b := make([]float64, m), make([]float64, m)
		if err := errors.Join(predictorOf(t, model, in).Predict(y, a), predictorOf(t, model, other).Predict(moved, b)); err != nil {
			t.Fatal(err)
		}
		for i, v := range a {
			if got := b[client[i]]; !(math.Abs(got-v) <= 1e-6*(1+math.Abs(v))) {
				t.Errorf("seed %d client %d: %v, in another order %v", seed, i, v, got)
			}
		}
	}
}

// TestPredictionsKeepTheBestPrices compares what is certified with the prices on the way: a network that predicts
// nonsense does not lose what was there without it.
func TestPredictionsKeepTheBestPrices(t *testing.T) {
	better := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 65))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		m := testModel(t, seed)
		f, c := newFeatures(in), newCertifier(in)
		y, lambda, estimated := randomPoint(rng, in.Facilities), make([]float64, in.Clients), make([]float64, in.Clients)
		f.begin(y, lambda)
		least := max(f.cheapest, f.serve(estimated))
		if err := predictorOf(t, m, in).Predict(y, lambda); err != nil {
			t.Fatal(err)
		}
		c.Project(lambda)
		got := c.Value(lambda, y)
		if in.feasible(y) && !(got >= least-1e-9*(1+math.Abs(least))) {
			t.Errorf("seed %d: %v is certified, the estimates have %v", seed, got, least)
		}
		if got > least*(1+1e-9) {
			better++
		}
	}
	if better == 0 {
		t.Error("no prediction is better than the estimates")
	}
}

// TestModelFiles saves and loads, and refuses what does not fit.
func TestModelFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	in, other := randomInstance(rng, 3, 4), randomInstance(rng, 5, 6)
	m := testModel(t, 9)
	m.Meta = map[string]string{"note": "kept", "family": "not taken"}

	// A saved model is read back with its architecture and with the metadata of its owner.
	// The family in the file is always that of the network.
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := pipeline.LoadModel(Family, path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Architecture != (network{}) || loaded.Meta["note"] != "kept" {
		t.Fatalf("%+v, %v", loaded.Architecture, loaded.Meta)
	}

	// Both predict the same bit for bit, and the model fits instances of any size.
	a, b, y := make([]float64, 4), make([]float64, 4), []float64{1, 0, 1}
	pa, pb := predictorOf(t, m, in), predictorOf(t, loaded, in)
	if pa.Predict(y, a) != nil || pb.Predict(y, b) != nil || !slices.Equal(a, b) {
		t.Errorf("predicts %v, then %v", a, b)
	}
	if err := errors.Join(loaded.Fits(in), loaded.Fits(other)); err != nil {
		t.Errorf("another shape: %v", err)
	}

	// A network that was not made for this family is refused under any metadata, and the error names the file.
	plain, err := nn.NewMLP(nn.Config{Sizes: []int{2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, meta := range []map[string]string{{"family": "ufl"}, {"family": "cap"}, {"family": "cap", predicts: "the weather"},
		{"family": "cap", predicts: corrections}, {"family": "cap", predicts: multipliers, "facilities": "3", "clients": "4"}} {
		if err := plain.Save(path, meta); err != nil {
			t.Fatal(err)
		}
		if _, err := pipeline.LoadModel(Family, path); !errors.Is(err, families.ErrModel) || !strings.Contains(err.Error(), path) {
			t.Errorf("metadata %v: %v", meta, err)
		}
	}

	// A file that is no network at all is refused as well.
	if err := os.WriteFile(path, []byte("no tensors"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.LoadModel(Family, path); err == nil {
		t.Error("nonsense was loaded")
	}
}

// withModel returns the options with a method and its model.
func withModel(o decompose.Options, method decompose.Method, m *proxy.Model) decompose.Options {
	o.Method, o.Model = method, m
	return o
}
