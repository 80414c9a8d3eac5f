package mpsmodel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// farmer is the farmer's problem (Birge and Louveaux, section 1.1) as a maximisation of the profit, in free MPS; its
// optimum is 108390 at 170, 80 and 250 acres.
func farmer() string {
	var cols, rows, bounds strings.Builder
	crops := []string{"wheat", "corn", "beets"}
	rows.WriteString(" N profit\n L land\n")
	for k, cost := range []float64{150, 230, 260} {
		fmt.Fprintf(&cols, " acres_%s profit %g land 1\n", crops[k], -cost)
		for s, f := range []float64{1.2, 1, 0.8} {
			if k < 2 {
				fmt.Fprintf(&cols, " acres_%s %s_%d %g\n", crops[k], crops[k], s, f*[]float64{2.5, 3}[k])
			} else {
				fmt.Fprintf(&cols, " acres_%s %s_%d %g\n", crops[k], crops[k], s, -f*20)
			}
		}
	}
	for s := range 3 {
		for k, crop := range crops[:2] {
			fmt.Fprintf(&rows, " G %s_%d\n", crop, s)
			fmt.Fprintf(&cols, " buy_%s_%d profit %.17g %s_%d 1\n", crop, s, -[]float64{238, 210}[k]/3, crop, s)
			fmt.Fprintf(&cols, " sell_%s_%d profit %.17g %s_%d -1\n", crop, s, []float64{170, 150}[k]/3, crop, s)
		}
		fmt.Fprintf(&rows, " L beets_%d\n", s)
		fmt.Fprintf(&cols, " quota_%d profit 12 beets_%d 1\n more_%d profit %.17g beets_%d 1\n", s, s, s, 10.0/3, s)
		fmt.Fprintf(&bounds, " UP BND quota_%d 6000\n", s)
	}
	return "NAME farmer\nOBJSENSE\n MAX\nROWS\n" + rows.String() + "COLUMNS\n" + cols.String() +
		"RHS\n RHS land 500\n RHS wheat_0 200 wheat_1 200\n RHS wheat_2 200 corn_0 240\n RHS corn_1 240 corn_2 240\nBOUNDS\n" + bounds.String() + "ENDATA\n"
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path, first string) families.Instance {
	t.Helper()
	in, err := Family.Read(path, families.ReadOptions{Set: map[string]string{"first-stage": first}})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func options(m decompose.Method, s decompose.Scheme) decompose.Options {
	o := decompose.Options{Method: m, Scheme: s, Benders: benders.DefaultOptions()}
	o.Benders.Gap = 1e-7
	return o
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

func TestFarmerFile(t *testing.T) {
	path := write(t, "farmer.mps", farmer())
	names := write(t, "names", "# the first stage\nacres_wheat\nacres_corn\nacres_beets\n")
	for _, first := range []string{"acres*", "@" + names, "acres_wheat, acres_[bc]*"} {
		in := read(t, path, first)
		if in.Label().Shape != "3x18x10" {
			t.Errorf("shape %s", in.Label().Shape)
		}
		for _, m := range []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Full} {
			for _, s := range []decompose.Scheme{decompose.Auto, decompose.Outer} {
				r, err := pipeline.Solve(context.Background(), in, options(m, s))
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != lp.Optimal || !near(r.Objective, 108390) || !near(r.Design[0], 170) || !near(r.Design[2], 250) {
					t.Errorf("%s %s: %v %v at %v", m, s, r.Status, r.Objective, r.Design)
				}
			}
		}
		if cost, ok, err := pipeline.Price(context.Background(), in, []float64{170, 80, 250}); err != nil || !ok || !near(cost, 108390) {
			t.Errorf("price %v %v %v", cost, ok, err)
		}
	}
	if _, err := Family.Read(path, families.ReadOptions{}); !errors.Is(err, twostage.ErrProblem) {
		t.Errorf("no integer columns: %v", err)
	}
	if _, err := Family.Read(path, families.ReadOptions{Set: map[string]string{"first-stage": "none*"}}); !errors.Is(err, twostage.ErrOptions) {
		t.Errorf("no such column: %v", err)
	}
	foreign := write(t, "cap41", "16 50\n5000 7500\n")
	if _, err := Family.Read(foreign, families.ReadOptions{}); !errors.Is(err, families.ErrForeign) {
		t.Errorf("an OR-Library file: %v", err)
	}
}

// TestWriteKeepsTheFirstStage writes an instance and reads it back.
func TestWriteKeepsTheFirstStage(t *testing.T) {
	in := read(t, write(t, "farmer.mps", farmer()), "acres*")
	for _, name := range []string{"copy.mps", "copy.mps.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := pipeline.Write(path, in); err != nil {
			t.Fatal(err)
		}
		back := read(t, path, "")
		if back.Label().Shape != in.Label().Shape || back.Hash() != in.Hash() {
			t.Errorf("%s: shape %s for %s, hash %s for %s", name, back.Label().Shape, in.Label().Shape, back.Hash(), in.Hash())
		}
	}
	other, _, err := in.Perturb("variant", 0.1, 1)
	if err != nil || other.Hash() == in.Hash() || other.Label().Name != "variant" {
		t.Errorf("a variant: %v, hash %s", err, other.Hash())
	}
}

