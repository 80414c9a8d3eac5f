package integer_test

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestUnboundedBox solves programs whose first-stage columns lack a bound, where the rows of all scenarios together
// bound the cost and those of one scenario need not. Multipliers then may give a Lagrangian without a least value, which
// says nothing of the program. In the second program the rows that bound the master must stay in it.
func TestUnboundedBox(t *testing.T) {
	for name, test := range map[string]struct {
		make      func(b *stoch.Builder)
		heuristic bool
		nodes     int
		want      float64
	}{
		"Lagrangian": {heuristic: true, nodes: 100, want: -1, make: func(b *stoch.Builder) {
			y := b.First(b.Between("y", 0, math.Inf(-1), 4))
			z := b.First(b.Between("z", 0, 0, lp.Inf))
			x := b.Integer("x", -1, 0, 2)
			r := b.AtLeast(2, y.Times(4), z.Times(1))
			q := b.AtLeast(-4, y.Times(-3), z.Times(2), x.Times(-2))
			b.Scenario("a", 0.5)
			b.Scenario("b", 0.5, stoch.SetRowLower(r, 0), stoch.SetEntry(r, z, -3), stoch.SetEntry(q, y, -4))
		}},

		"master": {heuristic: false, nodes: 300, want: -10, make: func(b *stoch.Builder) {
			y := b.First(b.Between("y", 1, math.Inf(-1), 4))
			z := b.First(b.Between("z", -2, 0, lp.Inf))
			x := b.Integer("x", 0, 0, 3)
			r := b.AtLeast(-3, y.Times(1), x.Times(-3))
			q := b.AtLeast(-4, y.Times(1), z.Times(-2), x.Times(3))
			b.Scenario("a", 0.5)
			b.Scenario("b", 0.5, stoch.SetRowLower(r, 0), stoch.SetEntry(r, z, 3), stoch.SetEntry(q, y, 3))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var b stoch.Builder
			test.make(&b)
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}

			// The extensive form confirms the optimum.
			full, err := extensive(t.Context(), p)
			if err != nil || math.Abs(full.Objective-test.want) > 1e-6 {
				t.Fatalf("the extensive form: %v %v, %v", full.Status, full.Objective, err)
			}

			// The run may end at the limit of nodes, since one box of each split has no bound.
			o := decompose.DefaultOptions()
			o.Threads = 1
			o.Benders.MaxNodes = test.nodes
			o.Benders.Heuristic = test.heuristic
			got, err := decomposed(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}

			// Whether solved or at the limit, the bound is not above the optimum.
			solved := got.Status == lp.Optimal && math.Abs(got.Objective-test.want) <= 1e-3
			if !solved && got.Status != lp.NodeLimit || !(got.Bound <= test.want+1e-6) {
				t.Errorf("%v: %v, bound %v, and the optimum is %v", got.Status, got.Objective, got.Bound, test.want)
			}
			t.Logf("%v: %v, bound %v", got.Status, got.Objective, got.Bound)
		})
	}
}
