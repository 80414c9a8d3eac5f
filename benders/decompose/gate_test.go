package decompose

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// few is the program in which at most two sites may be open. The row has coefficients of 1e7: a third site that is open
// to a small part is within any relative tolerance.
func few(s *sites) *Program {
	p := s.program()
	p.Model.Master = func() *lp.Model {
		m := s.master()
		all, ones := []int32{}, []float64{}
		for j := range s.open {
			all, ones = append(all, int32(j)), append(ones, 1e7)
		}
		m.AddRow(lp.Row{Name: "two", Lower: math.Inf(-1), Upper: 2e7}, all, ones)
		return m
	}
	return p
}

// TestDesignsOfHooks runs a program whose hooks claim a design that breaks a row of the master, at no cost and with a
// bound that proves it: the run does not return it, and does not say that anything is optimal.
func TestDesignsOfHooks(t *testing.T) {
	s := randomSites(3, 6, 8)
	all := make([]float64, len(s.open))
	for j := range all {
		all[j] = 1
	}
	claim := Start{Design: all, Cost: 0, Bound: 0}
	for name, hook := range map[string]func(p *Program){
		"prepared": func(p *Program) {
			p.Preparation.Start = func(context.Context, StartOptions) (Start, error) { return claim, nil }
		},
		"by the tree": func(p *Program) {
			p.Preparation.Start = func(context.Context, StartOptions) (Start, error) {
				return Start{Design: all, Cost: 1, Bound: 0}, nil
			}
			p.Preparation.Tree.Nodes = 10
			p.Preparation.Tree.Solve = func(context.Context, *Start, benders.Options) (*benders.Result, error) {
				return &benders.Result{Status: lp.Optimal, Design: all, Objective: 0, Bound: 0}, nil
			}
		},
	} {
		p := few(s)
		hook(p)
		r, err := Solve(context.Background(), p, exactly(Exact))
		if err != nil || r.Design != nil || r.Status != lp.NotSolved || !math.IsNaN(r.Objective) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestDesignsThatAreGiven refuses starts and states whose designs break a row, and prices none.
func TestDesignsThatAreGiven(t *testing.T) {
	s := randomSites(5, 6, 8)
	third := []float64{1, 1, 1e-6, 0, 0, 0} // is rounded to a design of two sites
	broken := []float64{1, 1, 1, 0, 0, 0}
	p := few(s)
	for _, y := range [][]float64{broken, {0.5, 0.5, 0.5, 0, 0, 0}, {math.NaN(), 0, 0, 0, 0, 0}} {
		o := exactly(Exact)
		o.Start = y
		if _, err := Solve(context.Background(), p, o); !errors.Is(err, ErrState) {
			t.Errorf("start %v: %v", y, err)
		}
		o.Start, o.Resume = nil, &State{Design: y, Cost: 1, Bound: 0}
		if _, err := Solve(context.Background(), p, o); !errors.Is(err, ErrState) {
			t.Errorf("state %v: %v", y, err)
		}
		if cost, feasible, err := p.Price(context.Background(), y); feasible || err != nil {
			t.Errorf("%v costs %g, %v", y, cost, err)
		}
	}
	o := exactly(Exact)
	o.Start = third
	if r, err := Solve(context.Background(), p, o); err != nil || r.Status != lp.Optimal || few(s).Model.Master().Check(r.Design) != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