// location is a capacitated location model with a penalty for unmet demand, as an LP file.
func location() string {
	var b strings.Builder
	const n, m = 5, 8
	b.WriteString("Minimize\n cost:")
	for j := range n {
		fmt.Fprintf(&b, " + %d y%d", 40+7*j, j)
	}
	for i := range m {
		for j := range n {
			fmt.Fprintf(&b, "\n + %d x%d_%d", 3+(i*7+j*5)%11, i, j)
		}
		fmt.Fprintf(&b, " + 60 miss%d", i)
	}
	b.WriteString("\nSubject To\n")
	for i := range m {
		fmt.Fprintf(&b, " serve%d:", i)
		for j := range n {
			fmt.Fprintf(&b, " + x%d_%d", i, j)
		}
		fmt.Fprintf(&b, " + miss%d >= %d\n", i, 3+i%4)
	}
	for j := range n {
		fmt.Fprintf(&b, " capacity%d:", j)
		for i := range m {
			fmt.Fprintf(&b, " + x%d_%d", i, j)
		}
		fmt.Fprintf(&b, " - %d y%d <= 0\n", 12+j, j)
	}
	b.WriteString("Binaries\n")
	for j := range n {
		fmt.Fprintf(&b, " y%d", j)
	}
	b.WriteString("\nEnd\n")
	return b.String()
}

// TestProxyOfAModel trains on variants of a model and solves another: the certified share rises, proxy runs are safe,
// and hybrid ones end with a proven gap at the optimum of the whole model.
func TestProxyOfAModel(t *testing.T) {
	ctx := context.Background()
	base := read(t, write(t, "location.lp", location()), "")
	var samples []proxy.Sample
	for seed := range uint64(4) {
		in, _, err := base.Perturb(fmt.Sprintf("v%d", seed), 0.1, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := proxy.DefaultStatesOptions()
		o.Recorded, o.Designs, o.Seed = 60, 30, seed
		states, r, err := pipeline.States(ctx, in, o)
		if err != nil || r.Status != lp.Optimal {
			t.Fatal(r, err)
		}
		samples = append(samples, proxy.Sample{Instance: in, States: states})
	}
	m, o, err := pipeline.NewModel(Family, base, families.ModelOptions{Preset: families.Fast, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	before, err := m.Share(ctx, samples[3:])
	if err != nil {
		t.Fatal(err)
	}
	o.NN.Steps, o.NN.ValidateEvery, o.Batch = 450, 50, 16
	if res, err := m.Train(ctx, samples[:3], samples[3:], o); err != nil || res.Status != nn.Completed {
		t.Fatal(res, err)
	}
	after, err := m.Share(ctx, samples[3:])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("certified share %.4f before, %.4f after", before, after)
	if !(after > before) || after > 1+1e-9 {
		t.Errorf("certified share %v before, %v after", before, after)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := pipeline.LoadModel(Family, path)
	if err != nil {
		t.Fatal(err)
	}
	in := samples[3].Instance.(families.Instance)
	full, err := pipeline.Solve(ctx, in, options(decompose.Full, decompose.Auto))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []decompose.Method{decompose.Proxy, decompose.Hybrid} {
		for _, s := range []decompose.Scheme{decompose.BBC, decompose.Outer} {
			so := options(method, s)
			so.Model = loaded
			r, err := pipeline.Solve(ctx, in, so)
			if err != nil {
				t.Fatal(err)
			}
			slack := 1e-6 * full.Objective
			if r.Bound > full.Objective+slack || r.Objective < full.Objective-slack || method == decompose.Hybrid && r.Status != lp.Optimal {
				t.Errorf("%s %s: %v objective %v bound %v uses %+v, the optimum is %v", method, s, r.Status, r.Objective, r.Bound, r.Uses, full.Objective)
			}
			t.Logf("%s %s: %v gap %.2g uses %+v", method, s, r.Status, r.Gap, r.Uses)
		}
	}
	stranger := read(t, write(t, "farmer.mps", farmer()), "acres*")
	if err := loaded.Fits(stranger); !errors.Is(err, families.ErrModel) {
		t.Errorf("a model of another program: %v", err)
	}
}

// TestUnboundedRecourse reports a model whose recourse cost falls without end.
func TestUnboundedRecourse(t *testing.T) {
	in := read(t, write(t, "u.lp", "Minimize\n c: y - x\nSubject To\n r: x - 2 y >= 0\nBounds\n y <= 1\nGenerals\n y\nEnd\n"), "")
	for _, m := range []decompose.Method{decompose.Exact, decompose.Full} {
		r, err := pipeline.Solve(context.Background(), in, options(m, decompose.Auto))
		if err != nil || r.Status != lp.Unbounded {
			t.Errorf("%s: %+v, %v", m, r, err)
		}
	}
}
