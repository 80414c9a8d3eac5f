package presolve

import (
	"context"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// watched counts the looks at it.
type watched struct {
	context.Context
	looks int
}

func (w *watched) Err() error {
	w.looks++
	return nil
}

// Probing a column of a dense model takes long: the context is looked at after every few of them.
func TestProbingPolls(t *testing.T) {
	m := &lp.Model{}
	const n = 200
	for range n {
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	for i := range n {
		var index []int32
		var value []float64
		for j := range n {
			if (i*j+j)%3 != 1 {
				index, value = append(index, int32(j)), append(value, float64(1+(i+j)%5))
			}
		}
		m.AddRow(lp.Row{Lower: 2 + float64(i%7), Upper: 600}, index, value)
	}
	opt := DefaultOptions()
	opt.Reductions = Probing
	ctx := &watched{Context: context.Background()}
	r, err := Reduce(ctx, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if probes := r.Counts.Probes; probes < 50 || ctx.looks < probes/10 {
		t.Errorf("%d columns probed with %d looks at the context", probes, ctx.looks)
	}
}
