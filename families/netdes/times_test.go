package netdes_test

import (
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestTimesOfSeparators trains a small model and runs it: the result has the times of the predictions, of their
// completions and of exact separation, although cut sets and the local search stand before the separator.
func TestTimesOfSeparators(t *testing.T) {
	in := generate(t, "6x4-H", 3)
	so := proxy.DefaultStatesOptions()
	so.Recorded, so.Designs = 20, 10
	states, _, err := pipeline.States(t.Context(), in, so)
	if err != nil || len(states) < 10 {
		t.Fatal(len(states), err)
	}
	m, to, err := pipeline.NewModel(netdes.Family, in, families.ModelOptions{Seed: 1, Hidden: []int{8}})
	if err != nil {
		t.Fatal(err)
	}
	to.NN.Steps, to.NN.ValidateEvery = 20, 10
	samples := []proxy.Sample{{Instance: in, States: states}}
	if _, err := m.Train(t.Context(), samples, samples, to); err != nil {
		t.Fatal(err)
	}

	run := func(method decompose.Method, scheme decompose.Scheme) *benders.Result {
		o := decompose.DefaultOptions()
		o.Method, o.Scheme, o.Model = method, scheme, m
		r, err := pipeline.Solve(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Parts; p.Prediction+p.Completion+p.Exact > p.Separation {
			t.Errorf("%s: the parts of separation are more than the whole: %+v", method, p)
		}
		return r
	}
	if p := run(decompose.Proxy, decompose.BBC).Parts; p.Prediction <= 0 || p.Completion <= 0 || p.Exact != 0 {
		t.Errorf("proxy: %+v", p)
	}
	if p := run(decompose.Exact, decompose.BBC).Parts; p.Exact <= 0 || p.Prediction+p.Completion != 0 {
		t.Errorf("exact: %+v", p)
	}
	r := run(decompose.Hybrid, decompose.BBC)
	if p := r.Parts; p.Prediction <= 0 || p.Completion <= 0 || p.Exact <= 0 || r.Status != lp.Optimal {
		t.Errorf("hybrid: %v, %+v", r.Status, p)
	}
	if u := r.Uses; u.Thorough == 0 {
		t.Errorf("hybrid: %+v", u)
	}
}
