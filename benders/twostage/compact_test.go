package twostage

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCompactMakesNoDifference separates by views of compact scenarios and of a program with all changes, and makes cuts
// of the certificates for all scenarios: values and cuts are the same bit for bit.
func TestCompactMakesNoDifference(t *testing.T) {
	compact, shared := 0, 0
	for seed := range uint64(80) {
		p := sharedDuals(seed)
		var both [2]*Scenarios
		var views [2]*View
		for k := range both {
			s, err := NewScenarios(p)
			if err != nil {
				t.Fatal(err)
			}
			if k == 1 {
				if s.compact != nil {
					compact++
				}
				s.compact, s.entry, s.program = nil, nil, p
				if err := s.number(); err != nil {
					t.Fatal(err)
				}
			}
			both[k] = s
			if views[k], err = s.View(); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(both[0].Full(), p) {
			t.Fatalf("seed %d: another program", seed)
		}

		rng := rand.New(rand.NewPCG(seed, 4))
		for range 8 {
			y := both[0].somewhere(rng)
			at := rng.IntN(len(p.Scenarios))
			to := rng.IntN(len(p.Scenarios))
			var found [2]any
			for k, v := range views {
				if err := v.Set(at); err != nil {
					t.Fatal(err)
				}
				sep, err := v.Separate(t.Context(), y)
				if err != nil {
					t.Fatal(err)
				}
				list := []any{sep.Value, sep.Exact, sep.Infeasible}
				for _, c := range sep.Cuts {
					list = append(list, c.Alpha, c.Index, c.Beta)
					if d := both[k].Dual(&c); d != nil {
						cut, ok := d.Cut(to, 0)
						list = append(list, cut.Alpha, cut.Index, cut.Beta, ok)
						shared++
					}
				}
				found[k] = list
			}
			if !reflect.DeepEqual(found[0], found[1]) {
				t.Fatalf("seed %d, scenario %d: %v, want %v", seed, at, found[0], found[1])
			}
		}
	}
	if compact < 20 || shared < 100 {
		t.Errorf("%d compact programs, %d certificates", compact, shared)
	}
}
