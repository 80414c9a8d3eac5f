package integer

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestSplitsOfUnboundedColumns splits boxes of one continuous column at points on their bounds and inside them. Both
// children have to be smaller than the box, and together they have to be the box.
func TestSplitsOfUnboundedColumns(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name         string
		lower, upper float64
		value, copy  float64 // of the master's point and of the scenario's copy
		want         float64 // where the box is split
	}{
		{"at the lower bound", 0, inf, 0, 0.5, 1},
		{"near the lower bound", 0, inf, 1e-9, 0.5, 1},
		{"at a great lower bound", 100, inf, 100, 101, 200},
		{"a distant copy", 0, inf, 0, 40, 40},
		{"inside, above", 0, inf, 3, 5, 3},
		{"at the upper bound", -inf, 0, 0, -0.5, -1},
		{"at a great upper bound", -inf, 1e17, 1e17, 0, 0},
		{"inside, below", -inf, 0, -3, -5, -3},
		{"no bounds", -inf, inf, 0, 7, 0},
		{"bounded, near an end", 0, 8, 0.1, 7, 4},
		{"bounded, inside", 0, 8, 3, 7, 3},
	} {
		master := &lp.Model{}
		master.AddCol(lp.Col{Lower: c.lower, Upper: c.upper})
		p := &Problem{master: master, weight: []float64{1}}
		s := &tree{lagrangian: &lagrangian{pricer: &pricer{p: p}}, root: wholeBox(master)}

		n := &node{box: s.root.clone()}
		children := s.branch(n, []float64{c.value}, []plane{{z: []float64{c.copy}}})
		if len(children) != 2 {
			t.Fatalf("%s: %d children", c.name, len(children))
		}
		below, above := children[0].box, children[1].box
		if below.lower[0] != c.lower || above.upper[0] != c.upper || below.upper[0] != c.want || above.lower[0] != c.want {
			t.Errorf("%s: split into [%v, %v] and [%v, %v], want a split at %v", c.name,
				below.lower[0], below.upper[0], above.lower[0], above.upper[0], c.want)
		}
	}
}
