package generic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/verify"
)

// transport is fixed-charge transportation: sources of limited supply are opened at a fixed cost and serve the demands.
// A family that declares no more than its model has every method, states, training and records.
var transport = families.Family{Name: "fctp", About: "fixed-charge transportation", Classes: []string{"4x5"},
	Generate: func(class string, seed uint64) (families.Instance, error) {
		sizes, err := families.ParseShape(class, 2)
		if err != nil {
			return nil, err
		}
		return families.As(generic.NewPlain("fctp", transportModel(sizes[0], sizes[1], seed), nil))
	},
	Options: []families.Option{generic.FirstStage},
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		return families.As(generic.ReadPlain("fctp", path, o.Set[generic.FirstStage.Name], o.Warn))
	}}

func transportModel(sources, sinks int, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &lp.Model{Name: fmt.Sprintf("fctp-%d", seed)}
	supply := make([]float64, sources)
	for i := range sources {
		supply[i] = float64(10 + rng.IntN(10))
		m.AddCol(lp.Col{Name: fmt.Sprintf("open_%d", i), Cost: float64(30 + rng.IntN(40)), Upper: 1, Integer: true})
	}
	for k := range sources * sinks {
		m.AddCol(lp.Col{Name: fmt.Sprintf("flow_%d", k), Cost: float64(1 + rng.IntN(9)), Upper: lp.Inf})
	}
	for i := range sources {
		r := m.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", i), Lower: 0, Upper: lp.Inf}, []int32{int32(i)}, []float64{supply[i]})
		for j := range sinks {
			m.AddEntry(r, lp.Var(sources+i*sinks+j), -1)
		}
	}
	for j := range sinks {
		r := m.AddRow(lp.Row{Name: fmt.Sprintf("demand_%d", j), Lower: float64(2 + rng.IntN(4)), Upper: lp.Inf}, nil, nil)
		for i := range sources {
			m.AddEntry(r, lp.Var(sources+i*sinks+j), 1)
		}
	}
	return m
}

// enumerate returns the optimum of an instance by the linear program of each of its designs.
func enumerate(t *testing.T, in families.Instance) float64 {
	t.Helper()
	m, err := pipeline.Compact(in)
	if err != nil {
		t.Fatal(err)
	}
	best, n := math.Inf(1), m.NumInteger()
	for design := range 1 << n {
		for j := range n {
			m.Cols[j].Lower = float64(design >> j & 1)
			m.Cols[j].Upper = m.Cols[j].Lower
		}
		r, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == lp.Optimal {
			best = min(best, r.Objective)
		}
	}
	return best
}

// draw makes an instance of the family, its states and its optimum.
func draw(t *testing.T, seed uint64) (families.Instance, proxy.Sample) {
	t.Helper()
	base, err := transport.Generate("4x5", 1)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := base.Perturb(fmt.Sprintf("variant-%d", seed), 0.1, seed)
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.DefaultStatesOptions()
	o.Recorded, o.Designs = 40, 20
	states, r, err := pipeline.States(context.Background(), in, o)
	if err != nil || r.Status != lp.Optimal || len(states) < 20 {
		t.Fatal(len(states), r, err)
	}
	return in, proxy.Sample{Instance: in, States: states}
}

