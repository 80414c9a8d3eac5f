package stoch

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// alike returns a program whose scenarios change the places of a few random numbers, each in several places; some
// scenarios leave places out.
func alike(rng *rand.Rand, scenarios, numbers, copies int) *Program {
	p := &Program{Name: "alike", Core: &lp.Model{}, First: 1}
	for range scenarios {
		var list []Change
		for k := range numbers {
			v := math.Round(rng.NormFloat64())
			for i := range copies {
				place := lp.Con(k*copies + i)
				switch {
				case rng.IntN(5) == 0:
				case i%3 == 0:
					list = append(list, SetRowLower(place, v))
				case i%3 == 1:
					list = append(list, SetRowUpper(place, 0-v))
				default:
					list = append(list, SetEntry(place, 0, math.Copysign(v, -1)))
				}
			}
		}
		p.Add("", 1/float64(scenarios), list...)
	}
	return p
}

// TestCompact compares the changes of compact scenarios with those that they were made of, bit for bit.
func TestCompact(t *testing.T) {
	compact := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := alike(rng, 1+rng.IntN(30), 1+rng.IntN(3), 3+rng.IntN(40))
		c, ok := NewCompact(p.Lazy())
		if !ok {
			continue
		}
		compact++
		for s := range p.Scenarios {
			want := p.Scenarios[s].Changes
			got, _ := c.Changes(s, nil, nil)
			if len(got) != len(want) {
				t.Fatalf("seed %d, scenario %d: %d changes, want %d", seed, s, len(got), len(want))
			}
			for k := range want {
				a, b := got[k], want[k]
				if math.Float64bits(a.Value) != math.Float64bits(b.Value) || a != b {
					t.Fatalf("seed %d, scenario %d, change %d: %+v, want %+v", seed, s, k, a, b)
				}
			}
		}
		if again := c.Program(); !reflect.DeepEqual(again.Scenarios, p.Scenarios) {
			t.Fatalf("seed %d: another program", seed)
		}
	}
	if compact == 0 {
		t.Error("no program was compact")
	}
}

// TestCompactAlike holds the memory of scenarios whose places are copies of a few numbers.
func TestCompactAlike(t *testing.T) {
	p := &Program{Name: "copies", Core: &lp.Model{}, First: 1}
	for s := range 50 {
		var list []Change
		for i := range 120 {
			list = append(list, SetRowLower(lp.Con(i), float64(s*(i%4))))
		}
		p.Add("", 0.02, list...)
	}
	c, ok := NewCompact(p.Lazy())
	if !ok || c.kinds != 4 {
		t.Errorf("compact %v with %+v", ok, c)
	}
}

// TestNotCompact refuses scenarios that would take as much memory, and those whose orders contradict each other.
func TestNotCompact(t *testing.T) {
	apart := &Program{Core: &lp.Model{}, First: 1}
	for s := range 20 {
		apart.Add("", 0.05, SetRowLower(lp.Con(s), 1))
	}
	if _, ok := NewCompact(apart.Lazy()); ok {
		t.Error("scenarios without a place in common")
	}
	circle := &Program{Core: &lp.Model{}, First: 1}
	var list, back []Change
	for i := range 50 {
		list = append(list, SetRowLower(lp.Con(i), 1))
		back = append([]Change{SetRowLower(lp.Con(i), 1)}, back...)
	}
	circle.Add("", 0.5, list...)
	circle.Add("", 0.5, back...)
	if _, ok := NewCompact(circle.Lazy()); ok {
		t.Error("orders that contradict each other")
	}
}
