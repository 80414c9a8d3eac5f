package mcndp

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders/conformance"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// TestLagrangian runs the suite that all relaxations share.
func TestLagrangian(t *testing.T) {
	var total conformance.LagrangianCount
	for seed := range uint64(60) {
		in := random(seed)
		sets := in.cutSets(cutset.Proven)
		local := func() *lagrange.LocalSearch {
			p, err := newPricer(in, sets)
			if err != nil {
				t.Fatal(err)
			}
			return lagrange.NewLocalSearch(in.arcs(), p, nil)
		}
		exact := local()
		f := &conformance.Lagrangian{Name: in.Name, Accuracy: costTolerance, Local: local,
			Relax: func() (lagrange.Binary, *lagrange.Volume) {
				l := newLagrangian(in, sets)
				return l, l.volume()
			},
			Refine: func(b lagrange.Binary, v *lagrange.Volume) error {
				b.(*lagrangian).separate(t.Context(), v)
				return nil
			},
			Cost: func(y []float64) *big.Rat {
				cost, err := exact.Price(context.Background(), y)
				if err != nil || math.IsInf(cost, 1) {
					return nil
				}
				return new(big.Rat).SetFloat64(cost)
			},
			Rule: func() lagrange.Rule { return lagrange.NewPseudoCosts(in.Fixed) },
			Search: func() lagrange.Search {
				s := local()
				if _, err := s.Price(context.Background(), slices.Repeat([]float64{1}, in.arcs())); err != nil {
					t.Fatal(err)
				}
				return s
			}}
		conformance.RunLagrangian(t, f, seed, &total)
	}
	t.Logf("%+v", total)
	if total.Fixed < 100 || total.Probed < 5 || total.Slopes < 100 || total.Nodes < 20 || total.Neighbours < 150 {
		t.Errorf("%+v: the suite had little to look at", total)
	}
}
