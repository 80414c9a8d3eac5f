package classes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// TestMembers draws a member of every class twice, and permutes it: the same model, a relaxation with an optimum, and
// the same optimum in another order.
func TestMembers(t *testing.T) {
	value := func(m *lp.Model) float64 {
		s, err := simplex.New(m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background(), simplex.NoLimits())
		if err != nil || r.Status != lp.Optimal {
			t.Fatalf("%s: %v, %v", m.Name, r.Status, err)
		}
		return r.Objective
	}
	for _, name := range Names() {
		if _, ok := networks[name]; ok && len(name) > 12 {
			continue // the large networks take long
		}
		m := Draw(name, 3)
		other, err := Permuted(m, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		want := value(m)
		if again := value(Draw(name, 3)); again != want {
			t.Errorf("%s: %g, and %g of the same seed", name, want, again)
		}
		if v := value(other); !(math.Abs(v-want) <= 1e-6*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %g, permuted %g", name, want, v)
		}
	}
	if Draw("@nothing", 1) != nil {
		t.Error("a class that is not there")
	}
}
