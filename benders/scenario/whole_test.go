package scenario_test

import (
	"context"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// grid has depots of integer sizes on a circle of places, over which goods go on in two scenarios of the demands, with
// a row a place and period.
func grid() *stoch.Program {
	const places, periods = 6, 170
	m := &lp.Model{Name: "grid"}
	for i := range places {
		m.AddCol(lp.Col{Cost: float64(2000 + 700*(i%5)), Upper: 4, Integer: true})
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: places}
	for range places * periods {
		m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, nil, nil)
	}
	at := func(place, period int) lp.Con { return lp.Con((place+places)%places*periods + period) }
	for i := range places {
		for t := range periods {
			m.AddEntry(at(i, t), lp.Var(i), 3)
			for _, to := range []int{i - 1, i + 1} {
				x := m.AddCol(lp.Col{Cost: 1 + float64((i+t)%3), Upper: 8})
				m.AddEntry(at(i, t), x, -1)
				m.AddEntry(at(to, t), x, 1)
			}
			m.AddEntry(at(i, t), m.AddCol(lp.Col{Cost: 9, Upper: lp.Inf}), 1)
		}
	}
	for s := range 2 {
		var list []stoch.Change
		for i := range places {
			for t := range periods {
				list = append(list, stoch.Change{Kind: stoch.RowLower, Row: at(i, t),
					Value: float64((i*7 + t*3 + s*5) % 4)})
			}
		}
		p.Add("", 0.5, list...)
	}
	return p
}

// TestFewScenariosOfALargeRecourse checks that these are solved undivided, unless something is asked for that only a
// decomposition has, and that the answer is the same.
func TestFewScenariosOfALargeRecourse(t *testing.T) {
	t.Parallel()
	solve := func(change func(o *decompose.Options)) float64 {
		p, err := scenario.New(grid())
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		change(&o)
		r, err := decompose.Solve(context.Background(), p.Program(), o)
		if err != nil || r.Status != lp.Optimal {
			t.Fatalf("%+v, %v", r, err)
		}
		divided := r.Cuts.Optimality+r.Cuts.User+r.Cuts.Initial > 0
		if want := o.Scheme != decompose.Auto || o.Save != nil; divided != want {
			t.Errorf("scheme %s, states kept %v: decomposed %v", o.Scheme, o.Save != nil, divided)
		}
		return r.Objective
	}
	whole := solve(func(*decompose.Options) {})
	for _, change := range []func(o *decompose.Options){
		func(o *decompose.Options) { o.Scheme = decompose.BBC },
		func(o *decompose.Options) { o.Save = func(*decompose.State) {} },
	} {
		if other := solve(change); lp.RelativeGap(whole, other) > 2e-4 {
			t.Errorf("cost %g undivided, %g decomposed", whole, other)
		}
	}
}
