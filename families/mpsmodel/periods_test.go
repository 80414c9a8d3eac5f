package mpsmodel

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// A stock is filled today, tomorrow and the day after; demand and price of the last two days are random.
const (
	stockCore = "NAME stock\nROWS\n N cost\n G least\n E first\n E second\nCOLUMNS\n y cost 1 least 1\n y first 1\n" +
		" b1 cost 3 first 1\n k1 cost 0.1 first -1\n k1 second 1\n b2 cost 4 second 1\n k2 cost 0.5 second -1\n" +
		"RHS\n RHS least 1 first 5\n RHS second 5\nENDATA\n"
	stockTime  = "TIME stock\nPERIODS\n y least today\n b1 first tomorrow\n b2 second after\nENDATA\n"
	stockStoch = "STOCH stock\nINDEP DISCRETE\n RHS first 4 tomorrow 0.3\n RHS first 6 tomorrow 0.7\n" +
		" RHS second 2 after 0.5\n RHS second 9 after 0.5\n b2 cost 3 after 0.25\n b2 cost 7 after 0.75\nENDATA\n"
)

// stock writes the three files and returns the path of the core file.
func stock(t *testing.T, core, sto string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "stock")
	for ext, text := range map[string]string{".cor": core, ".tim": stockTime, ".sto": sto} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stem + ".cor"
}

// TestPeriodsAreSolved solves a program of three periods by its graph and by its scenarios.
func TestPeriodsAreSolved(t *testing.T) {
	in, err := Family.Read(stock(t, stockCore, stockStoch), families.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := pipeline.Compact(in)
	if err != nil {
		t.Fatal(err)
	}
	want, err := simplex.Solve(t.Context(), m, simplex.DefaultOptions())
	if err != nil || want.Status != lp.Optimal {
		t.Fatal(want.Status, err)
	}
	whole, err := pipeline.WithScenarios(in)
	if err != nil {
		t.Fatal(err)
	}
	if in.Hash() != whole.Hash() {
		t.Error("the scenarios make it another program")
	}
	if label := in.Label(); label.Shape != "1x4x3x7" || !strings.Contains(label.Title, "8 scenarios by 7 nodes") {
		t.Errorf("%+v", label)
	}
	for _, one := range []families.Instance{in, whole} {
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-9
		r, err := pipeline.Solve(t.Context(), one, o)
		if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want.Objective) <= 1e-7) {
			t.Fatalf("%+v, %v; want %g", r, err, want.Objective)
		}
		if cost, ok, err := pipeline.Price(t.Context(), one, r.Design); err != nil || !ok || !(math.Abs(cost-want.Objective) <= 1e-7) {
			t.Errorf("the design %v costs %g, %v, %v", r.Design, cost, ok, err)
		}
		if s, err := pipeline.Explain(t.Context(), one, r.Design); err != nil || !(math.Abs(s.Total()-want.Objective) <= 1e-7) {
			t.Errorf("the solution: %+v, %v", s, err)
		}
	}
	first, err := pipeline.Master(in)
	if err != nil || len(first.Cols) != 1 || len(first.Rows) != 1 || first.Rows[0].Lower != 1 {
		t.Errorf("the first period is %+v, %v", first, err)
	}
}

// TestPeriodsThatAreNone reads programs that nested decomposition cannot have, or has no least cost of.
func TestPeriodsThatAreNone(t *testing.T) {
	integer := strings.Replace(stockCore, " y cost 1", " M1 'MARKER' 'INTORG'\n y cost 1", 1)
	integer = strings.Replace(integer, " b1 cost 3", " M2 'MARKER' 'INTEND'\n b1 cost 3", 1)
	in, err := Family.Read(stock(t, integer, stockStoch), families.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, two := in.(*generic.Scenarios); !two {
		t.Errorf("an integer first period makes a %T", in)
	}
	later := strings.Replace(stockCore, " b2 cost 4", " M1 'MARKER' 'INTORG'\n b2 cost 4", 1)
	path := stock(t, later, stockStoch)
	if in, err = Family.Read(path, families.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, two := in.(*generic.Scenarios); !two {
		t.Errorf("integer columns in the last period make a %T", in)
	}
	in, err = Family.Read(path, families.ReadOptions{Set: map[string]string{relax: "true"}})
	if p, ok := in.(*generic.Periods); err != nil || !ok || p.Relaxation() != generic.LPRelaxation {
		t.Errorf("the relaxation is %T, %v", in, err)
	}
	in, err = Family.Read(stock(t, strings.Replace(stockCore, "k2 cost 0.5", "k2 cost -5", 1), stockStoch), families.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Solve(t.Context(), in, decompose.DefaultOptions())
	if err != nil || r.Status != lp.Unbounded {
		t.Errorf("a stock that pays for ever: %+v, %v", r, err)
	}
}
