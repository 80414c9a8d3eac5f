package cli

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestSolvers solves the models of the testdata folder by each method: the answers agree.
func TestSolvers(t *testing.T) {
	for _, model := range []string{"product_mix.mps", "knapsack.mps", "offset_fixed.mps", "blend.lp", "infeasible.mps",
		"unbounded.mps"} {
		var want lpReport
		for _, flags := range [][]string{{"--solver", "simplex"}, {"--solver", "auto"}, {"--solver", "ipm"},
			{"--solver", "ipm", "--threads", "2"}, {"--solver", "ipm", "--presolve", "off"},
			{"--solver", "ipm", "--presolve", "off", "--crossover=false"}} {
			o := invoke(t, t.Context(), append([]string{"lp", "testdata/" + model, "--json", "-q"}, flags...)...)
			var got struct {
				Status    string
				Objective *float64
			}
			if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
				t.Fatalf("%s %v: %v: %s", model, flags, err, o.stderr)
			}
			objective := math.NaN()
			if got.Objective != nil {
				objective = *got.Objective
			}
			if want.Status == "" {
				want.Status = got.Status
				want.Objective = number(objective)
			}
			same := math.Abs(objective-float64(want.Objective)) <= 1e-6*(1+math.Abs(objective)) || math.IsNaN(objective)
			if got.Status != want.Status || !same {
				t.Errorf("%s %v: %s %g, want %s %g", model, flags, got.Status, objective, want.Status, want.Objective)
			}
		}
	}
}

// TestInteriorLog looks for the columns of the log of the interior point method.
func TestInteriorLog(t *testing.T) {
	o := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "--solver", "ipm", "--presolve", "off")
	for _, want := range []string{"linear system", "primal inf", "dual inf", "mu", "crossover"} {
		if !strings.Contains(o.stderr+o.stdout, want) {
			t.Errorf("the log has no %q:\n%s", want, o.stderr)
		}
	}
}
