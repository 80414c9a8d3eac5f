package mcndp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

var learnt = class{Nodes: 6, Arcs: 16, Commodities: 10, FixedRatio: 0.05, Tightness: 1.6}

// learn trains a small model for a few seconds on states of generated instances.
func learn(t testing.TB) (*proxy.Model, []proxy.Sample, nn.Result, [2]float64) {
	t.Helper()
	ctx := context.Background()
	var all []proxy.Sample
	for seed := range uint64(4) {
		in, err := generate(ctx, learnt, seed+1)
		if err != nil {
			t.Fatal(err)
		}
		o := proxy.DefaultStatesOptions()
		o.Recorded, o.Designs = 40, 40
		states, _, err := pipeline.States(ctx, in, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, proxy.Sample{Instance: in, States: states})
	}
	m := untrained(t, all[0].Instance.(*Instance))
	before := predicted(t, m, all[3:])
	o := proxy.TrainOptions{NN: nn.DefaultOptions(), Batch: 8}
	o.NN.Steps, o.NN.ValidateEvery = 300, 50
	r, err := m.Train(ctx, all[:3], all[3:], o)
	if err != nil {
		t.Fatal(err)
	}
	return m, all, r, [2]float64{before, predicted(t, m, all[3:])}
}

// predicted returns the mean of what training maximises at the states with a feasible recourse.
func predicted(t testing.TB, m *proxy.Model, held []proxy.Sample) float64 {
	t.Helper()
	total, count, net := 0.0, 0, m.Net.NewInference()
	for _, s := range held {
		l, err := view{m.Architecture.(network), common{in: s.Instance.(*Instance)}}.lesson(s.States)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, l.Rows(0))
		for k := range l.states {
			e := &l.states[k]
			if err := net.Forward(out, e.x, l.Rows(0)); err != nil {
				t.Fatal(err)
			}
			total += e.certify(out, nil)
			count++
		}
	}
	return total / float64(count)
}

