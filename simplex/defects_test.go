package simplex_test

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// TestSharedDefects solves two files whose answers were wrong, or wrong in their duals, without presolve.
func TestSharedDefects(t *testing.T) {
	const folder = "../../shared/data/defects/at-38c05f4/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no ../shared/data")
	}
	for name, want := range map[string]float64{"lpbad-167-1.mps": -5900.5434340259, "ill-447.mps": 26790941.411791} {
		m, _, err := mps.ReadFile(folder + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, presolve := range []bool{true, false} {
			opt := simplex.DefaultOptions()
			opt.Presolve = presolve
			sol, err := simplex.Solve(context.Background(), m, opt)
			if errors.Is(err, simplex.ErrNumerical) {
				continue // said, and no answer
			}
			if err != nil || sol.Status != lp.Optimal || !(math.Abs(sol.Objective-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("%s, presolve %v: %+v, %v", name, presolve, sol, err)
			}
		}
	}
}
