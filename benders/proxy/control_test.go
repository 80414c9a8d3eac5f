package proxy_test

import (
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders/proxy"
)

// TestControlsAreUntrained compares the controls of a model whose weights have changed with untrained networks: random
// weights are those of a new model of the same seed, and weights of zero leave the initial bias as the output.
func TestControlsAreUntrained(t *testing.T) {
	for _, a := range []rowwise{{}, {bias: 1}, {atZero: true}, {atZero: true, bias: 2}} {
		m, err := proxy.New(a, []int{5}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Net.Params() {
			for k := range p.Value {
				p.Value[k] += 3
			}
		}
		fresh, err := proxy.New(a, []int{5}, 2)
		if err != nil {
			t.Fatal(err)
		}

		random, err := m.Control(proxy.Random, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range random.Net.Params() {
			if want := fresh.Net.Params()[k].Value; !slices.Equal(p.Value, want) {
				t.Errorf("%+v: parameters %d of random weights are %v, of a new model %v", a, k, p.Value, want)
			}
		}

		zero, err := m.Control(proxy.Zero, 2)
		if err != nil {
			t.Fatal(err)
		}
		in := []float64{1, -2, 30, 0.5}
		out := make([]float64, 2)
		if err := zero.Net.NewInference().Forward(out, in, 2); err != nil {
			t.Fatal(err)
		}
		if out[0] != a.bias || out[1] != a.bias {
			t.Errorf("%+v: weights of zero give %v", a, out)
		}
	}
}

// reusing is an architecture whose views have multipliers to reuse, those of weights of zero.
type reusing struct{ rowwise }

func (a reusing) On(in any) (proxy.View, error) {
	v, err := a.rowwise.On(in)
	if err != nil {
		return nil, err
	}
	return reusingView{v.(view)}, nil
}

type reusingView struct{ view }

func (v reusingView) Reused(proxy.Control) (proxy.Predictor, error) {
	m, err := proxy.New(rowwise{atZero: true}, nil, 1)
	if err != nil {
		return nil, err
	}
	return v.Predictor(m.Net)
}

// TestDesignsOfOneSample scores programs with multipliers to reuse: the designs of a single sample are bases, and two
// variants of one base are one base together.
func TestDesignsOfOneSample(t *testing.T) {
	m, err := proxy.New(reusing{}, []int{4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	held := samples(2)[:2]
	one, err := m.Score(t.Context(), held[:1], 1)
	if err != nil || !one.Designs || one.Bases != len(held[0].States) {
		t.Errorf("one sample: %+v, %v", one, err)
	}
	two, err := m.Score(t.Context(), held, 1)
	if err != nil || two.Designs || two.Bases != 2 {
		t.Errorf("two samples: %+v, %v", two, err)
	}

	held[0].Base, held[1].Base = "base", "base"
	variants, err := m.Score(t.Context(), held, 1)
	if err != nil || variants.Designs || variants.Bases != 1 {
		t.Errorf("two variants: %+v, %v", variants, err)
	}
}