func untrained(t testing.TB, in *Instance) *proxy.Model {
	t.Helper()
	m, err := proxy.New(network{}, []int{16, 16}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTrainingStrengthensCuts trains, and solves by the proxy and by the hybrid; all cuts of both are proven in
// rationals.
func TestTrainingStrengthensCuts(t *testing.T) {
	m, all, r, score := learn(t)
	if r.Status != nn.Completed && r.Status != nn.StoppedEarly || !(score[1] > score[0]) {
		t.Errorf("%v: value %g before, %g after training", r.Status, score[0], score[1])
	}
	share, err := m.Share(context.Background(), all[3:])
	if err != nil || share > 1+1e-9 || share < 0.999 {
		t.Errorf("a run certifies the share %g of the recourse: %v", share, err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := pipeline.LoadModel(Family, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all[2:] {
		own := s.Instance.(*Instance)
		exact, err := pipeline.Solve(context.Background(), own, exactOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []decompose.Method{decompose.Proxy, decompose.Hybrid} {
			for _, heuristic := range []bool{true, false} {
				proof := &prover{t: t, in: own}
				o := decompose.Options{Method: method, Scheme: decompose.Auto, Model: back, Benders: benders.DefaultOptions()}
				o.Benders.Heuristic, o.Benders.Recorder, o.Benders.TimeLimit = heuristic, proof, 5*time.Minute
				got, err := pipeline.Solve(context.Background(), own, o)
				if err != nil {
					t.Fatal(err)
				}
				if got.Bound > exact.Objective*(1+1e-9) || got.Objective < exact.Objective*(1-1e-9) {
					t.Errorf("%s %s: objective %g, bound %g, the optimum is %g", own.Name, method, got.Objective, got.Bound, exact.Objective)
				}
				if method == decompose.Hybrid && (got.Status != lp.Optimal || got.Gap > 1.0001e-4) {
					t.Errorf("%s hybrid: %v with gap %g", own.Name, got.Status, got.Gap)
				}
				if method == decompose.Proxy && got.Status != lp.Optimal && got.Status != lp.FixedPoint {
					t.Errorf("%s proxy: %v", own.Name, got.Status)
				}
				if !heuristic && proof.cuts == 0 {
					t.Errorf("%s %s: no cut", own.Name, method)
				}
			}
		}
	}
}

// prover proves every cut that a run is given.
type prover struct {
	t    testing.TB
	in   *Instance
	cuts int
}

func (p *prover) Separated(_ benders.Point, s *benders.Separation, _ []benders.Cut) {
	for k := range s.Cuts {
		p.cuts++
		if err := check(p.in, &s.Cuts[k]); err != nil {
			p.t.Error(err)
		}
	}
}

// TestAnyWeightsAreSafe fills the network with noise, huge numbers, NaN and infinities: every cut is proven in
// rationals, and runs end with valid bounds.
func TestAnyWeightsAreSafe(t *testing.T) {
	for seed := range uint64(12) {
		in := random(seed)
		rng := rand.New(rand.NewPCG(seed, 20))
		m := untrained(t, in)
		for _, p := range m.Net.Params() {
			for k := range p.Value {
				switch v := rng.NormFloat64(); rng.IntN(60) + int(seed%3)*20 {
				case 0:
					p.Value[k] = math.NaN()
				case 1:
					p.Value[k] = math.Inf(1)
				case 2:
					p.Value[k] = v * 1e200
				default:
					p.Value[k] = v * math.Pow(10, float64(seed%5)-1)
				}
			}
		}
		exact, err := pipeline.Solve(context.Background(), in, exactOptions())
		if err != nil {
			t.Fatal(err)
		}
		proof := &prover{t: t, in: in}
		o := exactOptions()
		o.Benders.Heuristic, o.Benders.Recorder, o.Benders.TimeLimit = false, proof, 20*time.Second
		r, err := pipeline.Solve(context.Background(), in, withModel(o, decompose.Proxy, m))
		if err != nil {
			t.Fatal(err)
		}
		if exact.Status == lp.Optimal && (r.Bound > exact.Objective*(1+1e-9) || r.Objective < exact.Objective*(1-1e-9)) {
			t.Errorf("seed %d: objective %g, bound %g, the optimum is %g", seed, r.Objective, r.Bound, exact.Objective)
		}
	}
}

// TestLossSlope compares the slope of the certified values in the network's outputs with finite differences.
func TestLossSlope(t *testing.T) {
	const h = 1e-6
	for seed := range uint64(10) {
		in, err := generate(context.Background(), learnt, seed)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 21))
		y := make([]float64, in.arcs())
		for j := range y {
			y[j] = float64(rng.IntN(2))
			if seed%2 == 0 {
				y[j] = rng.Float64()
			}
		}
		for j := range y {
			y[j] = max(0.9, y[j])
		}
		l, err := view{network{}, common{in: in}}.lesson([]benders.State{{Y: y, Integer: true}, {Y: y, Infeasible: true}})
		if err != nil {
			t.Fatal(err)
		}
		if l.States() != 1 {
			t.Fatalf("seed %d: %d states with a recourse", seed, l.States())
		}
		e, agree := &l.states[0], 0
		out, slope := make([]float64, in.arcs()), make([]float64, in.arcs())
		for k := range out {
			out[k] = 0.3 * rng.NormFloat64()
		}
		e.certify(out, slope)
		for k := range out {
			saved := out[k]
			out[k] = saved + h
			up := e.certify(out, nil)
			out[k] = saved - h
			down := e.certify(out, nil)
			if out[k] = saved; math.Abs((up-down)/(2*h)-slope[k]) < 1e-4*(1+math.Abs(slope[k])) {
				agree++
			}
		}
		if agree < len(out)*8/10 {
			t.Errorf("seed %d: %d of %d slopes agree with finite differences", seed, agree, len(out))
		}
	}
}

// TestModelRefusals checks models and instances that do not go together.
func TestModelRefusals(t *testing.T) {
	in, other := random(1), random(2)
	m := untrained(t, in)
	if err := m.Fits(in); err != nil {
		t.Error(err)
	}
	if _, err := m.Separator(other, true); err != nil {
		t.Errorf("another shape: %v", err)
	}
	if _, err := paperModel(t, in, 1).Separator(other, true); !errors.Is(err, families.ErrModel) {
		t.Errorf("another shape for the paper's network: %v", err)
	}
	for _, meta := range []map[string]string{{predicts: "the future"}, {predicts: multipliers, "nodes": "1"}} {
		if _, err := describe(meta, nil); err == nil {
			t.Errorf("metadata %v", meta)
		}
	}
	if _, err := m.Train(context.Background(), nil, nil, proxy.TrainOptions{Batch: 1}); !errors.Is(err, families.ErrOptions) {
		t.Errorf("no states: %v", err)
	}
	if _, err := pipeline.Solve(context.Background(), in, decompose.Options{Method: decompose.Proxy, Scheme: decompose.Auto, Benders: benders.DefaultOptions()}); !errors.Is(err, families.ErrModel) {
		t.Errorf("no model: %v", err)
	}
}

// TestRepair repairs random designs: the result routes, keeps what was open, and the certificate is never wrong.
func TestRepair(t *testing.T) {
	for seed := range uint64(8) {
		in, err := generate(context.Background(), learnt, seed)
		if err != nil {
			t.Fatal(err)
		}
		rng, r := rand.New(rand.NewPCG(seed, 22)), mustRecourse(t, in)
		fixture, err := newRepairer(in, in.cutSets(cutset.Proven), untrained(t, in))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			y := make([]float64, in.arcs())
			for j := range y {
				y[j] = float64(rng.IntN(2))
			}
			_, feasible, err := r.Solve(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			if fixture.router.route(y) && !feasible {
				t.Errorf("seed %d: a flow on a design without a recourse", seed)
			}
			before := slices.Clone(y)
			opened, routed, err := fixture.repair(y)
			if err != nil {
				t.Fatal(err)
			}
			for j := range y {
				if y[j] < before[j] {
					t.Errorf("seed %d: arc %d was closed", seed, j)
				}
				opened -= int(y[j] - before[j])
			}
			if _, feasible, err := r.Solve(context.Background(), y); err != nil || routed && !feasible || opened != 0 {
				t.Errorf("seed %d: routed %v, feasible %v, count off by %d, %v", seed, routed, feasible, opened, err)
			}
		}
	}
}

// withModel returns the options with a method and its model.
func withModel(o decompose.Options, method decompose.Method, m *proxy.Model) decompose.Options {
	o.Method, o.Model = method, m
	return o
}
