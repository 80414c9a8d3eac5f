package presolve

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// Probing goes on while it learns what closes flows: here x <= 10 y and y <= u, with x and y continuous, so that no
// row says x <= 10 u.
func TestProbingOfManySwitches(t *testing.T) {
	const n = 2 * probeStall
	m := &lp.Model{}
	all, ones := []int32{}, []float64{}
	for range n {
		x := int32(m.AddCol(lp.Col{Cost: -1, Upper: 10}))
		m.AddCol(lp.Col{Upper: 1})
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x, x + 1}, []float64{1, -10})
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x + 1, x + 2}, []float64{1, -1})
		all, ones = append(all, x), append(ones, 1)
	}
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 5 * n}, all, ones)
	opt := DefaultOptions()
	opt.Reductions = Probing
	r, err := Reduce(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	closed := map[int32]bool{}
	for _, i := range r.Facts.Implications {
		if i.Upper && i.Value == 0 && i.Bound < 1e-3 && i.Then == i.Col-2 {
			closed[i.Then] = true
		}
	}
	if len(closed) != n {
		t.Errorf("closed arcs are known to close %d of %d flows", len(closed), n)
	}
}
