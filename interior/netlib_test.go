package interior

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

const netlib = "../../shared/data/netlib"

// netlibModels calls f for the models of a pattern with at most maxRows rows; it skips the test where the files are
// absent.
func netlibModels(t *testing.T, pattern string, maxRows int, f func(name string, m *lp.Model)) {
	files, err := filepath.Glob(filepath.Join(netlib, pattern))
	if err != nil || len(files) == 0 {
		t.Skip("no Netlib files")
	}
	for _, path := range files {
		m, _, err := mps.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(m.Rows) <= maxRows {
			f(strings.TrimSuffix(filepath.Base(path), ".mps.gz"), m)
		}
	}
}

// TestNetlib solves the Netlib models with crossover and without it, and compares the objectives with the published
// ones and the residuals with the tolerances. The iterations have to reach the optimum without the simplex method.
func TestNetlib(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(netlib, "OPTIMA.tsv"))
	if err != nil {
		t.Skip("no Netlib files")
	}
	optima := map[string]float64{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if f := strings.Split(line, "\t"); len(f) > 1 {
			if v, err := strconv.ParseFloat(f[1], 64); err == nil {
				optima[f[0]] = v
			}
		}
	}

	netlibModels(t, "*.mps.gz", 800, func(name string, m *lp.Model) {
		opt := DefaultOptions()
		for _, opt.Crossover = range [2]bool{true, false} {
			var log bytes.Buffer
			opt.Log = slog.New(slog.NewTextHandler(&log, nil))
			sol, err := Solve(context.Background(), m, opt)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if strings.Contains(log.String(), "interior point done") && !strings.Contains(log.String(), "outcome=optimal") {
				t.Errorf("%s: the iterations ended without an optimum", name)
			}
			want, known := optima[name]
			if sol.Status != lp.Optimal || known && math.Abs(sol.Objective-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: %v, objective %.10g, published %.10g", name, sol.Status, sol.Objective, want)
			}
			if r := simplex.Check(m, sol); !r.OK(1e-6) {
				t.Errorf("%s: residuals %+v", name, r)
			}
		}
	})
}

// TestInfeasible solves the infeasible models of Netlib: each has a proof that holds on the model as given.
func TestInfeasible(t *testing.T) {
	netlibModels(t, "infeasible/*.mps.gz", 3700, func(name string, m *lp.Model) {
		sol, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if sol.Status != lp.Infeasible {
			t.Errorf("%s: %v", name, sol.Status)
			return
		}
		if err := simplex.CheckFarkas(m, sol.Ray); err != nil && !sol.Exact {
			t.Errorf("%s: %v", name, err)
		}
	})
}
