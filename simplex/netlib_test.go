package simplex

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

const netlib = "../../shared/data/netlib"

// netlibOptima returns the published values by name; it skips the test where the files are absent.
func netlibOptima(t *testing.T) map[string]float64 {
	text, err := os.ReadFile(filepath.Join(netlib, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no Netlib files")
	}
	optima := map[string]float64{}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, "\t")
		if len(f) < 2 {
			continue
		}
		if v, err := strconv.ParseFloat(f[1], 64); err == nil {
			optima[f[0]] = v
		}
	}
	return optima
}

func netlibModels(t *testing.T, pattern string, maxRows int) map[string]*lp.Model {
	files, err := filepath.Glob(filepath.Join(netlib, pattern))
	if err != nil || len(files) == 0 {
		t.Skip("no Netlib files")
	}
	models := map[string]*lp.Model{}
	for _, path := range files {
		m, _, err := mps.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(m.Rows) <= maxRows {
			models[strings.TrimSuffix(filepath.Base(path), ".mps.gz")] = m
		}
	}
	return models
}

func netlibRows() int {
	if testing.Short() {
		return 500
	}
	return 2500
}

// slowNetlib take more than two seconds each.
var slowNetlib = map[string]bool{"pilot87": true, "truss": true}

// TestNetlib compares every model but the slowest with its published optimum, and checks the
// optimality conditions.
func TestNetlib(t *testing.T) {
	optima := netlibOptima(t)
	solved := 0
	for name, m := range netlibModels(t, "*.mps.gz", netlibRows()) {
		want, ok := optima[name]
		if !ok || slowNetlib[name] {
			continue
		}
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || sol.Status != lp.Optimal {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !(math.Abs(sol.Objective-want) <= 1e-6*math.Abs(want)) {
			t.Errorf("%s: objective %.10g, published %.10g", name, sol.Objective, want)
		}
		if r := Check(m, sol); !r.OK(1e-6) {
			t.Errorf("%s: residuals %+v", name, r)
		}
		solved++
	}
	t.Logf("%d models", solved)
}

// TestNetlibFolded solves qap12, which takes a minute unless it is folded, with and without presolve.
func TestNetlibFolded(t *testing.T) {
	optima := netlibOptima(t)
	m, ok := netlibModels(t, "qap12.mps.gz", 5000)["qap12"]
	if !ok || testing.Short() {
		t.Skip("no qap12, or no time")
	}
	for _, presolve := range [2]bool{true, false} {
		opt := DefaultOptions()
		opt.Presolve = presolve
		sol, err := Solve(context.Background(), m, opt)
		if err != nil || sol.Status != lp.Optimal || !(math.Abs(sol.Objective-optima["qap12"]) <= 1e-6*optima["qap12"]) {
			t.Fatalf("presolve %t: %v, %+v", presolve, err, sol)
		}
		if r := Check(m, sol); !r.OK(1e-6) {
			t.Errorf("presolve %t: residuals %+v", presolve, r)
		}
	}
}

// TestNetlibInfeasible checks the Farkas ray of every model of the infeasible set.
func TestNetlibInfeasible(t *testing.T) {
	for name, m := range netlibModels(t, "infeasible/*.mps.gz", 3700) {
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || sol.Status != lp.Infeasible {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := CheckFarkas(m, sol.Ray); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKennington solves the models of the Kennington set.
func TestKennington(t *testing.T) {
	optima := netlibOptima(t)
	for name, m := range netlibModels(t, "kennington/*.mps.gz", 6*netlibRows()) {
		want, ok := optima[name]
		if !ok {
			continue
		}
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || sol.Status != lp.Optimal || !(math.Abs(sol.Objective-want) <= 1e-6*math.Abs(want)) {
			t.Errorf("%s: %v, %+v, published %g", name, err, sol, want)
		}
	}
}
