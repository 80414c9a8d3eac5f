package twostage

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
)

// TestKeptMultipliers keeps multipliers at one scenario and asks for all of them, at two points: what they certify is
// what Supergradient says in a new view, bit for bit, and the certificate of one scenario is that of the others where
// their columns have their bounds from the same rows: its cut is valid and as high.
func TestKeptMultipliers(t *testing.T) {
	checked, shared, refused := 0, 0, 0
	for seed := range uint64(300) {
		s, view := sharedView(t, seed)
		rng := rand.New(rand.NewPCG(seed, 19))

		// At two points the first scenario keeps random multipliers near the middle.
		var points, given, middles [][]float64
		var kept []*Kept
		for range 2 {
			y := s.somewhere(rng)
			middle := s.inside(t, y, 0.05)
			if middle == nil {
				break
			}
			lambda := make([]float64, len(middle))
			for i := range lambda {
				lambda[i] = middle[i] + rng.NormFloat64()/4
			}

			if err := view.Set(0); err != nil {
				t.Fatal(err)
			}
			points, given, middles = append(points, y), append(given, lambda), append(middles, middle)
			kept = append(kept, view.Keep(lambda, middle, y))
		}
		if len(kept) < 2 {
			continue
		}

		// All scenarios evaluate them, in the view that keeps them and in a new view.
		for at, y := range points {
			var certificate *Certificate
			for k := range s.program.Scenarios {
				fresh, err := s.View()
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range []*View{view, fresh} {
					if err := v.Set(k); err != nil {
						t.Fatal(err)
					}
				}

				// The two values are the same bit for bit, also where they are NaN.
				value, want := view.Certified(kept[at], y), fresh.Supergradient(nil, given[at], middles[at], y)
				if math.Float64bits(value) != math.Float64bits(want) {
					t.Fatalf("seed %d, scenario %d: kept %v, anew %v", seed, k, value, want)
				}
				checked++
				if math.IsNaN(value) {
					continue
				}

				// Without a certificate for this scenario its own cut is certified, and shared with the scenarios after it.
				d := view.Shared(kept[at])
				if d == nil {
					if certificate != nil {
						refused++
					}
					lambda, _ := view.Inside(given[at], middles[at], y)
					cut, err := view.Certify(benders.Optimality, lambda)
					if err != nil {
						t.Fatal(err)
					}
					view.Share(kept[at], &cut)
					certificate = cut.Certificate.(*Certificate)
					continue
				}

				// A shared certificate gives a valid cut of this scenario that is at least as high as the value.
				cut, ok := d.Cut(k, 0)
				if !ok || cut.Value(y) < value-1e-6*max(1, math.Abs(value)) {
					t.Errorf("seed %d, scenario %d: a shared cut of %g, for a value of %g", seed, k, cut.Value(y), value)
				}
				cut.Certificate = certificate
				if err := alone(t, view).Check(&cut); err != nil {
					t.Errorf("seed %d, scenario %d: %v", seed, k, err)
				}
				shared++
			}
		}
	}

	// Values, shared certificates and those that do not fit the next scenario all occur often enough.
	if checked < 500 || shared < 300 || refused < 10 {
		t.Errorf("%d checked, %d shared, %d refused", checked, shared, refused)
	}
}
