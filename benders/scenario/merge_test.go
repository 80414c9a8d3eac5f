package scenario

import (
	"context"
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// TestMergedCuts checks the cuts with which a tree begins: no design costs a group less than they say, a master with
// them alone has the bound of the relaxation, and where certificates are kept, those of a cut are of all scenarios of
// its group and make it again.
func TestMergedCuts(t *testing.T) {
	program := locations()
	like := program.Scenarios
	program.Scenarios = nil
	for k := range 33 {
		list := append([]stoch.Change(nil), like[k%len(like)].Changes...)
		list[0].Value += float64(k%7) / 8
		program.Add("", 1/33.0, list...)
	}
	p, err := New(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, certified := range []bool{false, true} {
		ctx, r := context.Background(), &solvers{p: p}
		r.o.Certified = certified
		many, err := r.separator(ofRelaxation)
		if err != nil {
			t.Fatal(err)
		}
		low, err := r.thetaLower(ctx, many)
		if err != nil {
			t.Fatal(err)
		}
		relaxation, err := newRoot(many, low)
		if err == nil {
			err = relaxation.solve(ctx, 1e-9, math.MaxInt)
		}
		if err != nil || relaxation.status != lp.Optimal {
			t.Fatal(relaxation, err)
		}
		for _, groups := range []int{maxTree, 4, 1} {
			few, err := r.separator(groups)
			if err != nil {
				t.Fatal(err)
			}
			cuts, err := relaxation.merged(ctx, few)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, few, cuts)
			if low, err = r.thetaLower(ctx, few); err != nil {
				t.Fatal(err)
			}
			bound := boundOf(t, p, low, cuts)
			if certified {
				remade(t, few, cuts)
			} else if !(math.Abs(bound-relaxation.bound) <= 1e-6*relaxation.bound) {
				t.Errorf("%d groups: the cuts bear %.9g, the relaxation %.9g", groups, bound, relaxation.bound)
			}
			if bound > relaxation.bound*(1+1e-9) {
				t.Errorf("%d groups: the cuts bear %.9g, more than the relaxation, %.9g", groups, bound, relaxation.bound)
			}
		}
	}
}

// valid checks cuts at all designs.
func valid(t *testing.T, s *separator, cuts []benders.Cut) {
	t.Helper()
	y, q := make([]float64, len(s.p.master.Cols)), make([]float64, len(s.groups))
	optimality, tried := 0, 0
	for k := range cuts {
		if cuts[k].Kind == benders.Optimality {
			optimality++
		}
	}
	for code := range 1 << len(y) {
		for j := range y {
			y[j] = float64(code >> j & 1)
		}
		s.best = math.Inf(1) // exact prices
		feasible, err := s.recourse(context.Background(), y, q)
		if err != nil {
			t.Fatal(err)
		}
		if !feasible {
			continue
		}
		tried++
		for k := range cuts {
			c, v := &cuts[k], 0.0
			if c.Kind == benders.Optimality {
				v = q[c.Theta]
			}
			if got := c.Value(y); got > v+1e-7 {
				t.Errorf("%d groups: design %v costs %.12g, a cut says %.12g", len(s.groups), y, v, got)
			}
		}
	}
	if optimality != len(s.groups) || tried == 0 {
		t.Errorf("%d optimality cuts for %d groups, %d designs with a recourse", optimality, len(s.groups), tried)
	}
}

// boundOf is the value of the relaxed master with cuts.
func boundOf(t *testing.T, p *Problem, low []float64, cuts []benders.Cut) float64 {
	t.Helper()
	m := p.masterCopy()
	n := len(m.Cols)
	for j := range m.Cols {
		m.Cols[j].Integer = false
	}
	for _, l := range low {
		m.AddCol(lp.Col{Cost: 1, Lower: l, Upper: lp.Inf})
	}
	for k := range cuts {
		c := &cuts[k]
		row := m.AddRow(lp.Row{Lower: c.Alpha, Upper: lp.Inf}, nil, nil)
		for i, j := range c.Index {
			m.AddEntry(row, lp.Var(j), -c.Beta[i])
		}
		if c.Kind == benders.Optimality {
			m.AddEntry(row, lp.Var(n+c.Theta), 1)
		}
	}
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil || sol.Status != lp.Optimal {
		t.Fatal(sol, err)
	}
	return sol.Objective
}

// remade makes optimality cuts again from their certificates, where these are all floats, which in small groups they
// are.
func remade(t *testing.T, s *separator, cuts []benders.Cut) {
	t.Helper()
	made := 0
	defer func() {
		if made == 0 && len(s.groups) == maxTree {
			t.Error("no cut was made again")
		}
	}()
cuts:
	for k := range cuts {
		c := &cuts[k]
		if c.Kind != benders.Optimality {
			continue
		}
		certificate, ok := c.Certificate.(*Certificate)
		if !ok || len(certificate.Scenarios) != len(s.groups[c.Theta]) || len(certificate.Parts) != len(certificate.Scenarios) {
			t.Fatalf("cut %d: %+v", k, c.Certificate)
		}
		w := s.p.scenarios.NewWeighted()
		for i, scenario := range certificate.Scenarios {
			one := &benders.Cut{Kind: benders.Optimality, Certificate: certificate.Parts[i]}
			d := s.p.scenarios.Dual(one)
			if d == nil {
				continue cuts
			}
			cut, ok := d.Cut(scenario, 0)
			if !ok {
				t.Fatalf("cut %d: no cut of the scenario %d", k, scenario)
			}
			w.Add(s.weight[scenario], &cut)
		}
		made++
		again, ok := w.Cut(c.Theta)
		y := make([]float64, len(s.p.master.Cols))
		if !ok || math.Abs(again.Value(y)-c.Value(y)) > 1e-6*max(1, math.Abs(c.Value(y))) {
			t.Errorf("cut %d: %+v, again %+v", k, c, again)
		}
	}
}
