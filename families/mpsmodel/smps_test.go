package mpsmodel

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// A plant of capacity y meets a demand by production x, or buys z.
const (
	plantCore  = "NAME plant\nROWS\n N cost\n L cap\n G need\nCOLUMNS\n y cost 3 cap -1\n x cost 2 cap 1\n x need 1\n z cost 9 need 1\nRHS\n RHS need 5\nENDATA\n"
	plantTime  = "TIME plant\nPERIODS\n y cost today\n x cap tomorrow\nENDATA\n"
	plantStoch = "STOCH plant\nINDEP DISCRETE\n RHS need 4 0.3\n RHS need 6 0.5\n RHS need 11 0.2\n z cost 8 0.5\n z cost 12 0.5\nENDATA\n"
)

// plant writes the three files and returns their stem.
func plant(t *testing.T, core, sto string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "plant")
	for ext, text := range map[string]string{".cor": core, ".tim": plantTime, ".sto": sto} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stem
}

// TestStochasticProgramsAreSolved solves a program from its stem, from each of its files and from X.smps, by every
// method that needs no network, and compares with the deterministic equivalent as one linear program.
func TestStochasticProgramsAreSolved(t *testing.T) {
	stem := plant(t, plantCore, plantStoch)
	for _, ext := range []string{"", ".smps", ".cor", ".tim", ".sto"} {
		in, err := Family.Read(stem+ext, families.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		equivalent, err := in.Capabilities().Stochastic.Equivalent()
		if err != nil {
			t.Fatal(err)
		}
		plain := equivalent.(*generic.Plain)
		want, err := simplex.Solve(context.Background(), plain.Model(), simplex.DefaultOptions())
		if err != nil || want.Status != lp.Optimal {
			t.Fatalf("%v, %v", want.Status, err)
		}
		if n := plain.Components(); n != 6 {
			t.Errorf("%d scenarios", n)
		}
		for _, m := range []decompose.Method{decompose.Exact, decompose.Aggregated, decompose.Full} {
			o := decompose.Options{Method: m, Scheme: decompose.Auto, Benders: benders.DefaultOptions()}
			o.Benders.Gap = 1e-7
			r, err := pipeline.Solve(context.Background(), in, o)
			if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want.Objective) <= 1e-6*want.Objective) {
				t.Errorf("%s %s: %+v, %v; want %g", ext, m, r, err, want.Objective)
			}
		}
	}
}

// TestStochasticProgramsAreRefused checks what is said of programs that cannot be solved.
func TestStochasticProgramsAreRefused(t *testing.T) {
	for _, c := range []struct{ core, sto, want string }{
		{plantCore, "STOCH\nINDEP NORMAL\n RHS need 4 1\nENDATA\n", "--scenarios N"},
		{plantCore, "STOCH\nICC\nENDATA\n", `section "ICC": not supported`},
	} {
		if _, err := Family.Read(plant(t, c.core, c.sto)+".cor", families.ReadOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	stem := plant(t, plantCore, plantStoch)
	if err := os.Remove(stem + ".tim"); err != nil {
		t.Fatal(err)
	}
	if _, err := Family.Read(stem+".cor", families.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "no time file") {
		t.Errorf("a core file without its time file: %v", err)
	}
}