func TestPlainFamilyHasEverything(t *testing.T) {
	ctx := context.Background()

	// Four instances of one size give the samples; the last one is solved below, and its optimum is found by enumeration.
	var samples []proxy.Sample
	var in families.Instance
	for seed := range uint64(4) {
		var s proxy.Sample
		in, s = draw(t, seed)
		samples = append(samples, s)
	}
	optimum := enumerate(t, in)

	// A small network is trained on three of them, and goes through a file before it is used.
	m, to, err := pipeline.NewModel(transport, in, families.ModelOptions{Preset: families.Fast, Seed: 1, Hidden: []int{16}})
	if err != nil {
		t.Fatal(err)
	}
	to.NN.Steps, to.NN.ValidateEvery = 100, 50
	if res, err := m.Train(ctx, samples[:3], samples[3:], to); err != nil || res.Status != nn.Completed {
		t.Fatal(res, err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if m, err = pipeline.LoadModel(transport, path); err != nil {
		t.Fatal(err)
	}

	// Every method is run with every scheme. The bound and the objective must enclose the optimum, and the methods that
	// need no network must prove it.
	for _, method := range decompose.Methods {
		for _, scheme := range []decompose.Scheme{decompose.Auto, decompose.BBC, decompose.Outer} {
			o := decompose.DefaultOptions()
			o.Method, o.Scheme, o.Model, o.Benders.Gap = method, scheme, m, 1e-7
			r, err := pipeline.Solve(ctx, in, o)
			// Nothing comes before the master of a model that declares nothing else, and it has no scenarios.
			if method == decompose.Started || method == decompose.Decoupled {
				if !errors.Is(err, decompose.ErrUnsupported) {
					t.Errorf("%s: %v", method, err)
				}
				continue
			}

			if err != nil {
				t.Fatal(err)
			}
			slack := 1e-6 * optimum
			if r.Bound > optimum+slack || r.Objective < optimum-slack || method != decompose.Proxy && r.Status != lp.Optimal {
				t.Errorf("%s %s: %v objective %g bound %g, the optimum is %g", method, scheme, r.Status, r.Objective, r.Bound, optimum)
			}
		}
	}

	// The records of runs and the files of instances work for such a family too.
	plainRecord(t, in, optimum)
	plainFile(t, in)
}

// plainRecord records a run and proves it.
func plainRecord(t *testing.T, in families.Instance, optimum float64) {
	t.Helper()
	r, rec, err := pipeline.Record(context.Background(), in, decompose.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	proof, err := verify.Verify(context.Background(), rec, nil)
	if err != nil || proof.Bound > optimum*(1+1e-9) || math.Abs(r.Objective-optimum) > 1.01e-4*optimum {
		t.Errorf("%+v, %v: the optimum is %g", proof, err, optimum)
	}
	cost, feasible, err := pipeline.Price(context.Background(), in, r.Design)
	if err != nil || !feasible || math.Abs(cost-r.Objective) > 1e-9*optimum {
		t.Errorf("the design costs %g, %v %v, the record says %g", cost, feasible, err, r.Objective)
	}
}

// plainFile writes an instance and reads it back.
func plainFile(t *testing.T, in families.Instance) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a"+in.Label().Ext+".gz")
	if err := pipeline.Write(path, in); err != nil {
		t.Fatal(err)
	}
	back, err := transport.Read(path, families.ReadOptions{})
	if err != nil || back.Hash() != in.Hash() || back.Label() != in.Label() {
		t.Errorf("%+v became %+v, %v", in.Label(), back.Label(), err)
	}
}

// TestNamesOfFirstStage writes models whose first-stage column has a name that the file changes, and reads them: a name
// with a blank was not found, and that of two columns was taken for the other one.
func TestNamesOfFirstStage(t *testing.T) {
	for _, names := range [][2]string{{"x_1", "x 1"}, {"x", "x"}, {"y", "x[1]*"}} {
		m := &lp.Model{Name: "names"}
		other := m.AddCol(lp.Col{Name: names[0], Cost: 3, Upper: lp.Inf})
		own := m.AddCol(lp.Col{Name: names[1], Cost: 1, Upper: 3})
		m.AddRow(lp.Row{Name: "r", Lower: 4, Upper: lp.Inf}, []int32{int32(other), int32(own)}, []float64{1, 1})
		in, err := generic.NewPlain("fctp", m, []string{names[1]})
		if err != nil {
			t.Fatal(err)
		}

		path := filepath.Join(t.TempDir(), "m.mps")
		if err := instance.WriteFile(path, in.Encode); err != nil {
			t.Fatal(err)
		}
		got, err := generic.ReadPlain("fctp", path, "", nil)
		if err != nil {
			t.Errorf("%q: %v", names, err)
		} else if got.Hash() != in.Hash() {
			t.Errorf("%q: the first stage is another one", names)
		}
	}
}
