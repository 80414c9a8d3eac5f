package ufl

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// featureKinds are all ways to see a row.
var featureKinds = []featureKind{rawRow, supportRow}

func testModel(t testing.TB, in *Instance, kind featureKind, seed uint64) *proxy.Model {
	t.Helper()
	m, err := proxy.New(network{Kind: kind, K: 5, Facilities: in.Facilities, Drawn: 16}, []int{16, 16}, seed)
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
			switch rng.IntN(200) {
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

// TestRandomWeightsNeverGiveAnInvalidCut separates with untrained and with spoilt networks of every
// kind, at fractional points and designs, and proves every cut in exact arithmetic, from its certificate and
// at every design of the instance.
func TestRandomWeightsNeverGiveAnInvalidCut(t *testing.T) {
	projected, cuts := 0, 0
	seeds(t, 60, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, kind := range featureKinds {
			m := testModel(t, in, kind, rng.Uint64())
			if rng.IntN(3) > 0 {
				spoil(m, rng)
			}
			sep, err := m.Separator(in, rng.IntN(2) == 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				s := separate(t, sep, benders.Point{Y: randomPoint(rng, in.Facilities)})
				projected += s.Projected
				for k := range s.Cuts {
					cuts++
					mustHold(t, in, &s.Cuts[k])
				}
			}
		}
	})
	if projected == 0 || cuts < 500 {
		t.Errorf("only %d cuts were tried, %d predictions were not finite: the test proves nothing", cuts, projected)
	}
}

// TestSpoiltProxyRunsAreSafe solves tiny instances with spoilt networks by both schemes: no error, a bound that
// holds, a design with its true cost, and the status optimal only where it is.
func TestSpoiltProxyRunsAreSafe(t *testing.T) {
	seeds(t, 25, func(t *testing.T, rng *rand.Rand, in *Instance) {
		best, _ := bruteForce(in)
		optimum := float(best)
		for _, kind := range featureKinds {
			m := testModel(t, in, kind, rng.Uint64())
			spoil(m, rng)
			for _, scheme := range []decompose.Scheme{decompose.Auto, decompose.Outer} {
				o := decompose.DefaultOptions()
				o.Scheme, o.Benders.Heuristic = scheme, rng.IntN(2) == 0
				r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != lp.Optimal && r.Status != lp.FixedPoint {
					t.Fatalf("%v %v: status %v", kind, scheme, r.Status)
				}
				slack := 1e-7 * max(1, math.Abs(optimum))
				if r.Bound > optimum+slack || !(r.Objective >= optimum-slack) {
					t.Errorf("%v %v: bound %v, cost %v, optimum %v", kind, scheme, r.Bound, r.Objective, optimum)
				}
				if r.Status == lp.Optimal && r.Objective > optimum+o.Benders.Gap*math.Abs(optimum)+slack {
					t.Errorf("%v %v: %v is called optimal, the optimum is %v", kind, scheme, r.Objective, optimum)
				}
			}
		}
	})
}

func proxySolve(t testing.TB, in *Instance, m *proxy.Model, o decompose.Options) *benders.Result {
	t.Helper()
	r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect returns the states of an instance.
func collect(t testing.TB, in *Instance, o proxy.StatesOptions) proxy.Sample {
	t.Helper()
	states, _, err := pipeline.States(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return proxy.Sample{Instance: in, States: states}
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

// trainSmall trains a model for a moment on one instance and returns it with held-out samples.
func trainSmall(t testing.TB, kind featureKind, steps int) (m *proxy.Model, held []proxy.Sample, before float64) {
	t.Helper()
	ctx := context.Background()
	var samples []proxy.Sample
	for seed := range uint64(4) {
		in, err := generate(customClass(20, 20), seed)
		if err != nil {
			t.Fatal(err)
		}
		o := proxy.DefaultStatesOptions()
		o.Seed = seed
		samples = append(samples, collect(t, in, o))
	}
	m = testModel(t, samples[0].Instance.(*Instance), kind, 3)
	held = samples[3:]
	before, err := m.Share(ctx, held)
	if err != nil {
		t.Fatal(err)
	}
	o := families.Fast.Budget(1)
	o.NN.Steps, o.NN.ValidateEvery = steps, max(1, steps/4)
	res, err := m.Train(ctx, samples[:3], held, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != nn.Completed && res.Status != nn.StoppedEarly {
		t.Fatalf("training: %+v", res)
	}
	return m, held, before
}

// TestTrainingStrengthensCuts trains every kind for a moment: the certified share of the exact recourse
// cost rises, and never passes one.
func TestTrainingStrengthensCuts(t *testing.T) {
	least := map[featureKind]float64{rawRow: 0.6, supportRow: 0.95}
	for _, kind := range featureKinds {
		m, held, before := trainSmall(t, kind, 600)
		after, err := m.Share(context.Background(), held)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: certified share %.4f before, %.4f after", kind, before, after)
		if !(after > before) || !(after > least[kind]) || after > 1 {
			t.Errorf("%v: certified share %v before, %v after", kind, before, after)
		}
	}
}

// TestTrainingIsDeterministic trains twice and compares every weight.
func TestTrainingIsDeterministic(t *testing.T) {
	a, _, _ := trainSmall(t, rawRow, 60)
	b, _, _ := trainSmall(t, rawRow, 60)
	for k, p := range a.Net.Params() {
		for i, v := range p.Value {
			if math.Float64bits(v) != math.Float64bits(b.Net.Params()[k].Value[i]) {
				t.Fatalf("%s[%d]: %v, then %v", p.Name, i, v, b.Net.Params()[k].Value[i])
			}
		}
	}
}

// TestPredictorMatchesTheNetwork compares the split first layer with the plain network on whole rows.
func TestPredictorMatchesTheNetwork(t *testing.T) {
	seeds(t, 20, func(t *testing.T, rng *rand.Rand, in *Instance) {
		for _, kind := range featureKinds {
			m := testModel(t, in, kind, rng.Uint64())
			p := predictorOf(t, m, in)
			f, err := newFeatures(in, kind, 5)
			if err != nil {
				t.Fatal(err)
			}
			whole, row, out := m.Net.NewInference(), make([]float64, f.Size()), make([]float64, 1)
			pi := make([]float64, in.Clients)
			y := randomPoint(rng, in.Facilities)
			if err := p.Predict(y, pi); err != nil {
				t.Fatal(err)
			}
			for i, got := range pi {
				normal := f.FillRow(row, i, y)
				if err := whole.Forward(out, row, 1); err != nil {
					t.Fatal(err)
				}
				want := normal.Dual(out[0])
				if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want), normal.Span)) {
					t.Errorf("%v client %d: %v from the predictor, %v from the network", kind, i, got, want)
				}
			}
		}
	})
}

// TestModelFiles saves and loads, and refuses what does not fit.
func TestModelFiles(t *testing.T) {
	in, err := generate(customClass(12, 9), 5)
	if err != nil {
		t.Fatal(err)
	}
	other, err := generate(customClass(13, 9), 5)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, kind := range featureKinds {
		m := testModel(t, in, kind, 9)
		m.Meta = map[string]string{"note": "kept"}
		path := filepath.Join(dir, kind.String()+".safetensors")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := pipeline.LoadModel(Family, path)
		if err != nil {
			t.Fatal(err)
		}
		if a := loaded.Architecture.(network); a.Kind != kind || a.K != 5 || a.Facilities != in.Facilities || loaded.Meta["note"] != "kept" {
			t.Errorf("%v: came back as %+v", kind, a)
		}
		y := in.Design([]int32{1, 4})
		a, b := make([]float64, in.Clients), make([]float64, in.Clients)
		pa, pb := predictorOf(t, m, in), predictorOf(t, loaded, in)
		if pa.Predict(y, a) != nil || pb.Predict(y, b) != nil || !bytes.Equal(bits(a), bits(b)) {
			t.Errorf("%v: predicts %v, then %v", kind, a, b)
		}
		if err := loaded.Fits(other); errors.Is(err, families.ErrModel) == m.Form().AnySize {
			t.Errorf("%v: on another shape: %v", kind, err)
		}
	}
	plain, _ := nn.NewMLP(nn.Config{Sizes: []int{2, 1}})
	path := filepath.Join(dir, "plain.safetensors")
	if err := plain.Save(path, map[string]string{"family": "cap"}); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.LoadModel(Family, path); !errors.Is(err, families.ErrModel) || !strings.Contains(err.Error(), "cap") {
		t.Errorf("a model of another family: %v", err)
	}
	if err := os.WriteFile(path, []byte("no tensors"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.LoadModel(Family, path); err == nil {
		t.Error("nonsense was loaded")
	}
}

func bits(v []float64) []byte {
	var b bytes.Buffer
	for _, x := range v {
		u := math.Float64bits(x)
		for s := 0; s < 64; s += 8 {
			b.WriteByte(byte(u >> s))
		}
	}
	return b.Bytes()
}

// holdsAt is a recorder that proves every cut of a run at one design, in exact arithmetic.
type holdsAt struct {
	t    *testing.T
	in   *Instance
	open []int32
	cuts int
}

func (h *holdsAt) Separated(_ benders.Point, s *benders.Separation, _ []benders.Cut) {
	for k := range s.Cuts {
		h.cuts++
		if err := Check(h.in, &s.Cuts[k]); err != nil {
			h.t.Errorf("cut %d: %v", h.cuts, err)
		}
		cutOff(h.t, h.in, &s.Cuts[k], h.open)
	}
}

// TestProxyOnPerturbedLibrary trains on a variant of MP1, solves one of MP2 exactly and by proxy, and
// proves in exact arithmetic that no cut of the proxy run cuts the optimum off.
func TestProxyOnPerturbedLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("the exact run takes seconds")
	}
	ctx := context.Background()
	train, err := perturb(load(t, "MP1"), 0.1, 1)
	if err != nil {
		t.Fatal(err)
	}
	in, err := perturb(load(t, "MP2"), 0.1, 2)
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.DefaultStatesOptions()
	o.Gap = 0.1
	sample := collect(t, train, o)
	m, err := proxy.New(network{Kind: supportRow, K: 16, Drawn: 16}, []int{64, 64}, 1)
	if err != nil {
		t.Fatal(err)
	}
	to := families.Fast.Budget(1)
	to.NN.Steps, to.NN.ValidateEvery = 1000, 250
	half := len(sample.States) / 2
	if _, err := m.Train(ctx, []proxy.Sample{{Instance: train, States: sample.States[:half]}}, []proxy.Sample{{Instance: train, States: sample.States[half:]}}, to); err != nil {
		t.Fatal(err)
	}
	exact, err := pipeline.Solve(ctx, in, decompose.DefaultOptions())
	if err != nil || exact.Status != lp.Optimal {
		t.Fatalf("exact: %+v, %v", exact, err)
	}
	check := &holdsAt{t: t, in: in, open: instance.Open(exact.Design)}
	so := decompose.DefaultOptions()
	so.Benders.Heuristic, so.Benders.Fractional, so.Benders.MaxNodes, so.Benders.Recorder = false, benders.AtRoot, 3000, check
	r := proxySolve(t, in, m, so)
	gap := (r.Objective - exact.Objective) / exact.Objective
	t.Logf("true gap %.3f%%, proven gap %.2f%%, %d cuts, status %v", 100*gap, 100*r.Gap, check.cuts, r.Status)
	if r.Bound > exact.Objective*(1+1e-9) || gap < -1e-9 || gap > 0.01 || check.cuts == 0 {
		t.Errorf("bound %v, cost %v, optimum %v, %d cuts", r.Bound, r.Objective, exact.Objective, check.cuts)
	}
}

// withModel returns the options with a method and its model.
func withModel(o decompose.Options, method decompose.Method, m *proxy.Model) decompose.Options {
	o.Method, o.Model = method, m
	return o
}
