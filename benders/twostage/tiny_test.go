package twostage_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
)

// TestUnlikelyScenariosAreCertified has a recourse whose costs are multiplied by a small probability, as those of one
// scenario of many: four plants serve three nodes, at a penalty for more than their capacity, without upper bounds. Its
// cuts must be there, and exact to the tolerances of linear programs.
func TestUnlikelyScenariosAreCertified(t *testing.T) {
	const p = 1.25e-13
	m := &lp.Model{}
	var y []lp.Var
	for k, cost := range []float64{10, 7, 16, 6} {
		y = append(y, m.Nonnegative(fmt.Sprintf("y%d", k), cost))
	}
	m.AtLeast(1, lp.Total(y...))
	nodes := make([]lp.Sum, 3)
	for k, cost := range [][]float64{{40, 24, 4}, {45, 27, 4.5}, {32, 19.2, 3.2}, {55, 33, 5.5}} {
		use := lp.Sum{y[k].Times(-1), m.Nonnegative(fmt.Sprintf("more%d", k), 1000*p).Times(-1)}
		for n, c := range cost {
			x := m.Nonnegative(fmt.Sprintf("x%d_%d", k, n), c*p)
			use, nodes[n] = append(use, x.Times(1)), append(nodes[n], x.Times(1))
		}
		m.AtMost(0, use)
	}
	for n, demand := range []float64{3.6, 2.8, 2.3} {
		m.AtLeast(demand, nodes[n])
	}
	problem, err := twostage.New(m, y, twostage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := twostage.NewExact(problem, twostage.DefaultExactOptions())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 0x7119))
	for range 500 {
		at := make([]float64, len(y))
		for k := range at {
			at[k] = 5 * rng.Float64() * float64(rng.IntN(2))
		}
		s, err := e.Separate(context.Background(), benders.Point{Y: at, Theta: []float64{0}, Integer: true})
		if err != nil {
			t.Fatal(err)
		}
		q := []float64{0}
		if _, err := e.Recourse(context.Background(), at, q); err != nil {
			t.Fatal(err)
		}
		if len(s.Cuts) != 1 || !(math.Abs(s.Value-q[0]) <= 1e-6) {
			t.Fatalf("at %v: %d cuts of value %g, the recourse costs %g", at, len(s.Cuts), s.Value, q[0])
		}
	}
}
