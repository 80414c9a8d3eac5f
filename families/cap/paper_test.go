package cap

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// paperModel returns the paper's network for an instance, with narrow layers.
func paperModel(t testing.TB, in *Instance, seed uint64) *proxy.Model {
	t.Helper()
	m, _, err := pipeline.NewModel(Family, in, families.ModelOptions{Preset: families.Paper, Hidden: []int{16}, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPaperLesson checks the slope of the certified value in the multipliers: the value is concave, and lies below its
// tangents.
func TestPaperLesson(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 71))
		in := randomInstance(rng, 1+rng.IntN(5), 1+rng.IntN(8))
		v, err := paperModel(t, in, seed).On(in)
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, in.Facilities)
		for j := range y {
			y[j] = 1
		}
		if !in.feasible(y) {
			continue
		}
		l, err := v.TrainingSet(t.Context(), []benders.State{{Y: y, Integer: true}})
		if err != nil {
			t.Fatal(err)
		}
		m := in.Clients
		at, to, slope, other := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
		for i := range at {
			at[i], to[i] = 3*rng.Float64(), 3*rng.Float64()
		}
		var a, b [1]float64
		if err := errors.Join(l.Certify(a[:], slope, at, nil, 0, nil), l.Certify(b[:], other, to, nil, 0, nil)); err != nil {
			t.Fatal(err)
		}
		tangent := a[0]
		for i := range at {
			tangent += slope[i] * (to[i] - at[i])
		}
		if b[0] > tangent+1e-9*(1+math.Abs(tangent)) {
			t.Errorf("seed %d: %g is above the tangent %g", seed, b[0], tangent)
		}
		if run, err := l.Value(at, nil, 0); err != nil || run < a[0]-1e-9*(1+math.Abs(a[0])) {
			t.Errorf("seed %d: projected multipliers certify %g, the others %g, %v", seed, run, a[0], err)
		}
	}
}

// TestPaperRunsAreSafe solves tiny instances as the paper does, with untrained and spoilt networks: every cut is
// proven, bounds are valid, the exact oracle is right, and a proxy run solves no recourse but the price of its design.
func TestPaperRunsAreSafe(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 72))
		in := randomInstance(rng, 1+rng.IntN(6), 1+rng.IntN(8))
		if seed%10 == 0 {
			clear(in.Demand) // the capacity row alone would open nothing
		}
		want := brute(t, in)
		if math.IsInf(want, 1) {
			continue
		}
		m := paperModel(t, in, seed)
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		if back, err := pipeline.LoadModel(Family, path); err != nil || back.Architecture != m.Architecture {
			t.Fatal(back, err)
		}
		if seed%2 == 0 {
			spoil(m, rng)
		}
		o := decompose.DefaultOptions()
		o.Scheme, o.Benders.Gap = decompose.Paper, 1e-6
		o.Benders.Recorder = provenCuts{t, in}
		for _, method := range []decompose.Method{decompose.Exact, decompose.Proxy} {
			r, err := pipeline.Solve(context.Background(), in, withModel(o, method, m))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			slack := 1e-6 * max(1, want)
			switch {
			case r.Bound > want+slack || !(r.Objective >= want-slack),
				method == decompose.Exact && (r.Status != lp.Optimal || r.Objective > want+slack),
				method == decompose.Proxy && (r.Visited != 0 || r.Parts.Recourse != 0 || r.Pricing == 0):
				t.Errorf("seed %d %s: %v, bound %g, cost %g, optimum %g, %d designs priced", seed, method, r.Status, r.Bound,
					r.Objective, want, r.Visited)
			}
		}
	}
	o := decompose.DefaultOptions()
	o.Scheme = decompose.Classic
	if _, err := pipeline.Solve(context.Background(), randomInstance(rand.New(rand.NewPCG(1, 1)), 2, 3), o); !errors.Is(err, decompose.ErrUnsupported) {
		t.Errorf("the paper has no classic scheme for cap: %v", err)
	}
}

// provenCuts proves every cut of a run.
type provenCuts struct {
	t  *testing.T
	in *Instance
}

func (p provenCuts) Separated(_ benders.Point, s *benders.Separation, _ []benders.Cut) {
	for k := range s.Cuts {
		if err := Check(p.in, &s.Cuts[k]); err != nil {
			p.t.Error(err)
		}
	}
}
