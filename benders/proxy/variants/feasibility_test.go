package variants_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/proxy/variants"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// pipelines has no recourse unless the open plants can send what the customers want over links of their own: which
// plants must be open differs from variant to variant.
func pipelines(seed uint64) *lp.Model {
	const sites, customers = 5, 3
	rng := rand.New(rand.NewPCG(seed, 2))
	m := &lp.Model{Name: fmt.Sprintf("pipelines-%d", seed)}
	for j := range sites {
		m.AddCol(lp.Col{Name: fmt.Sprintf("build_%d", j), Cost: 20 + 20*rng.Float64(), Upper: 1, Integer: true})
	}
	var room [sites]lp.Con
	for j := range sites { // what is sent is at most what is there
		room[j] = m.AddRow(lp.Row{Name: fmt.Sprintf("room_%d", j), Lower: 0, Upper: lp.Inf}, []int32{int32(j)}, []float64{12})
	}
	for i := range customers {
		demand := m.AddRow(lp.Row{Name: fmt.Sprintf("demand_%d", i), Lower: 5 + 4*rng.Float64(), Upper: lp.Inf}, nil, nil)
		for j := range sites {
			x := m.AddCol(lp.Col{Name: fmt.Sprintf("send_%d_%d", j, i), Cost: 1 + math.Abs(float64(i-j)), Upper: lp.Inf})
			m.AddEntry(demand, x, 1)
			m.AddEntry(room[j], x, -1)
		}
	}
	return m
}

// TestFeasibilityHead trains both heads on variants, with both projections: the second finds cuts that prove designs of
// an unseen variant infeasible, all cuts of runs hold, and most runs come to a design without any exact cut. Weights
// of zero and spoilt ones make no wrong cut either.
func TestFeasibilityHead(t *testing.T) {
	for _, head := range []variants.Projection{variants.Joint, variants.V1} {
		var models []*lp.Model
		for seed := range uint64(6) {
			models = append(models, pipelines(seed))
		}
		o := variants.DefaultOptions()
		o.Head, o.Hidden, o.Train.NN.Steps, o.Train.NN.ValidateEvery, o.States.Designs = head, []int{24}, 600, 100, 30
		o.Train.NN.Rate, o.Train.Batch = 5e-3, 16
		trained, err := variants.Train(t.Context(), models, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := trained.Model.Describe()["feasibility"]; got != string(head) {
			t.Fatalf("the head is %q", got)
		}
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := trained.Model.Save(path); err != nil {
			t.Fatal(err)
		}
		tensors, err := nn.ReadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		model, err := variants.Load(tensors, "mps")
		if err != nil {
			t.Fatal(err)
		}
		found, all := provenInfeasible(t, model)
		zero, err := model.Control(proxy.Zero, 1)
		if err != nil {
			t.Fatal(err)
		}
		nothing, _ := provenInfeasible(t, zero)
		if all < 5 || found*10 < all*8 || nothing != 0 {
			t.Errorf("%s: %d of %d infeasible designs are proven so, %d with weights of zero", head, found, all, nothing)
		}
		cuts, designs := 0, 0
		for seed := range uint64(4) {
			spoilt, err := model.Control(proxy.Random, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range spoilt.Net.Params() {
				p.Value[0] *= math.Pow(10, float64(3*seed))
			}
			solved(t, spoilt, pipelines(100+seed))
			r := solved(t, model, pipelines(100+seed))
			if cuts += r.Cuts.Feasibility; r.Design != nil {
				designs++
			}
		}
		if cuts == 0 || designs < 3 {
			t.Errorf("%s: %d of 4 runs came to a design, with %d feasibility cuts", head, designs, cuts)
		}
	}
	if _, err := variants.New("mps", problem(1), "sideways"); err == nil {
		t.Error("an unknown projection")
	}
	if a, err := variants.New("mps", problem(1), variants.V1); err != nil || a.Describe()["feasibility"] != "" {
		t.Errorf("a recourse that is always feasible has a feasibility head: %v", err)
	}
}

// provenInfeasible counts the designs of an unseen variant without a recourse, and those that the model proves so.
func provenInfeasible(t *testing.T, m *proxy.Model) (found, all int) {
	t.Helper()
	p, err := twostage.New(pipelines(99), nil, twostage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sep, err := m.Separator(p, true)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := twostage.NewExact(p.Aggregated(), twostage.DefaultExactOptions())
	if err != nil {
		t.Fatal(err)
	}
	for mask := range 32 {
		y := make([]float64, 5)
		for j := range y {
			y[j] = float64(mask >> j & 1)
		}
		feasible, err := exact.Recourse(t.Context(), y, make([]float64, 1))
		if err != nil {
			t.Fatal(err)
		}
		s, err := sep.Separate(t.Context(), benders.Point{Y: y, Integer: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Infeasible && feasible {
			t.Errorf("design %v has a recourse", y)
		}
		if !feasible {
			if all++; s.Infeasible {
				found++
			}
		}
	}
	return found, all
}

// solved runs a proxy alone, and checks what it says against branch and cut on the whole model.
func solved(t *testing.T, m *proxy.Model, model *lp.Model) *twostage.Solution {
	t.Helper()
	o := decompose.DefaultOptions()
	o.Method = decompose.Full
	full, err := twostage.Solve(context.Background(), model, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Method, o.Scheme, o.Model = decompose.Proxy, decompose.BBC, m
	r, err := twostage.Solve(context.Background(), model, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if slack := 1e-6 * full.Objective; r.Bound > full.Objective+slack || r.Objective < full.Objective-slack || r.Status == lp.Infeasible {
		t.Errorf("%s: %v, objective %g, bound %g, optimum %g", model.Name, r.Status, r.Objective, r.Bound, full.Objective)
	}
	return r
}
