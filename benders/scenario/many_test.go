package scenario_test

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// equivalent solves a program with a continuous first stage, and checks that its optimum is that of the deterministic
// equivalent.
func equivalent(t *testing.T, p *stoch.Program) *benders.Result {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	want, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
	if err != nil || want.Status != lp.Optimal {
		t.Fatal(want, err)
	}
	o := decompose.DefaultOptions()
	o.Benders.Gap = 1e-8
	r, err := scenario.Solve(t.Context(), p, o)
	if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want.Objective) <= 1e-6*math.Abs(want.Objective)) {
		t.Fatalf("%s: %+v, %v; want %.9g", p.Name, r, err, want.Objective)
	}
	return r
}

// TestManyScenarios solves programs with so many scenarios that few of them come first. With a continuous first stage
// the deterministic equivalent is a linear program. Where nothing may be missing, designs have no recourse; the last
// scenario, which the few do not hold, asks for most.
func TestManyScenarios(t *testing.T) {
	for _, missing := range []bool{true, false} {
		p := plants(270, true)
		for j := range p.Core.Cols {
			p.Core.Cols[j].Integer = false
			if c := &p.Core.Cols[j]; !missing && c.Cost == 20 {
				c.Upper = 0
			}
		}
		last := &p.Scenarios[len(p.Scenarios)-1]
		for k := range last.Changes {
			if last.Changes[k].Kind == stoch.RowLower {
				last.Changes[k].Value = 22
			}
		}
		r := equivalent(t, p)
		if n := r.Scenarios; n.Pool == 0 {
			t.Errorf("missing %v: not every way of pricing was used: %+v", missing, n)
		}
	}
}
