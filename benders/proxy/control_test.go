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
