package twostage

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOutline separates by views of the program and by those of its outline with one scenario: the values and cuts are
// the same bit for bit.
func TestOutline(t *testing.T) {
	cuts := 0
	for seed := range uint64(60) {
		s, _ := sharedView(t, seed)
		text, err := s.MarshalOutline()
		if err != nil {
			t.Fatal(err)
		}
		outline, err := UnmarshalOutline(text)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		rng := rand.New(rand.NewPCG(seed, 31))
		for k := range s.program.Scenarios {
			one, err := outline.Range(s.MarshalRange(k, k+1))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if from, to := one.Numbers(); from != k || to != k+1 || one.Name(k) != s.Name(k) {
				t.Fatalf("seed %d: the scenarios %d to %d, %s", seed, from, to, one.Name(k))
			}
			y := s.somewhere(rng)
			var values [2]float64
			var alphas [2]float64
			for i, of := range []*Scenarios{s, one} {
				view, err := of.View()
				if err != nil {
					t.Fatal(err)
				}
				if err := view.Set(k); err != nil {
					t.Fatal(err)
				}
				if values[i], _, err = view.Value(t.Context(), y); err != nil {
					t.Fatal(err)
				}
				sep, err := view.Separate(t.Context(), y)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range sep.Cuts {
					alphas[i] = c.Alpha
					cuts++
				}
			}
			same := func(v [2]float64) bool { return math.Float64bits(v[0]) == math.Float64bits(v[1]) }
			if !same(values) || !same(alphas) {
				t.Errorf("seed %d, scenario %d: values %v, cuts %v", seed, k, values, alphas)
			}
		}
	}
	if cuts < 100 {
		t.Errorf("only %d cuts", cuts)
	}
}

// FuzzOutline reads damaged outlines and ranges: an error, or a program whose views can be made.
func FuzzOutline(f *testing.F) {
	for seed := range uint64(3) {
		s, err := NewScenarios(sharedDuals(seed))
		if err != nil {
			f.Fatal(err)
		}
		text, err := s.MarshalOutline()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, s.MarshalRange(0, 1))
	}
	f.Fuzz(func(t *testing.T, outline, scenarios []byte) {
		s, err := UnmarshalOutline(outline)
		if err != nil {
			return
		}
		one, err := s.Range(scenarios)
		if err != nil {
			return
		}
		view, err := one.View()
		if err != nil {
			return
		}
		if from, to := one.Numbers(); from < to {
			_ = view.Set(from)
		}
	})
}
