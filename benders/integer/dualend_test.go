package integer_test

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// TestDualWithoutMaximum runs dual decomposition on programs without a design whose scenarios have points each: the
// bound grows without end, and the run ends with what is proven before its numbers overflow.
func TestDualWithoutMaximum(t *testing.T) {
	for name, fill := range map[string]func(b *stoch.Builder){
		"no pivot": func(b *stoch.Builder) {
			y := b.First(b.Between("y", 1, -3, 4))
			z := b.First(b.Integer("z", 1, 0, 3))
			x := b.Integer("x", 0, 0, 2)
			r := b.AtLeast(3, y.Times(-2), z.Times(1), x.Times(-3))
			q := b.AtLeast(4, y.Times(2), z.Times(2))
			b.AtMost(2, y.Times(2), z.Times(-3))

			b.Scenario("a", 0.5)
			b.Scenario("b", 0.5, stoch.SetRowLower(r, 0), stoch.SetEntry(r, z, -3), stoch.SetEntry(q, y, -4))
		},

		"overflow": func(b *stoch.Builder) {
			y := b.First(b.Between("y", -1, -3, 4))
			z := b.First(b.Integer("z", -3, 0, 3))
			x := b.Integer("x", -3, 0, 1)
			r := b.AtLeast(3, y.Times(1), z.Times(3), x.Times(-3))
			q := b.AtLeast(-1, y.Times(-1), z.Times(-2), x.Times(-4))
			b.AtMost(2, y.Times(-1), z.Times(-1))

			b.Scenario("a", 0.5)
			b.Scenario("b", 0.5, stoch.SetRowLower(r, -1), stoch.SetEntry(r, z, -4), stoch.SetEntry(q, y, -2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b stoch.Builder
			fill(&b)
			p, err := b.Program()
			if err != nil {
				t.Fatal(err)
			}

			// No design is feasible in both scenarios.
			full, err := extensive(t.Context(), p)
			if err != nil || full.Status != lp.Infeasible {
				t.Fatalf("the extensive form: %v, %v", full.Status, err)
			}

			o := decompose.DefaultOptions()
			o.Method = decompose.Decoupled
			o.Threads = 1
			o.Benders.Heuristic = false
			got, err := decomposed(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}

			// There is no design to report, and the bound has not become NaN; infeasibility may be left unproven.
			if got.Design != nil || math.IsNaN(got.Bound) || got.Status != lp.Stalled && got.Status != lp.Infeasible {
				t.Errorf("%v with the design %v and the bound %v", got.Status, got.Design, got.Bound)
			}
		})
	}
}
