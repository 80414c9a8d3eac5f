package proxy_test

import (
	"reflect"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
)

// TestAroundSplits draws designs of all four kinds around a run, and finds each kind in both parts of a split and among
// held-out designs at any regular distance. The same seed draws the same designs.
func TestAroundSplits(t *testing.T) {
	// Column 0 is 0 at the recorded points and 1 at the run's design, so that it shows whether the segment ends there.
	// Column 1 makes designs differ. The integer columns are 0.5 everywhere: with one threshold for all they are equal.
	const integers = 20
	cols := []lp.Col{{Upper: 1}, {Upper: 1}}
	points := [][]float64{{0, 0}, {0, 1}, {1, 0.5}}
	for range integers {
		cols = append(cols, lp.Col{Upper: 1, Integer: true})
		for k := range points {
			points[k] = append(points[k], 0.5)
		}
	}

	// Two draws with the same options are compared.
	recorded := []benders.State{{Y: points[0]}, {Y: points[1]}}
	o := proxy.DefaultStatesOptions()
	o.Designs = 1200
	var drawn [2][]benders.State
	for k := range drawn {
		var err error
		drawn[k], err = proxy.Around(cols)(t.Context(), o, recorded, &benders.Result{Design: points[2]})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(drawn[0], drawn[1]) {
		t.Error("two draws with one seed differ")
	}

	// kinds counts the designs of each kind.
	kinds := func(states []benders.State) (count [2][2]int) {
		for _, s := range states {
			towards, mixed := 0, 0
			if s.Y[0] > 0 {
				towards = 1
			}
			for _, v := range s.Y[2:] {
				if v != s.Y[2] {
					mixed = 1
				}
			}
			count[towards][mixed]++
		}
		return count
	}

	// Each part has the four kinds in about equal numbers: at least an eighth of its designs are of each kind.
	designs := proxy.Sample{States: drawn[0][len(recorded):]}
	train, held := designs.Split()
	parts := map[string][]benders.State{"training": train.States, "held out": held.States}
	var fourth []benders.State
	for k := 0; k < len(held.States); k += 4 {
		fourth = append(fourth, held.States[k])
	}
	parts["every fourth held out"] = fourth

	for name, states := range parts {
		count := kinds(states)
		least := min(count[0][0], count[0][1], count[1][0], count[1][1])
		if 8*least < len(states) {
			t.Errorf("%s: %d designs, by kind %v", name, len(states), count)
		}
	}
}

// TestDesignsOfOnePoint draws designs after a run that visited one design alone: others are drawn all the same, and none
// twice, of which there are 16.
func TestDesignsOfOnePoint(t *testing.T) {
	cols := make([]lp.Col, 4)
	for j := range cols {
		cols[j] = lp.Col{Upper: 1, Integer: true}
	}
	y := []float64{1, 0, 0, 1}
	for name, draw := range map[string]proxy.Draw{"between": proxy.Between(cols), "around": proxy.Around(cols)} {
		states, err := draw(t.Context(), proxy.DefaultStatesOptions(), []benders.State{{Y: y}}, &benders.Result{Design: y})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[4]float64]bool{}
		for _, s := range states {
			seen[[4]float64(s.Y)] = true
		}
		if len(states) < 5 || len(seen) != len(states) {
			t.Errorf("%s: %d states, %d of them different", name, len(states), len(seen))
		}
	}
}
